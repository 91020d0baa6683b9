"""The command line: what is typed, what is shown, and the exit code."""
