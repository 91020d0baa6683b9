"""Analysis says what a solved variant is like and how variants differ, and proves that what is stored is right.

walk          one variant, walked once: who wins with whose turn, how often one move alone keeps the value
profile       one variant in numbers: shares, remoteness, branching, all that `stats` and `compare` show of it
statistics    how different two distributions are, with names and in plain words
sharing       the positions two variants share, and how their values change
comparison    several variants side by side
verify        one variant, proved: every position against its own moves
explain       what is wrong with one position, in words
lookup        whole tiers in memory, in which positions are found by their keys
kernels       the loops over positions that are compiled
"""
