"""Machine instructions for compiled code: gamesman.bits as one instruction each, memory by address, atomics."""

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from gamesman import bits

# The functions that numba is told how to compile here, instead of compiling their Python source.
INSTRUCTIONS = {bits.popcount, bits.lowest}


@intrinsic
def _popcount(context, x):
    def generate(_, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _lowest(context, x):
    def generate(_, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


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
    import llvmlite.binding

    return platform.machine().lower() in ("x86_64", "amd64") and llvmlite.binding.get_host_cpu_features().get("bmi2", False)


@overload(bits.popcount, inline="always")
def _overload_popcount(x):
    return lambda x: _popcount(x)


@overload(bits.lowest, inline="always")
def _overload_lowest(x):
    return lambda x: _lowest(x)


if _has_bmi2():

    @overload(bits.gather)
    def _overload_gather(x, mask):
        return lambda x, mask: _pext(x, mask)

    @overload(bits.scatter)
    def _overload_scatter(x, mask):
        return lambda x, mask: _pdep(x, mask)

    INSTRUCTIONS |= {bits.gather, bits.scatter}
