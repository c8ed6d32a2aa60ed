"""DifFOCI learns what it should, drops what it should, and behaves as a scikit-learn transformer."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from diffoci import T, soft_T
from diffoci.learning._batches import Batches
from diffoci.learning.estimator import DifFOCI
from diffoci.learning.models import Dropout, Rectify
from diffoci.learning.objectives import Groups, Objective, Recipe, Target
from diffoci.learning.training import Diverged


@parametrize_with_checks([DifFOCI(max_epochs=3), DifFOCI(model="nn", hidden=(8,), max_epochs=3)])
def test_it_keeps_scikit_learn_s_conventions(estimator, check):
    check(estimator)


def leaky(n: int = 1200, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x0 is the attribute with noise and raises y; x1 determines y on its own; x2 is noise."""
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    X = np.column_stack([2 * s + 0.3 * rng.normal(size=n), rng.normal(size=n), rng.normal(size=n)])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (X[:, 1] + 1.5 * s - 0.75 + 0.3 * rng.normal(size=n) > 0).astype(int)
    return X.astype(np.float32), y, s


def test_vec_keeps_what_determines_y_and_drops_noise():
    X, y, _ = leaky()
    model = DifFOCI(lr=0.05, weight_decay=5e-3, max_epochs=40, random_state=0).fit(X, y)
    assert abs(model.theta_[2]) < 0.3 < min(abs(model.theta_[0]), abs(model.theta_[1]))


def test_conditioning_on_the_attribute_drops_its_proxy():
    X, y, s = leaky()
    settings: dict[str, Any] = {"lr": 0.05, "weight_decay": 5e-3, "max_epochs": 60, "patience": 60, "random_state": 0}
    without = DifFOCI(**settings).fit(X, y)
    given = DifFOCI("dF3", **settings).fit(X, y, sensitive=s)
    assert abs(without.theta_[0]) > 0.5
    assert abs(given.theta_[0]) < 0.5 * abs(without.theta_[0])
    assert abs(given.theta_[1]) > 0.5


def test_penalty_lowers_the_leakage_of_a_network():
    X, y, s = leaky()
    settings: dict[str, Any] = {
        "model": "nn",
        "hidden": (32,),
        "width": 2,
        "lr": 3e-3,
        "batch_size": 512,
        "max_epochs": 25,
    }
    leak = [
        T(s, DifFOCI("dF3", penalty=penalty, **settings).fit(X, y, sensitive=s).transform(X)) for penalty in (0.0, 3.0)
    ]
    assert leak[1] < 0.15
    assert leak[1] < leak[0]


@pytest.mark.parametrize("model", ["nn", "vec-nn"])
def test_outputs_of_networks_are_standardised(model):
    X, y, s = leaky(400)
    z = DifFOCI("dF3", model, hidden=(16,), width=3, max_epochs=4, lr=1e-3).fit(X, y, sensitive=s).transform(X)
    scale = np.sqrt((z.std(axis=0) ** 2).mean())
    assert scale == pytest.approx(1.0, abs=0.25)
    assert np.abs(z.mean(axis=0)).max() < 0.3


def test_dF2_predicts_and_hides():
    X, y, s = leaky()
    settings: dict[str, Any] = {"hidden": (32,), "width": 1, "lr": 3e-3, "max_epochs": 40}
    open_, hidden = (
        DifFOCI("dF2", "nn", penalty=penalty, **settings).fit(X, y, sensitive=s).transform(X) for penalty in (0.0, 2.0)
    )
    assert T(y, hidden) > 0.1
    assert T(s, hidden) < 0.5 * T(s, open_)


def test_several_attributes_condition_jointly():
    X, y, s = leaky(600)
    frame = pd.DataFrame({"s": s, "t": np.random.default_rng(1).integers(0, 3, 600)})
    names = frame["s"].astype(str) + " & " + frame["t"].astype(str)
    both = DifFOCI("dF3", max_epochs=5).fit(X, y, sensitive=frame)
    joint = DifFOCI("dF3", max_epochs=5).fit(X, y, sensitive=names)
    assert both.theta_.tolist() == joint.theta_.tolist()


def test_classes_numbers_and_names_can_be_the_label():
    X, y, s = leaky(300)
    rng = np.random.default_rng(2)
    many = rng.integers(0, 4, 300)
    for label in (X[:, 1] + 0.1, many, np.array(["no", "yes"])[y]):
        assert DifFOCI("dF3", max_epochs=2).fit(X, label, sensitive=s).theta_.shape == (3,)


def test_one_seed_gives_one_result_in_any_process():
    program = """
import numpy as np
from tests.learning.test_estimator import leaky
from diffoci.learning.estimator import DifFOCI
X, y, s = leaky(400)
model = DifFOCI("dF3", "nn", hidden=(16,), width=2, dropout=0.5, max_epochs=4, random_state=7)
print(model.fit(X, y, sensitive=s).transform(X).tobytes().hex())
"""
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    X, y, s = leaky(400)
    torch.rand(3)  # the global generator must not matter
    same: dict[str, Any] = {"hidden": (16,), "width": 2, "dropout": 0.5, "max_epochs": 4, "random_state": 7}
    here = DifFOCI("dF3", "nn", **same).fit(X, y, sensitive=s).transform(X)
    assert runs[0].stdout.strip() == runs[1].stdout.strip() == here.tobytes().hex()


