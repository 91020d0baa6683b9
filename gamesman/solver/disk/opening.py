"""What performs the steps of a solve in files is made here: the game is compiled, and it is seen what is left."""

from typing import Any

from gamesman.compiler.compile import Compiler
from gamesman.machine.memory import Allowance, give_back
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.solver.disk import backwards
from gamesman.solver.disk.folder import WorkFolder
from gamesman.solver.disk.tasks import Job, Room, shift_for, warm_up
from gamesman.solver.kernels import acyclic, listing, messages, sorting
from gamesman.values import KEY_LIMIT


def job_for(
    variant: Variant,
    compiler: Compiler,
    rules: Any,
    symmetry: Symmetry | None,
    folder: WorkFolder,
    allowance: Allowance,
    *,
    has_cycles: bool = False,
) -> Job:
    """Return what all steps share, compiled, so that it is seen how much memory is left; its room is yet to be set."""
    kernel, functions, bound = compiler.kernel, compiler.functions, variant.key_bound()
    kernels = {
        **sorting.kernels(kernel),
        **listing.kernels(kernel, functions),
        **acyclic.kernels(kernel, functions),
        **messages.kernels(kernel, functions),
    }
    limits = shift_for(bound), bound or KEY_LIMIT, allowance
    job = Job(folder, kernels, rules, Room(1, 1), *limits, symmetry is not None)
    warm_up(job, variant.hash(variant.start()))
    if has_cycles:
        backwards.warm_up(job)
    give_back()
    return job
