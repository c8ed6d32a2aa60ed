"""Train a network by one of the methods: which rows a step sees, what it minimises, which epoch is kept."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from diffoci.inputs import Ints
from diffoci.labs.spurious.data.examples import Examples, Rows
from diffoci.labs.spurious.methods import Method
from diffoci.labs.spurious.moving import moved
from diffoci.labs.spurious.network import Network, as_inputs
from diffoci.labs.spurious.penalty import Memory, dependence
from diffoci.labs.spurious.spec import Training
from diffoci.runs.study import Watch

MOMENTUM = 0.9
# The penalty reaches its full weight after this share of the training: at once it would drown a task not yet learnt.
GROWING = 0.5
# Longer gradients are shortened to this: in some repetitions a single step ruined the features.
LONGEST = 4.0


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained network, the epoch that was kept, and what every epoch was like."""

    network: Network
    epoch: int
    history: list[dict[str, Any]]


@dataclass(eq=False)
class _Task:
    """What a step needs to know: rows on the device and their codes."""

    method: Method
    training: Training
    examples: Examples
    rows: Rows
    generator: torch.Generator
    weight: Tensor | None = None
    x: Tensor = field(init=False)
    label: Tensor = field(init=False)
    group: Tensor = field(init=False)
    cell: Tensor = field(init=False)
    members: list[Tensor] = field(init=False)
    worry: Tensor = field(init=False)
    memory: Memory = field(init=False)
    done: float = 0.0  # share of the training that lies behind

    def __post_init__(self) -> None:
        cells = len(self.examples.cells)
        self.x = as_inputs(self.rows.x)
        self.label, self.group = torch.from_numpy(self.rows.label), torch.from_numpy(self.rows.group)
        self.cell = torch.from_numpy(self.examples.cell(self.rows))
        found = [torch.nonzero(self.cell == k)[:, 0] for k in range(cells)]
        self.members = [rows for rows in found if len(rows)]
        self.worry = torch.full((cells,), 1 / cells)
        self.memory = Memory(self.training.memory)


