"""The model says what a game and a variant are, how they are named and what may be asked of them, and has the ports."""
