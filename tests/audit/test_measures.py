"""Scores, coefficients and places of probing are what their names say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from diffoci.audit.measuring.guessing import area_under_curve, score
from diffoci.audit.measuring.measure import measure
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS, Representation
from diffoci.coefficients import T
from diffoci.runs.study import CellOutput, Watch
from tests.audit.known_truth import known, prepared_of, settings, several

SMALLEST_P = 1 / 50  # of 49 rearrangements


def measured(prepared: PreparedSplit, **changes: Any) -> CellOutput:
    """The standardised data, measured."""
    own = settings(**changes)
    return measure(METHODS["standard"].build(prepared, own, 0, Watch()), prepared, own, 0, Watch())


def seen_of_group(prepared: PreparedSplit, **changes: Any) -> dict[str, Any]:
    return measured(prepared, **changes).summary["leakage"]["group"]


def probabilities(rows: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of unequal size and probabilities that know something of them."""
    rng = np.random.default_rng(3)
    code = rng.choice(classes, size=rows, p=np.arange(classes, 0, -1) / np.arange(1, classes + 1).sum())
    raw = rng.gamma(1.0, size=(rows, classes)) + np.eye(classes)[code]
    return code, raw / raw.sum(axis=1, keepdims=True)


def test_always_guessing_the_larger_of_two_classes_is_half_right_when_balanced() -> None:
    code = np.repeat([0, 1], [90, 10])
    found = score(code, np.tile([0.8, 0.2], (100, 1)), 2)
    assert found.accuracy == pytest.approx(0.9)
    assert found.balanced_accuracy == pytest.approx(0.5)


@pytest.mark.parametrize("classes", [2, 4])
def test_balanced_accuracy_is_scikit_learns(classes: int) -> None:
    code, probability = probabilities(200, classes)
    expected = metrics.balanced_accuracy_score(code, probability.argmax(axis=1))
    assert score(code, probability, classes).balanced_accuracy == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 4])
def test_accuracy_is_scikit_learns(classes: int) -> None:
    code, probability = probabilities(200, classes)
    expected = metrics.accuracy_score(code, probability.argmax(axis=1))
    assert score(code, probability, classes).accuracy == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 4])
def test_log_loss_is_scikit_learns(classes: int) -> None:
    code, probability = probabilities(200, classes)
    expected = metrics.log_loss(code, probability, labels=range(classes))
    assert score(code, probability, classes).log_loss == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 4])
def test_auc_is_scikit_learns(classes: int) -> None:
    code, probability = probabilities(400, classes)
    given = probability[:, 1] if classes == 2 else probability
    expected = metrics.roc_auc_score(code, given, multi_class="ovr", average="macro")
    assert score(code, probability, classes).auc == pytest.approx(expected)


@pytest.mark.parametrize("decimals", [1, 2, 8])
def test_the_area_under_a_curve_is_scikit_learns_to_the_last_bit(decimals: int) -> None:
    draw = np.random.default_rng(decimals)
    for rows in (10, 40, 2000):
        positive = draw.permutation(rows) < 2 + rows // 3
        given = np.round(draw.random(rows) + 0.2 * positive, decimals).astype(np.float64)
        assert area_under_curve(positive, given) == metrics.roc_auc_score(positive, given)


def test_probabilities_that_are_no_numbers_have_no_area() -> None:
    with pytest.raises(ValueError, match="no numbers"):
        area_under_curve(np.array([True, False]), np.array([0.5, np.nan]))


def test_hard_log_loss_is_scikit_learns_of_the_guessed_class() -> None:
    code, probability = probabilities(200, 2)
    hard = np.eye(2)[probability.argmax(axis=1)]
    assert score(code, probability, 2).hard_log_loss == pytest.approx(metrics.log_loss(code, hard))


def test_the_scores_of_an_audit_are_those_of_its_probabilities() -> None:
    prepared = known(linear=1.0)
    output = measured(prepared)
    y, expected = output.summary["y"]["scores"], score(prepared.label[prepared.split.test], output.arrays["y"], 2)
    assert y["log_loss"] == pytest.approx(expected.log_loss, rel=1e-4)
    assert y["balanced_accuracy"] == pytest.approx(expected.balanced_accuracy)


def test_T_is_that_of_the_group_and_the_representation_of_the_test_rows() -> None:
    prepared = known(linear=2.0)
    rows = prepared.split.test
    expected = T(prepared.sensitive["group"].iloc[rows], prepared.standard[rows].astype(np.float64))
    assert seen_of_group(prepared, probes=("logistic",))["representation"]["T"] == pytest.approx(expected)


def test_the_p_value_is_as_small_as_it_can_be_where_the_group_is_in_the_representation() -> None:
    found = seen_of_group(known(rows=800, linear=3.0, irrelevant=0), probes=("logistic",))
    assert found["representation"]["p_value"] == pytest.approx(SMALLEST_P)


def test_p_values_are_anywhere_between_0_and_1_where_the_group_is_nowhere() -> None:
    p_values = [
        seen_of_group(prepared_of(dataset), probes=("logistic",))["representation"]["p_value"]
        for dataset in several(20, rows=300)
    ]
    assert min(p_values) >= SMALLEST_P
    assert 0.25 < np.mean(p_values) < 0.75


def test_a_last_layer_with_room_for_y_only_has_lost_the_group_that_the_data_hold() -> None:
    found = seen_of_group(known(rows=1000, linear=3.0), probe={"hidden": (16, 1), "max_epochs": 20})
    assert found["representation"]["scores"]["auc"] > 0.9
    assert found["last_layer"]["scores"]["auc"] < 0.65


def test_the_last_layer_of_a_network_whose_y_is_the_group_holds_the_group() -> None:
    prepared = known(rows=1000, linear=3.0, direct=20.0)
    found = seen_of_group(prepared, probe={"hidden": (16, 4), "max_epochs": 20})
    assert found["last_layer"]["scores"]["auc"] > 0.9


def test_a_representation_that_is_the_same_for_everybody_gives_nothing_away() -> None:
    prepared, own = known(linear=3.0), settings()
    nothing = Representation(np.zeros((len(prepared.label), 1), dtype=np.float32))
    found = measure(nothing, prepared, own, 0, Watch()).summary["leakage"]["group"]
    assert [found[place]["scores"]["auc"] for place in found] == [0.5, 0.5]
