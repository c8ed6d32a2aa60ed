"""The cells of an audit: which there are. What computes them takes seconds to load, and is not loaded for this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from diffoci.audit.methods import curves, method_named
from diffoci.audit.spec import AuditSpec
from diffoci.audit.trade_off import shared_weights
from diffoci.audit.words import listed
from diffoci.data.dataset import Dataset
from diffoci.runs.study import Cell


def plan(spec: AuditSpec, dataset: Dataset) -> tuple[Cell, ...]:
    """All cells of an audit, in the order they should start: one seed of everything first."""
    for name in spec.methods:
        method_named(name).check_classes(len(dataset.label_classes))
    attributes = [str(name) for name in dataset.sensitive]
    return tuple(cells_of(spec, attributes))


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
