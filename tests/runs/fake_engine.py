"""An engine of a few lines with everything a run must cope with: slow, failing, deaf and dying cells."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from diffoci.audit.cells import Cell, CellOutput, Watch
from diffoci.audit.spec import AuditSpec
from diffoci.data.dataset import Dataset
from diffoci.data.truth import make_truth


def make_spec(
    data: str,
    *,
    sensitive: Sequence[str] | None,
    preset: str = "standard",
    methods: Sequence[str] | None = None,
    seeds: int | None = None,
    twin: bool = False,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    device: str = "auto",
) -> AuditSpec:
    """`settings`: seconds a cell takes; ids of cells that are slow, deaf, failing or dying."""
    return AuditSpec(
        data=data,
        sensitive=tuple(sensitive or ("group",)),
        methods=tuple(methods or ("standard", "dF3")),
        seeds=tuple(range(2 if seeds is None else seeds)),
        preset=preset,
        twin=twin,
        options=dict(options or {}),
        settings=dict(settings or {}),
        device=device,
    )


def load_dataset(spec: AuditSpec) -> Dataset:
    time.sleep(spec.settings.get("loading", 0.0))
    return make_truth(rows=200, seed=spec.options.get("seed", 0)).dataset


def plan(spec: AuditSpec, dataset: Dataset) -> tuple[Cell, ...]:
    return tuple(
        Cell(f"methods-{method}-{seed}", "methods", method, seed, cost=1.0 + (method == "dF3"))
        for method in spec.methods
        for seed in spec.seeds
    )


def run_cell(spec: AuditSpec, dataset: Dataset, cell: Cell, watch: Watch) -> CellOutput:
    seconds, settings = spec.settings.get("seconds", 0.05), spec.settings
    if cell.id in settings.get("dying", ()):
        time.sleep(2 * seconds)
        os.kill(os.getpid(), signal.SIGKILL)
    if cell.id in settings.get("failing", ()):
        raise ValueError(f"The loss of {cell.method} was not a number in epoch 3; lower lr.")
    if cell.id in settings.get("deaf", ()):
        watch.tell(fraction=0.1, pid=os.getpid())
        time.sleep(60)
    seed = int.from_bytes(hashlib.sha256(f"{spec.methods}{cell.id}{dataset.sha256}".encode()).digest()[:4], "big")
    numbers = np.random.default_rng(seed).normal(size=20)
    for epoch in range(20):
        time.sleep(seconds / 20)
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


def assemble(
    spec: AuditSpec, dataset: Dataset, outputs: Mapping[str, CellOutput], failures: Mapping[str, str]
) -> dict[str, Any]:
    time.sleep(spec.settings.get("assembling", 0.0))
    methods = []
    for method in spec.methods:
        found = [outputs[name] for seed in spec.seeds if (name := f"methods-{method}-{seed}") in outputs]
        values = [output.summary["accuracy"] + float(output.arrays["scores"].sum()) for output in found]
        if found:
            auc = {"mean": 0.6, "low": 0.5, "high": 0.7, "values": [0.6]}
            place = {
                "auc": auc,
                "null_auc_low": 0.45,
                "null_auc_high": 0.56,
                "probe": "boosting",
                "verdict": "detected",
            }
            leakage = {"representation": place, "by_attribute": {"group": {"representation": place}}}
            accuracy = {"mean": float(np.mean(values)), "low": min(values), "high": max(values), "values": values}
            methods.append({"name": method, "y": {"accuracy": accuracy}, "leakage": leakage})
    return {
        "schema": 1,
        "spec": spec.to_dict(),
        "provenance": {"sha256": dataset.sha256, "rows": len(dataset), "real": dataset.real},
        "methods": methods,
        "failures": dict(failures),
    }
