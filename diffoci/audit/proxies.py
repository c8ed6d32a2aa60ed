"""Proxies: before any training, which features tell y and which tell a sensitive attribute, each with its test."""

from __future__ import annotations

from typing import Any

from diffoci.audit.cells import Watch
from diffoci.audit.family import family_p_values
from diffoci.audit.features import complete, exact_views, some_rows
from diffoci.coefficients import T_test
from diffoci.data.dataset import Dataset


def before_training(dataset: Dataset, *, rows: int = 3000, permutations: int = 99, seed: int = 0) -> dict[str, Any]:
    """The audit's exact views of the data, with a p-value of T(Y, X_j) for every feature as well."""
    settings = {"exact_rows": rows, "permutations": permutations}
    views = exact_views(dataset, settings, seed, Watch()).summary
    some = some_rows(dataset, rows, seed)
    frame, label = complete(dataset).iloc[some].reset_index(drop=True), dataset.label.iloc[some].reset_index(drop=True)
    if len(dataset.label_classes) > 2:
        label = label.map(dict(enumerate(dataset.label_classes))).astype("category")
    tests = [T_test(label, frame[[name]], permutations=permutations, seed=seed) for name in views["columns"]]
    for entry, p_value in zip(views["columns"].values(), family_p_values(tests), strict=True):
        entry["p_value_y"] = p_value
    return views
