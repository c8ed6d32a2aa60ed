"""Twins: marked as simulated, shaped like the real source, close to it, and holding nobody's row."""

from __future__ import annotations

import json
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from diffoci.data.sources import list_sources, load, source_of
from diffoci.data.twins import PARAMETERS_FOLDER, draw_table
from diffoci.data.twins._copula import draw_levels, latent_correlation, nearest_correlation
from diffoci.data.twins._levels import FEWEST, code_levels, number_levels

NAMES = [source.name for source in list_sources() if source.twin]
load_twin = partial(load, twin=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_twin_says_that_it_is_simulated(name):
    twin = load_twin(name, rows=200)
    assert twin.real is False
    assert "(simulated)" in twin.title
    assert twin.notes[0].startswith("Simulated: no row is a person")
    assert "Simulated" in twin.source


@pytest.mark.parametrize(
    ("name", "rows"), [("acs-income", 8907), ("acs-employment", 5000), ("bank", 41_188), ("student", 395)]
)
def test_a_twin_has_the_real_number_of_rows_unless_told(name, rows):
    assert len(load_twin(name)) == rows
    assert len(load_twin(name, rows=123)) == 123


@pytest.mark.parametrize("name", NAMES)
def test_every_attribute_of_the_real_source_can_be_chosen_on_its_twin(name):
    for attribute in source_of(name).sensitive:
        twin = load_twin(name, sensitive=[attribute], rows=1500)
        assert list(twin.sensitive) == [attribute]
        assert twin.sensitive[attribute].nunique() >= 2
        assert not twin.sensitive[attribute].isna().any()


def test_seeds_reproduce_and_differ():
    assert load_twin("student", seed=1).sha256 == load_twin("student", seed=1).sha256
    assert load_twin("student", seed=1).sha256 != load_twin("student", seed=2).sha256


def test_switches_of_the_real_source_work_on_the_twin():
    assert "duration" not in load_twin("bank", rows=50).features
    assert "duration" in load_twin("bank", rows=50, duration=True).features
    assert {"G1", "G2"} <= set(load_twin("student", grades=True).features)
    assert len(load_twin("student", subject="por")) == 649
    assert load_twin("acs-employment", paper_ages=True).features["AGEP"].between(16, 90).all()
    assert load_twin("acs-income", race="recorded").sensitive["race"].nunique() > 4


def test_an_unknown_twin_option_or_size_gets_a_clear_sentence():
    with pytest.raises(ValueError, match="Spambase has no simulated twin; there are twins of student"):
        load_twin("spambase")
    with pytest.raises(ValueError, match=r"twin of bank has no option 'grades'; its options are duration, seed, rows"):
        load_twin("bank", grades=True)
    with pytest.raises(ValueError, match=r"'rows' must be a whole number from 1 to 1,000,000, not 0"):
        load_twin("bank", rows=0)
    with pytest.raises(ValueError, match="'subject' must be mat or por, not 'math'"):
        load_twin("student", subject="math")


def test_what_children_are_not_asked_stays_blank_on_the_twin():
    people = draw_table("acs-employment", rows=5000)
    assert people.loc[people["AGEP"] < 16, "ESR"].isna().all()
    assert people.loc[people["AGEP"] < 3, "SCHL"].isna().all()
    assert people.loc[people["AGEP"] >= 18, "ESP"].isna().all()


def test_bank_days_keep_their_month_and_interest_rate():
    calls = draw_table("bank", rows=5000)
    per_day = calls.groupby(["month", "euribor3m", "emp.var.rate"])["cons.price.idx"].nunique()
    assert (per_day == 1).mean() > 0.95
    assert ((calls["pdays"] == 999) | (calls["poutcome"] != "nonexistent")).all()


@pytest.mark.parametrize("file", sorted(path.name for path in PARAMETERS_FOLDER.glob("*.json")))
def test_parameters_are_small_and_every_cell_counts_people_in_fives(file):
    path = PARAMETERS_FOLDER / file
    assert path.stat().st_size < 200_000
    parameters = json.loads(path.read_text())
    for cell in parameters["cells"]:
        assert cell["people"] >= FEWEST
        assert cell["people"] % FEWEST == 0
        for margin, variable in zip(cell["margins"], parameters["variables"], strict=True):
            assert len(margin) == len(variable["levels"])


def test_a_code_held_by_few_becomes_its_nearest_common_neighbour():
    values = [10] * 6 + [11] * 2 + [40] * 9 + [41] * 4
    levels, codes = code_levels(values, str_of_nothing)
    assert levels == [10, 40]
    assert np.bincount(codes).tolist() == [8, 13]


def test_numbers_held_by_few_are_joined_until_enough_people_share_a_bin():
    values = np.array([1.0] * 7 + [2, 3, 4, 5, 6, 50, 51.0])
    levels, codes = number_levels(values, str_of_nothing, 1.0)
    assert levels[0] == 1.0
    assert np.bincount(codes).min() >= FEWEST
    assert all(level not in (50.0, 51.0) for level in levels)


def test_a_bin_never_crosses_the_border_of_a_group():
    values = np.repeat(np.arange(20.0), 3)
    levels, codes = number_levels(values, lambda value: str(value >= 11), 1.0)
    above = np.array([values[codes == code].min() >= 11 for code in range(len(levels))])
    below = np.array([values[codes == code].max() < 11 for code in range(len(levels))])
    assert (above | below).all()


def str_of_nothing(value) -> str:
    return ""


def test_the_copula_gives_back_the_rank_correlations_of_discrete_columns():
    rng = np.random.default_rng(0)
    truth = np.array([[1, 0.7, -0.4], [0.7, 1, 0.1], [-0.4, 0.1, 1]])
    normal = rng.multivariate_normal(np.zeros(3), truth, size=20_000)
    cuts = ([1.2], [-1, 0, 0.5], [-0.5, 1.5])
    codes = np.column_stack([np.digitize(normal[:, j], cut) for j, cut in enumerate(cuts)])
    latent = latent_correlation(codes)
    assert np.abs(latent - truth).max() < 0.05
    margins = [np.bincount(codes[:, j]).astype(float) for j in range(3)]
    drawn = np.column_stack(draw_levels(latent, margins, 20_000, rng))
    assert np.abs(spearmanr(drawn).statistic - spearmanr(codes).statistic).max() < 0.03


def test_a_matrix_that_is_no_correlation_is_repaired():
    broken = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1.0]])
    repaired = nearest_correlation(broken)
    assert np.linalg.eigvalsh(repaired)[0] > 0
    assert np.diag(repaired) == pytest.approx(1.0)


@pytest.mark.parametrize("name", NAMES)
def test_each_cell_stores_one_correlation_a_pair(name):
    parameters = json.loads((PARAMETERS_FOLDER / f"{name}.json").read_text())
    width = len(parameters["variables"])
    pairs = sum(1 for first, second in product(range(width), repeat=2) if first < second)
    for cell in parameters["cells"]:
        assert len(cell["correlation"]) == pairs
        assert np.abs(cell["correlation"]).max() <= 1000


def test_a_drawn_table_has_the_columns_of_the_published_file_in_order():
    table = draw_table("student", rows=20)
    assert list(table)[:4] == ["school", "sex", "age", "address"]
    assert list(table)[-1] == "G3"
    assert isinstance(table, pd.DataFrame)
