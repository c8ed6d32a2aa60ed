"""T over several nearest neighbours: equal to its definition whatever the ties, and with the power it is there for."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diffoci import T, T_test, neighbourhoods
from tests.reference import plain_T


@pytest.fixture(params=["all distances", "tree"])
def search(request, monkeypatch):
    if request.param == "tree":
        monkeypatch.setattr(neighbourhoods, "FEW_POINTS", 4)


def table(kind: str, rows: int, rng: np.random.Generator) -> np.ndarray:
    columns = int(rng.integers(1, 4))
    grid = rng.integers(0, 3, size=(rows, columns)).astype(float)
    return {"continuous": rng.normal(size=(rows, columns)), "grid": grid, "mixed": np.c_[grid, rng.normal(size=rows)]}[
        kind
    ]


@pytest.mark.parametrize("kind", ["continuous", "grid", "mixed"])
@pytest.mark.parametrize("response", ["numbers", "binary", "ordered", "classes"])
@pytest.mark.parametrize("conditioned", [False, True])
@pytest.mark.usefixtures("search")
def test_it_equals_the_definition(kind, response, conditioned):
    rng = np.random.default_rng(len(kind) + len(response))
    for rows in (6, 23, 41):
        z = table(kind, rows, rng)
        y = {"numbers": rng.normal(size=rows), "binary": np.arange(rows) % 2, "ordered": np.arange(rows) % 4}.get(
            response, np.array([f"level {k % 3}" for k in range(rows)])
        )
        x = rng.integers(0, 2, size=(rows, 1)).astype(float) if conditioned else None
        for count in (1, 2, rows // 2, rows - 1):
            expected = plain_T(y, z, x, nominal=response == "classes", count=count)
            assert T(y, z, x, neighbours=count) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("response", ["numbers", "classes"])
def test_the_levels_of_a_nominal_column_are_all_equally_far(response):
    rng = np.random.default_rng(5)
    level = rng.integers(0, 12, 60)
    y = rng.normal(size=60) if response == "numbers" else np.array([f"level {k}" for k in rng.integers(0, 3, 60)])
    for count in (1, 3, 9, 40):
        expected = plain_T(y, np.eye(12)[level], nominal=response == "classes", count=count)
        assert T(y, np.array([f"job {k}" for k in level]), neighbours=count) == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_rescaling_shifting_and_row_order_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    z, y = rng.integers(0, 4, size=(30, 2)) / 4, rng.normal(size=30)
    order = rng.permutation(30)
    expected = T(y, z, neighbours=5)
    assert T(y, 8 * z + 16, neighbours=5) == pytest.approx(expected, abs=1e-12)
    assert T(y[order], z[order], neighbours=5) == pytest.approx(expected, abs=1e-12)


def test_one_neighbour_is_what_it_was():
    rng = np.random.default_rng(0)
    z, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    assert T(y, z, neighbours=1) == T(y, z)


@pytest.mark.parametrize(("rows", "shift", "least"), [(400, 0.7, 0.9), (1000, 0.4, 0.6)])
def test_more_neighbours_find_a_plain_shift_that_one_often_misses(rows, shift, least):
    counts: tuple[Literal[1, "auto"], ...] = (1, "auto")
    found = dict.fromkeys(counts, 0)
    for draw in range(30):
        rng = np.random.default_rng(draw)
        group = rng.integers(0, 2, rows)
        column = rng.normal(size=rows) + shift * group
        for count in counts:
            p_value = T_test(group, column, neighbours=count, permutations=99).p_value
            assert p_value is not None
            found[count] += p_value <= 0.05
    assert found["auto"] / 30 >= least
    assert found["auto"] > found[1]


def test_a_spread_that_ranks_do_not_see_is_found():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 800)
    column = rng.normal(size=800) * np.exp(0.5 * group)
    p_value = T_test(group, column, neighbours="auto", permutations=99).p_value
    assert p_value is not None
    assert p_value <= 0.02


@pytest.mark.parametrize("count", [0, 20, 2.5, True, "many"])
def test_an_impossible_number_gets_a_sentence(count):
    with pytest.raises(ValueError, match="neighbours must be a whole number from 1 to 19, or 'auto'"):
        T(range(20), range(20), neighbours=count)


@pytest.mark.parametrize("kind", ["continuous", "grid", "mixed", "nominal"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.usefixtures("search")
def test_rearranged_rows_have_the_coefficient_of_the_rearranged_rows(kind, classes):
    rng = np.random.default_rng(classes)
    rows = 60
    levels = pd.DataFrame({"level": pd.Categorical(rng.integers(0, 9, rows).astype(str))})
    z = levels if kind == "nominal" else table(kind, rows, rng)
    y = pd.Series(rng.integers(0, classes, rows)).astype(str if classes > 2 else int)
    null = T_test(y, z, neighbours=7, permutations=5, seed=3).null
    draw = np.random.default_rng(3)
    expected = [T(y.iloc[draw.permutation(rows)].reset_index(drop=True), z, neighbours=7) for _ in range(5)]
    assert null == pytest.approx(expected, abs=1e-12)


def test_drawing_ties_is_for_one_neighbour():
    with pytest.raises(ValueError, match="leave neighbours at 1"):
        T(range(20), range(20), neighbours=2, ties="random")
