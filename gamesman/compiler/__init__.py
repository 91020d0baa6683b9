"""From a game's plain Python functions to machine code, and the checks before that is trusted."""
