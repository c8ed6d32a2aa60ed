"""``select``: features of a file, with what looking at one column at a time misses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from diffoci.__main__ import main
from diffoci.labs.feature_selection.choose import MOST_ROWS, choose
from diffoci.labs.feature_selection.table import load_rows


@pytest.fixture
def product(tmp_path: Path) -> str:
    """A file in which y is a product of two columns, with values missing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(800, 5)), columns=list("abcde"))
    frame["y"] = frame["a"] * frame["d"]
    frame["colour"] = rng.choice(["red", "blue"], 800)
    frame.loc[::50, "b"] = np.nan
    frame.loc[::40, "y"] = np.nan
    frame.to_csv(path := tmp_path / "product.csv", index=False)
    return f"csv:{path}"


def test_a_product_is_found_where_single_columns_say_nothing(product: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", "--data", product, "--y", "y", "--pairs", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["selected"] == ["a", "d"]
    assert found["not_one_by_one"] == ["a", "d"]
    assert found["kind"] == "number"
    assert found["rows"] == 780
    assert found["expected_false"] <= 1
    assert set(found["frequency"]) == {"a", "b", "c", "d", "e", "colour"}


def test_a_column_that_is_not_there_is_a_sentence(product: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", "--data", product, "--y", "z"]) == 2
    assert "'z' is not a feature of product.csv" in capsys.readouterr().err
    assert main(["select", "--data", product]) == 2
    assert "Say which column of product.csv to predict" in capsys.readouterr().err
    assert main(["select", "--data", product, "--y", "colour", "--kind", "number"]) == 2
    assert "'colour' holds names, not numbers" in capsys.readouterr().err


@pytest.fixture
def shop(tmp_path: Path) -> str:
    """A file as people have them: a copy of y, columns that say nothing, gaps, text in columns."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(size=200), "age": rng.normal(size=200)})
    frame["price"] = frame["size"] ** 3 + 0.1 * rng.normal(size=200)
    frame["cost"] = -2 * frame["price"]
    frame["dear"] = np.where(frame["price"] > 0, "yes", "no")
    frame["expensive"] = frame["dear"].map({"yes": "ja", "no": "nein"})
    frame["currency"], frame["country"] = "EUR", "Spain"
    frame["text"] = [f"No {k}, as sold to somebody" for k in range(200)]
    frame.loc[::20, "age"] = np.nan
    frame["city"] = rng.choice(["A", "B"], 200)
    frame.loc[::10, "city"] = None
    frame.to_csv(path := tmp_path / "shop.csv", index=False)
    return f"csv:{path}"


def chosen(file: str, y: str, capsys: pytest.CaptureFixture[str], rows: int | None = None) -> dict:
    if rows is not None:
        path = Path(file.removeprefix("csv:"))
        pd.read_csv(path).iloc[:rows].to_csv(path, index=False)
    assert main(["select", "--data", file, "--y", y, "--pairs", "2", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_was_left_out_and_filled_is_said(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = chosen(shop, "price", capsys)
    assert set(found["frequency"]) == {"size", "age", "cost", "dear", "expensive", "city"}
    said = " ".join(found["notes"])
    assert "Left out for having one value only: 'currency', 'country'." in said
    assert "Missing values count as the median: age (10)." in said
    assert "Missing values count as a level of their own: city (20)." in said


def test_a_copy_of_the_outcome_is_named_and_found_by_a_single_test(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    number = chosen(shop, "price", capsys)
    assert [note for note in number["notes"] if "says the same" in note] == [
        "'cost' says the same as 'price', row by row; leave it out unless that is meant."
    ]
    assert "cost" in number["one_by_one"]
    assert "cost" not in number["not_one_by_one"]
    classes = chosen(shop, "dear", capsys)
    assert [note for note in classes["notes"] if "says the same" in note] == [
        "'expensive' says the same as 'dear', row by row; leave it out unless that is meant."
    ]


def test_names_of_twenty_rows_are_left_out(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = chosen(shop, "price", capsys, rows=20)
    assert found["rows"] == 20
    assert "text" not in found["frequency"]
    assert any("'text'" in note for note in found["notes"])


def test_a_column_that_was_left_out_is_no_outcome_and_why_is_said(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", "--data", shop, "--y", "text"]) == 2
    assert "'text' has 200 different values in 200 rows, as free text has" in capsys.readouterr().err


def test_a_column_that_is_constant_in_the_rows_drawn_is_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=5000), "rare": 0.0})
    frame["y"] = frame["a"] ** 2
    drawn = np.random.default_rng(0).permutation(5000)
    frame.loc[drawn[MOST_ROWS:], "rare"] = rng.normal(size=5000 - MOST_ROWS)
    frame.to_csv(path := tmp_path / "rare.csv", index=False)
    table = load_rows(f"csv:{path}", {}, "y", "auto")
    found = choose(table, max_false=1.0, threshold=0.9, pairs=1, seed=0, n_jobs=1)
    assert list(found.frequency) == ["a"]
    assert "Left out for having one value only in these rows: 'rare'." in found.notes
