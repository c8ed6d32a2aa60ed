"""Presets of the lab: a quick look, and everything."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.spec import SpuriousSpec

# The last says how much of a gain is only that rare groups are seen more often.
QUICK_METHODS = ("oracle", "ERM", "ERM+dF2", "DRO", "DRO+dF2", "RWG")
LAMBDAS = (0.0, 0.5, 1.0, 2.0, 6.0, 20.0, 60.0)
BETAS = (1e-5, 1e-3, 1.0, 2.0, 5.0, 100.0, 1e5, 1e7)


def lab_spec(data: str, preset: Literal["quick", "full"] = "quick") -> SpuriousSpec:
    """What a preset trains: three repetitions of the main methods, or of all with the studies of lambda and beta."""
    quick = SpuriousSpec(data=data, methods=QUICK_METHODS, seeds=(0, 1, 2))
    return quick if preset == "quick" else replace(quick, methods=tuple(METHODS), lambdas=LAMBDAS, betas=BETAS)
