"""The rules' tables become arrays here, in whose memory a negative index finds what Python finds there.

In Python table[-1] is the last item. For an array, numba therefore asks of every index whether it is negative, which
takes more instructions than the look-up itself. Here a table lies twice in memory, one copy after the other, and begins
with the second: so what stands before the first item is the last one, and no index need be asked about.

    a b c [a b c]       table[0] is a, table[-1] is c
"""

import operator
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.boxing import unbox_array
from numba.core.datamodel.models import ArrayModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, register_model, typeof_impl, unbox
from numba.np.arrayobj import load_item, make_array, make_view

from gamesman.compiler.wide import WORD, WideType, table_item_words, table_words


class Cyclic(np.ndarray):
    """Holds 64-bit integers in an array that lies twice in memory, in each dimension, for compiled code only."""

    @classmethod
    def of(cls, table: tuple[Any, ...], words: int = 1) -> "Cyclic":
        once = np.array(table, np.int64) if words == 1 else table_words(table, words)
        if not once.size:
            return once.view(cls)
        twice = np.pad(once, [(n, 0) for n in once.shape], mode="wrap")
        return twice[tuple(slice(n, None) for n in once.shape)].view(cls)


class CyclicType(types.Array):
    """Is the type of such arrays for numba. Their rows have it, too; a slice has not, as its end is not before it."""

    def __init__(self, ndim: int, words: int = 1):
        kind, name = (types.int64, "Cyclic") if words == 1 else (WideType(words), f"Cyclic{WORD * words}")
        layout = "C" if ndim == 1 else "A"
        super().__init__(kind, ndim, layout, aligned=words == 1, name=f"{name}({ndim})")
        self.words = words

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):  # type: ignore[no-untyped-def,override]
        if ndim is not None and 0 < ndim < self.ndim:
            return CyclicType(ndim, self.words)
        return super().copy(dtype, ndim, layout, readonly)


register_model(CyclicType)(ArrayModel)
unbox(CyclicType)(unbox_array)


@typeof_impl.register(Cyclic)
def _type_of(table: Cyclic, _: Any) -> CyclicType:
    return CyclicType(table.ndim, 1 if table.dtype == np.int64 else table_item_words(table.dtype))


@lower_cast(CyclicType, types.Array)
def _as_array(context: Any, builder: Any, kind: Any, other: Any, table: Any) -> Any:
    """Cast a table to an array, for a variable that is now a table and now a slice of one."""
    return table


@infer_global(operator.getitem)
class _ByWideIndex(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, _: Any) -> Any:
        table, index = arguments
        if isinstance(table, CyclicType) and isinstance(index, WideType):
            item = table.dtype if table.ndim == 1 else table.copy(ndim=table.ndim - 1)
            return signature(item, table, types.int64)
        return None


@lower_builtin(operator.getitem, CyclicType, types.Integer)
def _get_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, result = signature.args[0], signature.return_type
    array = make_array(kind)(context, builder, arguments[0])
    index = context.cast(builder, arguments[1], signature.args[1], types.intp)
    if context.enable_boundscheck:
        _test(context, builder, index, cgutils.unpack_tuple(builder, array.shape, kind.ndim)[0])
    if kind.ndim == 1:
        return load_item(context, builder, kind, builder.gep(array.data, [index]))
    shape, strides = (cgutils.unpack_tuple(builder, t, kind.ndim) for t in (array.shape, array.strides))
    row = cgutils.pointer_add(builder, array.data, builder.mul(strides[0], index))
    view = make_view(context, builder, kind, array, result, row, shape[1:], strides[1:])
    return impl_ret_borrowed(context, builder, result, view._getvalue())


def _test(context: Any, builder: Any, index: Any, size: Any) -> None:
    """Raise IndexError for an index that Python has nothing at."""
    is_below = builder.icmp_signed("<", index, builder.neg(size))
    with cgutils.if_unlikely(builder, builder.or_(is_below, builder.icmp_signed(">=", index, size))):
        context.call_conv.return_user_exc(builder, IndexError, ("index out of range",))
