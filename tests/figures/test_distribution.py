"""One feature by group: every level and every number has a name of its own that can be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from diffoci.data.dataset import Dataset
from diffoci.data.people import group_table
from diffoci.data.sources import load
from diffoci.figures.before_training.distribution import distribution


def loaded(folder: Path, **columns: object) -> Dataset:
    rows = 400
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"hired": rng.integers(0, 2, rows), "sex": rng.choice(["F", "M"], rows), **columns})
    frame.to_csv(folder / "people.csv", index=False)
    return load(f"csv:{folder / 'people.csv'}", label="hired", sensitive=["sex"])


def test_a_level_may_be_called_missing(tmp_path: Path) -> None:
    levels = np.random.default_rng(1).choice(["here", "missing"], 400)
    data = distribution(loaded(tmp_path, where=levels), "where", "sex").data
    assert data["where"].tolist() == ["here", "missing"]
    np.testing.assert_allclose(data[["F", "M"]].sum(), 1.0)


def test_years_and_incomes_are_named_in_full(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    dataset = loaded(tmp_path, year=rng.integers(1950, 1990, 400), income=rng.uniform(2e4, 9e4, 400))
    years, incomes = (distribution(dataset, name, "sex").data[name].astype(str).tolist() for name in ("year", "income"))
    for names in (years, incomes):
        assert len(set(names)) == 12
        assert not any("e+" in name for name in names)
    assert years[0].startswith("up to 195")
    assert incomes[-1].startswith("above 8")


def test_bands_of_age_stand_in_their_order() -> None:
    people = load("acs-income", twin=True, rows=2000, sensitive=["age"])
    bands = [str(level) for level in people.sensitive["age"].cat.categories]
    assert bands != sorted(bands)  # by the alphabet, "under 25" would come last
    drawn = distribution(people, "WKHP", "age")
    assert [trace.name.split(" (n")[0] for trace in drawn.figure.data] == bands
    assert group_table(people, ("age",), fewest=30)["Group"].tolist() == bands
