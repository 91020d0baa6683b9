"""The program: `gamesman`, or `python -m gamesman`.

Files of the user's in the current folder (./click.py, ./json.py) must not be taken for what the program imports:
the current folder is where games and databases are, not programs.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _leave_the_current_folder() -> None:
    """Take the current folder off the module path, unless it is where the project or other packages are installed."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # it has been deleted
        here = ""
    if here != os.path.realpath(ROOT) and os.path.basename(here) not in ("site-packages", "dist-packages"):
        sys.path[:] = [entry for entry in sys.path if entry and os.path.realpath(entry) != here]


def _forget_compiler_settings() -> None:
    """Drop what somebody has set for the compiler's other users: without compiling, say, no game can be solved."""
    for name in [name for name in os.environ if name.startswith("NUMBA_")]:
        del os.environ[name]


def _leave_threads_to_the_solver() -> None:
    """Let linear algebra take one thread, unless the user says otherwise: more would wait in a loop, at full speed."""
    for library in ("OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def main() -> int:
    """Run the command line that the program was called with; return the exit code."""
    try:
        return _run()
    except KeyboardInterrupt:  # before signals are watched
        # lazy: only now does the module path lead to none of the user's own files
        from gamesman.machine import signals

        signals.pass_over()
        print("interrupted", file=sys.stderr)
        return 1


def _run() -> int:
    """Do so, with signals watched from as early on as can be to the very end."""
    _leave_the_current_folder()
    _forget_compiler_settings()
    _leave_threads_to_the_solver()
    # lazy: only now does the module path lead to none of the user's own files
    from gamesman.machine import collection

    collection.put_off()
    # lazy: garbage is to be put off before anything large is imported
    from gamesman.cli import streams
    from gamesman.machine import signals

    streams.fill()
    words = sys.argv[1:]
    if any(".py" in word for word in words):
        # lazy: start-up time
        from gamesman.machine import watching

        game = watching.game_file(words)
        code = watching.in_child(game) if game else None
        if code is not None:
            return code
    signals.watch()
    try:
        # lazy: signals are to be watched before
        from gamesman.cli.main import cli

        return cli.main(prog_name="gamesman", standalone_mode=False)
    except BaseException as error:  # on the way there: what comes later ends in gamesman.cli
        if signals.is_ending():
            line = "interrupted"
        elif isinstance(error, OSError | ImportError):
            line = f"gamesman cannot be started: {error}"
        else:
            raise
        if signals.may_speak():
            streams.say_last(line)
        return 1
    finally:
        signals.pass_over()
        collection.give_up()


if __name__ == "__main__":
    sys.exit(main())
