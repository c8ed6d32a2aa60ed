"""The penalty T(X_G, features): how far the group can be read off the features of some rows, differentiable.

As in the paper, or given the outcome: then neighbours are sought among rows of the same label only, so the penalty does
not fight the task where label and group go together. In both forms

- features are standardised here, or the network would meet the penalty by shrinking them;
- every row is a centre: the ratio of sums over the indicators of all groups, also where there are two;
- only max(T, 0) counts: below zero rows stand among the other group, which gives it away as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from diffoci.soft import soft_agreement
from diffoci.soft_response import soft_response


def dependence(features: Tensor, group: Tensor, label: Tensor | None, *, groups: int, beta: float) -> Tensor:
    """T(group, features), or given the outcome where there is one; 0 where the rows are all of one group."""
    z = (features - features.mean(dim=0)) / (features.var(dim=0, correction=0) + 1e-5).sqrt()
    strata = [torch.ones_like(group, dtype=torch.bool)] if label is None else [label == k for k in label.unique()]
    above, spread = z.new_zeros(()), z.new_zeros(())
    for rows in strata:
        own = group[rows]
        if len(own) < 3 or bool((own == own[0]).all()):
            continue
        # A class too many, which nobody has, makes two groups count by both indicators.
        response = soft_response(own, nominal=True, classes=max(groups, 3), dtype=z.dtype)
        above = above + soft_agreement(z[rows], response, beta=beta) - response.chance
        spread = spread + response.spread
    return above / spread if float(spread) > 0 else above


@dataclass
class Memory:
    """Features of recent rows: neighbours for the rows of a batch, but no centres that learn."""

    size: int
    features: list[Tensor] = field(default_factory=list)
    group: list[Tensor] = field(default_factory=list)
    label: list[Tensor] = field(default_factory=list)

    def joined(self, features: Tensor, group: Tensor, label: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The rows together with those remembered; then they are remembered, and the oldest forgotten."""
        if self.size == 0:
            return features, group, label
        found = tuple(
            torch.cat([now, *before])
            for now, before in ((features, self.features), (group, self.group), (label, self.label))
        )
        for kept, now in ((self.features, features.detach()), (self.group, group), (self.label, label)):
            kept.append(now)
        while sum(map(len, self.group)) > self.size:
            for kept in (self.features, self.group, self.label):
                kept.pop(0)
        return found[0], found[1], found[2]
