"""Some rows of a dataset as coefficients take them: without gaps, y and the attributes beside the features."""

from __future__ import annotations

import numpy as np
import pandas as pd

from diffoci.data.dataset import Dataset
from diffoci.inputs import Ints


def sample(dataset: Dataset, most: int, seed: int) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """At most so many rows: the features without gaps, y and the attributes, each without what is constant there."""
    some = some_rows(dataset, most, seed)
    frame = _complete(dataset, dataset.features).iloc[some].reset_index(drop=True)
    label = label_of(dataset).iloc[some].reset_index(drop=True)
    groups = dataset.sensitive.iloc[some].reset_index(drop=True).apply(lambda c: c.cat.remove_unused_categories())
    return frame[_varying(frame)], label, groups[_varying(groups)]


def sample_features(dataset: Dataset, rows: Ints) -> pd.DataFrame:
    """The features of some rows, their gaps filled from these rows alone: quick, however many others there are."""
    return _complete(dataset, dataset.features.iloc[rows].reset_index(drop=True))


def some_rows(dataset: Dataset, most: int, seed: int) -> Ints:
    """As many random rows, with the label's classes in their shares and at least one row of each."""
    order = np.random.default_rng(seed).permutation(len(dataset))
    label = dataset.label.to_numpy()[order]
    place = np.empty(len(order))
    for level in np.unique(label):
        members = np.flatnonzero(label == level)
        place[members] = np.arange(len(members)) / len(members)
    return order[np.argsort(place, kind="stable")[:most]]


def _complete(dataset: Dataset, features: pd.DataFrame) -> pd.DataFrame:
    """The features without gaps: the median for numbers, a level of its own for everything else."""
    filled = {}
    for column in dataset.columns:
        values = features[column.name]
        if column.kind == "number":
            middle = float(values.median()) if values.notna().any() else 0.0
            filled[column.name] = values.fillna(middle)
        elif values.isna().any():
            named = values.cat.add_categories("missing") if "missing" not in values.cat.categories else values
            filled[column.name] = named.fillna("missing")
        else:
            filled[column.name] = values
    return pd.DataFrame(filled)


def label_of(dataset: Dataset) -> pd.Series:
    """The outcome as coefficients take it: two classes as 0 and 1, more by their names."""
    if len(dataset.label_classes) == 2 or not dataset.has_outcome:
        return dataset.label
    return pd.Series(np.array(dataset.label_classes, dtype=object)[dataset.label.to_numpy()], dtype="category")


def _varying(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name in frame if frame[name].nunique() > 1]
