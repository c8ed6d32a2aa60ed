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
    """Minimise ``step(rows)["loss"]``; keep the weights of the epoch with the lowest ``validate()["validation_loss"]``.

    Training ends when no epoch was better for `schedule.patience` epochs.

    The values of `step` are averaged over an epoch on the device and read once, after it.
    """
    optimizer = Adam(model.parameters(), lr=schedule.lr, weight_decay=schedule.weight_decay)
    history: History = []
    # Asking a model for its parts takes as long as a step on small data, so it is done once.
    parts, state = list(model.modules()), list(model.state_dict().values())
    best, best_state, waited = float("inf"), _copy(state), 0
    for epoch in range(1, schedule.max_epochs + 1):
        _switch(parts, training=True)
        sums: dict[str, Tensor] = {}
        for rows in batches.epoch(generator):
            values = step(rows)
            optimizer.step(values["loss"])
            for name, value in values.items():
                sums[name] = sums[name] + value.detach() if name in sums else value.detach()
        _switch(parts, training=False)
        with torch.no_grad():
            checked = validate()
        line = {"epoch": epoch, **{name: float(value) / batches.count for name, value in sums.items()}, **checked}
        _check(line, schedule)
        history.append(line)
        on_epoch(line)
        if schedule.patience is None:
            continue
        if line["validation_loss"] < best - 1e-5:
            best, best_state, waited = line["validation_loss"], _copy(state), 0
        else:
            waited += 1
            if waited >= schedule.patience:
                break
    if schedule.patience is not None:
        for now, kept in zip(state, best_state, strict=True):
            now.copy_(kept)
    return history


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
