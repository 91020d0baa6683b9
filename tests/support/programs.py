"""The programs in scripts/, for tests: that folder is no package."""

import importlib.util
import sys
from functools import cache
from types import ModuleType

from support import ROOT


@cache
def script(name: str) -> ModuleType:
    """Return scripts/NAME.py as a module, imported from its file."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # for its dataclasses, which look themselves up there
    spec.loader.exec_module(module)
    return module
