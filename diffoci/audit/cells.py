"""How each cell of an audit is computed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from diffoci.audit.measuring.features import exact_views, train_weights
from diffoci.audit.measuring.measure import measure
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import TRAINED, Representation, Trained, method_named, side_by_side
from diffoci.audit.plan import SEEDS_TOGETHER, seeds_together, weights_together
from diffoci.audit.spec import AuditSpec
from diffoci.audit.trade_off import shared_weights, with_points
from diffoci.data.dataset import Dataset
from diffoci.runs.study import Cell, CellOutput, Watch

# What networks made in this process, of the run it works on: by method and seed, and then by weight.
_Made = dict[tuple[str, int], Mapping[float, Representation | ValueError]]
_MADE: dict[tuple[str, str], _Made] = {}


def run_cell(spec: AuditSpec, dataset: Dataset, cell: Cell, watch: Watch) -> CellOutput:
    """Do one cell; the same specification, data and cell give the same numbers in any process."""
    settings = {**spec.settings, **cell.settings, "device": spec.device}
    if cell.method == "exact":
        return exact_views(dataset, settings, cell.seed, watch)
    prepared = prepared_split(dataset, cell.seed, settings)
    if cell.stage == "features":
        return train_weights(prepared, cell.settings["given"], settings, cell.seed, watch)
    method = method_named(cell.method)
    if cell.kin and isinstance(method.build, Trained):
        made = _made_together(spec, dataset, cell, method.build, watch)
        representation = method.build.choose(made, prepared, settings, cell.seed)
    else:
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


def _made_together(
    spec: AuditSpec, dataset: Dataset, cell: Cell, build: Trained, watch: Watch
) -> Mapping[float, Representation | ValueError]:
    """What a method's weights made of the rows; the first cell asked for it trains the networks of all its kin."""
    of_run = _MADE.setdefault((spec.digest(), dataset.sha256), {})
    if (cell.method, cell.seed) not in of_run:
        for other in [key for key in _MADE if _MADE[key] is not of_run]:
            del _MADE[other]
        settings = {**spec.settings, "device": spec.device}
        weights = weights_together(spec.settings, build.weights)
        seeds = [cell.seed, *(seed for seed in seeds_together(spec, cell.seed) if seed != cell.seed)]
        asked = [(prepared_split(dataset, seed, settings), seed, weight) for seed in seeds for weight in weights]
        made = iter(build.train(asked, settings, watch))
        for seed in seeds:
            of_run[cell.method, seed] = {weight: next(made) for weight in weights}
    else:
        for line in _first_history(of_run[cell.method, cell.seed]):
            watch.tell(fraction=TRAINED, **line)
    return of_run[cell.method, cell.seed]


def _first_history(made: Mapping[float, Representation | ValueError]) -> list[dict[str, Any]]:
    """The epochs that a page draws of a cell."""
    first = next(iter(made.values()))
    return first.history if isinstance(first, Representation) else []


def prepared_split(dataset: Dataset, seed: int, settings: Mapping[str, Any]) -> PreparedSplit:
    """One split of a dataset, coded as the settings say."""
    pieces, folds = (settings.get(name, 0) for name in ("pieces", "fold_rows"))  # an older audit has no such setting
    prepared = _of_kin if side_by_side(len(dataset.label), settings["device"]) else _of_one_seed
    return prepared(dataset, seed, settings["coding"], tuple(settings["fractions"]), pieces, folds)


def _prepared(dataset: Dataset, seed: int, coding: Any, fractions: Any, pieces: int, folds: int) -> PreparedSplit:
    return PreparedSplit.of(dataset, seed=seed, coding=coding, fractions=fractions, pieces=pieces, fold_rows=folds)


# Cells of one seed share their split and coding; where networks are trained side by side, so do those of all kin.
_of_one_seed, _of_kin = lru_cache(maxsize=2)(_prepared), lru_cache(maxsize=SEEDS_TOGETHER)(_prepared)
