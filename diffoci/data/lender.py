"""A simulated lender with two models whose truth is known: one holds part-time work against people, one does not.

Women and men repay equally often, and equally often at equal ability. More women than men work part time. Model A
scores ability and takes points off for part-time work, so it tells something of sex, all of it through that column.
Model B scores ability with some noise and tells nothing of sex. Age tells nothing of anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from diffoci.data._attributes import choose, coded, feature_frame
from diffoci.data._generated_size import MOST_ROWS, check_generated_size
from diffoci.data._option import Option
from diffoci.data.dataset import Column, Dataset
from diffoci.data.raw_table import RawTable
from diffoci.data.source import Source
from diffoci.data.twins import SEED

TITLE = "Simulated lender"
LICENCE = "generated"
PENALTY = 1.5  # of part-time work in model A, on the scale of log-odds
COLUMNS = (
    Column("ability", "number", "ability to repay"),
    Column("part_time", "nominal", "works part time", {"no": "no", "yes": "yes"}),
    Column("age", "number", "age in years"),
)
ATTRIBUTES = {"sex": coded("sex", {"Female": "Female", "Male": "Male"})}


def applicants(*, rows: int = 4000, seed: int = 0) -> pd.DataFrame:
    """Draw applicants.

    >>> drawn = applicants(rows=20_000)
    >>> drawn.groupby("sex")["score_b"].mean().round(2).to_dict()
    {'Female': 0.5, 'Male': 0.5}
    """
    check_generated_size(TITLE, rows, 8)
    rng = np.random.default_rng(seed)
    female, ability = rng.random(rows) < 0.45, rng.normal(size=rows)
    part_time = rng.random(rows) < np.where(female, 0.6, 0.15)
    repaid = rng.random(rows) < _share(1.5 * ability)
    score_a = _share(1.5 * ability + 0.4 - PENALTY * part_time)
    return pd.DataFrame(
        {
            "sex": np.where(female, "Female", "Male"),
            "age": rng.integers(18, 80, rows).astype(np.float64),
            "ability": ability.round(4),
            "part_time": np.where(part_time, "yes", "no"),
            "score_a": score_a.round(4),
            "score_b": _share(1.2 * ability + 0.5 * rng.normal(size=rows)).round(4),
            "approved": np.where(score_a >= 0.5, "yes", "no"),
            "repaid": np.where(repaid, "yes", "no"),
        }
    )


def _share(log_odds: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def load_lender(*, sensitive: Sequence[str], rows: int, seed: int) -> Dataset:
    """Draw applicants; the outcome is whether the loan is repaid."""
    recorded = applicants(rows=rows, seed=seed)
    return Dataset(
        name="lender",
        title=TITLE,
        features=feature_frame(recorded, COLUMNS),
        columns=COLUMNS,
        label=(recorded["repaid"] == "yes").astype("int64").rename("label"),
        label_name="repaid",
        label_classes=("no", "yes"),
        sensitive=choose(recorded, ATTRIBUTES, sensitive).frame,
        real=False,
        source="generated",
        licence=LICENCE,
        citation="",
    )


def raw_table(*, rows: int = 4000, seed: int = 0) -> RawTable:
    """The applicants as a table, with the scores of both models."""
    table = pa.Table.from_pandas(applicants(rows=rows, seed=seed), preserve_index=False)
    return RawTable(table, TITLE, real=False, source="generated", licence=LICENCE)


SOURCE = Source(
    name="lender",
    title=TITLE,
    summary="applicants for a loan and the scores of two models whose truth is known; outcome: repaid",
    licence=LICENCE,
    simulated=True,
    sensitive=tuple(ATTRIBUTES),
    default_sensitive=("sex",),
    options=(Option("rows", "whole", "how many rows", 4000, least=50, most=MOST_ROWS, title="People"), SEED),
    load=load_lender,
    table=raw_table,
    roles={
        "scores": ("score_a", "score_b"),
        "decisions": ("approved",),
        "selected": ("yes",),
        "label": "repaid",
        "positive": "yes",
        "sensitive": ("sex", "age"),
        "features": ("ability", "part_time"),
    },
)
