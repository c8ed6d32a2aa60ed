"""A study of a few lines with everything a run must cope with: slow, failing, deaf and dying cells."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from diffoci.runs import Cell, CellOutput, Failures, Made, Outputs, Result, Spec, Study, Watch


class FakeSpec(Spec, frozen=True, kw_only=True):
    """`seconds` is what a cell takes, `loading` and `assembling` what these do; the others are ids of cells."""

    methods: tuple[str, ...] = ("standard", "dF3")
    seeds: int = 2
    data: int = 0
    seconds: float = 0.05
    loading: float = 0.0
    assembling: float = 0.0
    failing: tuple[str, ...] = ()
    deaf: tuple[str, ...] = ()
    dying: tuple[str, ...] = ()


class FakeResult(Result, frozen=True, kw_only=True):
    """The mean of each method, and what made it."""

    methods: dict[str, float]
    versions: dict[str, str]
    device: str
    seconds: float
    undefined: float | None


@dataclass(frozen=True)
class Numbers:
    """The data: one number."""

    number: int

    @property
    def sha256(self) -> str:
        return hashlib.sha256(str(self.number).encode()).hexdigest()


class FakeStudy(Study[FakeSpec, Numbers, FakeResult]):
    name = "fake"
    title = "Fake study"
    spec = FakeSpec
    result = FakeResult

    def load(self, spec: FakeSpec) -> Numbers:
        time.sleep(spec.loading)
        return Numbers(spec.data)

    def plan(self, spec: FakeSpec, data: Numbers) -> tuple[Cell, ...]:
        return tuple(
            Cell(f"methods-{method}-{seed}", "methods", method, seed, cost=1.0 + (method == "dF3"))
            for method in spec.methods
            for seed in range(spec.seeds)
        )

    def run_cell(self, spec: FakeSpec, data: Numbers, cell: Cell, watch: Watch) -> CellOutput:
        if cell.id in spec.dying:
            time.sleep(2 * spec.seconds)
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.id in spec.failing:
            raise ValueError(f"The loss of {cell.method} was not a number in epoch 3; lower lr.")
        if cell.id in spec.deaf:
            watch.tell(fraction=0.1, pid=os.getpid())
            time.sleep(60)
        seed = int.from_bytes(hashlib.sha256(f"{spec.methods}{cell.id}{data.sha256}".encode()).digest()[:4], "big")
        numbers = np.random.default_rng(seed).normal(size=20)
        for epoch in range(20):
            time.sleep(spec.seconds / 20)
            watch.tell(
                fraction=(epoch + 1) / 20,
                epoch=epoch,
                loss=numbers[epoch],
                T_validation=np.float32(0.5),
                theta=numbers,
                pid=os.getpid(),
            )
        return CellOutput(
            {"accuracy": float(numbers.mean()), "undefined": float("nan"), "probe": "boosting"},
            {"scores": numbers},
            {"theta": numbers.astype(np.float32)},
        )

    def assemble(self, spec: FakeSpec, data: Numbers, outputs: Outputs, failures: Failures, made: Made) -> FakeResult:
        time.sleep(spec.assembling)
        found: dict[str, list[float]] = {}
        for name, output in outputs.items():
            value = output.summary["accuracy"] + float(output.arrays["scores"].sum())
            found.setdefault(name.split("-")[1], []).append(value)
        return FakeResult(
            methods={method: float(np.mean(values)) for method, values in found.items()},
            versions=dict(made.versions),
            device=made.device,
            seconds=made.seconds,
            undefined=float("nan"),
        )

    def headline(self, result: FakeResult) -> str:
        return ", ".join(f"{method} {mean:.3f}" for method, mean in result.methods.items())


FAKE: Study[Any, Any, Any] = FakeStudy()
