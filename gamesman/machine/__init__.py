"""The machine is asked for its memory, threads and files here, and heard when it sends a signal to end."""
