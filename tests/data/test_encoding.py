"""Encoding learns from training rows only and remembers which feature each column stands for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diffoci.data._levels import levels_series
from diffoci.data.dataset import Column
from diffoci.data.encoding import Encoder
from diffoci.data.sources import load
from diffoci.data.splits import split_dataset

COLUMNS = (
    Column("age", "number", "age"),
    Column("city", "nominal", "city"),
    Column("grade", "ordered", "grade"),
)


def rows(age: list[float], city: list[int], grade: list[int]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": np.array(age, dtype=float),
            "city": levels_series(np.array(city), ["a", "b", "c"]),
            "grade": levels_series(np.array(grade), ["low", "mid", "high"], ordered=True),
        }
    )


TRAIN = rows([10, 20, 30, 40], [0, 0, 1, 1], [0, 1, 2, 1])


def test_numbers_and_ranks_are_standardised() -> None:
    encoded = Encoder().fit(TRAIN, COLUMNS).transform(TRAIN, dtype=np.float64)
    assert encoded[:, [0, -1]].mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert encoded[:, [0, -1]].std(axis=0) == pytest.approx([1, 1])


def test_each_encoded_column_knows_its_feature() -> None:
    encoder = Encoder().fit(TRAIN, COLUMNS)
    assert encoder.names_ == ("age", "city=a", "city=b", "grade")
    assert encoder.origin_ == ("age", "city", "city", "grade")
    assert encoder.columns_of("city").tolist() == [1, 2]


def test_integer_coding_gives_one_column_a_feature() -> None:
    encoder = Encoder(coding="integer").fit(TRAIN, COLUMNS)
    assert encoder.origin_ == encoder.names_ == ("age", "city", "grade")
    encoded = encoder.transform(TRAIN, dtype=np.float64)
    assert encoded[:, 1] == pytest.approx([-1, -1, 1, 1])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=60).filter(lambda codes: len(set(codes)) > 1))
def test_a_nominal_column_weighs_as_much_as_a_standardised_number(codes: list[int]) -> None:
    frame = pd.DataFrame({"city": levels_series(np.array(codes), ["a", "b", "c"])})
    encoded = Encoder().fit(frame, COLUMNS[1:2]).transform(frame, dtype=np.float64)
    assert encoded.var(axis=0).sum() == pytest.approx(1.0)


def test_levels_that_training_lacks_are_all_zero_or_one_code() -> None:
    new = rows([25], [2], [1])
    assert Encoder().fit(TRAIN, COLUMNS).transform(new)[0, 1:3].tolist() == [0, 0]
    other = pd.DataFrame({**new, "city": levels_series(np.array([0]), ["nowhere"])})
    assert Encoder().fit(TRAIN, COLUMNS).transform(other)[0, 1:3].tolist() == [0, 0]
    assert np.isfinite(Encoder(coding="integer").fit(TRAIN, COLUMNS).transform(other)).all()


def test_missing_values_become_the_median_or_the_most_frequent_with_an_indicator() -> None:
    train = rows([10, 20, np.nan, 60], [0, 0, 1, -1], [0, 1, 2, 1])
    encoder = Encoder().fit(train, COLUMNS)
    assert encoder.names_ == ("age", "age missing", "city=a", "city=b", "city missing", "grade")
    assert encoder.origin_ == ("age", "age", "city", "city", "city", "grade")
    encoded = encoder.transform(train, dtype=np.float64)
    assert encoded[:, 1].tolist() == [0, 0, 1, 0]
    assert encoded[2, 0] == pytest.approx(encoded[1, 0])  # the median of 10, 20, 60
    assert encoded[3, 2] > 0  # counted as the most frequent city, a
    assert encoded[:, 4].tolist() == [0, 0, 0, 1]


def test_values_missing_only_later_are_filled_in() -> None:
    encoder = Encoder().fit(TRAIN, COLUMNS)
    assert np.isfinite(encoder.transform(rows([np.nan], [-1], [-1]))).all()


def test_nothing_is_learnt_from_other_rows() -> None:
    encoder = Encoder().fit(TRAIN, COLUMNS)
    before = encoder.transform(TRAIN)
    encoder.transform(rows([1e6], [2], [2]))
    assert np.array_equal(encoder.transform(TRAIN), before)


def test_constant_and_empty_columns_stay_finite() -> None:
    train = rows([7, 7, 7], [1, 1, 1], [-1, -1, -1])
    encoded = Encoder().fit(train, COLUMNS).transform(train)
    assert np.isfinite(encoded).all()
    empty = rows([np.nan] * 3, [-1] * 3, [-1] * 3)
    assert np.isfinite(Encoder().fit(empty, COLUMNS).transform(empty)).all()


@pytest.mark.parametrize("coding", ["onehot", "integer"])
def test_an_encoder_comes_back_from_json(with_real_data: Path, coding: str) -> None:
    data = load("bank")
    split = split_dataset(data)
    encoder = Encoder(coding=coding).fit(data.features.iloc[split.train], data.columns)  # type: ignore[arg-type]
    again = Encoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    test = data.features.iloc[split.test]
    assert np.array_equal(encoder.transform(test), again.transform(test))
    assert again.origin_ == encoder.origin_


def test_numbers_come_in_pieces_between_quantiles_of_training_rows() -> None:
    frame = pd.DataFrame({"age": np.arange(9.0)})
    encoder = Encoder(pieces=4).fit(frame, [COLUMNS[0]])
    assert encoder.names_ == ("age", "age from 0", "age from 2", "age from 4", "age from 6")
    new = pd.DataFrame({"age": [-5.0, 1.0, 5.0, 99.0]})
    assert encoder.transform(new)[:, 1:].tolist() == [[0, 0, 0, 0], [0.5, 0, 0, 0], [1, 1, 0.5, 0], [1, 1, 1, 1]]


def test_many_levels_also_come_as_pieces_of_their_position() -> None:
    levels = [f"{code:02d}" for code in range(40)]
    column = Column("job", "nominal", "job")
    frame = pd.DataFrame({"job": levels_series(np.repeat(np.arange(40), 3), levels)})
    encoder = Encoder(pieces=3).fit(frame, [column])
    assert len(encoder.names_) == 40 + 3
    assert encoder.transform(frame.iloc[[0, -1]])[:, 40:].tolist() == [[0, 0, 0], [1, 1, 1]]
    unknown = pd.DataFrame({"job": levels_series(np.array([0]), ["new"])})
    assert encoder.transform(unknown).tolist() == [[0] * 43]  # as the most frequent level, the first of equals
    assert Encoder.from_dict(json.loads(json.dumps(encoder.to_dict()))).codes_ == encoder.codes_


def test_a_number_of_few_values_has_no_pieces() -> None:
    assert Encoder(pieces=8).fit(pd.DataFrame({"age": [0.0, 1.0] * 50}), [COLUMNS[0]]).names_ == ("age",)


def test_the_acs_task_is_encoded_whole(with_real_data: Path) -> None:
    data = load("acs-income", year=2017)
    encoded = Encoder(coding="integer").fit(data.features, data.columns).transform(data.features)
    assert encoded.shape == (2321, 8)
    assert encoded.dtype == np.float32


NO_CODING: Any = "words"  # wrong on purpose


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Encoder(coding=NO_CODING), "'words' is not a coding; choose onehot or integer."),
        (lambda: Encoder().fit(TRAIN[["age"]], COLUMNS), "The features lack city, grade."),
        (lambda: Encoder().fit(TRAIN[:0], COLUMNS), "An encoder needs at least one training row."),
        (lambda: Encoder.from_dict({"format": 0}), "This encoding was saved in format 0, not 1."),
        (lambda: Encoder().fit(TRAIN, COLUMNS).transform(TRAIN[["age"]]), "The features lack city, grade."),
    ],
)
def test_wrong_use_gets_one_sentence(call: object, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the sentence is compared below
        call()  # type: ignore[operator]
    assert str(caught.value) == sentence
