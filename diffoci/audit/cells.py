"""The cells of an audit: which there are, and how each is computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from diffoci.audit.measuring.features import conditions, exact_views, train_weights
from diffoci.audit.measuring.measure import measure
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import curves, method_named
from diffoci.audit.spec import AuditSpec
from diffoci.audit.trade_off import shared_weights, with_points
from diffoci.audit.words import listed
from diffoci.data.dataset import Dataset
from diffoci.runs.study import Cell, CellOutput, Watch


def plan(spec: AuditSpec, dataset: Dataset) -> tuple[Cell, ...]:
    """All cells of an audit, in the order they should start: one seed of everything first."""
    for name in spec.methods:
        method_named(name).check_classes(len(dataset.label_classes))
    attributes = [str(name) for name in dataset.sensitive]
    exact = Cell("exact", "features", "exact", 0, cost=1.5, title="coefficients of single columns", needed=False)
    return exact, *(cell for seed in spec.seeds for cell in _of_seed(spec, attributes, seed))


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


def run_cell(spec: AuditSpec, dataset: Dataset, cell: Cell, watch: Watch) -> CellOutput:
    """Do one cell; the same specification, data and cell give the same numbers in any process."""
    settings = {**spec.settings, **cell.settings, "device": spec.device}
    if cell.method == "exact":
        return exact_views(dataset, settings, cell.seed, watch)
    prepared = prepared_split(dataset, cell.seed, settings)
    if cell.stage == "features":
        return train_weights(prepared, cell.settings["given"], settings, cell.seed, watch)
    method = method_named(cell.method)
    representation = method.build(prepared, settings, cell.seed, watch)
    found = measure(representation, prepared, settings, cell.seed, watch)
    if cell.stage != "methods" or method.curve is None:
        return found
    quiet = Watch(cancelled=watch.cancelled)  # the cell has told how far it is
    points = {}
    for weight in shared_weights(settings, method.curve):
        one = representation.tried.get(weight)
        if one is None:  # a method that does not keep what it tried
            one = method.build(prepared, {**settings, method.curve: [weight]}, cell.seed, quiet)
        points[weight] = found if one.z is representation.z else measure(one, prepared, settings, cell.seed, quiet)
    return with_points(found, points) if points else found


def prepared_split(dataset: Dataset, seed: int, settings: Mapping[str, Any]) -> PreparedSplit:
    """One split of a dataset, coded as the settings say."""
    pieces, folds = (settings.get(name, 0) for name in ("pieces", "fold_rows"))  # an older audit has no such setting
    return _prepared(dataset, seed, settings["coding"], tuple(settings["fractions"]), pieces, folds)


@lru_cache(maxsize=2)
def _prepared(dataset: Dataset, seed: int, coding: Any, fractions: Any, pieces: int, folds: int) -> PreparedSplit:
    """Cells of one seed share their split and coding."""
    return PreparedSplit.of(dataset, seed=seed, coding=coding, fractions=fractions, pieces=pieces, fold_rows=folds)
