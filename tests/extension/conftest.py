"""A package of somebody else's, installed for one test, and audits short enough to wait for."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diffoci import plugins
from tests.pages.conftest import folders, open_at

__all__ = ["QUICKLY", "Plug", "folders", "open_at", "plugged"]

Plug = Callable[[str, str, str], None]
_SHORT = "{max_epochs = 1, patience = 1, hidden = [8]}"
# The rest of a command line that audits in seconds.
QUICKLY = [
    *("--preset", "quick", "--seeds", "1", "--jobs", "1", "--device", "cpu"),
    *(word for name in ("network", "penalised", "adversary", "probe") for word in ("--setting", f"{name}={_SHORT}")),
    *("--setting", "vec={max_epochs = 1}", "--setting", "null_draws=100", "--setting", "permutations=9"),
]


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """Install a package that adds one object, as pip would: a module, and the entry point that names the object in it.

    ``plugged(group, name, source_code)``: the code binds the object to its name in capitals.
    """
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])))
    modules = []

    def install(group: str, name: str, source_code: str) -> None:
        identifier = re.sub(r"\W", "_", name)
        module = f"somebody_elses_{identifier}"
        modules.append(module)
        (site / f"{module}.py").write_text(source_code)
        information = site / f"{module}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}:{identifier.upper()}\n")
        _look_again()

    yield install
    for module in modules:
        sys.modules.pop(module, None)
    monkeypatch.undo()
    _look_again()


def _look_again() -> None:
    """Forget what was found before."""
    importlib.invalidate_caches()
    plugins._points.cache_clear()
    plugins.names.cache_clear()
    plugins.load.cache_clear()
