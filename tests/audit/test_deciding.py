"""Columns that decide the outcome are named before training, and no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from diffoci.audit.before_training import deciding
from diffoci.audit.before_training.deciding import DECIDES, ROWS, deciding_columns
from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.commands import audit
from diffoci.data.dataset import Column, Dataset
from diffoci.data.sources import list_sources, load
from diffoci.data.truth.source import make_truth


def with_column(name: str, values: object, rows: int = 400) -> Dataset:
    data = make_truth(rows=rows).dataset
    column = pd.Series(values)
    kind = "number" if column.dtype.kind in "fi" else "nominal"
    typed = column.astype("float64") if kind == "number" else column.astype("str").astype("category")
    described = Column(name, "number" if kind == "number" else "nominal", name)
    return replace(data, features=data.features.assign(**{name: typed}), columns=(*data.columns, described))


def named(dataset: Dataset) -> list[str]:
    return [one.column for one in deciding_columns(dataset)]


LABEL = make_truth(rows=400).dataset.label.to_numpy()
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "values",
    [
        LABEL + RNG.uniform(-0.4, 0.4, 400),  # a score that a cut made the outcome from
        np.where(RNG.random(400) < 0.99, LABEL, 1 - LABEL).astype(float),  # the outcome with a few slips
        np.where(LABEL == 1, RNG.choice(["A1", "A2", "A3"], 400), RNG.choice(["B1", "B2"], 400)),  # codes of it
    ],
)
def test_a_score_another_outcome_and_a_code_of_the_outcome_decide_it(values: np.ndarray) -> None:
    (one,) = deciding_columns(with_column("suspect", values))
    assert one.column == "suspect"
    assert one.T >= DECIDES
    assert "'suspect' almost decides 'y' by itself (T = 0.9" in one.sentence("y") or one.T == 1.0


@pytest.mark.parametrize(
    "values",
    [
        np.arange(400.0),  # rows counted
        RNG.permutation(10**6)[:400].astype(float),  # a number that nobody shares
        np.array([f"person {k}" for k in range(400)]),  # a name that nobody shares
        np.array([f"household {k // 2}" for k in range(400)]),
        np.where(RNG.random(400) < 0.85, LABEL, 1 - LABEL).astype(float),  # a good predictor
    ],
)
def test_identifiers_and_good_predictors_are_left_in_peace(values: np.ndarray) -> None:
    assert named(with_column("innocent", values)) == []


def test_no_source_of_ours_has_such_a_column() -> None:
    for source in list_sources():
        if source.twin is not None and source.sensitive:
            assert named(load(source.name, twin=True)) == [], source.name


def test_a_part_of_the_rows_is_looked_at_and_told() -> None:
    label = make_truth(rows=3 * ROWS).dataset.label.to_numpy()
    (one,) = deciding_columns(with_column("suspect", label + 0.1 * RNG.normal(size=3 * ROWS), 3 * ROWS))
    assert one.rows == ROWS
    assert f"in {ROWS:,} rows" in one.sentence("y")


def test_a_handful_of_rows_says_nothing() -> None:
    label = make_truth(rows=deciding.FEWEST_ROWS - 1).dataset.label.to_numpy().astype(float)
    assert named(with_column("suspect", label, len(label))) == []


def test_gaps_are_no_obstacle() -> None:
    values = LABEL + RNG.uniform(-0.4, 0.4, 400)
    values[::40] = np.nan
    assert named(with_column("suspect", values)) == ["suspect"]


def test_the_command_line_warns_and_says_how_to_leave_it_out(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    score = rng.random(200)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 200), "the score": score, "sex": rng.choice(["f", "m"], 200)})
    frame.assign(hired=np.where(score > 0.6, "yes", "no")).to_csv(tmp_path / "people.csv", index=False)
    spec = make_spec(
        f"csv:{tmp_path / 'people.csv'}", sensitive=["sex"], preset="quick", options={"label": "hired", "drop": "age"}
    )
    audit.warn_of_deciding(spec, AUDIT.load(spec))
    said = capsys.readouterr().err
    assert said.startswith("warning: 'the score' decides 'hired' by itself (T = 1.00 of at most 1, in 200 rows)")
    assert said.strip().endswith("Leave it out? --drop 'age,the score'")
