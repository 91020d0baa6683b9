"""Another program is played against here: the one of another checkout, in a process of its own.

It gets a line of JSON for each move it is to find, and answers with a line. It is started by the tournament, with the
other checkout in the place of this one; so it keeps to what was there early: `variant` and `Searcher.search`.
"""

import json
import sys

from gamesman.model.variant import variant
from gamesman.search.searcher import Searcher


def main() -> None:
    played = variant(sys.argv[1])
    searcher = Searcher(played, compiled=True)
    print(json.dumps({"is_ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        root, past = tuple(asked["position"]), [tuple(position) for position in asked["past"]]
        found = searcher.search(root, asked["depth"], asked["seconds"], past)
        print(json.dumps({"move": found.move}), flush=True)


if __name__ == "__main__":
    main()
