"""Who is in the data: sizes and outcome rates of groups and their intersections, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from diffoci.data.dataset import Dataset

SHARE = "Share, %"  # of everybody
# The splits of a quick audit test about a quarter of all rows.
_TESTED = 4


def group_table(dataset: Dataset, attributes: tuple[str, ...], *, fewest: int) -> pd.DataFrame:
    """One row for each group of one attribute, or of several together, in words.

    A group is judged from `fewest` test rows on. Without an outcome there is no rate.
    """
    # In the order of the groups, so that bands of age follow each other; several together by their size.
    names = list(attributes)
    rate = dataset.label.to_numpy() == len(dataset.label_classes) - 1
    joined = dataset.sensitive[names[0]]
    if len(names) > 1:
        joined = dataset.sensitive[names].astype("str").agg(" · ".join, axis=1)
    rows = pd.DataFrame({"group": joined.array, "rate": rate})
    table = rows.groupby("group", observed=True, sort=True)["rate"].agg(["size", "mean"]).reset_index()
    if len(names) > 1:
        table = table.sort_values("size", ascending=False)
    sizes = dict(zip(table["group"].astype("str"), table["size"], strict=True))
    rates = dict(zip(sizes, table["mean"] if dataset.has_outcome else [None] * len(table), strict=True))
    return size_table(sizes, rates, title=rate_title(dataset.label_name, dataset.label_classes), fewest=fewest)


def size_table(sizes: Mapping[str, int], rates: Mapping[str, float | None], *, title: str, fewest: int) -> pd.DataFrame:
    """One row for each group of so many people, with its rate where any is known."""
    people = np.array(list(sizes.values()), dtype=np.int64)
    columns: dict[str, Any] = {"Group": list(sizes), "People": people, SHARE: (100 * people / people.sum()).round(1)}
    if any(rate is not None for rate in rates.values()):
        columns[title] = [None if (rate := rates[name]) is None else round(100 * rate, 1) for name in sizes]
    return pd.DataFrame({**columns, "Remark": [remark(int(size), fewest=fewest) for size in people]})


def rate_title(label: str, classes: Sequence[str]) -> str:
    """Name the rate: the positive class, or the last of several; without an outcome, the group's share of all.

    >>> rate_title("hired", ("no", "yes")), rate_title("grade of 12 or more", ("below 12", "12 or more"))
    ('hired: yes, %', 'grade of 12 or more, %')
    """
    if not classes:
        return SHARE
    said_already = " " in classes[-1] and label.endswith(classes[-1])
    return f"{label}, %" if said_already else f"{label}: {classes[-1]}, %"


def remark(people: int, *, fewest: int) -> str:
    """Say whether a group is large enough to be judged.

    Examples
    --------
    >>> remark(13, fewest=30), remark(80, fewest=30), remark(500, fewest=30)
    ('13 people: not judged', 'few: needs more repetitions to be judged', '')
    """
    if people < fewest:
        return f"{people} {'person' if people == 1 else 'people'}: not judged"
    return "few: needs more repetitions to be judged" if people < _TESTED * fewest else ""


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
    """The first rows: outcome and attributes before the features; codes in words where they have any."""
    columns: dict[str, pd.Series] = {}
    if dataset.has_outcome:
        classes = dict(enumerate(dataset.label_classes))
        columns[f"outcome: {dataset.label_name}"] = dataset.label.iloc[:rows].map(classes)
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
