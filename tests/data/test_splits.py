"""Splits keep every row once, look alike, and are the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diffoci.data._levels import levels_series
from diffoci.data.sources import load
from diffoci.data.splits import Split, fold_count, split_dataset, split_rows


def made_of(label: list[int], *groups: list[int]) -> tuple[pd.Series, pd.DataFrame]:
    sensitive = {
        f"s{place}": levels_series(np.array(codes), [f"g{level}" for level in range(max(codes) + 1)])
        for place, codes in enumerate(groups)
    }
    return pd.Series(label), pd.DataFrame(sensitive, index=range(len(label)))


def assert_parts_are_all_rows_once(split: Split, rows: int) -> None:
    together = np.concatenate([split.train, split.validation, split.test])
    assert np.array_equal(np.sort(together), np.arange(rows))
    assert min(len(split.train), len(split.validation), len(split.test)) >= 1


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 2)), min_size=10, max_size=300),
    st.integers(0, 5),
)
def test_parts_are_all_rows_once_and_have_their_sizes(rows: list[tuple[int, int, int]], seed: int) -> None:
    label, sensitive = made_of(*map(list, zip(*rows, strict=True)))
    split = split_rows(label, sensitive, seed=seed)
    assert_parts_are_all_rows_once(split, len(rows))
    assert abs(len(split.test) - 0.10 * len(rows)) <= 1
    assert abs(len(split.validation) - 0.15 * len(rows)) <= 1


@settings(max_examples=100, deadline=None)
@given(st.integers(30, 200), st.integers(0, 50), st.integers(1, 3))
def test_every_class_and_group_can_be_learnt_of(rows: int, seed: int, rare: int) -> None:
    label = [2] + [k % 2 for k in range(rows - 1)]
    group = [1] * rare + [0] * (rows - rare)
    split = split_rows(*made_of(label, group), seed=seed)
    assert_parts_are_all_rows_once(split, rows)
    assert set(np.array(label)[split.train]) == {0, 1, 2}
    assert set(np.array(group)[split.train]) == {0, 1}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=10, max_size=400), st.integers(0, 3))
def test_every_stratum_of_ten_gives_each_part_its_share(rows: list[tuple[int, int]], seed: int) -> None:
    label, sensitive = made_of(*map(list, zip(*rows, strict=True)))
    split = split_rows(label, sensitive, seed=seed)
    stratum = label.to_numpy() * 3 + sensitive["s0"].cat.codes.to_numpy()
    small = [code for code in range(6) if 0 < (stratum == code).sum() < 10]
    if small:
        return  # pooled strata may be joined with others
    for code in np.unique(stratum):
        size = (stratum == code).sum()
        assert abs((stratum[split.test] == code).sum() - 0.10 * size) <= 1
        assert abs((stratum[split.validation] == code).sum() - 0.15 * size) <= 1


def test_the_same_seed_gives_the_same_split_and_another_seed_another(with_real_data: Path) -> None:
    data = load("student")
    assert np.array_equal(split_dataset(data, seed=1).test, split_dataset(data, seed=1).test)
    assert not np.array_equal(split_dataset(data, seed=1).test, split_dataset(data, seed=2).test)


def test_student_is_cut_75_15_10(with_real_data: Path) -> None:
    split = split_dataset(load("student"))
    assert (len(split.train), len(split.validation), len(split.test)) == (296, 59, 40)


def test_groups_of_one_row_do_not_stop_a_split() -> None:
    label, sensitive = made_of([0, 1] * 20, [0] * 39 + [1])
    assert_parts_are_all_rows_once(split_rows(label, sensitive), 40)


def test_data_without_sensitive_attributes_are_split_by_label() -> None:
    label = pd.Series([0] * 80 + [1] * 20)
    split = split_rows(label, pd.DataFrame(index=range(100)))
    assert label[split.test].sum() == 2


@pytest.mark.parametrize(
    ("rows", "fractions", "sentence"),
    [
        (5, (0.75, 0.15, 0.1), "5 rows are too few to split; at least 10 are needed."),
        (20, (0.9, 0.2, 0.1), "Fractions of a split must be above 0 and sum to 1, not (0.9, 0.2, 0.1)."),
        (20, (1.0, 0.0, 0.0), "Fractions of a split must be above 0 and sum to 1, not (1.0, 0.0, 0.0)."),
    ],
)
def test_a_split_that_cannot_be_is_refused(rows: int, fractions: tuple[float, float, float], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the sentence is compared below
        split_rows(pd.Series([0, 1] * rows)[:rows], pd.DataFrame(index=range(rows)), fractions=fractions)
    assert str(caught.value) == sentence


def test_odd_fractions_leave_no_part_empty() -> None:
    label, sensitive = made_of([0, 1] * 6)
    assert_parts_are_all_rows_once(split_rows(label, sensitive, fractions=(0.98, 0.01, 0.01)), 12)
    assert_parts_are_all_rows_once(split_rows(label, sensitive, fractions=(0.01, 0.50, 0.49)), 12)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=60, max_size=400),
    st.sampled_from([(0.75, 0.15, 0.10), (0.6, 0.2, 0.2), (0.6, 0.1, 0.1, 0.2)]),
)
def test_folds_of_small_data_test_everybody_once(rows: list[tuple[int, int]], fractions: tuple[float, ...]) -> None:
    # Of every class and group there are some to learn from, so that nobody has to change places.
    many = [*rows, *((label, group) for label in (0, 1) for group in (0, 1, 2) for _ in range(20))]
    label, sensitive = made_of(*map(list, zip(*many, strict=True)))
    splits = [
        split_rows(label, sensitive, fractions=fractions, seed=seed, fold_rows=5000)
        for seed in range(fold_count(fractions))
    ]
    assert np.array_equal(np.sort(np.concatenate([split.test for split in splits])), np.arange(len(many)))
    for split in splits:
        assert not {*split.test} & {*split.train, *split.validation}
        assert abs(len(split.validation) - fractions[1] * len(many)) <= 2


def test_the_next_seeds_deal_people_anew() -> None:
    label, sensitive = made_of([0, 1] * 50, [0, 1, 1, 0] * 25)
    first, again = (split_rows(label, sensitive, seed=seed, fold_rows=5000).test for seed in (0, 10))
    assert set(first) != set(again)


def test_large_data_are_split_as_without_folds() -> None:
    label, sensitive = made_of([0, 1] * 50, [0, 1, 1, 0] * 25)
    before, now = (split_rows(label, sensitive, seed=3, fold_rows=limit) for limit in (0, 100))
    assert np.array_equal(before.test, now.test)
    assert np.array_equal(before.train, now.train)


def test_a_fourth_fraction_sets_rows_aside() -> None:
    label, sensitive = made_of([0, 1] * 100, [0, 1, 1, 0] * 50)
    split = split_rows(label, sensitive, fractions=(0.5, 0.1, 0.1, 0.3))
    parts = [split.train, split.validation, split.test, split.certification]
    assert [len(part) for part in parts] == [100, 20, 20, 60]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(200))
