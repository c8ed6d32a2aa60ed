"""The standardised data themselves: what every other representation is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Method, Representation
from diffoci.audit.methods.families import DATA
from diffoci.runs.study import Watch


def _keep_as_they_are(prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    from diffoci.learning.models import Unchanged

    return Representation(prepared.standard, network=Unchanged())


STANDARD = Method(
    name="standard",
    title="Standard data",
    short="Standard data",
    family=DATA,
    description="the features, standardised; nothing is trained",
    build=_keep_as_they_are,
    exportable=True,
    default=True,
    is_reference=True,
    cost=0.5,
)
METHODS = (STANDARD,)
