"""Every training step stays on the device its rows are on: no graphics card is needed to know."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.learning.elsewhere import CARD, LEARNERS, TOGETHER

STEPS = [*LEARNERS, "adversary", "network that guesses", *[f"{name}, together" for name in TOGETHER]]


@pytest.fixture(scope="module")
def ended() -> dict[str, str]:
    """How the first step of every training went on another device."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.learning.elsewhere"], capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", STEPS)
def test_a_step_leaves_nothing_on_the_processor(name: str, ended: dict[str, str]) -> None:
    assert ended[name] == CARD


def test_a_number_left_behind_is_found(ended: dict[str, str]) -> None:
    assert "two devices" in ended["left behind"]
