"""Which features are dropped for which sensitive attribute: trained weights, and views that need no training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.measuring.many_tests import family_p_values
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.measuring.sampled import sample
from diffoci.audit.presets import vec_settings
from diffoci.coefficients import DependenceTest, T, T_test
from diffoci.data.dataset import Dataset
from diffoci.foci import FOCI
from diffoci.inputs import Ints
from diffoci.learning.estimator import DifFOCI
from diffoci.learning.objectives import ObjectiveName
from diffoci.runs.study import CellOutput, Watch


def train_weights(
    prepared: PreparedSplit, given: Sequence[str], settings: Mapping[str, Any], seed: int, watch: Watch
) -> CellOutput:
    """Fit vec-dF3 given some attributes (vec-dF1 given none): one weight for every original feature."""
    rows = prepared.split.train
    if settings["vec_rows"] is not None and len(rows) > settings["vec_rows"]:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[: settings["vec_rows"]])
    objective: ObjectiveName = "dF3" if given else "dF1"
    own = vec_settings(settings, objective, len(rows))

    def part(rows: Ints) -> tuple[Any, Any, Any]:
        groups = prepared.sensitive[list(given)].iloc[rows] if given else None
        return prepared.standard[rows], prepared.label[rows], groups

    model = DifFOCI(objective=objective, model="vec", device=settings["device"], random_state=seed, **own)
    model.fit(
        *part(rows),
        validation=part(prepared.split.validation),
        feature_of_column=prepared.feature_of_column(),
        on_epoch=lambda line: watch.tell(fraction=line["epoch"] / own["max_epochs"], cutoff=own["cutoff"], **line),
    )
    summary = {
        "given": list(given),
        "names": list(dict.fromkeys(prepared.standard_encoder.origin_)),
        "theta": model.theta_.tolist(),
        "cutoff": own["cutoff"],
        "history": model.history_,
    }
    return CellOutput(summary)


def exact_views(dataset: Dataset, settings: Mapping[str, Any], seed: int, watch: Watch) -> CellOutput:
    """Coefficients of single columns and FOCI's paths for y and for every sensitive attribute, without training."""
    frame, label, groups = sample(dataset, settings["exact_rows"], seed)
    columns = _single_columns(frame, label, groups, settings["permutations"], seed, watch)
    paths = {"y": foci_path(frame, label)}
    for done, name in enumerate(groups, start=1):
        watch.tell(fraction=0.6 + 0.4 * done / (groups.shape[1] + 1))
        paths[str(name)] = foci_path(frame, groups[name])
    return CellOutput({"rows": len(frame), "columns": columns, "paths": paths})


def foci_path(frame: pd.DataFrame, response: pd.Series) -> dict[str, Any]:
    """The columns that FOCI chooses for a response, in order, with T of all chosen so far."""
    found = FOCI(standardize="scale").fit(frame, response)
    return {"names": [str(frame.columns[k]) for k in found.order_], "T": found.scores_.tolist()}


def _single_columns(
    frame: pd.DataFrame, label: pd.Series, groups: pd.DataFrame, permutations: int, seed: int, watch: Watch
) -> dict[str, dict[str, Any]]:
    """What every column tells of y and of every attribute; p-values count how many columns were looked at."""
    table: dict[str, dict[str, Any]] = {}
    tests: dict[str, list[DependenceTest]] = {str(name): [] for name in groups}
    for done, name in enumerate(frame):
        watch.tell(fraction=0.6 * done / frame.shape[1])
        column = frame[[name]]
        for attribute, found in tests.items():
            found.append(T_test(groups[attribute], column, permutations=permutations, seed=seed))
        table[str(name)] = {
            "T_y": T(label, column),
            "T_y_given_all": T(label, column, groups) if tests else None,
            "sensitive": {
                attribute: {"T": found[-1].statistic, "T_y_given": T(label, column, groups[[attribute]])}
                for attribute, found in tests.items()
            },
        }
    for attribute, found in tests.items():
        for one, p_value in zip(table.values(), family_p_values(found), strict=True):
            one["sensitive"][attribute]["p_value"] = p_value
    return table
