"""xi and T against R, against their definitions, and against what must not matter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st
from scipy import stats

from diffoci import T, T_test, xi, xi_test
from tests.reference import plain_T

CONTINUOUS = [
    "d01_n50_linear",
    "d02_n100_sine",
    "d03_n200_mod1",
    "d05_n500_hetero",
    "d07_n1500_null",
    "d10_n64_monotone",
]


@pytest.mark.parametrize("case", CONTINUOUS)
def test_xi_its_p_value_and_its_error_equal_those_of_r(golden, golden_frame, case):
    X, y = golden_frame(case)
    for row in golden("continuous")[case]["xi_x_to_y"]:
        found = xi_test(X.iloc[:, row["x"]], y)
        assert found.statistic == pytest.approx(row["xi"], abs=1e-9)
        assert found.p_value == pytest.approx(row["pval_noties"], abs=1e-9)
        assert found.null_standard_error == pytest.approx(row["sd_noties"], abs=1e-9)


@pytest.mark.parametrize("case", ["t01_binY_contX", "t02_binY_catX", "t04_intY_gridX"])
def test_error_of_xi_with_ties_in_y_equals_that_of_r(golden, golden_frame, case):
    X, y = golden_frame(case)
    for row in golden("ties")[case]["xi_x_to_y"]:
        assert xi_test(X.iloc[:, row["x"]], y).null_standard_error == pytest.approx(row["sd_ties"], abs=1e-9)


@pytest.mark.parametrize("case", CONTINUOUS)
def test_T_equals_that_of_r(golden, golden_frame, case):
    X, y = golden_frame(case)
    for row in golden("continuous")[case]["codec"]:
        assert T(y, X.iloc[:, row["z"]]) == pytest.approx(row["T"], abs=1e-9)
    for row in golden("continuous")[case]["codec_cond"]:
        assert T(y, X.iloc[:, row["z"]], X.iloc[:, row["x"]]) == pytest.approx(row["T"], abs=1e-9)


def test_T_with_ties_is_the_exact_expectation(golden, golden_frame):
    for row in golden("ties_exact_expectation"):
        if row["what"] in ("T", "cT"):
            X, y = golden_frame(row["data"])
            known = None if row["x"] is None else X.iloc[:, row["x"]]
            assert T(y, X.iloc[:, row["z"]], known) == pytest.approx(row["exact_tie_average"], abs=1e-9)


def test_random_ties_scatter_around_the_expectation_and_repeat_with_their_seed():
    rng = np.random.default_rng(0)
    y, z = rng.integers(0, 4, 60), rng.integers(0, 3, (60, 2))
    draws = np.array([T(y, z, ties="random", seed=k) for k in range(800)])
    assert draws.std() > 0
    assert abs(draws.mean() - T(y, z)) < 4 * draws.std() / np.sqrt(len(draws))
    assert T(y, z, ties="random", seed=5) == draws[5]


@pytest.mark.parametrize("levels", [2, 3, 7, 10_000])
@pytest.mark.parametrize("spots", [2, 5, 10_000])
def test_T_equals_its_definition_for_any_mixture_of_ties(levels, spots):
    rng = np.random.default_rng(levels + spots)
    for _ in range(5):
        y = rng.integers(0, levels, 80)
        z, known = rng.integers(0, spots, (80, 2)).astype(float), rng.integers(0, 3, (80, 1)).astype(float)
        assert T(y, z) == pytest.approx(plain_T(y, z), abs=1e-12)
        assert T(y, z[:, 0]) == pytest.approx(plain_T(y, z[:, :1]), abs=1e-12)
        assert T(y, z, known) == pytest.approx(plain_T(y, z, known), abs=1e-12)


def test_T_of_a_nominal_response_is_the_ratio_of_sums_over_its_indicators():
    rng = np.random.default_rng(1)
    code, z = rng.integers(0, 4, 90), rng.integers(0, 6, (90, 2)).astype(float)
    names = pd.Series(np.array(["red", "blue", "green", "grey"])[code])
    known = rng.integers(0, 2, (90, 1)).astype(float)
    assert T(names, z) == pytest.approx(plain_T(code, z, nominal=True), abs=1e-12)
    assert T(names, z, known) == pytest.approx(plain_T(code, z, known, nominal=True), abs=1e-12)


def test_relabelling_the_classes_of_a_nominal_response_changes_nothing():
    rng = np.random.default_rng(2)
    code, z = rng.integers(0, 3, 200), rng.normal(size=(200, 2))
    one, other = np.array(["a", "b", "c"])[code], np.array(["c", "a", "b"])[code]
    assert T(one, z) == pytest.approx(T(other, z), abs=1e-12)
    assert xi(z[:, 0], one) == pytest.approx(xi(z[:, 0], other), abs=1e-12)


def test_a_nominal_response_of_two_classes_is_taken_as_zero_and_one():
    rng = np.random.default_rng(3)
    code, z = rng.integers(0, 2, 100), rng.normal(size=100)
    assert T(np.array(["no", "yes"])[code], z) == T(code, z)
    assert xi(z, np.array(["no", "yes"])[code]) == xi(z, code)


def test_a_nominal_column_with_two_levels_counts_as_a_standardised_number():
    rng = np.random.default_rng(4)
    code, other, y = rng.integers(0, 2, 150), rng.normal(size=150), rng.normal(size=150)
    frame = pd.DataFrame({"group": np.array(["f", "m"])[code], "number": other / other.std(ddof=1)})
    spelled = np.column_stack([code / code.std(), frame["number"]])
    assert T(y, frame) == pytest.approx(T(y, spelled), abs=1e-9)


def test_arrays_lists_series_and_frames_give_the_same():
    rng = np.random.default_rng(5)
    y, z = rng.normal(size=40), rng.normal(size=(40, 2))
    expected = T(y, z)
    assert T(pd.Series(y), pd.DataFrame(z, columns=["a", "b"])) == expected
    assert T(y.tolist(), z.tolist()) == expected
    assert T(y[:, None], z) == expected


def test_an_array_of_objects_may_mix_numbers_and_names():
    rng = np.random.default_rng(15)
    colour, number, y = np.array(["red", "blue"])[rng.integers(0, 2, 50)], rng.normal(size=50), rng.normal(size=50)
    mixed = np.empty((50, 2), dtype=object)
    mixed[:, 0], mixed[:, 1] = colour, number
    assert T(y, mixed) == T(y, pd.DataFrame({"colour": colour, "number": number}))


@settings(max_examples=40, deadline=None)
@generated(st.integers(0, 10_000), st.integers(2, 60), st.integers(1, 4), st.sampled_from([2, 4, 1000]))
def test_row_order_does_not_matter(seed, n, d, levels):
    rng = np.random.default_rng(seed)
    y, z, order = rng.permutation(n) % levels, rng.integers(0, 5, (n, d)), rng.permutation(n)
    assert T(y, z) == pytest.approx(T(y[order], z[order]), abs=1e-12)


@settings(max_examples=25, deadline=None)
@generated(st.integers(0, 10_000), st.floats(1e-3, 1e3), st.floats(-100, 100))
def test_rescaling_and_shifting_all_columns_does_not_matter(seed, factor, shift):
    rng = np.random.default_rng(seed)
    y, z = rng.normal(size=50), rng.normal(size=(50, 3))
    assert T(np.exp(y), factor * z + shift) == pytest.approx(T(y, z), abs=1e-12)


def test_standardize_makes_units_irrelevant():
    rng = np.random.default_rng(6)
    y, z = rng.normal(size=60), rng.normal(size=(60, 3))
    metres = z * [1000, 1, 0.01] + [5, -3, 0]
    for how in ("scale", "bounded"):
        assert T(y, metres, standardize=how) == pytest.approx(T(y, z, standardize=how), abs=1e-12)
    assert T(y, metres) != T(y, z)


def test_y_that_given_already_determines_leaves_nothing_open_as_in_r():
    group = np.repeat([0.0, 1.0], 20)
    assert T(group, np.random.default_rng(0).normal(size=40), group) == 1.0


@pytest.mark.parametrize("x_digits", [1, 16])
@pytest.mark.parametrize("y_digits", [0, 1, 16])
def test_xi_is_that_of_scipy(x_digits: int, y_digits: int):
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=300).round(x_digits), rng.normal(size=300).round(y_digits)
    found, expected = xi_test(x, y), stats.chatterjeexi(x, y, y_continuous=y_digits == 16)
    assert xi(x, y) == found.statistic == expected.statistic
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_p_value_is_small_for_dependence_and_uniform_without():
    rng = np.random.default_rng(8)
    z = rng.normal(size=(120, 2))
    assert T_test(z[:, 0] ** 2, z).p_value == 0.001
    null = [T_test(rng.normal(size=60), rng.normal(size=60), permutations=99, seed=k).p_value for k in range(200)]
    assert stats.kstest(null, "uniform").pvalue > 1e-3


def test_conditional_p_value_ignores_what_given_already_explains():
    rng = np.random.default_rng(9)
    group = rng.integers(0, 2, 300)
    y, z = group + 0.1 * rng.normal(size=300), 3 * group + rng.normal(size=300)
    alone, beside = T_test(y, z).p_value, T_test(y, z, given=group).p_value
    assert alone is not None
    assert beside is not None
    assert alone < 0.01
    assert beside > 0.05


def test_no_p_value_is_made_up_where_given_is_continuous():
    rng = np.random.default_rng(10)
    found = T_test(rng.normal(size=50), rng.normal(size=50), given=rng.normal(size=50))
    assert found.p_value is None
    assert found.null_standard_error is None


FINE = np.arange(6.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((FINE, FINE[:5]), "z has 5 rows but y has 6; give both the same rows."),
        ((FINE, FINE, FINE[:4]), "given has 4 rows but y has 6; give both the same rows."),
        ((FINE[:1], FINE[:1]), "y has 1 row; at least 2 are needed."),
        ((np.ones(6), FINE), "y is constant, so nothing about it can be explained; choose another column."),
        ((FINE, np.where(FINE == 2, np.nan, FINE)), "z has missing values (NaN); fill or drop those 1 rows."),
        ((np.where(FINE == 2, np.nan, FINE), FINE), "y has missing values (NaN); fill or drop those 1 rows."),
        ((FINE, np.where(FINE == 2, np.inf, FINE)), "z has infinite values; replace or drop those 1 rows."),
        ((FINE, FINE, np.empty((6, 0))), "given has no columns; give at least one."),
        ((FINE, np.zeros((6, 2, 2))), "z must be one column or a table of columns, but it has 3 dimensions."),
        ((np.zeros((6, 2)), FINE), "y must be one column, but it has 2."),
        (
            (FINE, np.array([{}, 1, 2, 3, 4, 5], dtype=object)),
            "z holds objects that are neither numbers nor strings; convert them first.",
        ),
        (
            (FINE, pd.Series(pd.date_range("2020", periods=6))),
            "z holds datetime64[us] values; convert them to numbers or strings first.",
        ),
        ((FINE, 1j * FINE), "z holds complex128 values; convert them to numbers or strings first."),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=r"^") as problem:
        T(*arguments)
    assert str(problem.value) == sentence


def test_bad_settings_get_one_sentence():
    with pytest.raises(ValueError, match=r"standardize must be one of none, scale, bounded, not 'sd'\."):
        T(FINE, FINE, standardize="sd")  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(ValueError, match=r"ties must be 'average' or 'random', not 'mean'\."):
        T(FINE, FINE, ties="mean")  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(ValueError, match=r"z is constant, so it cannot be standardised; leave it out\."):
        T(FINE, np.ones(6), standardize="scale")
    with pytest.raises(ValueError, match=r"x has names without an order, and xi needs one"):
        xi(np.array(list("abcabc")), FINE)
    with pytest.raises(ValueError, match=r"y is constant"):
        xi(FINE, np.ones(6))


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e160, 1e307])
def test_very_small_and_very_large_columns_give_the_same_value(size):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 2))
    y = x[:, 0] * x[:, 1]
    assert T(y, x * size) == T(y, x)
    assert T(y, x * size, (x[:, :1] > 0) * size) == T(y, x, x[:, :1] > 0)
    assert T(y, x * size, standardize="bounded") == pytest.approx(T(y, x, standardize="bounded"), abs=1e-12)


def test_whole_numbers_that_double_precision_would_merge_are_refused():
    with pytest.raises(ValueError, match="whole numbers beyond 2\\^53"):
        T(np.arange(20) + 2**60, np.arange(20))
