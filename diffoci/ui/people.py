"""Who is in the data: sizes and label rates of groups and their intersections, and what is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd

from diffoci.data.dataset import Dataset

# A group is judged from 30 test rows on; the splits of a quick audit test about a quarter of all rows.
JUDGED, SAFE = 30, 120


def group_table(dataset: Dataset, attributes: tuple[str, ...]) -> pd.DataFrame:
    """One row for each group of one attribute, or of several together, in words."""
    names = list(attributes)
    rate = _rate(dataset)
    joined = dataset.sensitive[names[0]]
    if len(names) > 1:
        joined = dataset.sensitive[names].astype("str").agg(" · ".join, axis=1)
    found = pd.DataFrame({"group": joined.to_numpy(), "rate": rate}).groupby("group", observed=True, sort=False)["rate"]
    table = found.agg(["size", "mean"]).reset_index()
    if len(names) > 1:
        table = table.sort_values("size", ascending=False)
    return pd.DataFrame(
        {
            "Group": table["group"].astype("str").to_numpy(),
            "People": table["size"].to_numpy(),
            "Share, %": (100 * table["size"] / len(dataset)).round(1).to_numpy(),
            rate_title(dataset): (100 * table["mean"]).round(1).to_numpy(),
            "Remark": [remark(size) for size in table["size"]],
        }
    )


def rate_title(dataset: Dataset) -> str:
    """Name the rate: the positive class, or the last of several."""
    return f"{dataset.label_name}: {dataset.label_classes[-1]}, %"


def remark(people: int) -> str:
    """Say whether a group is large enough to be judged.

    Examples
    --------
    >>> remark(13), remark(80), remark(500)
    ('13 people: not judged', 'few: needs more seeds to be judged', '')
    """
    if people < JUDGED:
        return f"{people} {'person' if people == 1 else 'people'}: not judged"
    return "few: needs more seeds to be judged" if people < SAFE else ""


def missing_table(dataset: Dataset) -> pd.DataFrame:
    """Features with missing values, the most first."""
    count = dataset.features.isna().sum()
    count = count[count > 0].sort_values(ascending=False)
    labels = {column.name: column.label for column in dataset.columns}
    return pd.DataFrame(
        {
            "Feature": [str(name) for name in count.index],
            "Meaning": [labels[str(name)] for name in count.index],
            "Missing": count.to_numpy(),
            "Share, %": (100 * count / len(dataset)).round(1).to_numpy(),
        }
    )


def preview(dataset: Dataset, *, rows: int = 50, words: bool = True) -> pd.DataFrame:
    """The first rows: label and attributes before the features; codes in words where they have any."""
    classes = dict(enumerate(dataset.label_classes))
    columns: dict[str, pd.Series] = {f"label: {dataset.label_name}": dataset.label.iloc[:rows].map(classes)}
    columns |= {f"sensitive: {name}": dataset.sensitive[name].iloc[:rows].astype("str") for name in dataset.sensitive}
    for column in dataset.columns:
        values = dataset.features[column.name].iloc[:rows]
        if words and column.kind != "number":
            values = values.astype("object").map(lambda code, names=column.meanings: names.get(str(code), code))
        columns[column.name] = values if column.kind == "number" else values.astype("str")
    return pd.DataFrame(columns)


def column_table(dataset: Dataset) -> pd.DataFrame:
    """Every feature with its kind and what its codes mean."""
    kinds = {"number": "number", "ordered": "ordered levels", "nominal": "categories"}
    return pd.DataFrame(
        {
            "Feature": [column.name for column in dataset.columns],
            "Meaning": [column.label for column in dataset.columns],
            "Kind": [kinds[column.kind] for column in dataset.columns],
            "Different values": [int(dataset.features[column.name].nunique()) for column in dataset.columns],
            "Codes": [_codes(dict(column.meanings)) for column in dataset.columns],
        }
    )


def _codes(meanings: dict[str, str]) -> str:
    said = [code if code == words else f"{code} = {words}" for code, words in meanings.items()]
    return "; ".join(said[:12]) + (f"; and {len(said) - 12} more" if len(said) > 12 else "")


def _rate(dataset: Dataset) -> np.ndarray:
    return (dataset.label.to_numpy() == len(dataset.label_classes) - 1).astype(np.float64)
