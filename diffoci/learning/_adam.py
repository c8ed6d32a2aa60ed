"""Adam, by torch's own fused kernel, without what torch's optimizer class brings along.

The class loads torch's compiler with its first object (a second, 70 MB) and looks after hooks and groups in every step,
which on small batches costs as much as the step itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn


class Adam:
    """`torch.optim.Adam(..., fused=True)`, number by number, for parameters that have a gradient in every step."""

    def __init__(self, parameters: Iterable[nn.Parameter], *, lr: float, weight_decay: float) -> None:
        self._parameters: list[torch.Tensor] = list(parameters)
        self._first = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._second = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._steps = [torch.zeros((), device=parameter.device) for parameter in self._parameters]
        self._lr, self._weight_decay = lr, weight_decay

    @torch.no_grad()
    def step(self, gradients: Iterable[torch.Tensor]) -> None:
        """Move the parameters against their gradients."""
        torch._foreach_add_(self._steps, 1)
        torch._fused_adam_(
            self._parameters,
            list(gradients),
            self._first,
            self._second,
            [],
            self._steps,
            lr=self._lr,
            beta1=0.9,
            beta2=0.999,
            weight_decay=self._weight_decay,
            eps=1e-8,
            amsgrad=False,
            maximize=False,
        )
