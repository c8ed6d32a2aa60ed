"""One cell of the fairness tables: the audit's methods, the paper's networks, and selectors before a regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from diffoci.audit.cells import prepared_split
from diffoci.audit.measuring.features import train_weights
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import method_named
from diffoci.data.dataset import Dataset
from diffoci.inputs import Ints, Matrix
from diffoci.labs.fairness.result import PARTS
from diffoci.labs.fairness.spec import WEIGHTS, FairnessSpec
from diffoci.labs.feature_selection.downstream import test_scores
from diffoci.labs.feature_selection.problem import Task
from diffoci.labs.feature_selection.selectors import Asked, selector_named
from diffoci.learning.classifier import Classifier, fit_classifier
from diffoci.runs.study import Cell, CellOutput, Watch


def run_cell(spec: FairnessSpec, dataset: Dataset, cell: Cell, watch: Watch) -> CellOutput:
    """Compute one representation with its networks, one column, or weights of features given some attributes."""
    settings = {**spec.settings, "device": spec.device}
    prepared = prepared_split(dataset, cell.seed, settings)
    if cell.stage == "weights":
        return train_weights(prepared, cell.settings["given"], settings, cell.seed, watch)
    if cell.stage == "columns":
        return CellOutput(_column(prepared, cell.method, settings, cell.seed, watch))
    z = method_named(cell.method).build(prepared, settings, cell.seed, watch).z
    return CellOutput(_networks(prepared, z, settings, cell.seed, watch))


def _networks(
    prepared: PreparedSplit, z: Matrix, settings: Mapping[str, Any], seed: int, watch: Watch
) -> dict[str, Any]:
    """The paper's protocol: a network predicts y, and a second one the attribute from the last layer of the first."""
    watch.tell(fraction=0.7)
    network = _fitted(prepared, z, prepared.label, prepared.classes, settings, seed, watch)
    attribute, code = next(iter(prepared.groups.items()))
    layer = network.last_layer(z)
    watch.tell(fraction=0.85)
    guesser = _fitted(prepared, layer, code, len(prepared.levels[attribute]), settings, seed, watch)
    return {
        "y": _accuracies(prepared, network, z, prepared.label),
        "sensitive": _accuracies(prepared, guesser, layer, code),
    }


def _fitted(
    prepared: PreparedSplit, z: Matrix, code: Ints, classes: int, settings: Mapping[str, Any], seed: int, watch: Watch
) -> Classifier:
    train, held = prepared.split.train, prepared.split.validation
    return fit_classifier(
        z[train],
        code[train],
        (z[held], code[held]),
        classes=classes,
        device=settings["device"],
        seed=seed,
        on_epoch=lambda _: watch.tell(),
        **settings["probe"],
    )


def _accuracies(prepared: PreparedSplit, network: Classifier, z: Matrix, code: Ints) -> dict[str, float]:
    chosen = network.predict_proba(z).argmax(axis=1)
    right: dict[str, float] = {
        part: float(100 * (chosen == code)[getattr(prepared.split, part)].mean()) for part in PARTS
    }
    commonest = np.bincount(code[prepared.split.train]).argmax()
    return {**right, "majority": float(100 * (code[prepared.split.test] == commonest).mean())}


def _column(prepared: PreparedSplit, name: str, settings: Mapping[str, Any], seed: int, watch: Watch) -> dict[str, Any]:
    """What a logistic regression with scikit-learn's defaults reaches on what a selector keeps or makes."""
    feature = np.array(prepared.feature_of_column())
    names = tuple(dict.fromkeys(prepared.standard_encoder.origin_))
    task = Task(prepared.standard, prepared.label, "class", prepared.split, names, feature)
    watch.tell(fraction=0.1)
    if name in WEIGHTS:
        made = method_named(WEIGHTS[name]).build(prepared, {**settings, "model": "vec"}, seed, watch)
        kept = float((np.abs(made.history[-1]["theta"]) > settings["vec"]["cutoff"]).sum())
        return {**test_scores(task, made.z), "kept": kept}
    found = selector_named(name).build(Asked(task, seed, watch))
    return {**test_scores(task, found.z), "kept": None if found.selected is None else float(len(found.selected))}
