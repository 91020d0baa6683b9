"""A sink that keeps all it is given, as bytes and as values by position."""

import numpy as np

from gamesman.model.ports import Part
from gamesman.values import DRAW, UNREACHED, unpack
from support.storing import reached


class Collecting:
    """Keeps the parts of each tier; can be told that some tiers were finished before."""

    def __init__(self, earlier=None):
        self.parts = {} if earlier is None else dict(earlier.parts)
        self.tiers = {} if earlier is None else dict(earlier.tiers)
        self.solved = []
        self.summary = None

    def finished(self):
        return dict(self.tiers)

    def load(self, tier):
        return self.parts[tier]

    def write(self, tier, part):
        keys = None if part.keys is None else part.keys.copy()
        self.parts.setdefault(tier, []).append(Part(part.first, keys, part.records.copy()))

    def finish(self, tier):
        self.tiers[tier.number] = tier
        self.solved.append(tier.number)

    def complete(self, summary):
        self.summary = summary

    def forget(self, tier):
        del self.tiers[tier], self.parts[tier]

    def bytes(self):
        return {
            tier: [(p.first, None if p.keys is None else p.keys.tobytes(), p.records.tobytes()) for p in parts]
            for tier, parts in self.parts.items()
        }

    def joined(self):
        """Return the keys and records of each tier, however they came."""
        found = {}
        for tier, parts in self.parts.items():
            keys, records = zip(*map(reached, parts), strict=True)
            found[tier] = np.concatenate(keys).tobytes(), np.concatenate(records).tobytes()
        return found

    def values(self, variant):
        """Return the value and remoteness of each position, as the reference solver gives them."""
        found = {}
        for parts in self.parts.values():
            for part in parts:
                keys = range(part.first, part.first + len(part.records)) if part.keys is None else part.keys.tolist()
                assert list(keys) == sorted(set(keys))
                for key, record in zip(keys, part.records.tolist(), strict=True):
                    if record != UNREACHED:
                        value, remoteness = unpack(record)
                        found[variant.unhash(key)] = value, None if value == DRAW else remoteness
        return found


class Classes(Collecting):
    """Takes one position of each class."""

    takes_classes = True
