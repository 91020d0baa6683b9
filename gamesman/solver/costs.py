"""What a solve needs is told here from how far a variant reaches: memory, disk and computing, by constants measured.

How long enumerating a class takes is measured while positions are counted, on the machine that asks. All else of a
solve takes so many times as long, which depends only on how tiers are held; docs/scaling.md has the measurements.
"""

import math
from typing import Any

from gamesman.model.needs import CORES, Needs, Range
from gamesman.solver import need
from gamesman.solver.extent import Extent

PROGRAM = 180 << 20  # bytes of memory for Python, numba and a game's compiled code
PLACE = 2.5  # bytes of memory for each number of a position, where arrays have a place for each
LEAST_FOR_FILES = 110 << 20  # bytes of memory beside the program, where a solve goes on in files

STARTING = 0.07  # seconds of computing, whatever the size
IN_SETS, IN_ARRAYS = 2.15, 3.3  # times as long as enumerating a solve takes
IN_FILES, ARRAYS_IN_FILES = 1.2, 3.0  # times as long as in memory, in files
FAR = 0.4  # times as long as enumerating a class takes each move within a tier that memory has to be asked about,
NEAR = 1 << 20  # because no more bytes of a tier than these are in the processor's cache
STORING = 5e-8  # seconds for each class that only the driver can do

EMPTY, TIER = 36_000, 900  # bytes of a database without positions, and of a tier in it
RECORD = 0.36  # bytes of a record that is stored
FILE_RECORD = 0.7  # of files, beside a key
FILE_OPEN = 8  # of files, for each position of the largest tier, while it is solved where there are cycles

MACHINES = 1, 10, 100


def needs(variant: str, extent: Extent) -> Needs:
    """Return what solving a variant needs that reaches so far."""
    likely = extent.positions
    shares = Range(extent.low / likely, 1.0, extent.high / likely)

    def range_of(measure: Any) -> Range:
        """Return a measure of all classes, where they are as few, as likely and as many as they may be."""
        return Range(*(float(measure(share)) for share in shares))

    classes, tiers = likely / extent.weight, len(extent.sizes)
    has_cycles = any(above == below for above, below in extent.ways)
    open_bytes = FILE_OPEN * has_cycles * max(extent.sizes.values())
    times = IN_ARRAYS if extent.spread is not None else IN_SETS
    near = range_of(lambda share: STARTING + times * extent.seconds * share * classes)
    cpu = range_of(lambda share: STARTING + extent.seconds * (times * share * classes + FAR * _far(extent, share)))
    factor = IN_FILES if extent.spread is None else ARRAYS_IN_FILES
    in_files = Range(*(factor * seconds for seconds in near))
    can_be_shared = not has_cycles and extent.spread is None
    hours = {}
    for machines in MACHINES if can_be_shared else MACHINES[:1]:
        cores = CORES * machines if can_be_shared else 1
        hours[machines] = range_of(
            lambda share, cores=cores: (
                max((STARTING + factor * times * extent.seconds * share * classes) / cores, STORING * share * classes)
                / 3600
            )
        )
    return Needs(
        variant,
        Range(extent.low, likely, extent.high),
        range_of(lambda share: _memory(extent, share)),
        PROGRAM + LEAST_FOR_FILES,
        range_of(lambda share: EMPTY + TIER * tiers + share * classes * (extent.key_bytes + RECORD)),
        range_of(lambda share: share * (classes * (extent.file_bytes + FILE_RECORD) + open_bytes)),
        cpu,
        in_files,
        hours,
    )


def _far(extent: Extent, share: float) -> float:
    """Return how many moves within tiers, found by hashing, lead to what is not in the processor's cache."""
    stay = [share * extent.sizes.get(above, 0.0) for above, below in extent.ways if above == below]
    if extent.spread is not None or not sum(stay):
        return 0.0
    kept = NEAR / (need.KEYS + need.RECORD)
    return extent.inner * share * extent.classes * sum(max(0.0, size - kept) for size in stay) / sum(stay)


def _memory(extent: Extent, share: float) -> float:
    """Return the bytes of memory of a solve in memory, where there is such a share of the likely classes."""
    if extent.spread is not None:
        return PROGRAM + PLACE * extent.spread + extent.links * share * max(extent.sizes.values())
    sizes = {number: max(1.0, math.ceil(share * size)) for number, size in extent.sizes.items()}
    ways = extent.ways
    return PROGRAM + max(need.keeping(sizes, ways), need.solving(sizes, ways, links=extent.links))
