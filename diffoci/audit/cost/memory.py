"""How much memory an audit takes: what one process needs at its peak for one part of it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from diffoci.audit.presets import STANDARD
from diffoci.data.dataset import Dataset
from diffoci.data.encoding import MOST_INDICATORS

# Bytes, set by what cells were seen to take at their peak (python -m tests.measure.memory).
_PROCESS = 500e6  # with torch, scikit-learn and the baselines loaded
_INPUT = 14.0  # for each number that networks see
_KEPT = 8.0  # for each number of a representation, of every row
_GUESSED = 24.0  # and of every row that probes learn from
_WEIGHT = 28.0  # a weight, its gradient, the optimiser's two moments, those of the best epoch and best training so far
_VALUE = 12.0  # for each hidden value of a step: it, its gradient, and what dropout leaves of it
_CODED = 80.0  # for each number that neighbours are looked for in
_NEARBY = 48.0  # for each row in the list of another's nearby rows: its number, its distance, and both once more
_PASSING = 4.0  # for each value of the widest layer while all rows pass through
_NETWORKS = ("network", "penalised", "adversary")


def bytes_needed(dataset: Dataset, settings: Mapping[str, Any] = STANDARD) -> float:
    """Return the memory one process needs at its peak for one part of an audit of these data with these settings."""
    standard = inputs = codes = 0
    pieces = int(settings.get("pieces", 0))
    for column in dataset.columns:
        levels = 1 if column.kind == "number" else len(dataset.features[column.name].cat.categories)
        nominal = column.kind == "nominal"
        few = nominal and levels <= MOST_INDICATORS
        codes += levels if nominal else 1
        inputs += (levels if nominal else 1) + (0 if few else pieces)
        standard += levels if few else 1
    rows = len(dataset.features)
    frame = float(dataset.features.memory_usage(deep=False).sum())
    sizes = _Sizes(rows, inputs, standard, len(dataset.columns), settings.get("probe_rows") or rows)
    of_methods = rows * inputs * _INPUT + _of_networks(settings, sizes)
    return _PROCESS + frame + max(of_methods, _of_single_columns(min(rows, settings.get("exact_rows", 0)), codes))


def _of_single_columns(rows: int, codes: int) -> float:
    """What coefficients and FOCI's paths take: coded rows, and lists of nearby rows, longest after two choices."""
    nearby = 8 + 4 * rows ** (1 / 3)
    return float(rows * (codes * _CODED + nearby * _NEARBY))


class _Sizes(NamedTuple):
    """Rows, columns that networks see, columns of the standard data, features, and rows that probes learn from."""

    rows: int
    inputs: int
    standard: int
    features: int
    learned_from: int

    def representation(self, width: int) -> float:
        """What a representation takes that is kept and guessed from."""
        return width * (self.rows * _KEPT + min(self.rows, self.learned_from) * _GUESSED)


def _of_networks(settings: Mapping[str, Any], sizes: _Sizes) -> float:
    """What the hungriest representation takes: the network that makes it, what is guessed from it, and the probe."""
    probe = settings.get("probe", {})
    widths = {0.0: sizes.standard}
    for own in (settings[name] for name in _NETWORKS if name in settings):
        width = own.get("width") or sizes.features
        widths[_of_network(own, sizes.inputs, width, sizes.rows)] = width
    last = sizes.representation((probe.get("hidden") or (0,))[-1])  # the probe's last layer is guessed from, too
    return last + max(
        made + sizes.representation(width) + _of_network(probe, width, 1, sizes.rows) for made, width in widths.items()
    )


def _of_network(own: Mapping[str, Any], first: int, last: int, rows: int) -> float:
    layers = [first, *own.get("hidden", ()), last]
    weights = sum((before + 1) * after for before, after in pairwise(layers))
    step = min(rows, own.get("batch_size", rows)) * sum(layers[1:])
    return float(weights * _WEIGHT + step * _VALUE + rows * max(layers[1:]) * _PASSING)
