"""Compiled code is given machine instructions here: one for each of gamesman.bits, memory by address, atomics."""

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from gamesman import bits
from gamesman.compiler.wide import WideType

# The functions that numba is told how to compile here, instead of compiling their Python source.
INSTRUCTIONS = {bits.popcount, bits.lowest, bits.highest}


@intrinsic
def _popcount(context, x):
    def generate(context, builder, signature, arguments):
        return _as_word(builder, builder.ctpop(arguments[0]))

    return types.int64(_counted(x)), generate


@intrinsic
def _lowest(context, x):
    def generate(_, builder, signature, arguments):
        return _as_word(builder, builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1)))

    return types.int64(_counted(x)), generate


@intrinsic
def _highest(context, x):
    def generate(_, builder, signature, arguments):
        zeros = _as_word(builder, builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1)))
        return builder.sub(ir.Constant(ir.IntType(64), arguments[0].type.width - 1), zeros)

    return types.int64(_counted(x)), generate


def _counted(kind):
    return kind if isinstance(kind, WideType) else types.int64


def _as_word(builder, value):
    return value if value.type.width == 64 else builder.trunc(value, ir.IntType(64))


def _bmi2(name):
    @intrinsic
    def instruction(context, x, mask):
        def generate(_, builder, signature, arguments):
            word = ir.IntType(64)
            function = ir.FunctionType(word, [word, word])
            return builder.call(cgutils.get_or_insert_function(builder.module, function, name), arguments)

        return types.int64(types.int64, types.int64), generate

    return instruction


_pext = _bmi2("llvm.x86.bmi.pext.64")
_pdep = _bmi2("llvm.x86.bmi.pdep.64")


def _has_bmi2():
    # lazy: start-up time
    import llvmlite.binding

    return platform.machine().lower() in ("x86_64", "amd64") and llvmlite.binding.get_host_cpu_features().get(
        "bmi2", False
    )


@overload(bits.popcount, inline="always")
def _overload_popcount(x):
    return lambda x: _popcount(x)


@overload(bits.lowest, inline="always")
def _overload_lowest(x):
    return lambda x: _lowest(x)


@overload(bits.highest, inline="always")
def _overload_highest(x):
    return lambda x: _highest(x)


if _has_bmi2():

    @overload(bits.gather)
    def _overload_gather(x, mask):
        return lambda x, mask: _pext(x, mask)

    @overload(bits.scatter)
    def _overload_scatter(x, mask):
        return lambda x, mask: _pdep(x, mask)

    INSTRUCTIONS |= {bits.gather, bits.scatter}


@intrinsic
def prefetch(context, address):
    """Ask for the cache line at an address, to be read soon."""

    def generate(context, builder, signature, arguments):
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        call = cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0")
        pointer = builder.inttoptr(arguments[0], byte)
        builder.call(call, [pointer, *(ir.Constant(word, n) for n in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(types.int64), generate


def _loader(bits, result):
    @intrinsic
    def load(context, address):
        def generate(_, builder, signature, arguments):
            word = ir.IntType(bits)
            value = builder.load(builder.inttoptr(arguments[0], word.as_pointer()), typ=word)
            return value if bits == 64 else builder.zext(value, ir.IntType(64))

        return result(types.int64), generate

    return load


load64 = _loader(64, types.int64)
load16 = _loader(16, types.int64)


@intrinsic
def compare_and_swap(context, array, index, old, new):
    """Write `new` at an index if `old` is there, as one step. Returns whether it was."""

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        item = context.get_value_type(kind.dtype)
        pointer = builder.gep(make_array(kind)(context, builder, arguments[0]).data, [arguments[1]])
        old_item, new_item = (builder.trunc(value, item) for value in arguments[2:])
        return builder.extract_value(builder.cmpxchg(pointer, old_item, new_item, "monotonic", "monotonic"), 1)

    return types.boolean(array, types.int64, types.int64, types.int64), generate


@intrinsic
def index(context, i):
    """Return an index that is known not to be negative, so that the compiler need not ask."""

    def generate(_, builder, signature, arguments):
        return arguments[0]

    return types.uint64(types.int64), generate
