"""The cells of an audit: which there are. What computes them takes seconds to load, and is not loaded for this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from diffoci.audit.methods import Trained, curves, method_named, side_by_side
from diffoci.audit.spec import AuditSpec
from diffoci.audit.trade_off import shared_weights
from diffoci.audit.words import listed
from diffoci.data.dataset import Dataset
from diffoci.runs.study import Cell

# So many seeds' networks are trained side by side: two processes share the ten folds of small data.
SEEDS_TOGETHER = 5


def plan(spec: AuditSpec, dataset: Dataset) -> tuple[Cell, ...]:
    """All cells of an audit, in the order they should start: one seed of everything first."""
    for name in spec.methods:
        method_named(name).check_classes(len(dataset.label_classes))
    attributes = [str(name) for name in dataset.sensitive]
    cells = tuple(cells_of(spec, attributes))
    if not side_by_side(len(dataset.label), spec.device):
        return cells
    return tuple(replace(cell, kin=_kin(spec, cell)) for cell in cells)


def _kin(spec: AuditSpec, cell: Cell) -> str:
    """What the cells share whose networks are trained side by side: a method, for a few seeds."""
    if cell.stage == "features" or not isinstance(method_named(cell.method).build, Trained):
        return ""
    return f"{cell.method} of {', '.join(map(str, seeds_together(spec, cell.seed)))}"


def seeds_together(spec: AuditSpec, seed: int) -> tuple[int, ...]:
    """The seeds whose networks are trained beside those of a seed."""
    first = spec.seeds.index(seed) // SEEDS_TOGETHER * SEEDS_TOGETHER
    return tuple(spec.seeds[first : first + SEEDS_TOGETHER])


def weights_together(settings: Mapping[str, Any], weights: str | None) -> tuple[float, ...]:
    """All weights of a method, in an order of its own cell's and then those of its curve's cells."""
    if weights is None:
        return (0.0,)
    return tuple(dict.fromkeys(map(float, (*settings[weights], *settings["curve"]))))


def cells_of(spec: AuditSpec, attributes: list[str]) -> Iterator[Cell]:
    """The cells that a specification asks for, given the names of its attributes."""
    yield Cell("exact", "features", "exact", 0, cost=1.5, title="coefficients of single columns", needed=False)
    for seed in spec.seeds:
        yield from _of_seed(spec, attributes, seed)


def _of_seed(spec: AuditSpec, attributes: list[str], seed: int) -> Iterator[Cell]:
    for name in spec.methods:
        method = method_named(name)
        yield Cell(f"{name}.{seed}", "methods", name, seed, cost=method.cost, title=method.title)
    for given in conditions(attributes):
        key = f"vec-{'+'.join(given)}" if given else "vec"
        named = f"given {'+'.join(given) or 'nothing'}"
        title = f"feature weights{f', accounting for {listed(given)}' if given else ''}"
        yield Cell(f"{key}.{seed}", "features", f"vec {named}", seed, {"given": list(given)}, cost=1.0,
                   title=title, needed=False)  # fmt: skip
    for weight in spec.settings["curve"]:
        for name, entry in curves().items():
            if name in spec.methods and weight not in shared_weights(spec.settings, entry):
                yield Cell(f"curve-{name}-{weight:g}.{seed}", "curve", name, seed, {entry: [weight]}, cost=1.2,
                           title=f"{method_named(name).title}, trade-off {weight:g}", needed=False)  # fmt: skip


def conditions(sensitive: Sequence[str]) -> list[tuple[str, ...]]:
    """What weights of features account for: nothing, each attribute alone, all together."""
    single = [(name,) for name in sensitive]
    return [(), *single, *([tuple(sensitive)] if len(sensitive) > 1 else [])]