def fit(
    network: Network,
    examples: Examples,
    rows: Rows,
    method: Method,
    training: Training,
    *,
    seed: int,
    watch: Watch,
    weight: Tensor | None = None,
) -> Fitted:
    """Train; of the second half of the epochs the one is kept whose worst group does best on validation rows.

    The first half is passed over: a network that has learnt little has no bad group yet, and no good one.
    """
    task = _Task(method, training, examples, rows, torch.Generator().manual_seed(seed), weight)
    parameters = list(network.parameters())
    speed = [torch.zeros_like(parameter) for parameter in parameters]
    steps = max(1, len(examples.train) // training.batch_size)
    best, kept, history = (-1.0, -1.0), (0, copy.deepcopy(network.state_dict())), list[dict[str, Any]]()
    for epoch in range(1, training.epochs + 1):
        network.train()
        total = 0.0
        for k, batch in enumerate(_batches(task, steps)):
            task.done = (epoch - 1 + k / steps) / training.epochs
            loss = _loss(network, task, batch)
            rate = training.lr * (1 + math.cos(math.pi * task.done)) / 2
            _step(parameters, speed, loss, rate=rate, decay=training.weight_decay)
            total += float(loss.detach()) / steps
        network.eval()
        if not math.isfinite(total):
            raise ValueError(
                f"Training broke down in epoch {epoch}; lower the learning rate (lr, now {training.lr:g})."
            )
        by_cell = group_accuracies(network, examples, examples.validation)
        line = {"epoch": epoch, "loss": total, "worst": min(by_cell), "validation": float(np.mean(by_cell))}
        history.append(line)
        watch.tell(fraction=0.9 * epoch / training.epochs, epoch=epoch, loss=total)
        if 2 * epoch > training.epochs and (line["worst"], line["validation"]) > best:
            best, kept = (line["worst"], line["validation"]), (epoch, copy.deepcopy(network.state_dict()))
    network.load_state_dict(kept[1])
    return Fitted(network, kept[0], history)


@torch.no_grad()
def predicted(network: Network, rows: Rows) -> Ints:
    """The label that the network gives each row."""
    inputs = as_inputs(rows.x)
    return np.concatenate([network(part).argmax(dim=1).numpy() for part in inputs.split(512)])


def group_accuracies(network: Network, examples: Examples, rows: Rows) -> list[float]:
    """The share predicted right of every label in every group that has rows."""
    right, cell = predicted(network, rows) == rows.label, examples.cell(rows)
    return [float(right[cell == k].mean()) for k in np.unique(cell)]


def _batches(task: _Task, steps: int) -> Iterator[Tensor]:
    """Rows of every step of an epoch, by the method's way of sampling."""
    size = min(task.training.batch_size, len(task.rows))
    if task.method.sampling == "balanced" or (task.method.robust and task.training.balanced):
        share = max(1, size // len(task.members))
        for _ in range(steps):
            yield torch.cat([rows[_integers(len(rows), share, task.generator)] for rows in task.members])
    else:
        order = torch.cat(
            [
                torch.randperm(len(task.rows), generator=task.generator)
                for _ in range(-(-steps * size // len(task.rows)))
            ]
        )
        yield from order[: steps * size].split(size)


def _loss(network: Network, task: _Task, batch: Tensor) -> Tensor:
    """What one step minimises."""
    method, training = task.method, task.training
    x, label = _seen(task, batch), task.label[batch]
    if method.mixed:
        return _mixed(network, x, label, task)
    apart = method.penalty is not None and not method.in_batch and training.penalty_rows > 0
    extra = _penalty_rows(task) if apart else batch[:0]
    features = network.extractor(torch.cat([x, _seen(task, extra)]))
    logits = network.last(features[: len(batch)])
    each = cross_entropy(logits, label, reduction="none")
    if task.weight is not None:
        each = each * task.weight[batch]
    loss = _worst(each, task, batch) if method.robust else each.mean()
    if method.invariant:
        loss = loss + training.irm * _variance_of_slopes(logits, label, task.group[batch])
    if method.penalty is not None and training.penalty > 0:
        rows, seen = (extra, features[len(batch) :]) if len(extra) else (batch, features)
        z, group, given = task.memory.joined(seen, task.group[rows], task.label[rows])
        value = dependence(
            z,
            group,
            None if method.penalty == "plain" else given,
            groups=len(task.examples.groups),
            beta=training.beta,
        )
        loss = loss + min(1.0, task.done / GROWING) * training.penalty * value.clamp_min(0)
    return loss


def _seen(task: _Task, rows: Tensor) -> Tensor:
    """Rows as a step sees them: images are moved where the training asks for it."""
    x = task.x[rows]
    is_moved = task.training.shift > 0 and x.ndim == 4 and len(x) > 0
    return moved(x, task.training.shift, task.generator) if is_moved else x


def _penalty_rows(task: _Task) -> Tensor:
    """Some rows of every cell, none twice: a row would be its own twin's nearest neighbour."""
    most = task.training.penalty_rows
    return torch.cat([rows[torch.randperm(len(rows), generator=task.generator)[:most]] for rows in task.members])


def _worst(each: Tensor, task: _Task, batch: Tensor) -> Tensor:
    """Group DRO: means by group, weighted by weights that grow where the loss is large."""
    cell = task.cell[batch]
    present = cell.unique()
    means = torch.stack([each[cell == k].mean() for k in present])
    task.worry[present] = task.worry[present] * torch.exp(task.training.eta * means.detach())
    task.worry /= task.worry.sum()
    return (task.worry[present] * means).sum()


def _mixed(network: Network, x: Tensor, label: Tensor, task: _Task) -> Tensor:
    """Mixup: a weighted mean of two rows, and of their losses."""
    drawn = np.random.default_rng(int(_integers(2**31, 1, task.generator)))
    share = float(drawn.beta(task.training.mixup, task.training.mixup))
    other = torch.randperm(len(x), generator=task.generator)
    logits = network(share * x + (1 - share) * x[other])
    return share * cross_entropy(logits, label) + (1 - share) * cross_entropy(logits, label[other])


def _variance_of_slopes(logits: Tensor, label: Tensor, group: Tensor) -> Tensor:
    """IRM: squared slope of each environment's loss in a factor on the logits, here written out."""
    own = logits.gather(1, label[:, None])[:, 0]
    slope = (logits.softmax(dim=1) * logits).sum(dim=1) - own
    return torch.stack([slope[group == k].mean().square() for k in group.unique()]).mean()


@torch.no_grad()
def _step(parameters: list[Any], speed: list[Tensor], loss: Tensor, *, rate: float, decay: float) -> None:
    """SGD with momentum, weight decay and a bound on the gradient; torch's own class would load its compiler."""
    gradients = torch.autograd.grad(loss, parameters)
    length = float(torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt())
    share = LONGEST / length if length > LONGEST else 1.0
    for parameter, velocity, gradient in zip(parameters, speed, gradients, strict=True):
        velocity.mul_(MOMENTUM).add_(share * gradient + decay * parameter)
        parameter.sub_(rate * velocity)


def _integers(below: int, count: int, generator: torch.Generator) -> Tensor:
    return torch.randint(below, (count,), generator=generator)
