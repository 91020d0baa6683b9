"""Positions that are the same game turned or mirrored are one for the prover: the least tuple stands for all.

Those symmetries count that leave the position asked about as it is: what follows from it has then the images of what
follows from it. Others hold as well, but hardly ever is an image of a position met where the position itself is:
on Konane 6x6 they save 20 nodes of 2.8 million.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gamesman.compiler.compile import inlined
from gamesman.model.symmetry import KEPT_FIELD, Symmetry, cells_turned, rules_class

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


def rules_with(variant: "Variant", symmetry: Symmetry | None) -> Any:
    """Return a variant's rules with what `least_of` needs to know of the symmetries that count; None for none."""
    rules = variant.rules
    if not variant.has("symmetries"):
        return rules
    kept = 0 if symmetry is None else symmetry.kept
    if kept and cells_turned(variant.game.functions["symmetries"]) is not None:
        # No image is made that does not count.
        rules = rules._replace(turned=tuple(row for i, row in enumerate(rules.turned) if kept >> i & 1))
        kept = (1 << len(rules.turned)) - 1
    return rules_class(type(rules), [KEPT_FIELD])(*rules, kept)


def least_of(functions: dict[str, Any]) -> Callable[..., Any]:
    """Compile what returns the position that stands for a class, with a game's compiled functions."""
    if "symmetries" not in functions:
        return inlined(lambda rules, position: position)
    symmetries = functions["symmetries"]

    def least(rules: Any, position: Any) -> Any:
        best = position
        kept = rules.kept_symmetries
        if kept:
            for image in symmetries(rules, position):
                if kept & 1 and image < best:
                    best = image
                kept >>= 1
        return best

    return inlined(least)
