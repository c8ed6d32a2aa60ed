"""Measure one representation: how well y and every sensitive attribute can be predicted from it, in two places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.audit.cells import CellOutput, Watch
from diffoci.audit.classifier import Matrix
from diffoci.audit.keeping import keep
from diffoci.audit.material import Material
from diffoci.audit.methods import Representation
from diffoci.audit.probes import PROBES, Guess, guess
from diffoci.coefficients import T_test

PLACES = ("representation", "last_layer")


def measure(
    representation: Representation, material: Material, settings: Mapping[str, Any], seed: int, watch: Watch
) -> CellOutput:
    """Probe y and the sensitive attributes; arrays hold the test rows and the strongest probes' probabilities."""
    probing = {
        "probes": settings.get("probes", PROBES),
        "most_rows": settings["probe_rows"],
        "network": settings["probe"],
        "device": settings["device"],
        "seed": seed,
        "watch": watch,
    }
    z, split = representation.z, material.split
    watch.tell(fraction=0.7)
    label = guess(z, material.label, split, classes=material.classes, **probing)
    places = {"representation": z}
    if label.network is not None:
        places["last_layer"] = label.network.last_layer(np.ascontiguousarray(z, dtype=np.float32))
    arrays: dict[str, NDArray[Any]] = {"test_rows": split.test, "y": label.probability.astype(np.float32)}
    leakage: dict[str, dict[str, Any]] = {}
    for done, (attribute, code) in enumerate(material.groups.items()):
        leakage[attribute] = {}
        for place, features in places.items():
            watch.tell(fraction=0.75 + 0.25 * done / len(material.groups))
            found = guess(features, code, split, classes=len(material.levels[attribute]), **probing)
            leakage[attribute][place] = {
                **_summary(found),
                **_coefficient(features, attribute, material, settings, seed),
            }
            arrays[f"{place}:{attribute}"] = found.probability.astype(np.float32)
    summary = {
        "y": _summary(label),
        "leakage": leakage,
        "chosen": representation.chosen,
        "history": representation.history,
        "width": int(z.shape[1]),
        "kept": keep(representation, material, settings),
    }
    return CellOutput(summary, arrays, _weights(representation))


def _summary(found: Guess) -> dict[str, Any]:
    return {
        "probe": found.probe,
        "scores": asdict(found.scores),
        "validation": asdict(found.validation),
        "probes": {name: asdict(scores) for name, scores in found.each.items()},
    }


def _coefficient(
    z: Matrix, attribute: str, material: Material, settings: Mapping[str, Any], seed: int
) -> dict[str, float | None]:
    """The exact T(S, Z) of some test rows with its permutation p-value."""
    rows = np.random.default_rng(seed).permutation(material.split.test)[: settings["coefficient_rows"]]
    column: pd.Series = material.sensitive[attribute].iloc[rows]
    if column.nunique() < 2:
        return {"T": None, "p_value": None}
    points = z[rows].astype(np.float64)
    test = T_test(column.reset_index(drop=True), points, permutations=settings["permutations"], seed=seed)
    return {"T": test.statistic, "p_value": test.p_value}


def _weights(representation: Representation) -> dict[str, NDArray[Any]]:
    if representation.network is None:
        return {}
    state = {name: value.cpu().numpy() for name, value in representation.network.state_dict().items()}
    return {name: value if value.dtype == np.float64 else value.astype(np.float32) for name, value in state.items()}
