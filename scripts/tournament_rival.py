"""Another program is played against here: the one of another checkout, in a process of its own.

It gets a line of JSON for each move it is to find, and answers with a line. It is started by the tournament, with the
other checkout in the place of this one; so it keeps to what was there early: `variant` and `Searcher.search`. Positions
and moves go by their names, which mean the same in all programs.
"""

import json
import sys
import time

try:
    from gamesman.model.variant import variant
except ModuleNotFoundError:  # where it was before there was a room of that name
    from gamesman.variant import variant  # type: ignore[import-not-found, no-redef]
from gamesman.errors import TooLarge
from gamesman.search.searcher import Searcher


def main() -> None:
    name, clock = sys.argv[1:]
    played = variant(name)
    try:
        searcher = Searcher(played, compiled=True)
    except TooLarge:  # an early program has no machine code for large boards
        searcher = Searcher(played)
    if clock == "cpu":
        time.perf_counter = time.process_time
    print(json.dumps({"is_ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        root, past = played.parse(asked["position"]), [played.parse(text) for text in asked["past"]]
        found = searcher.search(root, asked["depth"], asked["seconds"], past)
        print(json.dumps({"move": played.move_name(root, found.move)}), flush=True)


if __name__ == "__main__":
    main()
