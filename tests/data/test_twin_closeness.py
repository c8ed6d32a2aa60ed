"""Twins against the real data: as predictable, as leaky, of the same shape, and nobody's row among them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache as remember
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from diffoci.data.dataset import Column, Dataset
from diffoci.data.sources import list_sources, load
from diffoci.data.twins import PARAMETERS_FOLDER, draw_table
from diffoci.data.twins._levels import FEWEST
from diffoci.data.twins.fit import fit_twins, read_origin

NAMES = [source.name for source in list_sources() if source.twin]
ORIGINS = {origin.name: origin for source in list_sources() for origin in source.origins}
ENOUGH_ROWS = 6_000
ACCURACY_WITHIN = 0.03
AUC_WITHIN = 0.06
PLACE: dict[str, dict[str, Any]] = {
    "acs-income": {"state": "AL", "year": 2018},
    "acs-employment": {"state": "AL", "year": 2017},
}
# Small tables, and groups of fewer than 100 people: one draw says little.
DRAWS = {"student": 4, "citizenship": 5, "nativity": 5}

TOO_FEW_STUDENTS = (
    "88 rural students: the twin's AUC of address is 0.07 below the real one, and cells by address as well,"
    " which mend it, cost the closeness of the label"
)
ATTRIBUTES = [
    ("acs-income", {}, ["sex", "race", "age", "marital"]),
    ("acs-employment", {}, ["sex", "race", "age", "marital", "citizenship", "nativity", "disability"]),
    ("bank", {}, ["marital", "married", "age", "education"]),
    ("bank", {"duration": True}, ["marital"]),
    ("student", {}, ["sex", "school", "age"]),
]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    # These fits are small; more threads spend their time waiting for each other.
    with threadpool_limits(1):
        yield


def label_accuracy(data: Dataset) -> float:
    """Accuracy of y by logistic regression on held-out rows."""
    features, y = data.features[:ENOUGH_ROWS], data.label[:ENOUGH_ROWS]
    numbers = list(features.select_dtypes("number"))
    codes = [name for name in features if name not in numbers]
    encoder = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore", min_frequency=10), codes)
    )
    x = encoder.fit_transform(features.astype(dict.fromkeys(codes, str)))
    return float(np.mean([_split_accuracy(x, y, seed) for seed in range(_repeats(y))]))


def _split_accuracy(x: np.ndarray, y: pd.Series, seed: int) -> float:
    x_train, x_test, y_train, y_test = _split(x, y, seed)
    return LogisticRegression(max_iter=2000).fit(x_train, y_train).score(x_test, y_test)


def leakage(data: Dataset, attribute: str) -> float:
    """AUC of a sensitive attribute by boosted trees on held-out rows."""
    features = data.features.apply(lambda x: x if x.dtype.kind == "f" else x.cat.codes.astype(float))
    levels = data.sensitive[attribute]
    common = levels.map(levels.value_counts()).astype(int) >= 20  # fewer cannot be split and scored
    x, s = features[common][:ENOUGH_ROWS], levels[common].astype(str)[:ENOUGH_ROWS]
    return float(np.mean([_split_auc(x, s, seed) for seed in range(_repeats(s))]))


def _split_auc(x: pd.DataFrame, s: pd.Series, seed: int) -> float:
    x_train, x_test, s_train, s_test = _split(x, s, seed)
    trees = HistGradientBoostingClassifier(max_iter=30, random_state=0, early_stopping=False)
    probability = trees.fit(x_train, s_train).predict_proba(x_test)
    if probability.shape[1] == 2:
        return roc_auc_score(s_test, probability[:, 1])
    return roc_auc_score(s_test, probability, multi_class="ovr", average="weighted")


def _repeats(y: pd.Series) -> int:
    return 16 if len(y) < 1000 else 1


def _split(x: Any, y: pd.Series, seed: int) -> list[Any]:
    share = 0.2 if len(y) < 1000 else 0.5
    return train_test_split(x, y, test_size=share, stratify=y, random_state=seed)


def shuffled(data: Dataset) -> Dataset:
    # The bank's file is sorted by date, so its first rows are not a sample of it.
    order = np.random.default_rng(0).permutation(len(data))
    shuffled_parts = {
        part: getattr(data, part).iloc[order].reset_index(drop=True) for part in ("features", "label", "sensitive")
    }
    return replace(data, weights=None, **shuffled_parts)


@remember
def tables(folder: Path, name: str) -> pd.DataFrame:
    return read_origin(ORIGINS[name], folder)


def described(column: Column) -> tuple[str, str, str]:
    # A label may end with how many codes occur; rare codes are merged on the twin.
    return column.name, column.kind, re.sub(r", \d+ codes$", "", column.label)


@pytest.mark.parametrize("name", NAMES)
def test_a_twin_has_the_columns_kinds_labels_and_groups_of_the_real_data(with_real_data, name):
    real, twin = load(name, **PLACE.get(name, {})), load(name, twin=True)
    assert list(twin.features) == list(real.features)
    assert [described(column) for column in twin.columns] == [described(column) for column in real.columns]
    assert (twin.name, twin.label_name, twin.label_classes) == (real.name, real.label_name, real.label_classes)
    assert list(twin.sensitive) == list(real.sensitive)
    for attribute in real.sensitive:
        assert set(twin.sensitive[attribute]) == set(real.sensitive[attribute])
        shares = [data.sensitive[attribute].value_counts(normalize=True) for data in (real, twin)]
        assert (shares[0] - shares[1]).abs().max() < 0.02
    assert twin.label.mean() == pytest.approx(real.label.mean(), abs=0.01)
    for column in real.features.select_dtypes("category"):
        assert set(twin.features[column].dropna()) <= set(real.features[column].dropna())


@pytest.mark.parametrize(("name", "options"), [*((name, {}) for name in NAMES), ("bank", {"duration": True})])
def test_the_label_is_as_predictable_as_in_the_real_data(with_real_data, name, options):
    real = label_accuracy(shuffled(load(name, **PLACE.get(name, {}), **options)))
    draws = [load(name, twin=True, seed=seed, **options) for seed in range(DRAWS.get(name, 1))]
    simulated = np.mean([label_accuracy(twin) for twin in draws])
    print(f"{name} {options} accuracy of the label: real {real:.3f}, twin {simulated:.3f}")
    assert simulated == pytest.approx(real, abs=ACCURACY_WITHIN)


@pytest.mark.parametrize(
    ("name", "options", "attribute"),
    [
        *((name, options, attribute) for name, options, names in ATTRIBUTES for attribute in names),
        pytest.param("student", {}, "address", marks=pytest.mark.xfail(reason=TOO_FEW_STUDENTS, strict=False)),
    ],
)
def test_an_attribute_leaks_as_much_as_in_the_real_data(with_real_data, name, options, attribute):
    real = shuffled(load(name, sensitive=attribute, **PLACE.get(name, {}), **options))
    count = DRAWS.get(attribute, DRAWS.get(name, 1))
    draws = [load(name, twin=True, sensitive=attribute, seed=seed, **options) for seed in range(count)]
    expected = leakage(real, attribute)
    simulated = np.mean([leakage(twin, attribute) for twin in draws])
    print(f"{name} {options} AUC of {attribute}: real {expected:.3f}, twin {simulated:.3f}")
    assert simulated == pytest.approx(expected, abs=AUC_WITHIN)


@pytest.mark.parametrize("name", NAMES)
def test_a_generated_row_is_a_real_one_no_more_often_than_another_real_row_is(real_data, name):
    real = tables(real_data, name)
    first = np.random.default_rng(0).random(len(real)) < 0.5
    keys = as_keys(real)
    known = set(keys[first])
    by_chance = np.mean([key in known for key in keys[~first]])
    twin = as_keys(draw_table(name)[list(real)])
    # Both rates are counted on samples: three standard errors of their difference.
    uncertain = 3 * np.sqrt(by_chance * (1 - by_chance) * (1 / (~first).sum() + 1 / len(twin)))
    assert np.mean([key in known for key in twin]) <= by_chance + uncertain


def as_keys(table: pd.DataFrame) -> np.ndarray:
    """Write each row as one text; numbers alike however they are stored."""
    keys = np.full(len(table), "", dtype=object)
    for name in table:
        codes, found = pd.factorize(table[name], use_na_sentinel=True)
        texts = [value if isinstance(value, str) else f"{float(value):g}" for value in found]
        keys = keys + "|" + np.array([*texts, "blank"], dtype=object)[codes]
    return keys


@pytest.mark.parametrize("name", ORIGINS)
def test_every_published_level_is_held_by_enough_people(real_data, name):
    real = tables(real_data, name)
    for variable in json.loads((PARAMETERS_FOLDER / f"{name}.json").read_text())["variables"]:
        keys = as_keys(real[variable["columns"]])
        counts = pd.Series(keys).value_counts()
        published = []
        for level in variable["levels"]:
            if variable["kind"] == "number" and isinstance(level, list):
                continue  # an interval made of a bin's mean and spread; bins are tested with the levels
            published.append(level if isinstance(level, list) else [level])
        for key in as_keys(pd.DataFrame(published, dtype=object)) if published else ():
            assert counts.get(key, 0) >= FEWEST, (variable["columns"], key)


def test_refitting_gives_the_committed_parameters(real_data, tmp_path):
    for path in fit_twins(list(ORIGINS.values()), real_data, tmp_path):
        again, committed = (json.loads(p.read_text()) for p in (path, PARAMETERS_FOLDER / path.name))
        assert again["variables"] == committed["variables"]
        assert [c["people"] for c in again["cells"]] == [c["people"] for c in committed["cells"]]
        for one, other in zip(again["cells"], committed["cells"], strict=True):
            # Another processor may round the last digit another way.
            assert np.abs(np.subtract(one["correlation"], other["correlation"])).max() <= 1
            for margin, kept in zip(one["margins"], other["margins"], strict=True):
                assert np.abs(np.subtract(margin, kept)).max() <= 1


def test_fitting_without_the_files_names_the_missing_one(tmp_path):
    with pytest.raises(ValueError, match=r"needs acs/derived/ACSIncome_2018_AL_40pct\.csv or acs/2018"):
        fit_twins([ORIGINS["acs-income"]], tmp_path, tmp_path / "out")
