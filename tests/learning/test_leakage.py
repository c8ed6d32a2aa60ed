"""What penalties measure: nothing where nothing is given away, and the direction that gives most away is found."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from diffoci.learning.estimator import DifFOCI
from diffoci.learning.leakage import MEASURES, Directions, Leakage, MeasureName, spread_evenly
from tests.learning.test_estimator import leaky


def rows(count: int, width: int, *, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Normal columns, and a group that is one side of a direction across all of them."""
    draw = torch.Generator().manual_seed(seed)
    z = torch.randn(count, width, generator=draw)
    return z, (z.sum(dim=1) > 0).long()


def measured(measure: MeasureName, z: torch.Tensor, code: torch.Tensor) -> float:
    directions = Directions.of(z.shape[1], torch.Generator().manual_seed(0))
    return float(Leakage.of(measure, code, 2, beta=5.0, directions=directions).of_batch(z))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("width", [1, 3])
def test_a_measure_is_around_zero_where_nothing_is_given_away(measure: MeasureName, width: int) -> None:
    z, code = rows(1500, width)
    shuffled = code[torch.randperm(1500, generator=torch.Generator().manual_seed(1))]
    assert abs(measured(measure, z, shuffled)) < 0.05
    assert measured(measure, z, code) > 0.2


def test_of_ranks_a_trace_of_the_group_is_seen_where_most_rows_lie_close_together() -> None:
    z, code = rows(2000, 1)
    crowded = torch.cat([z[:1800] / 200, z[1800:] + 20])  # as a network places people when few have the outcome
    crowded = (crowded - crowded.mean()) / crowded.std()
    assert measured("T", crowded, code) < 0.25
    assert measured("T-ranks", crowded, code) > 0.6


def test_of_several_groups_all_weigh_the_same_however_small() -> None:
    z, _ = rows(2000, 1)
    code = torch.multinomial(
        torch.tensor([0.70, 0.25, 0.04, 0.01]), 2000, replacement=True, generator=torch.Generator().manual_seed(1)
    )
    z = z + (code == 3)[:, None]
    each = [Leakage.of("T-codes", (code == k).long(), 2, beta=5.0).of_batch(spread_evenly(z)) for k in range(4)]
    found = float(Leakage.of("T-ranks", code, 4, beta=5.0).of_batch(z))
    assert found == pytest.approx(float(torch.stack(each).mean()), abs=1e-5)
    without = float(Leakage.of("T-ranks", code, 6, beta=5.0).of_batch(z))  # a group that no row of the batch is of
    assert without == pytest.approx(found, abs=1e-6)


def test_spread_evenly_ranks_decide_and_not_their_scale() -> None:
    z, _ = rows(2000, 2)
    even = spread_evenly(z)
    assert torch.allclose(spread_evenly(torch.exp(2 * z)), even, atol=0.05)
    assert even.std(dim=0).tolist() == pytest.approx([1, 1], abs=0.02)
    order = z[:, 0].argsort()
    assert (even[order, 0].diff() >= 0).all()


def test_spreading_evenly_has_finite_gradients_also_where_rows_are_equal() -> None:
    z = torch.cat([torch.zeros(300, 1), torch.ones(100, 1), rows(100, 1)[0]]).requires_grad_()
    spread_evenly(z).square().sum().backward()
    assert z.grad is not None
    assert torch.isfinite(z.grad).all()
    assert torch.isfinite(spread_evenly(torch.zeros(50, 1))).all()


def test_ranks_are_refused_where_the_size_of_a_weight_is_the_message() -> None:
    X, y, s = leaky(100)
    with pytest.raises(ValueError, match="how large a weight is"):
        DifFOCI("dF2", "vec", penalty=1.0, measure="T-ranks").fit(X, y, s)


def test_the_most_telling_direction_is_found_by_ascent() -> None:
    z, code = rows(1500, 4)
    z.requires_grad_()
    directions = Directions.of(4, torch.Generator().manual_seed(0))
    leakage = Leakage.of("projections", code, 2, beta=5.0, directions=directions)
    for _ in range(15):
        leakage.of_batch(z)
    assert abs(float(directions.found @ torch.ones(4))) / 2 > 0.95


def test_hsic_is_the_share_of_its_largest_value() -> None:
    z, code = rows(80, 2)
    squared = (z[:, None] - z[None]).square().sum(dim=2)
    centring = torch.eye(80) - 1 / 80
    kernel, same = torch.exp(-squared / 2), (code[:, None] == code[None]).float()
    one, other = centring @ kernel @ centring, centring @ same @ centring
    expected = (one * other).sum() / (one.norm() * other.norm())
    assert measured("hsic", z, code) == pytest.approx(float(expected), abs=1e-5)


def test_single_directions_lower_the_leakage_of_several_features() -> None:
    X, y, s = leaky(800)
    seen = []
    for penalty in (0.0, 5.0):
        learner = DifFOCI("dF2", "nn", width=3, hidden=(32,), penalty=penalty, measure="projections", max_epochs=25)
        z = learner.set_params(lr=3e-3, patience=None).fit(X, y, s).transform(X)
        seen.append(max(abs(np.corrcoef(column, s)[0, 1]) for column in z.T))
    assert seen[1] < 0.5 * seen[0]


def test_the_penalty_of_an_epoch_is_measured_on_training_and_validation_rows() -> None:
    X, y, s = leaky(600)
    learner = DifFOCI("dF2", "nn", width=1, hidden=(8,), penalty=1.0, max_epochs=3, patience=None)
    learner.fit(X[:400], y[:400], s[:400], validation=(X[400:], y[400:], s[400:]))
    z, code = torch.from_numpy(learner.transform(X)), torch.from_numpy(s)
    assert learner.history_[-1]["validation_leakage"] == pytest.approx(measured("T", z, code), abs=1e-5)
