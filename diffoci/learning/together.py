"""Several networks trained as one: a layer is one product of stacks of matrices, and every network keeps its numbers.

A small batch is mostly spent on calling torch at all, and a graphics card is idle under one small network. Here the
networks of several splits, weights or objectives take their steps side by side: layers of equal shape go through
`torch.baddbmm`, activations of all networks through one call. What is each network's own stays its own: its rows, its
random numbers, its objective, its optimiser, its best epoch and when it ends. A network's numbers are those it has when
it is trained alone, bit by bit, whatever is trained beside it; layers with one input or output, for which torch takes
another way when they stand alone, are therefore not stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from diffoci.learning._adam import Adam
from diffoci.learning._batches import Batches
from diffoci.learning.linear import gradients, product, takes_onednn
from diffoci.learning.models import Network, Rectify, Thinned, Vec
from diffoci.learning.setup import Setup
from diffoci.learning.training import Course, Diverged, History, few_threads


@dataclass(frozen=True, eq=False)
class Training:
    """A training that is ready to begin; after it, the network has its best epoch's weights and its output's scale.

    `loss` gives the values of a step, "loss" among them, for the representation of a batch and the batch's rows of `x`;
    `others` are what is trained with the network: a head, an adversary.
    """

    network: Vec | Network
    others: tuple[nn.Module, ...]
    x: Tensor
    batches: Batches
    loss: Callable[[Tensor, Tensor], Mapping[str, Tensor]]
    validate: Callable[[], Mapping[str, Any]]
    setup: Setup
    on_epoch: Callable[[dict[str, Any]], None] = lambda _: None

    def alone(self) -> History:
        """Train by itself."""

        def step(rows: Tensor) -> Mapping[str, Tensor]:
            return self.loss(self.network(self.x.index_select(0, rows)), rows)

        with self.few_threads():
            history = self.setup.train([self.network, *self.others], self.batches, step, self.validate, self.on_epoch)
            self.network.calibrate(self.x)
        return history

    def few_threads(self) -> AbstractContextManager[None]:
        """One thread while batches are small."""
        return few_threads(min(self.setup.batch_size, len(self.x)), self.setup.device)

    def kind(self) -> Hashable:
        """Trainings of one kind can take their steps side by side."""
        if isinstance(self.network, Vec):
            return id(self)  # there is nothing to stack
        shapes = [tuple(part.weight.shape) for part in self.network.layers if isinstance(part, nn.Linear)]
        inner = tuple(shapes[1:-1])  # the first and the last layer may differ: inputs and outputs do
        thinned = {part.dropout and part.dropout.share for part in self.network.layers if isinstance(part, Rectify)}
        return (str(self.setup.device), self.batches.size, self.batches.count, inner, len(shapes), *thinned)


def train_together(trainings: Sequence[Training]) -> list[History | Diverged]:
    """Train all, those of one kind side by side; one that breaks down has its reason in place of its history."""
    kinds: dict[Hashable, list[int]] = {}
    for number, training in enumerate(trainings):
        kinds.setdefault(training.kind(), []).append(number)
    found: dict[int, History | Diverged] = {}
    for numbers in kinds.values():
        several = [trainings[number] for number in numbers]
        found |= zip(numbers, _train(several), strict=True)
    return [found[number] for number in range(len(trainings))]


def _train(trainings: Sequence[Training]) -> list[History | Diverged]:
    if len(trainings) == 1:
        try:
            return [trainings[0].alone()]
        except Diverged as problem:
            return [problem]
    runners = [Runner(training) for training in trainings]
    with trainings[0].few_threads():
        while going := [runner for runner in runners if not runner.is_over]:
            for rows in zip(*[runner.begin_epoch() for runner in going], strict=True):
                side_by_side(going, rows)
            for runner in going:
                runner.end_epoch()
        return [runner.end() for runner in runners]


class Runner:
    """One training among others: its optimiser, its course, and whether it broke down."""

    def __init__(self, training: Training) -> None:
        self.training, schedule = training, training.setup.schedule
        whole = nn.ModuleList([training.network, *training.others])
        self.parameters = [parameter for parameter in whole.parameters() if parameter.requires_grad]
        self.optimizer = Adam(self.parameters, lr=schedule.lr, weight_decay=schedule.weight_decay)
        self.course = Course(whole, schedule, training.on_epoch)
        self.broke_down: Diverged | None = None

    @property
    def is_over(self) -> bool:
        return self.broke_down is not None or self.course.is_over

    def begin_epoch(self) -> Tensor:
        """Rows of all batches of an epoch."""
        self.course.begin_epoch()
        return self.training.batches.epoch(self.training.setup.order)

    def end_epoch(self) -> None:
        try:
            self.course.end_epoch(self.training.validate)
        except Diverged as problem:
            self.broke_down = problem

    def end(self) -> History | Diverged:
        if self.broke_down is not None:
            return self.broke_down
        self.course.keep_best()
        self.training.network.calibrate(self.training.x)
        return self.course.history


def side_by_side(runners: Sequence[Runner], rows: Sequence[Tensor]) -> None:
    """One step of every network."""
    batches = [one.training.x.index_select(0, some) for one, some in zip(runners, rows, strict=True)]
    outputs = _outputs([one.training.network for one in runners], batches)  # type: ignore[misc]
    values = [one.training.loss(z, some) for one, z, some in zip(runners, outputs, rows, strict=True)]
    parameters = [parameter for one in runners for parameter in one.parameters]
    gradients = iter(torch.autograd.grad([value["loss"] for value in values], parameters))
    for one, value in zip(runners, values, strict=True):
        one.optimizer.step([next(gradients) for _ in one.parameters])
        one.course.add(value)


class _Products(torch.autograd.Function):
    """One linear layer of every network: x of shape (networks, rows, inputs), then all weights, then all biases."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *layers: Tensor) -> Tensor:
        weight, biases = torch.stack(layers[: len(x)]), layers[len(x) :]
        ctx.save_for_backward(x, weight)
        if takes_onednn(x[0], weight[0]):
            return torch.stack([product(*one) for one in zip(x, weight, biases, strict=True)])
        return torch.baddbmm(torch.stack(biases)[:, None], x, weight.transpose(1, 2))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        (x, weight), wanted = ctx.saved_tensors, ctx.needs_input_grad[0]
        if takes_onednn(x[0], weight[0]):
            each = [gradients(*one, to_x=wanted) for one in zip(upstream, x, weight, strict=True)]
            to_rows, to_weights, to_biases = zip(*each, strict=True)
            return torch.stack(to_rows) if wanted else None, *to_weights, *to_biases
        to_x = torch.bmm(upstream, weight) if wanted else None
        return to_x, *torch.bmm(upstream.transpose(1, 2), x).unbind(0), *upstream.sum(dim=1).unbind(0)


