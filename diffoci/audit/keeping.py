"""What must be kept of a representation so that new rows can be transformed without the data it was learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diffoci.audit.material import Material
from diffoci.audit.methods import Representation
from diffoci.models import Network
from diffoci.rebuilding import describe


def keep(representation: Representation, material: Material, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fitted coding of features and the kind of module, or None where features alone are not enough."""
    module = representation.network
    if module is None:
        return None
    encoder = material.input_encoder if isinstance(module, Network) else material.standard_encoder
    return {"encoding": encoder.to_dict(), "map": describe(module, cutoff=settings["vec"]["cutoff"])}
