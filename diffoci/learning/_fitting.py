"""One training of difFOCI made ready: rows on the device, the network, the objective of a batch, validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from diffoci.learning._batches import Batches
from diffoci.learning.leakage import Directions, Leakage
from diffoci.learning.linear import linear
from diffoci.learning.models import ModelName, Network, Vec
from diffoci.learning.objectives import Groups, Objective, Recipe, Target
from diffoci.learning.setup import Rows, Setup, enough_rows
from diffoci.learning.together import Training
from diffoci.learning.training import few_threads

# Training rows on which the penalty is measured after an epoch, and as many validation rows.
MOST_PENALTY_ROWS = 8192


@dataclass(frozen=True)
class NetworkSettings:
    """What is trained and for what; `classes` is None where the label is a number, `groups` 0 where there are none."""

    recipe: Recipe
    model: ModelName
    classes: int | None
    groups: int
    width: int
    hidden: Sequence[int]
    dropout: float


@dataclass(frozen=True, eq=False)
class _OnDevice:
    """Rows where they are computed with."""

    x: Tensor
    target: Target
    groups: Groups | None

    @classmethod
    def of(cls, rows: Rows, settings: NetworkSettings, setup: Setup) -> _OnDevice:
        known = setup.numbers(rows.label) if settings.classes is None else setup.codes(rows.label)
        groups = None if rows.group is None else Groups.of(setup.codes(rows.group), settings.groups)
        return cls(setup.numbers(rows.x), Target(known, settings.classes), groups)

    def objective(self, recipe: Recipe, rows: Tensor) -> Objective:
        return Objective.of(recipe, self.target, self.groups, rows)


def ready(
    training: Rows,
    held: Rows,
    settings: NetworkSettings,
    setup: Setup,
    *,
    feature_of_column: Sequence[int],
) -> Training:
    """Make a network and what it is trained with; the `held` rows choose the epoch.

    `feature_of_column` says which columns share a weight (vec).
    """
    with few_threads(min(setup.batch_size, len(training.label)), setup.device):
        network = _network_at_start(training.x.shape[1], settings, setup, feature_of_column)
        data = _OnDevice.of(training, settings, setup)
        batches, fixed_groups = _batches(training, settings, setup)
        recipe = settings.recipe
        if recipe.measure == "projections" and settings.width > 1:
            recipe = replace(recipe, directions=Directions.of(settings.width, setup.order))
        objective = data.objective(recipe, batches.template())
        head = None
        if recipe.name == "dF2":
            scores = settings.classes if settings.classes is not None and settings.classes > 2 else 1
            head = linear(settings.width, scores, setup.start).to(setup.device)
        loss = _loss(head, data, objective, fixed_groups=fixed_groups)
        some = enough_rows(len(data.x)).to(setup.device)
        validate = _validation(network, head, held, replace(settings, recipe=recipe), setup, data.x[some])
        if recipe.penalty > 0 and recipe.measure in ("T", "T-ranks") and settings.width == 1:
            validate = _with_more_rows(validate, network, training, held, recipe, settings, setup)
        others = () if head is None else (head,)
        return Training(network, others, data.x, batches, loss, validate, setup)


def _network_at_start(
    columns: int, settings: NetworkSettings, setup: Setup, feature_of_column: Sequence[int]
) -> Vec | Network:
    if settings.model == "vec":
        return Vec(torch.as_tensor(feature_of_column).long(), setup.start).to(setup.device)
    weighted = settings.model == "vec-nn"
    return setup.network(columns, settings.hidden, settings.width, dropout=settings.dropout, weighted=weighted)


def _batches(training: Rows, settings: NetworkSettings, setup: Setup) -> tuple[Batches, bool]:
    everybody = np.zeros(len(training.label), dtype=np.int64)
    label = everybody if settings.classes is None else training.label.astype(np.int64)
    group = everybody if training.group is None else training.group
    return Batches.by_label(label, group, setup.batch_size, setup.device)


def _loss(
    head: nn.Module | None, data: _OnDevice, objective: Objective, *, fixed_groups: bool
) -> Callable[[Tensor, Tensor], dict[str, Tensor]]:
    """What a batch gives; where its composition is not fixed, the objective is made anew for each batch."""
    target, groups = data.target, data.groups

    def loss(z: Tensor, rows: Tensor) -> dict[str, Tensor]:
        this = objective
        if target.classes is None:
            this = this.with_response(target.response(rows))
        if groups is not None and not (fixed_groups and target.classes is not None):
            this = this.with_groups(groups, rows)
        scores = this.scores(z, None if head is None else head(z), target.values[rows])
        return {"loss": scores.loss, "T": scores.dependence, "leakage": scores.leakage}

    return loss


def _validation(
    network: Vec | Network,
    head: nn.Module | None,
    held: Rows,
    settings: NetworkSettings,
    setup: Setup,
    training_rows: Tensor,
) -> Callable[[], dict[str, Any]]:
    """What validation rows give after an epoch; the outputs' scale is measured on some training rows."""
    data = _OnDevice.of(held.take(enough_rows(len(held.label)).numpy()), settings, setup)
    objective = data.objective(settings.recipe, torch.arange(len(data.x), device=setup.device))

    def validate() -> dict[str, Any]:
        network.calibrate(training_rows)
        z = network(data.x)
        scores = objective.scores(z, None if head is None else head(z), data.target.values)
        line: dict[str, Any] = {
            "validation_loss": float(scores.loss),
            "validation_T": float(scores.dependence),
            "validation_leakage": float(scores.leakage),
        }
        if network.theta is not None:
            line["theta"] = network.theta.detach().cpu().numpy().tolist()
        return line

    return validate


def _with_more_rows(
    validate: Callable[[], dict[str, Any]],
    network: Vec | Network,
    training: Rows,
    held: Rows,
    recipe: Recipe,
    settings: NetworkSettings,
    setup: Setup,
) -> Callable[[], dict[str, Any]]:
    """The same with the penalty measured on training and validation rows together.

    An attribute that is guessed with an AUC of 0.54 has a T of about 0.006, where T of 1,024 rows has a standard error
    of 0.03: a penalty measured on validation rows alone would choose the epoch by noise. What is predicted of the
    outcome is still measured on validation rows only.
    """
    draw = np.random.default_rng(0)
    known, others = (part.take(draw.permutation(len(part.label))[:MOST_PENALTY_ROWS]) for part in (training, held))
    x = setup.numbers(np.concatenate([known.x, others.x]))
    assert known.group is not None
    assert others.group is not None
    code = setup.codes(np.concatenate([known.group, others.group]))
    leakage = Leakage.of(recipe.measure, code, settings.groups, beta=recipe.penalty_beta)

    def measured() -> dict[str, Any]:
        line = validate()
        seen = float(leakage.of_batch(network(x)))
        line["validation_loss"] += recipe.penalty * (max(seen, 0.0) - max(line["validation_leakage"], 0.0))
        return {**line, "validation_leakage": seen}

    return measured