def _outputs(networks: Sequence[Network], batches: Sequence[Tensor]) -> list[Tensor]:
    """What every network in training makes of its batch, all hidden layers together."""
    values: Sequence[Tensor] | Tensor = batches  # one for each network, or all stacked
    for parts in zip(*[network.layers for network in networks], strict=True):
        if isinstance(parts[0], Rectify):
            values = _rectified(parts, _stacked(values))
        elif len({part.weight.shape for part in parts}) > 1 or 1 in parts[0].weight.shape:
            values = [part(each) for part, each in zip(parts, _apart(values), strict=True)]
        else:
            layers = [part.weight for part in parts] + [part.bias for part in parts]
            values = _Products.apply(_stacked(values), *layers)  # type: ignore[no-untyped-call]
    return [network.finished(each) for network, each in zip(networks, _apart(values), strict=True)]


def _rectified(parts: Sequence[Rectify], x: Tensor) -> Tensor:
    if parts[0].dropout is None:
        return x.relu_()
    kept = torch.stack([part.kept(each) for part, each in zip(parts, x, strict=True)])
    thinned: Tensor = Thinned.apply(x, kept, parts[0].dropout.share)  # type: ignore[no-untyped-call]
    return thinned


def _stacked(values: Sequence[Tensor] | Tensor) -> Tensor:
    return values if isinstance(values, Tensor) else torch.stack(list(values))


def _apart(values: Sequence[Tensor] | Tensor) -> Sequence[Tensor]:
    return values.unbind(0) if isinstance(values, Tensor) else values
