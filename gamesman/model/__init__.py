"""A game and its variants: what one is, how it is named, what may be asked of it, and the ports to a store."""
