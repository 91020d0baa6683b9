"""The loops of the solver that are compiled with a game's functions inside them."""
