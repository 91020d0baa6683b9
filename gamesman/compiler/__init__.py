"""The compiler turns a game's plain Python functions into machine code, and checks that before it is trusted."""
