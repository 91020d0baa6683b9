"""Search, for games too large to solve: the best move as far as it can be seen from a position.

tree           the search itself, written once          found         what a search has found
interpreted    in plain Python, for any board           searcher      depth after depth, clock, database
ties           the shortest way to a tie                history       what has been in a game, as text
players        perfect, depth, time, random             tournament    players against each other

The same source as machine code is in gamesman.search.compiled.
"""
