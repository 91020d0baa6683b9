"""Strong solutions of abstract two-player games whose rules are one short file of plain Python."""

__version__ = "0.1.0"
