"""Batches of fixed composition, drawn on the device: every batch has the same number of rows of every cell.

A cell is a class of y within a sensitive group. With the composition fixed, ranks, group sizes and the part of T that
conditions on the groups are the same for every batch: they are computed once, and nothing has to leave the device.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from diffoci.inputs import Ints

MOST_EXTRA = 0.1


@dataclass(frozen=True)
class Batches:
    """Rows of every cell on the device, and how many of each a batch takes."""

    rows: tuple[Tensor, ...]
    take: tuple[int, ...]
    count: int

    @classmethod
    def of(cls, cell: Ints, batch_size: int, device: torch.device) -> Batches:
        """Share out a batch among the cells in proportion to their size, at least one row to each.

        A cell too small for a place of its own would otherwise never be learnt from.
        """
        total = len(cell)
        size = min(batch_size, total)
        members = [np.flatnonzero(cell == level) for level in np.unique(cell)]
        exact = np.array([len(rows) * size / total for rows in members])
        take = np.floor(exact).astype(int)
        rest = np.argsort(take - exact, kind="stable")[: size - take.sum()]
        take[rest] += 1
        return cls(
            rows=tuple(torch.from_numpy(rows).to(device) for rows in members),
            take=tuple(max(1, int(share)) for share in take),
            count=max(1, round(total / size)),
        )

    @classmethod
    def by_label(cls, label: Ints, group: Ints, batch_size: int, device: torch.device) -> tuple[Batches, bool]:
        """Batches for classes of y within groups, and whether the groups' composition is fixed, too.

        Where cells are so many that a row of each would swell a batch by more than a tenth, people of rare
        combinations would count many times over: then only the classes of y are fixed, and groups come as they come.
        """
        cell = label * (int(group.max(initial=0)) + 1) + group
        fixed = cls.of(cell, batch_size, device)
        if fixed.size <= (1 + MOST_EXTRA) * min(batch_size, len(cell)):
            return fixed, True
        return cls.of(label, batch_size, device), False

    @property
    def size(self) -> int:
        return sum(self.take)

    def template(self) -> Tensor:
        """One batch's rows, to learn the composition from."""
        return torch.cat([rows[:take] for rows, take in zip(self.rows, self.take, strict=True)])

    def epoch(self, generator: torch.Generator) -> Tensor:
        """Rows of all batches of an epoch, one batch a line, cells always in the same places."""
        columns = []
        for rows, take in zip(self.rows, self.take, strict=True):
            order = torch.randperm(len(rows), generator=generator, device=rows.device)
            wanted = torch.arange(self.count * take, device=rows.device) % len(rows)
            columns.append(rows[order[wanted]].view(self.count, take))
        return torch.cat(columns, dim=1)
