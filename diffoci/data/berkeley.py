"""Admissions to graduate study at Berkeley in 1973: public counts of six departments, one row per applicant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from diffoci.data._attributes import choose, coded, feature_frame
from diffoci.data.dataset import Column, Dataset
from diffoci.data.raw_table import RawTable
from diffoci.data.source import Source

TITLE = "Berkeley admissions, 1973"
CITATION = (
    "P. J. Bickel, E. A. Hammel, J. W. O'Connell (1975). Sex Bias in Graduate Admissions: Data from Berkeley. "
    "Science 187, 398-404."
)
LICENCE = "public counts"
# Department: admitted and rejected men, admitted and rejected women.
COUNTS = {
    "A": (512, 313, 89, 19),
    "B": (353, 207, 17, 8),
    "C": (120, 205, 202, 391),
    "D": (138, 279, 131, 244),
    "E": (53, 138, 94, 299),
    "F": (22, 351, 24, 317),
}
_WHO = (("Male", "yes"), ("Male", "no"), ("Female", "yes"), ("Female", "no"))
COLUMNS = (Column("department", "nominal", "department applied to", {name: name for name in COUNTS}),)
ATTRIBUTES = {"sex": coded("sex", {"Female": "Female", "Male": "Male"})}


def applicants() -> pd.DataFrame:
    """One row per applicant.

    >>> applicants().groupby("sex")["admitted"].apply(lambda one: round((one == "yes").mean(), 3)).to_dict()
    {'Female': 0.304, 'Male': 0.445}
    """
    cells = [(department, *who, n) for department, row in COUNTS.items() for who, n in zip(_WHO, row, strict=True)]
    count = [n for *_, n in cells]
    names = ("department", "sex", "admitted")
    return pd.DataFrame({name: np.repeat([cell[k] for cell in cells], count) for k, name in enumerate(names)})


def load_berkeley(*, sensitive: Sequence[str]) -> Dataset:
    """Load the applicants; the outcome is being admitted."""
    recorded = applicants()
    return Dataset(
        name="berkeley",
        title=TITLE,
        features=feature_frame(recorded, COLUMNS),
        columns=COLUMNS,
        label=(recorded["admitted"] == "yes").astype("int64").rename("label"),
        label_name="admitted",
        label_classes=("no", "yes"),
        sensitive=choose(recorded, ATTRIBUTES, sensitive).frame,
        real=True,
        source="embedded",
        licence=LICENCE,
        citation=CITATION,
    )


def raw_table() -> RawTable:
    """The applicants as a table."""
    table = pa.Table.from_pandas(applicants(), preserve_index=False)
    return RawTable(table, TITLE, real=True, source="embedded", licence=LICENCE, citation=CITATION)


SOURCE = Source(
    name="berkeley",
    title=TITLE,
    summary="4,526 applicants to six departments; outcome: admitted",
    licence=LICENCE,
    citation=CITATION,
    sensitive=tuple(ATTRIBUTES),
    default_sensitive=("sex",),
    load=load_berkeley,
    table=raw_table,
    roles={"decisions": ("admitted",), "selected": ("yes",), "sensitive": ("sex",), "factors": ("department",)},
)
