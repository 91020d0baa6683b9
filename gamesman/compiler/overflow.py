"""Whole numbers that leave the 64 bits of a machine word are noticed here, in code compiled to be held against Python.

Python's numbers have no end. Compiled, what is beyond a word is cut off, which may be meant, as where a mask follows:
`board << 1 & full`. So it is no fault by itself; whoever is told asks whether plain Python says the same there.

    a + b, a - b, a * b     the processor tells
    a << b                  shifted back it must be what it was
    a << b, a >> b          b must be from 0 to 63: the processor takes its lowest six bits alone
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir import Assign, Expr
from numba.core.typed_passes import NopythonTypeInference
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

SAID = "a number beyond 64 bits"
WORD = 64


def _by_flag(name: str) -> Callable[..., Any]:
    def compute(builder: Any, a: Any, b: Any) -> tuple[Any, Any]:
        both = getattr(builder, name)(a, b)
        return builder.extract_value(both, 0), builder.extract_value(both, 1)

    return compute


def _shift(is_left: bool) -> Callable[..., Any]:
    def compute(builder: Any, a: Any, b: Any) -> tuple[Any, Any]:
        is_beyond = builder.icmp_unsigned(">=", b, ir.Constant(b.type, WORD))
        by = builder.select(is_beyond, ir.Constant(b.type, 0), b)
        if not is_left:
            return builder.ashr(a, by), is_beyond
        shifted = builder.shl(a, by)
        is_cut = builder.icmp_signed("!=", builder.ashr(shifted, by), a)
        return shifted, builder.or_(is_beyond, is_cut)

    return compute


def _tested(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    def test(a: int, b: int) -> int:
        raise NotImplementedError  # it is told apart by its name, and made of instructions

    test.__name__ = f"{name}_tested"
    globals()[test.__name__] = test  # where numba looks for it

    @infer_global(test)
    class Typed(AbstractTemplate):
        def generic(self, arguments: Any, _: Any) -> Any:
            return signature(types.int64, types.int64, types.int64)

    @lower_builtin(test, types.Integer, types.Integer)
    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        a, b = (context.cast(builder, *each, types.int64) for each in zip(arguments, sig.args, strict=True))
        value, is_beyond = compute(builder, a, b)
        with cgutils.if_unlikely(builder, is_beyond):
            context.call_conv.return_user_exc(builder, OverflowError, (SAID,))
        return value

    return test


TESTED = {
    operator.add: _tested("add", _by_flag("sadd_with_overflow")),
    operator.sub: _tested("sub", _by_flag("ssub_with_overflow")),
    operator.mul: _tested("mul", _by_flag("smul_with_overflow")),
    operator.lshift: _tested("lshift", _shift(is_left=True)),
    operator.rshift: _tested("rshift", _shift(is_left=False)),
}


@register_pass(mutates_CFG=False, analysis_only=False)
class TestOverflow(FunctionPass):  # type: ignore[misc]
    """Puts the tested operation in the place of each one of whole numbers, once their types are known."""

    _name = "test_overflow"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                value = statement.value if isinstance(statement, Assign) else None
                if not isinstance(value, Expr) or value.op not in ("binop", "inplace_binop"):
                    continue
                field = "fn" if value.op == "binop" else "immutable_fn"
                tested = TESTED.get(getattr(value, field))
                if tested is not None and _is_of_words(state.calltypes.get(value)):
                    setattr(value, field, tested)
        return True


def _is_of_words(sig: Any) -> bool:
    """Tell whether an operation is of whole numbers with a sign, as those of a game are."""
    return sig is not None and all(getattr(kind, "signed", False) for kind in (sig.return_type, *sig.args))


class OverflowCompiler(CompilerBase):  # type: ignore[misc]
    """Compiles as numba does, with the tests."""

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(TestOverflow, NopythonTypeInference)
        manager.finalize()
        return [manager]
