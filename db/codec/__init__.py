"""The codec turns positions into the bytes of blocks, and back."""
