"""Loops over solved positions are made here, to be compiled with a game's functions inside them."""
