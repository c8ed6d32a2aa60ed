"""difFOCI: rank coefficients, exact and differentiable, and fairness audits built on them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diffoci.coefficients import DependenceTest, T, T_test, xi, xi_test
    from diffoci.estimator import DifFOCI
    from diffoci.exported import ExportedRepresentation, load_representation
    from diffoci.foci import FOCI
    from diffoci.soft import soft_T

__all__ = [
    "FOCI",
    "DependenceTest",
    "DifFOCI",
    "ExportedRepresentation",
    "T",
    "T_test",
    "load_representation",
    "soft_T",
    "xi",
    "xi_test",
]

# Loaded when first asked for: torch, scikit-learn and scipy take seconds to import, and many commands need none.
_LAZY = {
    **dict.fromkeys(["DependenceTest", "T", "T_test", "xi", "xi_test"], "diffoci.coefficients"),
    "DifFOCI": "diffoci.estimator",
    "ExportedRepresentation": "diffoci.exported",
    "FOCI": "diffoci.foci",
    "load_representation": "diffoci.exported",
    "soft_T": "diffoci.soft",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'diffoci' has no attribute {name!r}")
