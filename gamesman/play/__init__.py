"""Games are played here: their moves are recorded, programs choose moves, and a game is reviewed at its end.

record      keeps a game that is played, with the rules on repetition, saves it and loads it
clock       counts the time that each player takes
players     programs that choose moves: perfectly, by search or at random
standing    ranks the moves of a game in which no position may come back
review      says of every move of a game what it was worth
capture     does what `capture` of Capture the Flag does
"""
