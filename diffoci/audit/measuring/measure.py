"""Measure one representation: how well y and every sensitive attribute can be predicted from it, in two places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from diffoci.audit.certificates.counting import count_cells
from diffoci.audit.measuring.guessing import Guess, guess
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import Representation
from diffoci.audit.probes import PROBES
from diffoci.coefficients import T_test
from diffoci.inputs import Matrix
from diffoci.learning.descriptions import describe
from diffoci.learning.models import Network
from diffoci.runs.study import CellOutput, Watch


def measure(
    representation: Representation, prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch
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
    z, split = representation.z, prepared.split
    watch.tell(fraction=0.7)
    label = guess(z, prepared.label, split, classes=prepared.classes, **probing)
    places = {"representation": z}
    if label.last_layer is not None:
        places["last_layer"] = label.last_layer(np.ascontiguousarray(z, dtype=np.float32))
    arrays: dict[str, NDArray[Any]] = {"test_rows": split.test, "y": label.probability.astype(np.float32)}
    leakage: dict[str, dict[str, Any]] = {}
    for done, (attribute, code) in enumerate(prepared.groups.items()):
        leakage[attribute] = {}
        for place, features in places.items():
            watch.tell(fraction=0.75 + 0.25 * done / len(prepared.groups))
            found = guess(features, code, split, classes=len(prepared.levels[attribute]), **probing)
            coefficient = _coefficient(features, attribute, prepared, settings, seed)
            leakage[attribute][place] = {**_summary(found), **coefficient}
            arrays[f"{place}:{attribute}"] = found.probability.astype(np.float32)
    summary = {
        "y": _summary(label),
        "leakage": leakage,
        "chosen": representation.chosen,
        "history": representation.history,
        "width": int(z.shape[1]),
        "certificate": count_cells(z, prepared, settings, seed),
        "kept": _kept(representation, prepared, settings),
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
    z: Matrix, attribute: str, prepared: PreparedSplit, settings: Mapping[str, Any], seed: int
) -> dict[str, float | None]:
    """The exact T(S, Z) of some test rows with its permutation p-value."""
    rows = np.random.default_rng(seed).permutation(prepared.split.test)[: settings["coefficient_rows"]]
    column: pd.Series = prepared.sensitive[attribute].iloc[rows]
    if column.nunique() < 2:
        return {"T": None, "p_value": None}
    points = z[rows].astype(np.float64)
    test = T_test(column.reset_index(drop=True), points, permutations=settings["permutations"], seed=seed)
    return {"T": test.statistic, "p_value": test.p_value}


def _kept(
    representation: Representation, prepared: PreparedSplit, settings: Mapping[str, Any]
) -> dict[str, Any] | None:
    """What new rows are transformed with beside weights: the fitted coding of features and the kind of module.

    None where a row's features alone are not enough.
    """
    module = representation.network
    if module is None:
        return None
    encoder = prepared.input_encoder if isinstance(module, Network) else prepared.standard_encoder
    return {"encoding": encoder.to_dict(), "map": describe(module, cutoff=settings["vec"]["cutoff"])}


def _weights(representation: Representation) -> dict[str, NDArray[Any]]:
    if representation.network is None:
        return {}
    state = {name: value.cpu().numpy() for name, value in representation.network.state_dict().items()}
    return {name: value if value.dtype == np.float64 else value.astype(np.float32) for name, value in state.items()}
