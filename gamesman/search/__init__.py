"""Search, for games too large to solve: the best move as far as it can be seen from a position.

tree           the search itself, written once          found         what a search has found
interpreted    in plain Python, for any board           searcher      depth after depth, time, databases
(gamesman.engine.search: the same as machine code)      players       perfect, depth, time, random
"""
