"""The house: private modules stay in their folder, names of methods and sources in their own modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import grimp
import pytest

import diffoci
from diffoci.audit.methods import METHODS
from diffoci.data.sources import list_sources

ROOT = Path(__file__).parents[1]
MODULES = [*(ROOT / "diffoci").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]


def imported(path: Path) -> Iterator[str]:
    """Every module of ours that a file imports, and every name it takes from one, with the way to it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("diffoci"):
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("diffoci"))


def test_a_private_module_is_imported_in_its_own_folder_only() -> None:
    strangers = []
    for path in MODULES:
        for way in imported(path):
            parts = way.split(".")
            private = next(
                (k for k, part in enumerate(parts[:-1]) if part.startswith("_") and part != "__main__"), None
            )
            if private is not None and (ROOT.joinpath(*parts[:private]) not in path.parents):
                strangers.append(f"{path.relative_to(ROOT)} imports {way}")
    assert strangers == []


def test_no_module_is_imported_in_a_circle_not_even_later_or_for_types() -> None:
    graph = grimp.build_graph("diffoci")  # with imports inside functions and those for type checkers
    below = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    while last := [module for module, imported_by_it in below.items() if not imported_by_it & below.keys()]:
        for module in last:
            del below[module]
    assert sorted(below) == []


# Words for something else, too: a preset, objectives, a measure of leakage, groups of settings, a format.
ALSO_ANOTHER_WORD = {"standard", "dF1", "dF2", "dF3", "hsic", "adversary", "prototypes", "csv"}
HOMES = {"method": "audit/methods/|labs/", "source": "data/|audit/paper.py|labs/"}


@lru_cache
def texts(path: Path) -> set[str]:
    """The strings of a module, without its documentation."""
    tree = ast.parse(path.read_text())
    documentation = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = {node for node in ast.walk(tree) if isinstance(node, ast.Constant)} - documentation
    return {node.value for node in constants if isinstance(node.value, str)}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("method", name) for name in METHODS if name not in ALSO_ANOTHER_WORD),
        *(("source", source.name) for source in list_sources() if source.name not in ALSO_ANOTHER_WORD),
        ("source", "csv:"),
    ],
)
def test_a_method_or_a_source_is_named_in_its_own_module_only(kind: str, name: str) -> None:
    homes = re.compile(f"diffoci/(audit/presets.py|{HOMES[kind]})")
    naming = [str(path.relative_to(ROOT)) for path in MODULES if name in texts(path)]
    assert [path for path in naming if not homes.match(path)] == []


def test_the_library_is_what_it_lists() -> None:
    assert set(diffoci.__all__) <= set(dir(diffoci))
    for name in diffoci.__all__:
        assert getattr(diffoci, name) is not None
