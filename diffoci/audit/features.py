"""Which features are dropped for which sensitive attribute: trained weights, and views that need no training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.cells import CellOutput, Watch
from diffoci.audit.family import family_p_values
from diffoci.audit.fitted import fitted_to_size
from diffoci.audit.material import Material
from diffoci.coefficients import DependenceTest, T, T_test
from diffoci.data.dataset import Dataset
from diffoci.estimator import DifFOCI
from diffoci.foci import FOCI
from diffoci.inputs import Ints


def conditions(sensitive: Sequence[str]) -> list[tuple[str, ...]]:
    """Nothing, each attribute alone, all together."""
    single = [(name,) for name in sensitive]
    return [(), *single, *([tuple(sensitive)] if len(sensitive) > 1 else [])]


def train_weights(
    material: Material, given: Sequence[str], settings: Mapping[str, Any], seed: int, watch: Watch
) -> CellOutput:
    """Fit vec-dF3 given some attributes (vec-dF1 given none): one weight for every original feature."""
    objective = "dF3" if given else "dF1"
    feature = feature_of_column(material)
    rows = material.split.train
    if settings["vec_rows"] is not None and len(rows) > settings["vec_rows"]:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[: settings["vec_rows"]])
    own = vec_settings(settings, objective, len(rows))
    held = material.split.validation
    sensitive = material.sensitive[list(given)] if given else None
    model = DifFOCI(objective=objective, model="vec", device=settings["device"], random_state=seed, **own)  # type: ignore[arg-type]
    model.fit(
        material.standard[rows],
        material.label[rows],
        None if sensitive is None else sensitive.iloc[rows],
        validation=(material.standard[held], material.label[held], None if sensitive is None else sensitive.iloc[held]),
        feature_of_column=feature,
        on_epoch=lambda line: watch.tell(fraction=line["epoch"] / own["max_epochs"], **line),
    )
    summary = {
        "given": list(given),
        "names": list(dict.fromkeys(material.standard_encoder.origin_)),
        "theta": model.theta_.tolist(),
        "cutoff": own["cutoff"],
        "history": model.history_,
    }
    return CellOutput(summary)


def vec_settings(settings: Mapping[str, Any], objective: str, rows: int) -> dict[str, Any]:
    """How weights of single features are trained; the paper has its own numbers by data set and objective."""
    return fitted_to_size({**settings["vec"], **settings.get("vec_by_objective", {}).get(objective, {})}, rows)


def feature_of_column(material: Material) -> list[int]:
    """The number of the original feature that each column of the standard data belongs to."""
    origin = material.standard_encoder.origin_
    order = {name: k for k, name in enumerate(dict.fromkeys(origin))}
    return [order[name] for name in origin]


def exact_views(dataset: Dataset, settings: Mapping[str, Any], seed: int, watch: Watch) -> CellOutput:
    """Coefficients of single columns and FOCI's paths for y and for every sensitive attribute, without training."""
    some = some_rows(dataset, settings["exact_rows"], seed)
    frame = complete(dataset).iloc[some].reset_index(drop=True)
    label = _label(dataset).iloc[some].reset_index(drop=True)
    groups = dataset.sensitive.iloc[some].reset_index(drop=True).apply(lambda c: c.cat.remove_unused_categories())
    columns = [name for name in frame if frame[name].nunique() > 1]
    attributes = [str(name) for name in groups if groups[name].nunique() > 1]
    table: dict[str, dict[str, Any]] = {}
    tests: dict[str, list[DependenceTest]] = {name: [] for name in attributes}
    for done, name in enumerate(columns):
        watch.tell(fraction=0.6 * done / len(columns))
        column = frame[[name]]
        for attribute in attributes:
            tests[attribute].append(T_test(groups[attribute], column, permutations=settings["permutations"], seed=seed))
        table[str(name)] = {
            "T_y": T(label, column),
            "T_y_given_all": T(label, column, groups[attributes]) if attributes else None,
            "sensitive": {
                attribute: {"T": tests[attribute][-1].statistic, "T_y_given": T(label, column, groups[[attribute]])}
                for attribute in attributes
            },
        }
    for attribute in attributes:
        for name, p_value in zip(columns, family_p_values(tests[attribute]), strict=True):
            table[str(name)]["sensitive"][attribute]["p_value"] = p_value
    paths = {"y": _path(frame[columns], label)}
    for done, attribute in enumerate(attributes, start=1):
        watch.tell(fraction=0.6 + 0.4 * done / (len(attributes) + 1))
        paths[attribute] = _path(frame[columns], groups[attribute])
    return CellOutput({"rows": len(some), "columns": table, "paths": paths})


def some_rows(dataset: Dataset, most: int, seed: int) -> Ints:
    """As many random rows, with the label's classes in their shares and at least one row of each."""
    order = np.random.default_rng(seed).permutation(len(dataset))
    label = dataset.label.to_numpy()[order]
    place = np.empty(len(order))
    for level in np.unique(label):
        members = np.flatnonzero(label == level)
        place[members] = np.arange(len(members)) / len(members)
    return order[np.argsort(place, kind="stable")[:most]]


def complete(dataset: Dataset) -> pd.DataFrame:
    """The features without gaps: the median for numbers, a level of its own for everything else."""
    filled = {}
    for column in dataset.columns:
        values = dataset.features[column.name]
        if column.kind == "number":
            middle = float(values.median()) if values.notna().any() else 0.0
            filled[column.name] = values.fillna(middle)
        elif values.isna().any():
            named = values.cat.add_categories("missing") if "missing" not in values.cat.categories else values
            filled[column.name] = named.fillna("missing")
        else:
            filled[column.name] = values
    return pd.DataFrame(filled)


def _label(dataset: Dataset) -> pd.Series:
    if len(dataset.label_classes) == 2:
        return dataset.label
    return pd.Series(np.array(dataset.label_classes, dtype=object)[dataset.label.to_numpy()], dtype="category")


def _path(frame: pd.DataFrame, response: pd.Series) -> dict[str, Any]:
    found = FOCI(standardize="scale").fit(frame, response)
    return {"names": [str(frame.columns[k]) for k in found.order_], "T": found.scores_.tolist()}
