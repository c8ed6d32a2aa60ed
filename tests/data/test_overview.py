"""A first look at one's own file: its first rows, and advice on columns that are not what they seem."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.data.sources import load
from diffoci.data.summary import summarise
from diffoci.data.tables.overview import Overview, look_over

ROWS = 120


def seen(folder: Path, **columns: object) -> Overview:
    path = folder / "people.csv"
    income = np.random.default_rng(0).normal(3000, 500, ROWS).round(2)
    pd.DataFrame({"income": income, "sex": ["f", "m"] * (ROWS // 2), **columns}).to_csv(path, index=False)
    return look_over(str(path))


def test_the_first_rows_are_shown_as_they_stand_in_the_file(tmp_path: Path) -> None:
    found = seen(tmp_path, gap=[None, "x"] * (ROWS // 2))
    assert (found.rows, found.columns) == (ROWS, ("income", "sex", "gap"))
    assert found.first["sex"].tolist() == ["f", "m", "f", "m", "f"]
    assert found.first["gap"].tolist() == ["", "x", "", "x", ""]
    assert found.advice == ()


@pytest.mark.parametrize(
    ("name", "values", "advised"),
    [
        ("application_id", np.arange(ROWS) + 1, "leave out"),
        ("anything", np.arange(ROWS), "leave out"),
        ("customerId", np.random.default_rng(1).permutation(10_000)[:ROWS], "leave out"),
        ("postcode", np.arange(ROWS) % 7 + 10115, "categories"),
        ("branch_id", np.arange(ROWS) % 4, "categories"),
        ("paid", np.arange(ROWS) % 7, None),
        ("income_code", np.linspace(0, 1, ROWS), None),
        ("zip", ["a", "b", "c"] * (ROWS // 3), None),
        ("has_job", np.arange(ROWS) % 2, None),
    ],
)
def test_advice_is_given_where_a_column_is_not_what_it_seems(
    tmp_path: Path, name: str, values: object, advised: str | None
) -> None:
    found = {one.column: one.remedy for one in seen(tmp_path, **{name: values}).advice}
    assert found == ({} if advised is None else {name: advised})


def test_whole_numbers_of_few_values_could_be_categories(tmp_path: Path) -> None:
    found = seen(tmp_path, years=np.arange(ROWS) % 9, yes=np.arange(ROWS) % 2)
    assert found.codes == ("years",)


def test_a_file_without_an_outcome_can_be_looked_at_and_not_audited(tmp_path: Path) -> None:
    seen(tmp_path, age=np.arange(ROWS) % 50)
    data = f"csv:{tmp_path / 'people.csv'}"
    dataset = load(data, sensitive="sex")
    assert not dataset.has_outcome
    assert list(dataset.features) == ["income", "age"]
    summary = summarise(dataset)
    assert summary["label_rate"] is None
    assert summary["label_rate_by_group"] == {"sex": {"f": None, "m": None}}
    with pytest.raises(ValueError, match=r"^Your CSV needs the option 'label': the column to predict\.$"):
        AUDIT.load(make_spec(data, sensitive=["sex"]))


def test_a_file_of_few_rows_is_refused_without_an_outcome_too(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("a,sex\n1,f\n2,m\n")
    with pytest.raises(ValueError, match=r"^The file has 2 rows; at least 10 are needed\.$"):
        load(f"csv:{path}", sensitive="sex")
