"""What lies in files for want of memory is looked up a few positions at a time, and given back in time."""

import numpy as np
import pytest
from support.storing import store_solution

from gamesman.analysis import lookup, walk
from gamesman.analysis.kernels import walking
from gamesman.analysis.lookup import GROWN_BYTES, SPARE_BYTES, Lookup
from gamesman.db import open_store
from gamesman.model.variant import variant
from gamesman.values import pack

NAME = "konane:rows=4"


@pytest.mark.parametrize("room", [0, 1 << 30])
def test_in_memory_or_in_files_each_position_has_its_record(room, database, monkeypatch):
    solution = store_solution(open_store(database), NAME)
    v = variant(NAME)
    kernel, functions, _ = walk.form_for(v, 0, None)
    calls = []
    find = Lookup._find
    monkeypatch.setattr(Lookup, "_find", lambda self, *given: calls.append(given[2]) or find(self, *given))
    monkeypatch.setattr(lookup, "LEAST_AT_ONCE", 5)
    with open_store(database).open(v) as stored:
        found_in = Lookup(stored, walking.find_kernels(kernel, functions), room, left=lambda: 1)
        by_tier = {}
        for position, (value, remoteness) in solution.values.items():
            by_tier.setdefault(v.tier(position), []).append((v.hash(position), pack(value, remoteness or 0)))
        for number, pairs in by_tier.items():
            wanted, records = np.array([*pairs, (3, 0)], np.int64).T.copy()
            found, n = np.empty(len(wanted), np.uint16), len(wanted)
            found_in.find(number, 0, n, wanted, np.zeros(n, np.int32), found)
            assert found[:-1].tolist() == records[:-1].tolist()
    most = max(map(len, by_tier.values())) + 1
    assert max(calls) == (most if room else 5)


def test_memory_is_given_back_when_little_is_left_and_something_has_come_in_since(database):
    store_solution(open_store(database), NAME)
    v = variant(NAME)
    left, given_back = [1 << 30], []
    with open_store(database).open(v) as stored:
        found_in = Lookup(stored, {}, 0, left=lambda: left[0])
        tier = found_in.tier(20)

        class Pages:
            def madvise(self, how):
                given_back.append(left[0])
                left[0] = SPARE_BYTES - 1

        assert isinstance(tier.records, np.memmap)
        found_in._on_disk = {Pages()}
        for now in (SPARE_BYTES, SPARE_BYTES - 1, SPARE_BYTES - GROWN_BYTES, SPARE_BYTES - GROWN_BYTES - 2):
            left[0] = now
            assert list(found_in.passing([(0, 1)])) == [(0, 1)]
    assert given_back == [SPARE_BYTES - 1, SPARE_BYTES - GROWN_BYTES - 2]
