"""``select``: features of a file, with what looking at one column at a time misses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from diffoci.__main__ import main


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
    assert found["missed_one_by_one"] == ["a", "d"]
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
