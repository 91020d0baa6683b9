"""Search looks for the best move of a position, for games that are too large to solve.

searcher    asks a database where there is one, and chooses how to search
deepening   searches one depth after the other, until the time is up
helping     other threads that search the same position
tree        the search to one depth, written once for the interpreter and for machine code
nodes       what a single node is worth, and its moves
stack       what the search goes by
plain       runs it in plain Python, for boards of any size
compiled    runs it as machine code, for boards that fit a machine word
scores      what a position is worth as a number, and what the table keeps of it
ties        looks for the shortest way to a tie
evenly      finds all moves that are best at a depth
shelter     looks for positions in which a player can stay for ever without losing
found       holds what a search has found
history     reads what has been in a game
"""
