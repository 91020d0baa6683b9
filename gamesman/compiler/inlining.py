"""Numba is told here what it need not do for functions that are inlined wherever they are called.

It cannot be told otherwise, so three functions of it are replaced. They do what they did for all that is not inlined.

    generators   are inlined if their function is: only then does their state stay in registers
    constants    are seen where a function is inlined: it is compiled once for any number, not again for each of them
    code         is needed of what they are inlined into, not of themselves

The last two take a third of the time that a first compilation would take.
"""

import contextlib
from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.cpu import CPUContext
from numba.core.errors import TypingError
from numba.core.generators import GeneratorDescriptor
from numba.core.registry import CPUDispatcher

FLAGS = {"_nrt": False, "error_model": "numpy", "no_cfunc_wrapper": True}
CALLED = {**FLAGS, "no_cpython_wrapper": True}  # of what is called by compiled code alone
INLINED = {**CALLED, "forceinline": True}

_describe_generator = GeneratorDescriptor.from_generator_fndesc
_call_template = CPUDispatcher.get_call_template
_get_executable = CPUContext.get_executable
_finalize_module = JITCodeLibrary._finalize_final_module


def _describe_inlined_generator(func_ir: Any, fndesc: Any, gentype: Any, mangler: Any) -> Any:
    description = _describe_generator(func_ir, fndesc, gentype, mangler)
    description.inline = fndesc.inline
    return description


def _call_template_for_any_number(dispatcher: Any, arguments: Any, named: Any) -> Any:
    options = dispatcher.targetoptions
    if options.get("forceinline") and options.get("_nrt") is False and not named:
        with contextlib.suppress(TypingError):  # where the constant says what kind of thing is returned
            return _call_template(dispatcher, tuple(map(types.unliteral, arguments)), named)
    return _call_template(dispatcher, arguments, named)


def _get_executable_unless_inlined(context: Any, library: Any, fndesc: Any, env: Any) -> Any:
    names = {function.name for function in library._final_module.functions}
    # What prints asks for its environment when it runs, and waits for ever where it was given none.
    if not fndesc.inline or names & {fndesc.llvm_cpython_wrapper_name, "numba_gil_ensure"}:
        return _get_executable(context, library, fndesc, env)
    library.is_inlined = True
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "is inlined", 0, env, (library,))


def _finalize_module_unless_inlined(library: Any) -> None:
    if getattr(library, "is_inlined", False):
        library._finalized = True
    else:
        _finalize_module(library)


GeneratorDescriptor.from_generator_fndesc = _describe_inlined_generator  # type: ignore[method-assign]
CPUDispatcher.get_call_template = _call_template_for_any_number  # type: ignore[method-assign]
CPUContext.get_executable = _get_executable_unless_inlined  # type: ignore[method-assign]
JITCodeLibrary._finalize_final_module = _finalize_module_unless_inlined  # type: ignore[method-assign]
