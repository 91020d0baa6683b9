"""The rules of some games a second time, as slow and literal as can be: what the real games are compared with."""
