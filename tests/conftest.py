"""Where the reference values of R lie, which devices this machine has, and what the processes of a test run share."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from tests.made_once import SHARED

GOLDEN = Path(os.environ.get("DIFFOCI_GOLDEN", Path(__file__).parents[2] / "shared" / "golden"))
DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available() + ["mps"] * torch.backends.mps.is_available()


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        os.environ[SHARED] = tempfile.mkdtemp(prefix="diffoci-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[SHARED], ignore_errors=True)


@pytest.fixture
def golden() -> Callable[[str], Any]:
    """Reference values by file name; skips where the reference folder is absent."""
    if not GOLDEN.is_dir():
        pytest.skip("the reference values from R are not beside this checkout (set DIFFOCI_GOLDEN)")
    return lambda name: json.loads((GOLDEN / f"{name}.json").read_text())


@pytest.fixture
def golden_frame(golden: object) -> Callable[[str], tuple[pd.DataFrame, pd.Series]]:
    """Features and response of a reference case."""

    def read(name: str) -> tuple[pd.DataFrame, pd.Series]:
        frame = pd.read_csv(GOLDEN / "data" / f"{name}.csv.gz")
        return frame.drop(columns="y"), frame["y"]

    return read


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> torch.device:
    return torch.device(request.param)
