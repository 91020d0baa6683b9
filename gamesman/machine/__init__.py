"""The machine at hand: its memory and its threads."""
