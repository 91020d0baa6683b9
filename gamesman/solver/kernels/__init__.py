"""The loops of the solver are made here, to be compiled with a game's functions inside them."""
