"""Solving a variant: every reachable position, and what each is worth."""
