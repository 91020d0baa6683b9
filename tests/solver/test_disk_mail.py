"""Messages between shards: each is heard once, by the shard it goes to, in memory or out of a file."""

import numpy as np
import pytest

from gamesman.errors import Damaged
from gamesman.solver.disk.mail import Mail

FIRSTS = np.array([10, 20, 40])
WHERE, WHAT = np.array([45, 12, 20, 39, 12, 3]), np.array([1, 2, 3, 4, 5, 6])


def posted(tmp_path, shift, room):
    """Mail to which the same messages were posted twice, the second time from further right."""
    mail = Mail(tmp_path / "tier-1", FIRSTS, shift, room)
    for where in (WHERE, WHERE + 5):
        mail.post(where << shift | WHAT if shift else where, WHAT[: 0 if shift else None])
    return mail


def heard(mail, shift, most):
    """By shard where messages went and what they said."""
    found = {}
    for shard in sorted(mail.deliver()):
        for where, what in mail.heard(shard, most):
            assert len(where) <= most and (np.diff(where) >= 0).all()
            pairs = (
                zip(where >> shift, where & (1 << shift) - 1, strict=True) if shift else zip(where, what, strict=True)
            )
            found.setdefault(shard, []).extend((int(a), int(b)) for a, b in pairs)
    return {shard: sorted(pairs) for shard, pairs in found.items()}


@pytest.mark.parametrize("room", [0, 60, 1 << 20])
@pytest.mark.parametrize("shift", [0, 8])
def test_each_message_is_heard_once_by_its_shard(shift, room, tmp_path):
    mail = posted(tmp_path, shift, room)
    wanted = {0: [(12, 2), (12, 5), (17, 2), (17, 5)], 1: [(20, 3), (25, 3), (39, 4)], 2: [(44, 4), (45, 1), (50, 1)]}
    assert bool(list(tmp_path.iterdir())) == (room < 100)
    assert heard(mail, shift, 3) == wanted
    assert mail.deliver() == set() and not any(path.stat().st_size for path in tmp_path.iterdir())
    mail.end()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("shift", [0, 8])
def test_a_damaged_file_of_messages_is_noticed(shift, tmp_path):
    for damage in (lambda whole: whole[:-1], lambda whole: whole[:-16], lambda whole: b"?" + whole[1:]):
        mail = posted(tmp_path, shift, 0)
        for path in tmp_path.iterdir():
            path.write_bytes(damage(path.read_bytes()))
        with pytest.raises(Damaged):
            heard(mail, shift, 3)
