"""All positions of low tiers are solved here, reachable or not: nothing is looked for, for all is there."""

from collections.abc import Callable

from gamesman.errors import TooLarge
from gamesman.solver.dense import Dense, NotDense
from gamesman.solver.kernels.places import DIRTY, NEW


class Complete(Dense):
    """Solves all positions of a variant of endgames (gamesman.model.endgames)."""

    def enumerate(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> None:
        """Expand every position of every tier, the highest first. Raises TooLarge where that cannot be done."""
        numbers = [number for number in range(start_tier + 1) if self._variant.tier_keys(number)[1]]
        for number in numbers:
            first, end = self._span(number)
            self._known[first:end] = NEW
        self._dirty[:] = DIRTY
        for number in reversed(numbers):
            try:
                self._sweep(number, advanced)
            except NotDense:
                name = self._variant.name
                raise TooLarge(f"{name} cannot be solved up to a tier: a position has too many moves") from None
            self._children[number] = {other for other in numbers if other < number}
