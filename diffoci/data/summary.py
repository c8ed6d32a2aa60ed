"""What a dataset holds, in plain values: for the command line, pages and reports."""

from __future__ import annotations

from typing import Any

import numpy as np

from diffoci.data.dataset import Dataset


def summarise(dataset: Dataset) -> dict[str, Any]:
    """Count rows, features, groups and missing values, and the label's rate overall and by group.

    Rates are those of the positive class; a label of more than two classes has one rate for each. Data without an
    outcome have none.

    Examples
    --------
    >>> from diffoci.data.sources import load
    >>> summary = summarise(load("breast-cancer"))
    >>> summary["rows"], summary["features"], summary["label_rate"]
    (569, 30, 0.3726)
    """
    label = dataset.label.to_numpy()
    missing = dataset.features.isna().sum()
    return {
        "name": dataset.name,
        "title": dataset.title,
        "rows": len(dataset),
        "features": len(dataset.columns),
        "label": dataset.label_name,
        "label_rate": _rate(label, dataset.label_classes),
        "sensitive": {
            str(name): {str(level): int(count) for level, count in groups.value_counts(sort=False).items()}
            for name, groups in dataset.sensitive.items()
        },
        "label_rate_by_group": {
            str(name): {
                str(level): _rate(label[(groups == level).to_numpy()], dataset.label_classes)
                for level in groups.cat.categories
            }
            for name, groups in dataset.sensitive.items()
        },
        "missing": {str(name): int(count) for name, count in missing.items() if count},
        "real": dataset.real,
        "sha256": dataset.sha256,
        "source": dataset.source,
        "licence": dataset.licence,
        "notes": list(dataset.notes),
    }


def _rate(label: np.ndarray, classes: tuple[str, ...]) -> float | dict[str, float] | None:
    if label.size == 0 or not classes:
        return None
    if len(classes) == 2:
        return round(float((label == 1).mean()), 4)
    return {text: round(float((label == code).mean()), 4) for code, text in enumerate(classes)}


def group_sizes(dataset: Dataset) -> dict[str, Any]:
    """People of every group, and how many of them have the label; None where the label has more than two classes."""
    sizes = {}
    two = len(dataset.label_classes) == 2
    for name in dataset.sensitive:
        column = dataset.sensitive[name]
        sizes[str(name)] = {
            str(level): {
                "rows": int((column == level).sum()),
                "label_rate": float(dataset.label[column == level].mean()) if two else None,
            }
            for level in column.cat.categories
            if (column == level).any()
        }
    return sizes
