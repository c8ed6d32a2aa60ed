"""How each cell of an audit is computed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from diffoci.audit.measuring.features import exact_views, train_weights
from diffoci.audit.measuring.measure import measure
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import method_named
from diffoci.audit.spec import AuditSpec
from diffoci.audit.trade_off import shared_weights, with_points
from diffoci.data.dataset import Dataset
from diffoci.runs.study import Cell, CellOutput, Watch


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
