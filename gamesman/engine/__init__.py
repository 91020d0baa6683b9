"""The compiled solver. Nothing outside this folder imports numba."""
