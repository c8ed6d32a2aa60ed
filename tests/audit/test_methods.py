"""What each method promises of its representation holds on data whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from diffoci.audit.measuring.guessing import guess
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS, Representation
from diffoci.audit.methods.splince import erasure
from diffoci.inputs import Matrix
from diffoci.runs.study import Watch
from tests.audit.known_truth import known, settings


def build(method: str, prepared: PreparedSplit, **changes: Any) -> Representation:
    return METHODS[method].build(prepared, settings(**changes), 0, Watch())


def group_auc(z: Matrix, prepared: PreparedSplit, *probes: str) -> float:
    """AUC of guessing S on test rows, by the strongest of these probes."""
    found = guess(z, prepared.groups["group"], prepared.split, classes=2, probes=probes or ("logistic", "boosting"))
    assert found.scores.auc is not None
    return found.scores.auc


def label_accuracy(z: Matrix, prepared: PreparedSplit) -> float:
    return guess(z, prepared.label, prepared.split, classes=2, probes=("logistic", "boosting")).scores.accuracy


def differences_of_group_means(z: Matrix, prepared: PreparedSplit) -> np.ndarray:
    """Of every column over the training rows."""
    rows, code = z[prepared.split.train], prepared.joint[prepared.split.train]
    return rows[code == 1].mean(axis=0) - rows[code == 0].mean(axis=0)


@pytest.fixture(scope="module")
def leaking_two_ways() -> PreparedSplit:
    """S in the mean of one feature, for a line to find, and in the spread of another, for trees to find."""
    return known(rows=1500, linear=2.0, variance=2.0)


def test_the_adversary_lowers_what_is_seen_of_the_group() -> None:
    training = {"max_epochs": 30, "patience": 30, "hidden": (32,), "width": 2, "dropout": 0.0, "lr": 3e-3}
    lowered = []
    for seed in range(3):
        prepared = known(rows=1500, linear=2.0, direct=2.0, seed=seed)
        free, fought = (
            build("adversary", prepared, adversary=training, adversary_weights=(weight,)).z for weight in (0.0, 3.0)
        )
        lowered.append(group_auc(free, prepared) - group_auc(fought, prepared))
    assert np.mean(lowered) > 0.1


def test_after_leace_the_groups_have_the_same_means(leaking_two_ways: PreparedSplit) -> None:
    assert np.abs(differences_of_group_means(leaking_two_ways.standard, leaking_two_ways)).max() > 0.5
    z = build("leace", leaking_two_ways).z
    assert differences_of_group_means(z, leaking_two_ways) == pytest.approx(0, abs=1e-6)


def test_after_leace_a_line_finds_nothing_of_the_group(leaking_two_ways: PreparedSplit) -> None:
    assert group_auc(leaking_two_ways.standard, leaking_two_ways, "logistic") > 0.8
    assert group_auc(build("leace", leaking_two_ways).z, leaking_two_ways, "logistic") == pytest.approx(0.5, abs=0.07)


def test_after_leace_trees_still_find_the_group(leaking_two_ways: PreparedSplit) -> None:
    assert group_auc(build("leace", leaking_two_ways).z, leaking_two_ways, "boosting") > 0.75


def test_after_correlation_remover_the_groups_have_the_same_means(leaking_two_ways: PreparedSplit) -> None:
    z = build("correlation-remover", leaking_two_ways).z
    assert differences_of_group_means(z, leaking_two_ways) == pytest.approx(0, abs=1e-5)


@pytest.fixture(scope="module")
def outcome_follows_group() -> PreparedSplit:
    return known(rows=1500, linear=2.0, direct=2.0)


def outcome_covariances(z: Matrix, prepared: PreparedSplit) -> np.ndarray:
    """Of every column with the outcome over the training rows."""
    rows, label = z[prepared.split.train].astype(np.float64), prepared.label[prepared.split.train]
    return (rows - rows.mean(axis=0)).T @ (label - label.mean()) / len(label)


def test_splince_ends_the_difference_of_groups_and_keeps_the_outcome(outcome_follows_group: PreparedSplit) -> None:
    z, erased = (build(name, outcome_follows_group).z for name in ("splince", "leace"))
    before = outcome_covariances(outcome_follows_group.standard, outcome_follows_group)
    assert differences_of_group_means(z, outcome_follows_group) == pytest.approx(0, abs=1e-6)
    assert outcome_covariances(z, outcome_follows_group) == pytest.approx(before, abs=1e-6)
    assert np.abs(outcome_covariances(erased, outcome_follows_group) - before).max() > 0.01


def test_splince_changes_no_more_than_it_must(outcome_follows_group: PreparedSplit) -> None:
    """Of the changes that meet both ends, seen as one linear system, it is the least one."""
    rows = outcome_follows_group.split.train
    x = outcome_follows_group.standard[rows].astype(np.float64)
    codes = [np.eye(2)[part[rows]] for part in (outcome_follows_group.joint, outcome_follows_group.label)]
    left, right = erasure(x, *codes)
    centred = x - x.mean(axis=0)
    change = centred @ (left @ right).T
    a, b = (centred.T @ code[:, 1] / len(x) for code in codes)
    other = np.random.default_rng(0).normal(size=left.shape[0])
    both = np.stack([a, b], axis=1)
    free = np.random.default_rng(1).normal(size=len(a))
    free -= both @ np.linalg.solve(both.T @ both, both.T @ free)  # sees neither covariance, so both ends stay met
    for step in (-0.1, 0.1):
        assert ((change + step * np.outer(centred @ free, other)) ** 2).sum() > (change**2).sum()


def test_splince_erases_also_where_the_outcome_cannot_be_kept() -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 400)
    x = rng.normal(size=(400, 3)) + group[:, None]
    left, right = erasure(x, np.eye(2)[group], np.eye(2)[group])
    z = x - (x - x.mean(axis=0)) @ (left @ right).T
    assert z[group == 1].mean(axis=0) == pytest.approx(z[group == 0].mean(axis=0), abs=1e-9)


def test_hsic_lowers_what_is_seen_of_the_group(outcome_follows_group: PreparedSplit) -> None:
    training = {"max_epochs": 30, "patience": None, "hidden": (32,), "width": 1, "dropout": 0.0, "lr": 3e-3}
    free, penalised = (
        group_auc(build("hsic", outcome_follows_group, penalised=training, hsic_penalties=(weight,)).z,
                  outcome_follows_group)
        for weight in (0.0, 3.0)
    )  # fmt: skip
    assert penalised < free - 0.1


def weights_tried_alone(prepared: PreparedSplit, weights: Sequence[float]) -> list[Matrix]:
    return [penalised(prepared, [weight]) for weight in weights]


def penalised(prepared: PreparedSplit, weights: Sequence[float]) -> Matrix:
    return build(
        "dF2",
        prepared,
        model="vec",
        vec={"max_epochs": 25, "least_batches": 1, "small_data_epochs": 1},
        penalised={"measure": "T-codes"},
        dF2_penalties=weights,
    ).z


def test_of_two_weights_that_predict_y_as_well_the_one_that_leaks_less_is_taken() -> None:
    taken, least, most = [], [], []
    for seed in (1, 2, 3):
        # y is certain from one feature that no penalty minds, so every weight predicts it.
        prepared = known(linear=2.0, useful=1, noise=0.001, seed=seed)
        alone = [group_auc(z, prepared) for z in weights_tried_alone(prepared, (0.0, 3.0))]
        least.append(min(alone))
        most.append(max(alone))
        taken.append(group_auc(penalised(prepared, (0.0, 3.0)), prepared))
    assert max(most) > max(least) + 0.2
    assert taken == least


def test_a_weight_that_costs_y_is_not_taken_however_little_leaks() -> None:
    prepared = known(linear=3.0, direct=6.0)  # y is nearly S itself
    free, hiding = weights_tried_alone(prepared, (0.0, 3.0))
    assert label_accuracy(free, prepared) > label_accuracy(hiding, prepared) + 0.1
    assert group_auc(free, prepared) > group_auc(hiding, prepared) + 0.1
    assert np.array_equal(penalised(prepared, (0.0, 3.0)), free)


@pytest.mark.parametrize(
    "knobs", [{"linear": 3.0, "direct": 6.0}, {"linear": 2.0, "useful": 1, "noise": 0.001, "seed": 2}]
)
def test_a_weight_is_taken_without_a_look_at_the_test_rows(knobs: dict[str, Any]) -> None:
    prepared = known(**knobs)
    test = prepared.split.test
    label, group = prepared.label.copy(), prepared.groups["group"].copy()
    label[test], group[test] = 1 - label[test], 1 - group[test]
    turned_round = replace(prepared, label=label, groups={"group": group})
    assert np.array_equal(penalised(prepared, (0.0, 3.0)), penalised(turned_round, (0.0, 3.0)))


@pytest.fixture(scope="module")
def prototypes() -> tuple[PreparedSplit, Matrix]:
    prepared = known(rows=400, linear=2.0, useful=1, irrelevant=0, noise=0.1)
    return prepared, build("prototypes", prepared, prototypes=3, prototype_iterations=12).z


def test_prototypes_make_every_row_its_shares_of_a_few_prototypes(prototypes: tuple[PreparedSplit, Matrix]) -> None:
    prepared, z = prototypes
    assert z.shape == (len(prepared.label), 3)
    assert z.min() >= 0
    assert z.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_prototypes_keep_y(prototypes: tuple[PreparedSplit, Matrix]) -> None:
    prepared, z = prototypes
    assert label_accuracy(z, prepared) > 0.7


def test_prototypes_leave_less_of_the_group_than_the_data(prototypes: tuple[PreparedSplit, Matrix]) -> None:
    prepared, z = prototypes
    assert group_auc(z, prepared) < group_auc(prepared.standard, prepared) - 0.1


@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_a_representation_of_every_row(method: str) -> None:
    prepared = known(rows=200, linear=1.0)
    z = build(method, prepared, prototype_iterations=1).z
    assert len(z) == 200
    assert np.isfinite(z).all()
