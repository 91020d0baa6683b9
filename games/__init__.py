"""The games that come with gamesman, one file each: its rules and nothing else."""
