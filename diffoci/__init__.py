"""difFOCI: rank coefficients, exact and differentiable, and fairness audits built on them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diffoci.audit.decisions import decide
    from diffoci.audit.decisions.local_law_144 import local_law_144
    from diffoci.audit.taking_away.exported import ExportedRepresentation, load_representation
    from diffoci.coefficients import DependenceTest, T, T_test, xi, xi_test
    from diffoci.data.sources import list_sources, load
    from diffoci.foci import FOCI
    from diffoci.learning.estimator import DifFOCI
    from diffoci.learning.selector import DifFOCISelector
    from diffoci.library import AuditedScores, audit_model, audit_scores
    from diffoci.soft import soft_T
    from diffoci.stability import StabilitySelection

__all__ = [
    "FOCI",
    "AuditedScores",
    "DependenceTest",
    "DifFOCI",
    "DifFOCISelector",
    "ExportedRepresentation",
    "StabilitySelection",
    "T",
    "T_test",
    "audit_model",
    "audit_scores",
    "decide",
    "list_sources",
    "load",
    "load_representation",
    "local_law_144",
    "soft_T",
    "xi",
    "xi_test",
]

# Loaded when first asked for: torch, scikit-learn and scipy take seconds to import, and many commands need none.
_LAZY = {
    **dict.fromkeys(["DependenceTest", "T", "T_test", "xi", "xi_test"], "diffoci.coefficients"),
    **dict.fromkeys(["AuditedScores", "audit_model", "audit_scores"], "diffoci.library"),
    "DifFOCI": "diffoci.learning.estimator",
    "DifFOCISelector": "diffoci.learning.selector",
    "ExportedRepresentation": "diffoci.audit.taking_away.exported",
    "FOCI": "diffoci.foci",
    "StabilitySelection": "diffoci.stability",
    "decide": "diffoci.audit.decisions",
    "list_sources": "diffoci.data.sources",
    "load": "diffoci.data.sources",
    "load_representation": "diffoci.audit.taking_away.exported",
    "local_law_144": "diffoci.audit.decisions.local_law_144",
    "soft_T": "diffoci.soft",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'diffoci' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
