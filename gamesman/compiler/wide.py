"""Wide integers: numbers beyond a machine word in compiled code, for boards of more than 63 cells.

A game's source is the same. Where its rules do not fit a word, it is compiled a second time, for wide integers of two
words or more: the masks in its rules are wide, and so is what they are combined to; whatever is shifted left becomes
wide first, as in `1 << cell`. The rest (whose turn, a cell, a count, a move) stays a word, and code for boards that fit
one is what it is without this file.

    rules.board           wide, because the number is too large to be anything but a mask
    board >> 3 & 1        wide
    1 << cell             wide
    lowest(board)         a word
    rules.near[cell]      wide, in a table of which one entry at least is a mask

To numba a wide integer is one more type of integer, to LLVM an integer of 128 bits, 192 and so on; both know the rest.
Division is left out: a game that divides a mask runs interpreted.
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.datamodel.models import IntegerModel
from numba.core.ir import Assign, Expr
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.core.untyped_passes import IRProcessing
from numba.cpython import numbers
from numba.extending import (
    NativeValue,
    intrinsic,
    lower_builtin,
    lower_cast,
    register_model,
    typeof_impl,
    unbox,
)

WORD = 64
MOST_WORDS = 4
SMALL = 1 << 31  # what is larger in the rules of a wide board is a mask


class WideType(types.Type):
    """The type of integers of some words, for numba; there is one for each number of words.

    It is none of numba's own integers, which numba takes for numpy's; and so nothing makes it narrower unasked.
    """

    def __init__(self, words: int):
        super().__init__(f"wide{WORD * words}")
        self.words = words
        self.bitwidth = WORD * words
        self.signed = True

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Integer | types.Boolean) else None


Integral = (types.Integer, types.Boolean, WideType)


register_model(WideType)(IntegerModel)


class Wide:
    """A number that compiled code is to take as a wide integer."""

    def __init__(self, number: int, words: int):
        self.count = words
        for word in range(words):
            setattr(self, f"word{word}", signed_word(number, word))


def signed_word(number: int, word: int) -> int:
    """Return a word of a number, the lowest being 0, with the sign that its highest bit stands for.

    >>> signed_word(1 << 64, 1), signed_word((1 << 64) - 1, 0)
    (1, -1)
    """
    return ((number >> WORD * word) + (1 << 63) & (1 << 64) - 1) - (1 << 63)


@typeof_impl.register(Wide)
def _type_of(number: Wide, _: Any) -> WideType:
    return WideType(number.count)


@unbox(WideType)
def _unbox(kind: Any, number: Any, c: Any) -> NativeValue:
    llvm = ir.IntType(kind.bitwidth)
    value = ir.Constant(llvm, 0)
    for word in range(kind.words):
        attribute = c.pyapi.object_getattr_string(number, f"word{word}")
        part = c.builder.zext(c.pyapi.long_as_longlong(attribute), llvm)
        c.pyapi.decref(attribute)
        value = c.builder.or_(value, c.builder.shl(part, ir.Constant(llvm, WORD * word)))
    return NativeValue(value)


def words_for(numbers: Any) -> int:
    """Return how many words it takes to hold these numbers, each with a sign.

    >>> words_for([5, (1, (1 << 63) - 1)]), words_for([1 << 63]), words_for([(1 << 128) - 1])
    (1, 2, 3)
    """
    if isinstance(numbers, int):
        return max(1, (int(numbers) if numbers >= 0 else ~numbers).bit_length() // WORD + 1)
    return max(map(words_for, numbers), default=1)


def is_mask(numbers: Any) -> bool:
    """Tell whether some numbers of the rules of a wide board, or one, are to be wide."""
    return abs(numbers) >= SMALL if isinstance(numbers, int) else any(map(is_mask, numbers))


class _Binary(NamedTuple):
    plain: Callable[..., Any]
    in_place: Callable[..., Any] | None
    lowered: Callable[..., Any]
    result: Any = None  # None for a wide one


_BINARY = [
    _Binary(operator.add, operator.iadd, numbers.int_add_impl),
    _Binary(operator.sub, operator.isub, numbers.int_sub_impl),
    _Binary(operator.mul, operator.imul, numbers.int_mul_impl),
    _Binary(operator.and_, operator.iand, numbers.int_and_impl),
    _Binary(operator.or_, operator.ior, numbers.int_or_impl),
    _Binary(operator.xor, operator.ixor, numbers.int_xor_impl),
    _Binary(operator.lshift, operator.ilshift, numbers.int_shl_impl),
    _Binary(operator.rshift, operator.irshift, numbers.int_shr_impl),
    _Binary(operator.eq, None, numbers.int_eq_impl, types.boolean),
    _Binary(operator.ne, None, numbers.int_ne_impl, types.boolean),
    _Binary(operator.lt, None, numbers.int_slt_impl, types.boolean),
    _Binary(operator.le, None, numbers.int_sle_impl, types.boolean),
    _Binary(operator.gt, None, numbers.int_sgt_impl, types.boolean),
    _Binary(operator.ge, None, numbers.int_sge_impl, types.boolean),
]


def _register() -> None:
    for operation in _BINARY:
        for function in filter(None, (operation.plain, operation.in_place)):
            _type_binary(function, operation.result)
            lower_builtin(function, WideType, WideType)(operation.lowered)
    for function, lowered, result in [
        (operator.neg, numbers.int_negate_impl, None),
        (operator.invert, numbers.int_invert_impl, None),
        (operator.not_, _is_zero, types.boolean),
        (bool, _is_not_zero, types.boolean),
    ]:
        _type_unary(function, result)
        lower_builtin(function, WideType)(lowered)


def _type_binary(function: Callable[..., Any], result: Any) -> None:
    @infer_global(function)
    class Typed(AbstractTemplate):
        def generic(self, arguments: Any, _: Any) -> Any:
            if len(arguments) != 2 or not all(isinstance(a, Integral) for a in arguments):
                return None
            wide = max((a for a in arguments if isinstance(a, WideType)), key=lambda a: a.words, default=None)
            return wide and signature(result or wide, wide, wide)


def _type_unary(function: Callable[..., Any], result: Any) -> None:
    @infer_global(function)
    class Typed(AbstractTemplate):
        def generic(self, arguments: Any, _: Any) -> Any:
            if len(arguments) == 1 and isinstance(arguments[0], WideType):
                return signature(result or arguments[0], arguments[0])
            return None


def _is_zero(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.icmp_unsigned("==", arguments[0], ir.Constant(arguments[0].type, 0))


def _is_not_zero(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.icmp_unsigned("!=", arguments[0], ir.Constant(arguments[0].type, 0))


_register()


@lower_cast(types.Integer, WideType)
@lower_cast(types.Boolean, WideType)
@lower_cast(WideType, types.Integer)
def _cast(context: Any, builder: Any, kind: Any, result: Any, value: Any) -> Any:
    return _bits_of(context, builder, kind, value, context.get_value_type(result))


@lower_cast(types.IntegerLiteral, WideType)
def _cast_literal(context: Any, builder: Any, kind: Any, result: Any, value: Any) -> Any:
    return ir.Constant(ir.IntType(result.bitwidth), kind.literal_value)


def _bits_of(context: Any, builder: Any, kind: Any, value: Any, llvm: Any) -> Any:
    """Return an integer or truth value as one of another width."""
    if isinstance(kind, types.Boolean):
        return builder.zext(builder.trunc(value, ir.IntType(1)), llvm)
    if value.type.width == llvm.width:
        return value
    if value.type.width > llvm.width:
        return builder.trunc(value, llvm)
    return builder.sext(value, llvm) if kind.signed else builder.zext(value, llvm)


@cache
def word_at(word: int) -> Any:
    """Return the compiled function that takes a word out of an integer of any width."""

    @intrinsic
    def take(context, x):  # type: ignore[no-untyped-def]
        kind = types.unliteral(x)
        if not isinstance(kind, Integral):
            return None

        def generate(context, builder, sig, arguments):  # type: ignore[no-untyped-def]
            llvm = ir.IntType(WORD * (word + 1))
            value = _bits_of(context, builder, kind, arguments[0], llvm)
            return builder.trunc(builder.lshr(value, ir.Constant(llvm, WORD * word)), ir.IntType(WORD))

        return types.int64(kind), generate

    return take


@cache
def to_wide(words: int) -> Any:
    """Return the compiled function that makes an integer of so many words of one of any width; for 1, a word."""
    if words == 1:
        return to_word

    @intrinsic
    def widen(context, x):  # type: ignore[no-untyped-def]
        kind, wide = types.unliteral(x), WideType(words)
        if not isinstance(kind, Integral):
            return None

        def generate(context, builder, sig, arguments):  # type: ignore[no-untyped-def]
            return _bits_of(context, builder, kind, arguments[0], ir.IntType(WORD * words))

        return wide(kind), generate

    return widen


@intrinsic
def above(context, high, low):  # type: ignore[no-untyped-def]
    """Return the wide integer, or word, `high` with a word more below it."""
    kind = WideType(getattr(high, "words", 1) + 1)

    def generate(context, builder, sig, arguments):  # type: ignore[no-untyped-def]
        llvm = ir.IntType(kind.bitwidth)
        upper = builder.shl(builder.sext(arguments[0], llvm), ir.Constant(llvm, WORD))
        return builder.or_(upper, builder.zext(arguments[1], llvm))

    return kind(types.unliteral(high), types.int64), generate


to_word = word_at(0)


@cache
def pipeline(words: int) -> Any:
    """Return numba's compiler with one pass more: what is shifted left is made an integer of so many words first."""
    widened = _widened_shift(words)

    @register_pass(mutates_CFG=False, analysis_only=False)
    class WidenShifts(FunctionPass):  # type: ignore[misc]
        _name = f"widen_shifts_{words}"

        def __init__(self) -> None:
            FunctionPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            for block in state.func_ir.blocks.values():
                for statement in block.body:
                    value = statement.value if isinstance(statement, Assign) else None
                    if isinstance(value, Expr) and value.op in ("binop", "inplace_binop"):
                        if value.fn in (operator.lshift, operator.ilshift):
                            statement.value = Expr.binop(operator.lshift, value.lhs, value.rhs, value.loc)
                            statement.value.fn = widened
            return True

    class WideCompiler(CompilerBase):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.add_pass_after(WidenShifts, IRProcessing)
            manager.finalize()
            return [manager]

    return WideCompiler


