"""dF1, dF2 and dF3, and dF3 with a leakage penalty: what training minimises, ready for batches of fixed composition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor, nn

from diffoci.inputs import nominal_coordinates
from diffoci.learning.leakage import Directions, Leakage, MeasureName
from diffoci.soft import conditional_value, group_agreement, line_agreement, soft_agreement
from diffoci.soft_response import SoftResponse, ranked, soft_response

ObjectiveName = Literal["dF1", "dF2", "dF3"]
OBJECTIVES = ("dF1", "dF2", "dF3")
NeighbourName = Literal["all", "same"]
NEIGHBOURS = ("all", "same")


@dataclass(frozen=True)
class Target:
    """The label on the device: class codes, or values when it is a number."""

    values: Tensor
    classes: int | None

    def response(self, rows: Tensor) -> SoftResponse:
        """The response of T for these rows; no value leaves the device for a number."""
        values = self.values[rows]
        if self.classes is not None:
            return soft_response(values, nominal=True, classes=self.classes)
        ordered = values.sort().values
        rank = torch.searchsorted(ordered, values, right=True)
        upper = len(values) - torch.searchsorted(ordered, values)
        return ranked(rank, upper, torch.arange(len(values), device=values.device), torch.float32)


@dataclass(frozen=True)
class Groups:
    """Sensitive groups: the code of every row, and the coordinates of every group as a point."""

    code: Tensor
    points: Tensor

    @classmethod
    def of(cls, code: Tensor, count: int) -> Groups:
        """Groups as the scaled indicators of one nominal attribute, at the distances T gives them."""
        shares = nominal_coordinates(code.cpu().numpy(), count)
        points = torch.zeros(count, count)
        height = float(shares.max())
        points.fill_diagonal_(height)
        return cls(code=code, points=points.to(code.device))

    def distance(self) -> Tensor:
        return (self.points[:, None] - self.points[None]).square().sum(dim=2).sqrt()


@dataclass(frozen=True)
class Scores:
    """The loss of a batch and the coefficients behind it."""

    loss: Tensor
    dependence: Tensor
    leakage: Tensor


@dataclass(frozen=True)
class Recipe:
    """What is asked of a representation, whatever the rows.

    `penalty` is the weight of what it gives away of S, by `measure`. `penalty_beta` is the sharpness of neighbours
    there: wide neighbourhoods do not see traces of S that lie close together. `neighbours` says whose neighbourhood
    T(Y, Z | S) looks at: "all" people, groups being apart as T has them (the paper's), or for a Z of one column those
    of the "same" group, which is T with groups infinitely far apart, by sorting.
    """

    name: ObjectiveName
    beta: float
    penalty: float = 0.0
    penalty_beta: float = 5.0
    measure: MeasureName = "T"
    neighbours: NeighbourName = "all"
    directions: Directions | None = None


@dataclass(frozen=True)
class Objective:
    """One recipe for rows of one composition.

    `dependence` is T(Y, Z), or T(Y, Z | S) for dF3; `leakage` is measured only when it is penalised. A negative T(S, Z)
    is leakage too (rows placed among the other group), so the penalty is on max(T, 0): pushing below zero gains
    nothing.
    """

    recipe: Recipe
    response: SoftResponse
    leakage: Leakage | None = None
    code: Tensor | None = None
    conditions: Tensor | None = None
    known: Tensor | None = None

    @classmethod
    def of(cls, recipe: Recipe, target: Target, groups: Groups | None, rows: Tensor) -> Objective:
        """Prepare everything that depends on the composition of `rows` only."""
        alone = cls(recipe, target.response(rows))
        return alone if groups is None else alone.with_groups(groups, rows)

    def with_response(self, response: SoftResponse) -> Objective:
        """The same for another batch of a numeric label, whose ranks differ from batch to batch."""
        return replace(self, response=response)

    def with_groups(self, groups: Groups, rows: Tensor) -> Objective:
        """The same for rows of other groups, after `with_response` where that differs, too."""
        recipe, code = self.recipe, groups.code[rows]
        leakage = conditions = known = None
        if recipe.penalty > 0:
            leakage = Leakage.of(
                recipe.measure, code, len(groups.points), beta=recipe.penalty_beta, directions=recipe.directions
            )
        if recipe.name == "dF3":
            conditions = groups.points[code]
            distance = groups.distance()
            if recipe.neighbours == "same":
                distance = torch.full_like(distance, torch.inf)
            known = group_agreement(code, distance, self.response, beta=recipe.beta)
        return replace(self, leakage=leakage, code=code, conditions=conditions, known=known)

    def scores(self, z: Tensor, logits: Tensor | None = None, labels: Tensor | None = None) -> Scores:
        """Loss and coefficients of a batch's representation z; for dF2 the loss is of the classifier's logits."""
        leakage = z.new_zeros(()) if self.leakage is None else self.leakage.of_batch(z)
        if self.recipe.name == "dF2":
            assert logits is not None
            assert labels is not None
            loss = _prediction_loss(logits, labels)
            with torch.no_grad():
                dependence = self._dependence(z)
        else:
            dependence = self._dependence(z)
            loss = -dependence
        return Scores(loss + self.recipe.penalty * leakage.clamp_min(0), dependence.detach(), leakage.detach())

    def _dependence(self, z: Tensor) -> Tensor:
        beta, one_column = self.recipe.beta, z.shape[1] == 1
        if self.conditions is None or self.known is None:
            near = (line_agreement if one_column else soft_agreement)(z, self.response, beta=beta)
            return (near - self.response.chance) / self.response.spread.clamp_min(1e-12)
        if self.recipe.neighbours == "same":
            near = line_agreement(z, self.response, beta=beta, group=self.code)
        else:
            near = soft_agreement(torch.cat([self.conditions, z], dim=1), self.response, beta=beta)
        return conditional_value(near, self.known, self.response)


def _prediction_loss(logits: Tensor, labels: Tensor) -> Tensor:
    if logits.shape[1] == 1 and labels.is_floating_point():
        return nn.functional.mse_loss(logits[:, 0], labels)
    if logits.shape[1] == 1:
        return nn.functional.binary_cross_entropy_with_logits(logits[:, 0], labels.to(logits.dtype))
    return nn.functional.cross_entropy(logits, labels)
