"""Before training: columns and pairs that reveal are found with what they are worth for y."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from diffoci.audit.before_training.proxies import Proxies, before_training, foci_paths
from diffoci.audit.measuring.features import exact_views
from diffoci.audit.measuring.many_tests import family_p_values
from diffoci.coefficients import T_test
from diffoci.data.truth.source import make_truth
from diffoci.figures.before_training.proxy_map import LEVEL
from diffoci.runs.study import Watch


@pytest.fixture(scope="module")
def found() -> Proxies:
    return before_training(make_truth(rows=1500).dataset)


def test_all_that_leaks_by_construction_is_found_and_nothing_else(found: Proxies) -> None:
    traces = found.attributes["group"]
    assert {name for name, one in traces.columns.items() if one.reveals()} == {"linear", "variance"}
    assert [one.columns for one in traces.pairs] == [("interaction_a", "interaction_b")]
    assert traces.partners("interaction_b") == ["interaction_a"]
    assert traces.partners("linear") == []


def test_what_tells_y_is_tested_the_same_way(found: Proxies) -> None:
    assert found.y["useful_1"].reveals()
    assert not found.y["irrelevant_1"].reveals()
    assert list(found.y) == list(found.attributes["group"].columns)


def test_every_column_has_its_auc_and_the_smallest_that_would_have_been_found_is_known(found: Proxies) -> None:
    traces = found.attributes["group"]
    assert all(one.auc is not None for one in traces.columns.values())
    assert 0.5 < traces.smallest_auc < 0.6
    assert traces.pairs_tested == 21  # of seven columns that reveal nothing alone


def test_fewer_rows_are_looked_at_when_asked_and_the_paths_are_those_of_the_audit() -> None:
    data = make_truth(rows=900).dataset
    found = before_training(data, rows=400)
    views = exact_views(data, {"exact_rows": 400, "permutations": 1}, 0, Watch()).summary
    assert found.rows == 400
    assert {name: list(path.names) for name, path in foci_paths(data, rows=400).items()} == {
        name: path["names"] for name, path in views["paths"].items()
    }
    given = {name: view["sensitive"]["group"]["T_y_given"] for name, view in views["columns"].items()}
    assert dict(found.attributes["group"].y_beyond) == given


def test_an_attribute_that_is_constant_is_left_out() -> None:
    data = make_truth(rows=200).dataset
    alike = pd.DataFrame({"group": pd.Categorical(["A"] * 200)})
    assert before_training(replace(data, sensitive=alike)).attributes == {}


def test_features_that_tell_nothing_do_not_look_telling_because_there_are_many() -> None:
    wrong = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        noise, group = rng.normal(size=(200, 25)), pd.Series(rng.integers(0, 2, 200))
        tests = [T_test(group, noise[:, [k]], permutations=99, seed=0) for k in range(25)]
        wrong += min(p for p in family_p_values(tests) if p is not None) <= LEVEL
    assert wrong <= 5  # 1.5 are expected; without allowing for the 25 features it would be 21 of 30
