"""Small data whose truth is known, ready for methods and probes, and the settings of short trainings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.make_spec import make_spec
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.data.dataset import Dataset
from diffoci.data.truth.source import make_truth

FRACTIONS = (0.6, 0.2, 0.2)
NOWHERE = {"linear": 0.0, "variance": 0.0, "interaction": 0.0}
SHORT: dict[str, Any] = {
    "network": {"max_epochs": 4, "hidden": (16,), "small_data_epochs": 1},
    "penalised": {"max_epochs": 4, "hidden": (16,), "small_data_epochs": 1},
    "adversary": {"max_epochs": 4, "hidden": (16,), "small_data_epochs": 1},
    "vec": {"max_epochs": 6, "least_batches": 1, "small_data_epochs": 1},
    "probe": {"max_epochs": 6, "hidden": (16, 16), "batch_size": 64},
    "prototypes": 4,
    "prototype_iterations": 5,
    "exact_rows": 500,
    "permutations": 49,
    "null_draws": 500,
    "fractions": FRACTIONS,
    "curve": (),
}


def settings(**changes: Any) -> Mapping[str, Any]:
    """All settings of a short audit on the CPU; a change of a group of settings keeps the others of the group."""
    usual = make_spec("truth", preset="quick", settings=SHORT).settings
    new = {name: {**usual[name], **value} if isinstance(value, dict) else value for name, value in changes.items()}
    return {**usual, **new, "device": "cpu"}


def prepared_of(dataset: Dataset, *, seed: int = 0) -> PreparedSplit:
    """One split of a dataset, with more test rows than an audit takes."""
    return PreparedSplit.of(dataset, seed=seed, coding="onehot", fractions=FRACTIONS, pieces=4)


def known(*, rows: int = 600, **knobs: Any) -> PreparedSplit:
    """One split of known-truth data; S is where the knobs put it and nowhere else."""
    return prepared_of(make_truth(rows=rows, **{**NOWHERE, "direct": 0.0, **knobs}).dataset)


def several(count: int, *, rows: int, **knobs: Any) -> list[Dataset]:
    """So many data sets of the same truth, each of other rows."""
    whole = make_truth(rows=count * rows, **{**NOWHERE, **knobs}).dataset

    def part(rows: slice) -> Dataset:
        return replace(
            whole,
            features=whole.features.iloc[rows].reset_index(drop=True),
            label=whole.label.iloc[rows].reset_index(drop=True),
            sensitive=whole.sensitive.iloc[rows].reset_index(drop=True),
        )

    return [part(slice(k * rows, (k + 1) * rows)) for k in range(count)]


def with_second_attribute(dataset: Dataset) -> Dataset:
    """The same data with a second attribute, "other", which is the first with a quarter of the rows turned round."""
    group = (dataset.sensitive["group"] == "B").to_numpy()
    turned = np.random.default_rng(7).random(len(dataset)) < 0.25
    other = pd.Categorical(np.where(group ^ turned, "young", "old"), categories=["old", "young"])
    return replace(dataset, sensitive=dataset.sensitive.assign(other=other))
