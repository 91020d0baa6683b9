"""All positions of classes are made here by machine code, for a database that stores one position of each class."""

from typing import Any

import numpy as np

from gamesman.compiler import quotient
from gamesman.compiler.compile import compiler_for, rules_for
from gamesman.model.ports import MakeImages
from gamesman.model.symmetry import Symmetry


def compile_images(symmetry: Symmetry) -> MakeImages:
    """Compile a game's functions; return what makes the positions of its classes."""
    compiler, rules = compiler_for(symmetry.variant, symmetry), rules_for(symmetry.variant, symmetry)
    kernel: Any = quotient.images_kernel(compiler.kernel, compiler.functions)

    def make(keys: np.ndarray, records: np.ndarray, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        most = len(keys) * symmetry.order
        found, its = np.empty(most, np.int64), np.empty(most, np.uint16)
        n = kernel(rules, keys, records, low, high, found, its)
        return found[:n].copy(), its[:n].copy()

    return make
