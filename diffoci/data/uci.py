"""The feature-selection sets of the paper: many numbers, one label, no sensitive attribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv

from diffoci.data.dataset import Column, Dataset
from diffoci.data.fetching.files import LocalFile, RemoteFile, fetch
from diffoci.data.source import Source

LICENCE = "CC BY 4.0"
_ARCHIVE = "https://archive.ics.uci.edu/static/public"
_SPAM_WORDS = (
    "make", "address", "all", "3d", "our", "over", "remove", "internet", "order", "mail", "receive",
    "will", "people", "report", "addresses", "free", "business", "email", "you", "credit", "your",
    "font", "000", "money", "hp", "hpl", "george", "650", "lab", "labs", "telnet", "857", "data", "415",
    "85", "technology", "1999", "parts", "pm", "direct", "cs", "meeting", "original", "project", "re",
    "edu", "table", "conference",
)  # fmt: skip
_SPAM_COLUMNS = (
    *(f"word_freq_{word}" for word in _SPAM_WORDS),
    *(f"char_freq_{sign}" for sign in ";([!$#"),
    *(f"capital_run_length_{what}" for what in ("average", "longest", "total")),
)


@dataclass(frozen=True)
class Table:
    """A frame of numbers and the class of each row, in words."""

    numbers: pd.DataFrame
    classes: pd.Series


@dataclass(frozen=True)
class UciSet:
    """One published set: where it is (None ships with scikit-learn), how it is read, what must be in it."""

    title: str
    file: RemoteFile | None
    read: Callable[[Path], Table]
    shape: tuple[int, int]
    label_name: str
    label_classes: tuple[str, ...]
    citation: str


def _frame(path: Path, *, separator: str = ",", names: Sequence[str] | None = None) -> pd.DataFrame:
    # pandas takes half a minute for 8,000 columns where Arrow takes a second.
    frame: pd.DataFrame = pyarrow.csv.read_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=1 << 24),
        parse_options=pyarrow.csv.ParseOptions(delimiter=separator),
    ).to_pandas()
    return frame


def _read_spambase(path: Path) -> Table:
    frame = _frame(path, names=[*_SPAM_COLUMNS, "class"])
    return Table(frame.drop(columns="class"), frame["class"].map({0: "not spam", 1: "spam"}))


def _read_toxicity(path: Path) -> Table:
    frame = _frame(path)
    return Table(frame.drop(columns="Class"), frame["Class"].str.strip())


def _read_qsar(path: Path) -> Table:
    frame = _frame(path, separator=";", names=[f"bit_{place}" for place in range(1, 1025)] + ["class"])
    return Table(frame.drop(columns="class"), frame["class"].str.strip())


def _read_religious(path: Path) -> Table:
    frame = _frame(path)
    chapter = frame.columns[0]
    return Table(frame.drop(columns=chapter), frame[chapter].str.replace(r"_Ch.*$", "", regex=True))


def _read_breast_cancer(_: Path) -> Table:
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    numbers = pd.DataFrame(bunch.data, columns=[str(name) for name in bunch.feature_names])
    return Table(numbers, pd.Series(bunch.target).map({0: "malignant", 1: "benign"}))


SETS = {
    "breast-cancer": UciSet(
        "Breast Cancer Wisconsin",
        None,
        _read_breast_cancer,
        (569, 30),
        "malignant",
        ("benign", "malignant"),
        "W. Wolberg, O. Mangasarian, N. Street, W. Street (1993). Breast Cancer Wisconsin (Diagnostic). UCI Machine"
        " Learning Repository.",
    ),
    "spambase": UciSet(
        "Spambase",
        RemoteFile(
            "spambase.data",
            "uci",
            f"{_ARCHIVE}/94/spambase.zip",
            "ebec58cfca94ea61c77df632314acae15bad410f4769d38b1a66cb41050e3431",
        ),
        _read_spambase,
        (4601, 57),
        "spam",
        ("not spam", "spam"),
        "M. Hopkins, E. Reeber, G. Forman, J. Suermondt (1999). Spambase. UCI Machine Learning Repository.",
    ),
    "toxicity": UciSet(
        "Toxicity of molecules designed for CRY1",
        RemoteFile("data.csv", "uci/toxicity", f"{_ARCHIVE}/728/toxicity-2.zip", hint="Class"),
        _read_toxicity,
        (171, 1203),
        "toxic",
        ("NonToxic", "Toxic"),
        "S. Gul, F. Rahim, S. Isin et al. (2021). Toxicity. UCI Machine Learning Repository.",
    ),
    "qsar": UciSet(
        "QSAR oral toxicity",
        RemoteFile("qsar_oral_toxicity.csv", "uci", f"{_ARCHIVE}/508/qsar+oral+toxicity.zip", hint="tive"),
        _read_qsar,
        (8992, 1024),
        "very toxic",
        ("negative", "positive"),
        "D. Ballabio, F. Grisoni, V. Consonni, R. Todeschini (2019). QSAR oral toxicity. UCI Machine Learning"
        " Repository.",
    ),
    "religious": UciSet(
        "Asian religious and biblical texts",
        RemoteFile(
            "AllBooks_baseline_DTM_Labelled.csv",
            "uci",
            f"{_ARCHIVE}/512/a+study+of+asian+religious+and+biblical+texts.zip",
            hint=",",
        ),
        _read_religious,
        (590, 8266),
        "book",
        (),
        "P. Sah, E. Fokoué (2019). A Study of Asian Religious and Biblical Texts. UCI Machine Learning Repository.",
    ),
}


def load_uci(name: str) -> Dataset:
    """Load one of the sets."""
    entry = SETS[name]
    local = LocalFile(Path("scikit-learn")) if entry.file is None else fetch(entry.file)
    try:
        table = entry.read(local.path)
    except (pyarrow.ArrowException, KeyError, AttributeError, TypeError) as problem:
        raise ValueError(f"{local.path} does not hold {entry.title} as published.") from problem
    if table.numbers.shape != entry.shape:
        raise ValueError(
            f"{local.path} has {table.numbers.shape[0]:,} rows of {table.numbers.shape[1]:,} features, and"
            f" the published file has {entry.shape[0]:,} of {entry.shape[1]:,}; fetch it again."
        )
    classes = entry.label_classes or tuple(sorted(table.classes.dropna().unique()))
    codes = table.classes.map({text: code for code, text in enumerate(classes)})
    if codes.isna().any():
        unknown = table.classes[codes.isna()].iloc[0]
        raise ValueError(f"{entry.title} holds the class '{unknown}', which the published file does not have.")
    features = table.numbers.astype(np.float64)
    return Dataset(
        name=name,
        title=entry.title,
        features=features,
        columns=tuple(Column(str(column), "number", str(column)) for column in features),
        label=codes.astype("int64").rename("label"),
        label_name=entry.label_name,
        label_classes=classes,
        sensitive=pd.DataFrame(index=features.index),
        real=True,
        source="shipped with scikit-learn" if entry.file is None else entry.file.address,
        licence=LICENCE,
        citation=entry.citation,
        notes=local.notes,
    )


def _source(name: str) -> Source:
    entry = SETS[name]
    rows, columns = entry.shape
    shipped = "" if entry.file else "; ships with scikit-learn"
    return Source(
        name=name,
        title=entry.title,
        summary=f"{rows:,} rows, {columns:,} features, for feature selection{shipped}",
        licence=LICENCE,
        citation=entry.citation,
        load=partial(load_uci, name),
        files=lambda: (entry.file,) if entry.file else (),
        outcome=lambda _: entry.label_name,
    )


SOURCES = tuple(map(_source, SETS))
