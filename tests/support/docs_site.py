"""The pages of the documentation that a program writes, for tests."""

import importlib.util
from functools import cache
from types import ModuleType

from support.transcripts import ROOT


@cache
def docs_pages() -> ModuleType:
    """Return scripts/docs_pages.py, imported from its file: `scripts` is no package."""
    spec = importlib.util.spec_from_file_location("docs_pages", ROOT / "scripts" / "docs_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
