"""A table of people: any source of diffoci.data, its outcome the label and one sensitive attribute the group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from diffoci.data import sources
from diffoci.data.dataset import Dataset
from diffoci.labs.spurious.data.examples import Examples, Kind
from diffoci.labs.spurious.data.own_data import split_up


def load_table(options: Mapping[str, Any]) -> Dataset:
    """The data that options name; the attribute is its only sensitive one."""
    source, attribute = sources.source_of(options["source"]), _attribute(options)
    if not attribute:
        raise ValueError(f"{source.title} needs an attribute that is the group; name one of its columns.")
    return sources.load(
        options["source"], sensitive=[attribute], twin=options.get("twin", False), **options.get("of_source", {})
    )


def table(seed: int, **options: Any) -> Examples:
    """The table cut at random, three fifths for training; features are the columns that are not sensitive."""
    from diffoci.data.encoding import Encoder
    from diffoci.data.splits import split_dataset

    dataset = load_table(options)
    groups = dataset.sensitive[_attribute(options)].astype("category")
    split = split_dataset(dataset, fractions=(0.6, 0.2, 0.2), seed=seed)
    encoder = Encoder().fit(dataset.features.iloc[split.train], dataset.columns)
    x = np.asarray(encoder.transform(dataset.features), dtype=np.float32)
    code = np.empty(len(dataset), dtype=np.int64)
    for k, rows in enumerate((split.train, split.validation, split.test)):
        code[rows] = k
    names = tuple(map(str, groups.cat.categories))
    label, group = (np.asarray(codes, dtype=np.int64) for codes in (dataset.label, groups.cat.codes))
    return split_up(x, label, group, code, dataset.label_classes, names)


def _attribute(options: Mapping[str, Any]) -> str:
    """The attribute that was chosen, or the first that the source has; empty where it has none."""
    source = sources.find_source(options["source"])
    usual = source.default_sensitive[:1] if source is not None else ()
    return str(options.get("attribute") or "".join(usual))


def _words(options: Mapping[str, Any]) -> dict[str, Any]:
    source, given, twin = options["source"], options.get("of_source", {}), options.get("twin", False)
    return {
        "title": sources.describe(source, given, twin=twin),
        "label": sources.outcome_of(source, given, twin=twin) or "outcome",
        "group": _attribute(options) or "attribute",
        "simulated": sources.is_simulated(source, twin=twin),
    }


TABLE = Kind(
    name="table",
    title="A table",
    about="a table of people, one of its attributes taken as the group",
    label="outcome",
    group="attribute",
    draw=table,
    content=lambda options: load_table(options).sha256,
    words=_words,
    cut=True,
    options=("source", "attribute", "twin", "of_source"),
    needed=("source",),
)
