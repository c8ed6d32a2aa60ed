"""The response as a soft neighbour sees it: ranks, or classes, with what chance and full agreement give."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot


@dataclass(frozen=True)
class SoftResponse:
    """The response on the device: ranks above the smallest one, divided by n.

    `value[j]` is what row j contributes as a neighbour (its rank), unless `code` is set: then a neighbour
    counts by sharing the class. `active` are the rows whose agreement depends on their neighbours, `cap` the
    most they can agree, `scale` what one unit of agreement is worth. `full` is the agreement of every row
    with itself, `chance` what independence gives, `spread` the denominator of the unconditional coefficient.
    """

    value: Tensor
    code: Tensor | None
    active: Tensor
    cap: Tensor
    scale: Tensor
    chance: Tensor
    spread: Tensor
    full: Tensor


def soft_response(
    y: Tensor,
    *,
    nominal: bool = False,
    dtype: torch.dtype = torch.float32,
    classes: int | None = None,
    every_class: bool = False,
    alike: bool = False,
) -> SoftResponse:
    """Ranks or classes of y on its device.

    `classes` names the number of codes 0..classes-1 of a nominal y, so that no value has to leave the device. Of two
    classes T takes the codes, so that rows of the first are constants; with `every_class` both are looked at from,
    which has the same limit and half the noise. Of more classes T is a mean of each against the rest in which a class
    of a tenth of the rows weighs a hundredth of what it would alone; where they are `alike`, all weigh the same.
    """
    rows = len(y)
    y = y.long() if y.dtype == torch.bool else y  # not every device sorts truth values
    if nominal:
        levels = y.unique(return_inverse=True)[1] if classes is None else y.long()
        classes = int(levels.max()) + 1 if classes is None else classes
        if classes > 2 or every_class:
            return _classes(levels, classes, dtype, alike=alike and classes > 2)
        y = levels
    ordered = y.sort().values
    rank = torch.searchsorted(ordered, y, right=True)
    upper = rows - torch.searchsorted(ordered, y)
    active = (rank > rank.min()).nonzero()[:, 0]
    return ranked(rank, upper, active, dtype)


def ranked(rank: Tensor, upper: Tensor, active: Tensor, dtype: torch.dtype) -> SoftResponse:
    """Response from the counts r and l and the rows above the smallest rank."""
    rows, lowest = len(rank), rank.min()
    value = (rank - lowest).to(dtype) / rows
    # Whole numbers until the last moment: the two sums nearly cancel.
    chance = (upper * upper - rows * lowest).sum()
    spread = (upper * (rows - upper)).sum()
    return SoftResponse(
        value=value,
        code=None,
        active=active,
        cap=value[active],
        scale=torch.ones_like(value[active]),
        chance=chance.to(dtype) / rows**2,
        spread=spread.to(dtype) / rows**2,
        full=value.sum(),
    )


def _classes(code: Tensor, classes: int, dtype: torch.dtype, *, alike: bool) -> SoftResponse:
    rows = len(code)
    value = one_hot(code, classes).to(dtype)
    share = value.mean(dim=0)
    scale, chance, spread = share, share**3, share**2 * (1 - share)
    if alike:  # every class that has rows has the same spread
        scale, chance, spread = (part / spread.clamp_min(1e-12) * (spread > 0) for part in (scale, chance, spread))
    scale = scale[code]
    return SoftResponse(
        value=value,
        code=code,
        active=torch.arange(rows, device=code.device),
        cap=torch.ones_like(scale),
        scale=scale,
        chance=rows * chance.sum(),
        spread=rows * spread.sum(),
        full=scale.sum(),
    )
