"""The training loop every network here uses: epochs of device-drawn batches, the best epoch by validation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from diffoci.learning._adam import Adam
from diffoci.learning._batches import Batches

History = list[dict[str, Any]]
# A batch smaller than this is done before a second thread has woken up.
SMALL_BATCH = 4096


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train; without `patience` all epochs are done and the last one is kept."""

    lr: float
    weight_decay: float
    max_epochs: int
    patience: int | None


class Diverged(ValueError):
    """The loss is no longer a number; says in which epoch and which setting to lower."""


class Course:
    """The course of one training: its epochs' lines, the best of them by validation, and when it is over.

    Training ends when no epoch was better for `schedule.patience` epochs. The weights of the epoch with the lowest
    "validation_loss" are kept.
    """

    def __init__(
        self, model: nn.Module, schedule: Schedule, on_epoch: Callable[[dict[str, Any]], None] = lambda _: None
    ) -> None:
        self.history: History = []
        # Asking a model for its parts takes as long as a step on small data, so it is done once.
        self._parts, self._state = list(model.modules()), list(model.state_dict().values())
        self._schedule, self._on_epoch = schedule, on_epoch
        self._best, self._best_state, self._waited = float("inf"), _copy(self._state), 0

    @property
    def is_over(self) -> bool:
        """Whether the last epoch was the last one."""
        schedule = self._schedule
        return len(self.history) == schedule.max_epochs or self._waited == (schedule.patience or -1)

    def begin_epoch(self) -> None:
        """Put the model into training."""
        _switch(self._parts, training=True)
        self._sums: dict[str, Tensor] = {}
        self._steps = 0

    def add(self, values: Mapping[str, Tensor]) -> None:
        """Take note of a step's values; they are averaged over an epoch on the device and read once, after it."""
        self._steps += 1
        for name, value in values.items():
            self._sums[name] = self._sums[name] + value.detach() if name in self._sums else value.detach()

    def end_epoch(self, validate: Callable[[], Mapping[str, Any]]) -> None:
        """Validate, and keep the weights if they are the best so far."""
        _switch(self._parts, training=False)
        with torch.no_grad():
            checked = validate()
        means = {name: float(value) / self._steps for name, value in self._sums.items()}
        line = {"epoch": len(self.history) + 1, **means, **checked}
        _check(line, self._schedule)
        self.history.append(line)
        self._on_epoch(line)
        if self._schedule.patience is None:
            return
        if line["validation_loss"] < self._best - 1e-5:
            self._best, self._best_state, self._waited = line["validation_loss"], _copy(self._state), 0
        else:
            self._waited += 1

    def keep_best(self) -> None:
        """Return to the weights of the best epoch; without patience the last one's are kept."""
        if self._schedule.patience is not None:
            for now, kept in zip(self._state, self._best_state, strict=True):
                now.copy_(kept)


def train(
    model: nn.Module,
    batches: Batches,
    step: Callable[[Tensor], Mapping[str, Tensor]],
    validate: Callable[[], Mapping[str, Any]],
    *,
    schedule: Schedule,
    generator: torch.Generator,
    on_epoch: Callable[[dict[str, Any]], None] = lambda _: None,
) -> History:
    """Minimise ``step(rows)["loss"]``; keep the epoch whose ``validate()["validation_loss"]`` is lowest."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = Adam(parameters, lr=schedule.lr, weight_decay=schedule.weight_decay)
    course = Course(model, schedule, on_epoch)
    while not course.is_over:
        course.begin_epoch()
        for rows in batches.epoch(generator):
            values = step(rows)
            optimizer.step(torch.autograd.grad(values["loss"], parameters))
            course.add(values)
        course.end_epoch(validate)
    course.keep_best()
    return course.history


@contextlib.contextmanager
def few_threads(batch_size: int, device: torch.device) -> Iterator[None]:
    """One thread while batches are small: more only wait for each other."""
    before = torch.get_num_threads()
    if device.type == "cpu" and batch_size < SMALL_BATCH and before > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def pick_device(name: str) -> torch.device:
    """ "auto" is the first GPU there is, else the processor."""
    if name != "auto":
        try:
            return torch.empty(0, device=name).device
        except (RuntimeError, AssertionError):
            raise ValueError(f"There is no device {name!r} on this machine; use 'auto' or 'cpu'.") from None
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _switch(parts: Iterable[nn.Module], *, training: bool) -> None:
    """`train()` or `eval()` of a model whose parts are known, past torch's slow way to set an attribute."""
    for part in parts:
        vars(part)["training"] = training


def _copy(state: Iterable[Tensor]) -> list[Tensor]:
    return [value.clone() for value in state]


def _check(line: Mapping[str, Any], schedule: Schedule) -> None:
    if not all(abs(line[name]) < 1e6 for name in ("loss", "validation_loss")):  # NaN fails too
        raise Diverged(
            f"Training broke down in epoch {line['epoch']} (loss {line['loss']:.3g}); "
            f"lower the learning rate (lr, now {schedule.lr:g})."
        )
