"""What solving a variant will need is estimated here, or looked up where it is solved."""

from typing import TYPE_CHECKING

from gamesman.app.checking import check_foreign
from gamesman.app.location import open_store
from gamesman.errors import NoDatabase, NotSolved
from gamesman.machine import signals
from gamesman.machine.memory import Allowance
from gamesman.model.needs import Needs, Range
from gamesman.model.symmetry import in_use

if TYPE_CHECKING:
    import numpy as np

    from gamesman.model.progress import Progress
    from gamesman.model.variant import Variant

MOST_BYTES = 1 << 30  # of memory, that is taken to count positions


def needs(
    variant: "Variant",
    *,
    db: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    seconds: float | None = None,
    most: int | None = None,
    progress: "Progress | None" = None,
) -> Needs:
    """Return what solving a variant needs, or has needed.

    Positions are counted for a while, and then estimated; `seconds`, or `most` of them, say for how long.
    """
    # lazy: start-up time
    from gamesman.model.progress import Silent
    from gamesman.solver.costs import needs
    from gamesman.solver.extent import SECONDS, Extents

    try:
        with open_store(db).open(variant) as stored:
            fields = stored.summary.as_json()
    except (NotSolved, NoDatabase):
        pass
    else:
        names = "positions", "peak_memory", "database_bytes", "cpu_seconds", "seconds"
        count, peak, size, cpu, wall = (Range(*[float(fields[name] or 0)] * 3) for name in names)
        hours = Range(*[wall.likely / 3600] * 3)
        return Needs(variant.name, count, peak, int(peak.likely), size, Range(0, 0, 0), cpu, cpu, {1: hours}, True)
    check_foreign(variant)
    with signals.task(f"estimating {variant.name}", lambda: "nothing was changed"):
        symmetry, used = in_use(variant), Allowance(None).used()
        # No more is taken to count than is allowed, nor all that is free.
        limit = min(memory or used + MOST_BYTES, Allowance(None).limit, used + MOST_BYTES)
        pack = _Pack(1 if symmetry is None else symmetry.order)
        extents = Extents(variant, symmetry, Allowance(limit), pack.size, threads)
        return needs(variant.name, extents.measure(progress or Silent(), SECONDS if seconds is None else seconds, most))


class _Pack:
    """Tells how many bytes keys take in a database."""

    def __init__(self, order: int):
        self._order = order

    def size(self, keys: "np.ndarray") -> int:
        """Return the bytes of a block of keys; that of their records, which are not known yet, is next to none."""
        # lazy: start-up time
        import numpy as np

        from gamesman.db.codec.packer import Packer
        from gamesman.model.ports import Part
        from gamesman.model.summary import TierSummary

        packer = Packer(self._order)
        packer.add(0, Part(int(keys[0]), keys, np.zeros(len(keys), np.uint16)))
        packer.finish(TierSummary(0, {}, kept=len(keys)))
        return packer.bytes
