"""Keep the report of a very large audit small: what its tables have as files is left out of it, and said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from diffoci.figures.reading import Result

MOST_FEATURES = 200  # in a table of the report, and in what is kept about single features
LEFT_OUT = "left_out"
Values = dict[str, Any]


def shortenings(result: Result) -> Iterator[Values]:
    """The result as it is, then without one part after the other; `left_out` names what it is without."""
    short = dict(result)
    yield short
    for part in _PARTS:
        if part not in left_out(short):
            short = without(short, [part])
            yield short


def without(result: Result, parts: Sequence[str]) -> Values:
    """The result without these parts."""
    short = dict(result)
    for part in parts:
        short = _PARTS[part](short) | {LEFT_OUT: [*short.get(LEFT_OUT, ()), part]}
    return short


def check_left_out(result: Result) -> None:
    """Refuse a result that says to be carried without what no report is carried without."""
    said = result.get(LEFT_OUT, [])
    if not isinstance(said, list) or not all(isinstance(part, str) and part in _PARTS for part in said):
        raise ValueError("The result in this report is damaged: it leaves out what no report leaves out.")


def left_out(result: Result) -> list[str]:
    """What this result is carried without, in words."""
    return list(result.get(LEFT_OUT, ()))


def _without_weights(result: Values) -> Values:
    def short(condition: Mapping[str, Any]) -> Values:
        rounded = {name: [round(value, 4) for value in condition[name]] for name in ("theta", "frequency")}
        return {**condition, **rounded, "values": [], "trainings": len(condition["values"])}

    features = result["features"]
    return {**result, "features": {**features, "conditions": [short(one) for one in features["conditions"]]}}


def _without_probe_seeds(result: Values) -> Values:
    methods = [{**one, **{part: _probes_unseeded(one[part]) for part in ("y", "leakage")}} for one in result["methods"]]
    return {**result, "methods": methods, "curve": _unseeded(result["curve"])}


def _without_most_proxies(result: Values) -> Values:
    features = result["features"]
    exact = features["exact"]
    if not exact or not exact.get("columns"):
        return result
    telling = sorted(exact["columns"].items(), key=lambda item: -strongest(item[1]))[:MOST_FEATURES]
    return {**result, "features": {**features, "exact": {**exact, "columns": dict(telling)}}}


def _without_seeds(result: Values) -> Values:
    # y's scores stay: what a method costs is told from their differences seed by seed.
    return {**result, "methods": [{**one, "leakage": _unseeded(one["leakage"])} for one in result["methods"]]}


def strongest(entry: Mapping[str, Any]) -> float:
    """How much a feature tells of the attribute it tells most of."""
    return max((float(one["T"]) for one in entry["sensitive"].values()), default=0.0)


def _probes_unseeded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: (_unseeded if key == "probes" else _probes_unseeded)(entry) for key, entry in value.items()}
    return value


def _unseeded(value: Any) -> Any:
    """Means and their intervals without the value of every seed."""
    if isinstance(value, Mapping):
        kept = {key: _unseeded(entry) for key, entry in value.items()}
        return {**kept, "values": []} if set(value) == {"mean", "low", "high", "values"} else kept
    return [_unseeded(entry) for entry in value] if isinstance(value, list) else value


_PARTS: Mapping[str, Callable[[Values], Values]] = {
    "the weight of every feature in every seed": _without_weights,
    "each probe's score in every seed": _without_probe_seeds,
    f"what features beyond the {MOST_FEATURES} most telling give away": _without_most_proxies,
    "how well attributes were guessed in every seed": _without_seeds,
}
