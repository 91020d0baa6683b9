"""Positions as the bytes of a block, and back."""