def _widened_shift(words: int) -> Any:
    wide = WideType(words)

    def shift_left(value: int, by: int) -> int:
        return value << by

    shift_left.__name__ = f"shift_left_{words}"
    globals()[shift_left.__name__] = shift_left  # where numba looks for it

    @infer_global(shift_left)
    class Typed(AbstractTemplate):
        def generic(self, arguments: Any, _: Any) -> Any:
            return signature(wide, wide, wide)

    lower_builtin(shift_left, WideType, WideType)(numbers.int_shl_impl)
    return shift_left


def table_words(table: tuple[Any, ...], words: int) -> np.ndarray:
    """Return a table as an array of items of so many words each."""
    entries = np.array(table, object)
    size = item_size(words)
    content = b"".join(int(entry).to_bytes(size, "little", signed=True) for entry in entries.ravel())
    return np.frombuffer(content, _item(words)).reshape(entries.shape)


def table_item_words(kind: np.dtype) -> int:
    """Return of how many words the items of such an array are."""
    return next(words for words in range(2, MOST_WORDS + 1) if kind == _item(words))


def _item(words: int) -> np.dtype:
    """Return how numpy takes an item; it knows no integers of that size, and so has a name for each."""
    return np.dtype([(f"words{words}", np.void, item_size(words))])


@cache
def item_size(words: int) -> int:
    """Return how many bytes apart the items of an array are in compiled code."""
    # lazy: it makes numba look at the machine
    from numba.core.registry import cpu_target

    return int(cpu_target.target_context.get_abi_sizeof(ir.IntType(WORD * words)))
