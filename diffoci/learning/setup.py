"""What every training begins with: a device, two sources of chance, how long and how fast, rows as tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from diffoci.inputs import Ints, Matrix
from diffoci.learning._batches import Batches
from diffoci.learning.models import Dropout, Network
from diffoci.learning.training import History, Schedule, few_threads, pick_device, train

# Validation coefficients of more rows than this say nothing new and cost their square; the same number of training rows
# tells the scale of outputs well enough to compare epochs (after the last one it is measured on all).
MOST_VALIDATION_ROWS = 2048


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to learn from or to validate on: inputs, the label, and the code of every row's sensitive group."""

    x: Matrix
    label: NDArray[Any]
    group: Ints | None = None

    def take(self, rows: Any) -> Rows:
        """Some of these rows."""
        return Rows(self.x[rows], self.label[rows], None if self.group is None else self.group[rows])


@dataclass(frozen=True, eq=False)
class Setup:
    """Where and how to train; `start` draws the first weights, `order` the batches and what dropout leaves out.

    Both are generators of its own: one seed, one result, whatever else draws random numbers.
    """

    device: torch.device
    start: torch.Generator
    order: torch.Generator
    schedule: Schedule
    batch_size: int

    @classmethod
    def of(cls, device: str, seeds: tuple[int, int], schedule: Schedule, batch_size: int) -> Setup:
        """Make the generators from two seeds; `device` is a name, or "auto"."""
        chosen = pick_device(device)
        start = torch.Generator().manual_seed(seeds[0])
        return cls(chosen, start, torch.Generator(device=chosen).manual_seed(seeds[1]), schedule, batch_size)

    def numbers(self, values: NDArray[Any]) -> Tensor:
        """Numbers on the device."""
        return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)).to(self.device)

    def codes(self, codes: NDArray[Any]) -> Tensor:
        """Codes of classes or groups on the device."""
        return torch.from_numpy(codes.astype(np.int64)).to(self.device)

    def network(
        self, columns: int, hidden: Sequence[int], width: int, *, dropout: float, weighted: bool = False
    ) -> Network:
        """A network at its start; `dropout` is the share of hidden values left out of every training step."""
        left_out = Dropout(dropout, self.order) if dropout else None
        return Network(columns, hidden, width, self.start, weighted=weighted, dropout=left_out).to(self.device)

    def train(
        self,
        modules: Sequence[nn.Module],
        batches: Batches,
        step: Callable[[Tensor], Mapping[str, Tensor]],
        validate: Callable[[], Mapping[str, Any]],
        on_epoch: Callable[[dict[str, Any]], None],
    ) -> History:
        """Train these modules together by `diffoci.learning.training.train`."""
        model = nn.ModuleList(modules)
        with few_threads(self.batch_size, self.device):
            return train(
                model, batches, step, validate, schedule=self.schedule, generator=self.order, on_epoch=on_epoch
            )


def enough_rows(count: int) -> Tensor:
    """All rows, or as many as are enough to validate on, always the same ones."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))[:MOST_VALIDATION_ROWS]


@torch.no_grad()
def outputs(network: Network, x: Matrix) -> Matrix:
    """What a network makes of rows, computed where its weights are."""
    rows = torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).to(network.standardize.mean.device)
    return np.asarray(network(rows).cpu().numpy())
