"""The loops over solved positions that are compiled with a game's functions inside them."""
