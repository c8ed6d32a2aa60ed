"""Do the first step of every training on a device of which torch knows nothing but the name, and say how it went.

A training is set up on the processor, down to its first step. Then all tensors it holds are exchanged for tensors that
torch takes to be on another device, and the step is done: one number that was left behind on the processor raises. This
is a program of its own: torch must hear of the device before it computes its first gradient. For "cuda" it would want
libraries that a machine without a graphics card lacks.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from diffoci.learning._adam import Adam
from diffoci.learning.adversary import against_adversary
from diffoci.learning.classifier import fit_classifier
from diffoci.learning.estimator import DifFOCI
from diffoci.learning.setup import Rows, Setup
from diffoci.learning.together import Runner, side_by_side

ROWS, CARD = 400, "card"
NETWORK: dict[str, Any] = {"model": "nn", "hidden": (8, 8), "dropout": 0.5, "batch_size": 256, "max_epochs": 1}
LEARNERS: dict[str, dict[str, Any]] = {
    "vec-dF1": {"objective": "dF1", "model": "vec", "batch_size": 128, "max_epochs": 1},
    "vec-dF3": {"objective": "dF3", "model": "vec", "batch_size": 128, "max_epochs": 1},
    "dF1": {**NETWORK, "objective": "dF1"},
    "dF2": {**NETWORK, "objective": "dF2", "width": 1, "penalty": 1.0},
    "dF2, paper": {**NETWORK, "objective": "dF2", "penalty": 1.0, "measure": "T-codes"},
    "dF2, ranks": {**NETWORK, "objective": "dF2", "width": 1, "penalty": 1.0, "measure": "T-ranks"},
    "dF2, projections": {**NETWORK, "objective": "dF2", "width": 4, "penalty": 1.0, "measure": "projections"},
    "dF3": {**NETWORK, "objective": "dF3"},
    "dF3+penalty": {**NETWORK, "objective": "dF3", "width": 1, "penalty": 1.0, "neighbours": "same"},
    "dF3+penalty, all": {**NETWORK, "objective": "dF3", "width": 1, "penalty": 1.0},
    "hsic": {**NETWORK, "objective": "dF2", "width": 1, "penalty": 1.0, "measure": "hsic"},
    "vec-nn": {**NETWORK, "objective": "dF3", "model": "vec-nn", "width": 3, "penalty": 1.0},
}

TOGETHER = [name for name, learner in LEARNERS.items() if learner["model"] != "vec"]


class _StoppedError(Exception):
    """A training came to its first step."""


class Move:
    """Exchange tensors for tensors on the card, however deep they lie; what is held twice stays one."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}

    def __call__(self, thing: Any) -> Any:
        if id(thing) not in self._known:
            self._known[id(thing)] = (thing, self._moved(thing))
        return self._known[id(thing)][1]

    def _moved(self, thing: Any) -> Any:
        if isinstance(thing, Tensor):
            there = torch.empty(thing.shape, dtype=thing.dtype, device=CARD)
            return nn.Parameter(there) if isinstance(thing, nn.Parameter) else there
        if isinstance(thing, list | tuple):
            return type(thing)(self(one) for one in thing)
        if isinstance(thing, types.FunctionType) and thing.__closure__:
            cells = tuple(types.CellType(self(cell.cell_contents)) for cell in thing.__closure__)
            return types.FunctionType(thing.__code__, thing.__globals__, thing.__name__, thing.__defaults__, cells)
        if isinstance(thing, nn.Module):
            fields = {name: dict(getattr(thing, name)) for name in ("_parameters", "_buffers", "_modules")}
            changed = {name: {key: self(one) for key, one in held.items()} for name, held in fields.items()}
        elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
            changed = {field.name: self(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
        else:
            return thing
        there = copy.copy(thing)
        for name, value in changed.items():
            object.__setattr__(there, name, value)
        return there


def step_elsewhere(fit: Callable[[], object]) -> str:
    """Where the parameters of a training are after its first step, or what went wrong."""
    caught: list[Any] = []

    def stop(self: Any, modules: Any, batches: Any, step: Any, *_: Any) -> None:
        caught.extend([list(modules), step, batches.epoch(self.order)[0]])
        raise _StoppedError

    Setup.train = stop  # type: ignore[assignment,method-assign]
    with contextlib.suppress(_StoppedError):
        fit()
    try:
        with FakeTensorMode():
            modules, step, rows = Move()(caught)
            parameters = [parameter for module in modules for parameter in module.parameters()]
            gradients = torch.autograd.grad(step(rows)["loss"], parameters)
            Adam(parameters, lr=1e-3, weight_decay=0.0).step(gradients)
    except RuntimeError as problem:
        return str(problem)
    return ", ".join(sorted({parameter.device.type for parameter in parameters}))


def together_elsewhere(learner: dict[str, Any]) -> str:
    """Where the parameters of two trainings are after their first step side by side, or what went wrong."""
    X, y, s = _people()
    trainings = [DifFOCI(device="cpu", random_state=seed, **learner).begin(X, y, s) for seed in (0, 1)]
    rows = [training.batches.epoch(training.setup.order)[0] for training in trainings]
    try:
        with FakeTensorMode():
            there, batches = Move()([trainings, rows])
            runners = [Runner(training) for training in there]
            for runner in runners:
                runner.course.begin_epoch()
            side_by_side(runners, batches)
    except RuntimeError as problem:
        return str(problem)
    return ", ".join(sorted({parameter.device.type for runner in runners for parameter in runner.parameters}))


def _people() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 6)).astype(np.float32)
    return X, rng.integers(0, 2, ROWS), rng.integers(0, 3, ROWS)


def _on_the_processor(scores: Tensor, _: Tensor) -> Tensor:
    return (scores @ torch.ones(2)).sum()


def trainings() -> dict[str, Callable[[], object]]:
    """Every kind of training there is, by name."""
    X, y, s = _people()
    rows = Rows(X, y, s)
    own: dict[str, Any] = {"width": 1, "hidden": (8,), "lr": 1e-3, "weight_decay": 0.0, "batch_size": 256}
    own |= {"max_epochs": 1, "patience": None, "dropout": 0.5, "weight": 1.0, "device": "cpu", "seed": 0}

    def left_behind() -> None:
        """One tensor of its own on the processor, so that the test can be seen to fail."""
        nn.functional.cross_entropy = _on_the_processor  # type: ignore[assignment]
        fit_classifier(X, y, (X, y), classes=2, hidden=(8,), device="cpu")

    return {
        **{name: partial(DifFOCI(device="cpu", **learner).fit, X, y, s) for name, learner in LEARNERS.items()},
        "adversary": lambda: against_adversary(rows, rows, **own)[0].alone(),
        "network that guesses": lambda: fit_classifier(X, y, (X, y), classes=2, hidden=(8,), device="cpu"),
        "left behind": left_behind,
    }


if __name__ == "__main__":
    _setup_privateuseone_for_python_backend(CARD)
    found = {f"{name}, together": together_elsewhere(LEARNERS[name]) for name in TOGETHER}
    print(json.dumps(found | {name: step_elsewhere(fit) for name, fit in trainings().items()}))
