"""Small real audits for tests of figures and pages: simulated students above all, known truth, a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from tests.made_once import made_once

_SHORT = {"max_epochs": 3, "patience": 3, "hidden": (16,)}
METHODS = ("standard", "dF3", "dF3+penalty", "leace")
SEEDS = 2


def make_sample(folder: Path | None = None) -> Run:
    """Run it to its end, below `runs_root` or in `folder`."""
    return _made(
        folder, "student", ["sex", "address"], twin=True, methods=METHODS, seeds=SEEDS, settings={"curve": (0.0, 1.0)}
    )


def _made(folder: Path | None, data: str, sensitive: list[str], *, settings: Mapping[str, Any], **how: Any) -> Run:
    short = {
        "network": _SHORT,
        "penalised": _SHORT,
        "adversary": _SHORT,
        "probe": _SHORT,
        "vec": {"max_epochs": 4, "patience": 4},
        "null_draws": 200,
        "permutations": 19,
    }
    spec = make_spec(data, sensitive=sensitive, preset="quick", settings={**short, **settings}, device="cpu", **how)
    run = Run.create(AUDIT, spec, folder=folder)
    status = execute(run, Means(jobs=1))
    assert status.state == "done", status.message
    return run


@cache
def sample() -> Run:
    """The one audit that tests of figures, pages and reports read."""
    return made_once("sample", lambda folder: make_sample(folder / "run"))


@cache
def truth_sample() -> Run:
    """A small audit of generated data whose truth is known."""
    return made_once("truth", lambda folder: _made_small(folder / "run", "truth", ["group"], options={"rows": 500}))


@cache
def file_sample() -> Run:
    """A small audit of a file, which lies beside its folder."""

    def make(folder: Path) -> Run:
        path = folder / "people.csv"
        path.write_bytes(people_file())
        options = {"label": "hired", "drop": ["number"]}
        return _made_small(folder / "run", f"csv:{path}", ["sex"], options=options)

    return made_once("file", make)


@cache
def three_attributes() -> Run:
    """A small audit of more attributes than the body of a report shows in full."""
    names = ["sex", "race", "age"]
    return made_once(
        "three", lambda folder: _made_small(folder / "run", "acs-income", names, options={"rows": 600}, twin=True)
    )


def people_file(seed: int = 0) -> bytes:
    """A table of 1,000 people, as they would upload it."""
    rng = np.random.default_rng(seed)
    sex, hours = rng.choice(["f", "m"], 1000), rng.normal(36, 8, 1000).round(1)
    columns = {
        "number": np.arange(1000),
        "hours": hours + 4 * (sex == "m"),
        "age": rng.integers(18, 70, 1000),
        "sex": sex,
        "hired": np.where(hours + rng.normal(0, 6, 1000) > 36, "yes", "no"),
    }
    return pd.DataFrame(columns).to_csv(index=False).encode()


def _made_small(folder: Path, data: str, sensitive: list[str], *, options: Mapping[str, Any], **how: Any) -> Run:
    methods = ("standard", "leace")
    return _made(folder, data, sensitive, methods=methods, seeds=1, options=options, settings={"curve": ()}, **how)
