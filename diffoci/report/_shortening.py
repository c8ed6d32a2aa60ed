"""Keep the report of a very large audit small: what its tables have as files is left out of it, and said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from msgspec import Struct
from msgspec.structs import asdict, replace

from diffoci.audit.result import AuditResult, Condition, Guessed, Mean, MethodResult, Predicted

# Attributes that the body of a report shows in full; page one answers for every one, the appendix has the others.
IN_FULL = 2
MOST_FEATURES = 200  # in a table of the report, and in what is kept about single features
T = TypeVar("T")


def shortenings(result: AuditResult) -> Iterator[AuditResult]:
    """The result as it is, then without one part after the other; `left_out` names what it is without."""
    short = result
    yield short
    for part in _PARTS:
        if part not in short.left_out:
            short = without(short, [part])
            yield short


def without(result: AuditResult, parts: Sequence[str]) -> AuditResult:
    """The result without these parts."""
    for part in parts:
        short = _PARTS[part](result)
        result = replace(short, left_out=(*short.left_out, part))
    return result


def check_left_out(result: AuditResult) -> None:
    """Refuse a result that says to be carried without what no report is carried without."""
    if not set(result.left_out) <= set(_PARTS):
        raise ValueError("The result in this report is damaged: it leaves out what no report leaves out.")


def left_out_numbers(result: AuditResult) -> int:
    """How many numbers a shortened result is without, at most."""
    features = result.features
    weights = sum(one.trainings * len(features.names) for one in features.conditions if not one.values)
    columns = 0 if features.exact is None else len(features.names) - len(features.exact.columns)
    seeds = max((len(one.seeds) for one in result.methods), default=0)
    return weights + columns * (6 + 6 * len(result.groups)) + seeds * _means_without_values(result)


def _means_without_values(value: Any) -> int:
    if isinstance(value, Mean):
        return int(not value.values)
    if isinstance(value, Struct):
        value = asdict(value)
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
    return sum(map(_means_without_values, parts))


def _without_weights(result: AuditResult) -> AuditResult:
    def short(condition: Condition) -> Condition:
        return replace(
            condition,
            theta=tuple(round(value, 4) for value in condition.theta),
            frequency=tuple(round(value, 4) for value in condition.frequency),
            values=(),
            trainings=len(condition.values),
        )

    conditions = tuple(short(one) for one in result.features.conditions)
    return replace(result, features=replace(result.features, conditions=conditions))


def _without_probe_seeds(result: AuditResult) -> AuditResult:
    methods = tuple(
        replace(one, y=_without_seeds_of_probes(one.y), leakage=_without_seeds_of_probes(one.leakage))
        for one in result.methods
    )
    return replace(result, methods=methods, curve=_unseeded(result.curve))


def _without_most_proxies(result: AuditResult) -> AuditResult:
    exact = result.features.exact
    if exact is None:
        return result
    telling = sorted(exact.columns.items(), key=lambda item: -item[1].strongest)[:MOST_FEATURES]
    short = replace(exact, columns=dict(telling))
    return replace(result, features=replace(result.features, exact=short))


def _without_seeds(result: AuditResult) -> AuditResult:
    # y's scores stay: what a method costs is told from their differences seed by seed.
    def short(one: MethodResult) -> MethodResult:
        return replace(one, leakage=_unseeded(one.leakage))

    return replace(result, methods=tuple(short(one) for one in result.methods))


def _without_seeds_of_probes(value: T) -> T:
    """The same, and means of single probes without the value of every seed."""
    if isinstance(value, (Predicted, Guessed)):
        return cast(T, replace(value, probes=_unseeded(value.probes)))
    return cast(T, _changed(value, _without_seeds_of_probes))


def _unseeded(value: T) -> T:
    """Means and their intervals without the value of every seed, wherever they stand."""
    if isinstance(value, Mean):
        return cast(T, replace(value, values=()))
    return cast(T, _changed(value, _unseeded))


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same value with every part of it changed."""
    if isinstance(value, Struct):
        return replace(value, **{name: change(part) for name, part in asdict(value).items()})
    if isinstance(value, Mapping):
        return {name: change(part) for name, part in value.items()}
    return tuple(change(part) for part in value) if isinstance(value, tuple) else value


_PARTS: Mapping[str, Callable[[AuditResult], AuditResult]] = {
    "the weight of every feature in every repetition": _without_weights,
    "each probe's score in every repetition": _without_probe_seeds,
    f"what features beyond the {MOST_FEATURES} most telling give away": _without_most_proxies,
    "how well attributes were guessed in every repetition": _without_seeds,
}
