"""The machine at hand: its memory, its threads, its files and the signals that end a process."""
