"""What each method promises of its representation holds on data whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from diffoci.audit.cells import Watch
from diffoci.audit.classifier import Matrix
from diffoci.audit.material import Material
from diffoci.audit.methods import METHODS, Representation
from diffoci.audit.probes import guess
from tests.audit.known_truth import known, settings


def build(method: str, material: Material, **changes: Any) -> Representation:
    return METHODS[method].build(material, settings(**changes), 0, Watch())


def group_auc(z: Matrix, material: Material, *probes: str) -> float:
    """AUC of guessing S on test rows, by the strongest of these probes."""
    found = guess(z, material.groups["group"], material.split, classes=2, probes=probes or ("logistic", "boosting"))
    assert found.scores.auc is not None
    return found.scores.auc


def label_accuracy(z: Matrix, material: Material) -> float:
    return guess(z, material.label, material.split, classes=2, probes=("logistic", "boosting")).scores.accuracy


def differences_of_group_means(z: Matrix, material: Material) -> np.ndarray:
    """Of every column over the training rows."""
    rows, code = z[material.split.train], material.joint[material.split.train]
    return rows[code == 1].mean(axis=0) - rows[code == 0].mean(axis=0)


@pytest.fixture(scope="module")
def leaking_two_ways() -> Material:
    """S in the mean of one feature, for a line to find, and in the spread of another, for trees to find."""
    return known(rows=1500, linear=2.0, variance=2.0)


def test_the_adversary_lowers_what_is_seen_of_the_group() -> None:
    training = {"max_epochs": 30, "patience": 30, "hidden": (32,), "width": 2, "dropout": 0.0, "lr": 3e-3}
    lowered = []
    for seed in range(3):
        material = known(rows=1500, linear=2.0, direct=2.0, seed=seed)
        free, fought = (
            build("adversary", material, adversary=training, adversary_weights=(weight,)).z for weight in (0.0, 3.0)
        )
        lowered.append(group_auc(free, material) - group_auc(fought, material))
    assert np.mean(lowered) > 0.1


def test_after_leace_the_groups_have_the_same_means(leaking_two_ways: Material) -> None:
    assert np.abs(differences_of_group_means(leaking_two_ways.standard, leaking_two_ways)).max() > 0.5
    z = build("leace", leaking_two_ways).z
    assert differences_of_group_means(z, leaking_two_ways) == pytest.approx(0, abs=1e-6)


def test_after_leace_a_line_finds_nothing_of_the_group(leaking_two_ways: Material) -> None:
    assert group_auc(leaking_two_ways.standard, leaking_two_ways, "logistic") > 0.8
    assert group_auc(build("leace", leaking_two_ways).z, leaking_two_ways, "logistic") == pytest.approx(0.5, abs=0.07)


def test_after_leace_trees_still_find_the_group(leaking_two_ways: Material) -> None:
    assert group_auc(build("leace", leaking_two_ways).z, leaking_two_ways, "boosting") > 0.75


def test_after_correlation_remover_the_groups_have_the_same_means(leaking_two_ways: Material) -> None:
    z = build("correlation-remover", leaking_two_ways).z
    assert differences_of_group_means(z, leaking_two_ways) == pytest.approx(0, abs=1e-5)


def weights_tried_alone(material: Material, weights: Sequence[float]) -> list[Matrix]:
    return [penalised(material, [weight]) for weight in weights]


def penalised(material: Material, weights: Sequence[float]) -> Matrix:
    return build(
        "dF2",
        material,
        model="vec",
        vec={"max_epochs": 25, "least_batches": 1, "small_data_epochs": 1},
        dF2_penalties=weights,
    ).z


def test_of_two_weights_that_predict_y_as_well_the_one_that_leaks_less_is_taken() -> None:
    taken, least, most = [], [], []
    for seed in (1, 2, 3):
        # y is certain from one feature that no penalty minds, so every weight predicts it.
        material = known(linear=2.0, harmless=1, noise=0.001, seed=seed)
        alone = [group_auc(z, material) for z in weights_tried_alone(material, (0.0, 3.0))]
        least.append(min(alone))
        most.append(max(alone))
        taken.append(group_auc(penalised(material, (0.0, 3.0)), material))
    assert max(most) > max(least) + 0.2
    assert taken == least


def test_a_weight_that_costs_y_is_not_taken_however_little_leaks() -> None:
    material = known(linear=3.0, direct=6.0)  # y is nearly S itself
    free, hiding = weights_tried_alone(material, (0.0, 3.0))
    assert label_accuracy(free, material) > label_accuracy(hiding, material) + 0.1
    assert group_auc(free, material) > group_auc(hiding, material) + 0.1
    assert np.array_equal(penalised(material, (0.0, 3.0)), free)


@pytest.mark.parametrize(
    "knobs", [{"linear": 3.0, "direct": 6.0}, {"linear": 2.0, "harmless": 1, "noise": 0.001, "seed": 2}]
)
def test_a_weight_is_taken_without_a_look_at_the_test_rows(knobs: dict[str, Any]) -> None:
    material = known(**knobs)
    test = material.split.test
    label, group = material.label.copy(), material.groups["group"].copy()
    label[test], group[test] = 1 - label[test], 1 - group[test]
    turned_round = replace(material, label=label, groups={"group": group})
    assert np.array_equal(penalised(material, (0.0, 3.0)), penalised(turned_round, (0.0, 3.0)))


@pytest.fixture(scope="module")
def prototypes() -> tuple[Material, Matrix]:
    material = known(rows=400, linear=2.0, harmless=1, irrelevant=0, noise=0.1)
    return material, build("prototypes", material, prototypes=3, prototype_iterations=12).z


def test_prototypes_make_every_row_its_shares_of_a_few_prototypes(prototypes: tuple[Material, Matrix]) -> None:
    material, z = prototypes
    assert z.shape == (len(material.label), 3)
    assert z.min() >= 0
    assert z.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_prototypes_keep_y(prototypes: tuple[Material, Matrix]) -> None:
    material, z = prototypes
    assert label_accuracy(z, material) > 0.7


def test_prototypes_leave_less_of_the_group_than_the_data(prototypes: tuple[Material, Matrix]) -> None:
    material, z = prototypes
    assert group_auc(z, material) < group_auc(material.standard, material) - 0.1


@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_a_representation_of_every_row(method: str) -> None:
    material = known(rows=200, linear=1.0)
    z = build(method, material, prototype_iterations=1).z
    assert len(z) == 200
    assert np.isfinite(z).all()
