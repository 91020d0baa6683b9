"""What a solved variant is like and how variants differ: numbers, shared positions, pictures, a page.

census       one variant, walked once: who wins with whose turn, how often only one move keeps the value
verify       one variant, proved: every position against its own moves
doubt        what is wrong with one position, in words
lookup       whole tiers in memory, in which positions are found by their keys
profile      one variant in numbers: shares, remoteness, branching, all that `stats` and `compare` show of it
statistics   how different two distributions are, with names and plain words
sharing      the positions two variants share, and how their values change
comparison   several variants side by side
tables       all that for a terminal, and as CSV
pictures     all that drawn; needs matplotlib
page         all that as one HTML file
"""