def test_history_holds_loss_coefficients_and_weights_of_every_epoch():
    X, y, s = leaky(400)
    seen: list[dict[str, Any]] = []
    model = DifFOCI("dF3", penalty=1.0, max_epochs=4, patience=9).fit(X, y, sensitive=s, on_epoch=seen.append)
    assert seen == model.history_
    assert [line["epoch"] for line in seen] == [1, 2, 3, 4]
    assert set(seen[0]) >= {"loss", "T", "leakage", "validation_T", "validation_leakage", "theta"}
    assert len(seen[0]["theta"]) == 3


def test_the_best_epoch_by_validation_is_kept():
    X, y, s = leaky(400)
    model = DifFOCI("dF3", lr=0.3, max_epochs=12, patience=12).fit(X, y, sensitive=s)
    best = min(model.history_, key=lambda line: line["validation_loss"])
    assert model.theta_.tolist() == best["theta"]


def test_without_patience_the_last_epoch_is_kept():
    X, y, s = leaky(400)
    model = DifFOCI("dF3", lr=0.3, max_epochs=12, patience=None).fit(X, y, sensitive=s)
    assert len(model.history_) == 12
    assert model.theta_.tolist() == model.history_[-1]["theta"]


def test_support_names_and_output_agree():
    X, y, _ = leaky(400)
    frame = pd.DataFrame(X, columns=["proxy", "merit", "noise"])
    model = clone(DifFOCI(lr=0.05, max_epochs=20, cutoff=0.4)).set_output(transform="pandas").fit(frame, y)
    kept = model.transform(frame)
    assert kept.columns.tolist() == model.get_feature_names_out().tolist()
    assert sorted([*kept.columns, *model.dropped_]) == ["merit", "noise", "proxy"]
    assert kept.columns.tolist() == frame.columns[model.get_support()].tolist()


def test_indicators_of_one_feature_share_one_weight():
    X, y, _ = leaky(300)
    model = DifFOCI(max_epochs=2).fit(np.hstack([X, X[:, :1]]), y, feature_of_column=[0, 1, 2, 0])
    assert model.theta_.shape == (3,)
    assert model.get_support().shape == (4,)


def test_every_batch_has_the_same_composition():
    cell = np.random.default_rng(0).choice(4, 1000, p=[0.6, 0.3, 0.09, 0.01])
    batches = Batches.of(cell, 100, torch.device("cpu"))
    rows = batches.epoch(torch.Generator().manual_seed(0))
    assert rows.shape == (10, 100)
    assert {tuple(np.bincount(cell[line], minlength=4)) for line in rows.numpy()} == {tuple(batches.take)}


@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_objective_of_a_batch_is_what_soft_T_says(penalty):
    X, y, s = leaky(200)
    z, code = torch.from_numpy(X), torch.from_numpy(s)
    groups = Groups.of(code, 2)
    rows = torch.arange(200)
    recipe = Recipe("dF3", beta=5.0, penalty=penalty, penalty_beta=8.0, measure="T-codes")
    found = Objective.of(recipe, Target(torch.from_numpy(y), 2), groups, rows).scores(z)
    dependence = float(soft_T(torch.from_numpy(y), z, groups.points[code]))
    leakage = max(float(soft_T(code, z, beta=8.0)), 0.0) if penalty else 0.0
    assert float(found.loss) == pytest.approx(-dependence + penalty * leakage, abs=1e-5)


def test_a_negative_coefficient_earns_nothing():
    z = torch.tensor([[0.0], [0.1], [5.0], [5.1]])  # every row's neighbour is of the other group
    code = torch.tensor([0, 1, 0, 1])
    target = Target(torch.tensor([0, 0, 1, 1]), 2)
    scores = [
        Objective.of(Recipe("dF3", beta=5.0, penalty=p), target, Groups.of(code, 2), torch.arange(4)).scores(z)
        for p in (1e-9, 5.0)
    ]
    assert float(scores[1].leakage) < 0
    assert float(scores[0].loss) == pytest.approx(float(scores[1].loss), abs=1e-6)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_dropout_in_one_pass_has_the_numbers_of_one_step_after_the_other(share: float):
    x = torch.randn(64, 9, generator=torch.Generator().manual_seed(1), requires_grad=True)
    upstream = torch.randn(64, 9, generator=torch.Generator().manual_seed(2))
    layer, again = (Rectify(Dropout(share, torch.Generator().manual_seed(0))) for _ in range(2))
    apart, at_once = x.relu() * layer.kept(x) / (1 - share), again(x)
    assert torch.equal(apart, at_once)
    assert torch.equal(*(torch.autograd.grad(out, x, upstream)[0] for out in (apart, at_once)))


