"""Analysis finds what a variant is like, how variants differ, and whether what is stored is right.

walk         goes over one variant once and counts: who wins with whose turn, how often only one move keeps the value
puzzles      draws problems from one variant, with their solutions
verify       proves one variant: every position against its own moves
explain      says what is wrong with one position
lookup       holds whole tiers in memory, in which positions are found by their keys
play         follows games from the start: chances, lengths and errors by kinds of players; graph and flow are its tools
profile      puts one variant in numbers: shares, remoteness, branching, all that `stats` and `compare` show of it
statistics   measures how different two distributions are, with names and plain words
sharing      finds the positions that two variants share, and how their values change
comparison   sets several variants side by side
estimating   says what variants are like that are not solved, from games of playouts and searching, with intervals
kernels      are the loops of walk, verify and sharing, compiled with a game's functions inside them
"""