def test_dropout_leaves_out_a_share_in_training_and_nothing_afterwards():
    layer = Rectify(Dropout(0.3, torch.Generator().manual_seed(0)))
    x = torch.ones(20_000, 101)
    out = layer.train()(x)
    assert float((out == 0).float().mean()) == pytest.approx(0.3, abs=0.002)
    assert float((out == 0).float().mean(dim=0).std()) == pytest.approx((0.3 * 0.7 / 20_000) ** 0.5, rel=0.3)
    assert float(out.mean()) == pytest.approx(1.0, abs=0.003)
    both = (out[:, :-1] == 0).logical_and(out[:, 1:] == 0)  # neighbours share a draw and still know nothing of another
    assert float(both.float().mean()) == pytest.approx(0.09, abs=0.001)
    assert torch.equal(layer.eval()(x), x)


def test_breaking_down_names_the_epoch_and_the_setting():
    X, y, s = leaky(300)
    with pytest.raises(
        Diverged, match=r"Training broke down in epoch \d+ \(loss .*\); lower the learning rate \(lr, now 1e\+20\)"
    ):
        DifFOCI("dF2", "nn", lr=1e20, max_epochs=5, hidden=(8,)).fit(X, y, sensitive=s)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"objective": "dF4"}, "objective must be one of dF1, dF2, dF3, not 'dF4'."),
        ({"model": "tree"}, "model must be one of vec, nn, vec-nn, not 'tree'."),
        ({"beta": 0}, "beta must be positive, not 0."),
        ({"penalty": -1}, "penalty must not be negative, but it is -1."),
        ({"penalty_beta": 0}, "penalty_beta must be positive, not 0."),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1, not 1.0."),
        ({"batch_size": 1}, "batch_size is too small: 1."),
        ({"validation_fraction": 2.0}, "validation_fraction must be between 0 and 1, not 2.0."),
        ({"penalty": 1.0}, "dF1 knows no sensitive attribute to penalise; use dF3, or set penalty=0."),
        ({"objective": "dF3"}, "sensitive is missing; dF2 and dF3 need the sensitive attributes of every row."),
        ({"device": "abacus"}, "There is no device 'abacus' on this machine; use 'auto' or 'cpu'."),
    ],
)
def test_bad_settings_get_one_sentence(settings, sentence):
    X, y, _ = leaky(60)
    with pytest.raises(ValueError, match=r"^") as problem:
        DifFOCI(**settings).fit(X, y)
    assert str(problem.value) == sentence


def test_whole_numbers_of_many_values_are_an_amount():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)).astype(np.float32)
    rank = np.argsort(np.argsort(X[:, 1]))
    ages = DifFOCI(max_epochs=20).fit(X, rank)
    shifted = DifFOCI(max_epochs=20).fit(X, rank + 0.5)
    assert ages.history_[-1]["T"] > 0.8
    assert np.allclose(ages.theta_, shifted.theta_)


def test_a_random_state_is_taken_as_scikit_learn_does():
    X, y, _ = leaky(120)
    once, again = (DifFOCI(max_epochs=3, random_state=np.random.RandomState(7)).fit(X, y).theta_ for _ in range(2))
    assert np.array_equal(once, again)


def test_only_vec_has_dropped_features():
    X, y, _ = leaky(120)
    network = DifFOCI(model="nn", hidden=(8,), max_epochs=2).fit(X, y)
    assert not hasattr(network, "dropped_")
    assert not hasattr(network, "get_support")
    assert network.get_feature_names_out()[0] == "diffoci0"


def test_joint_groups_are_told_apart_whatever_their_names():
    X, y, s = leaky(200)
    names = pd.DataFrame({"a": np.where(s == 0, "x & y", "x"), "b": np.where(s == 0, "z", "y & z")})
    DifFOCI("dF3", max_epochs=2).fit(X, y, sensitive=names)  # not "sensitive is constant"


def test_people_of_rare_combinations_do_not_fill_the_batches():
    rng = np.random.default_rng(0)
    group = np.concatenate([np.zeros(2000, dtype=np.int64), rng.integers(1, 120, 400)])
    label = rng.integers(0, 2, len(group))
    batches, fixed = Batches.by_label(label, group, 256, torch.device("cpu"))
    drawn = batches.epoch(torch.Generator().manual_seed(0)).flatten().numpy()
    assert not fixed
    assert batches.size == 256
    assert abs((group[drawn] > 0).mean() - 400 / 2400) < 0.02
    X = rng.normal(size=(len(group), 3)).astype(np.float32)
    model = DifFOCI("dF3", "nn", penalty=1.0, hidden=(8,), max_epochs=3).fit(X, label, sensitive=group)
    assert np.isfinite([line["loss"] for line in model.history_]).all()


def test_a_constant_attribute_is_refused():
    X, y, _ = leaky(60)
    with pytest.raises(ValueError, match="sensitive is constant; there is nothing to condition on"):
        DifFOCI("dF3").fit(X, y, sensitive=np.ones(60))
