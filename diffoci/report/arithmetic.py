"""Work a result's own arithmetic out again: means from seeds, rates from counts, verdicts from chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from diffoci.audit.intervals import rate
from diffoci.audit.result import interval, only_together
from diffoci.audit.verdicts import Chance, verdict
from diffoci.figures.reading import Result
from diffoci.report.agreement import Leaf, Pair, joined, keys_of
from diffoci.report.decision_arithmetic import decided_pairs
from diffoci.report.shortening import left_out

_MEAN = {"mean", "low", "high", "values"}
_RATE = {"value", "low", "high", "k", "n"}


def recomputed(result: Result) -> tuple[dict[str, Leaf], dict[str, Leaf]]:
    """What the result states, and what follows from the values and counts it keeps, by where it stands."""
    pairs = list(_pairs(result))
    return {where: stated for where, stated, _ in pairs}, {where: found for where, _, found in pairs}


def _pairs(result: Result) -> Iterator[Pair]:
    train, _, test = result["spec"]["settings"]["fractions"]
    yield from _walk(result, "", test / train, shortened=bool(left_out(result)))
    for attribute, levels in result["groups"].items():
        rows = sum(level["rows"] for level in levels.values())
        yield f"rows by {attribute}", result["provenance"]["rows"], rows
    for one in result["methods"]:
        yield from _verdicts(result, one, f"methods › {one['name']}")
        yield from decided_pairs(one["decisions"], f"methods › {one['name']}")
    for name, points in result["curve"].items():
        for point in points:
            yield from _verdicts(result, point, f"curve › {name} › {point['weight']}")
    for condition in result["features"]["conditions"]:
        if condition["values"] or not left_out(result):
            yield from _weights(result["features"]["names"], condition)
    together = ", ".join(only_together(result["features"]["conditions"]))
    yield "features › only together", ", ".join(result["features"]["only_together"]), together


def _walk(value: Any, where: str, test_share: float, *, shortened: bool) -> Iterator[Pair]:
    """Means with intervals and shares of people, wherever they stand; nothing follows from values left out."""
    if isinstance(value, Mapping):
        if set(value) == _MEAN:
            if value["values"] or not shortened:
                yield from _mean(value, where, test_share)
        elif set(value) == _RATE:
            yield from _rate(value, where)
        else:
            for key, entry in value.items():
                yield from _walk(entry, joined(where, str(key)), test_share, shortened=shortened)
    elif isinstance(value, list):
        for key, entry in zip(keys_of(value), value, strict=True):
            yield from _walk(entry, joined(where, key), test_share, shortened=shortened)


def _mean(value: Mapping[str, Any], where: str, test_share: float) -> Iterator[Pair]:
    again = interval(value["values"], test_share=test_share)
    yield f"{where} › mean", value["mean"], again["mean"]
    for end in ("low", "high"):
        stated, found = value[end], again[end]
        # A rate's interval is cut at 0 and 1; which numbers are rates, the cut itself tells.
        if found is not None and stated in (0.0, 1.0) and not 0.0 < found < 1.0:
            found = min(max(found, 0.0), 1.0)
        yield f"{where} › {end}", stated, found


def _rate(value: Mapping[str, Any], where: str) -> Iterator[Pair]:
    if not 0 <= value["k"] <= value["n"]:
        yield f"{where} › k", value["k"], f"at most {value['n']}"
        return
    again = rate(value["k"], value["n"])
    for part in ("value", "low", "high"):
        yield f"{where} › {part}", value[part], None if again is None else getattr(again, part)


def _verdicts(result: Result, one: Mapping[str, Any], where: str) -> Iterator[Pair]:
    for attribute, places in one["leakage"]["by_attribute"].items():
        judged = len(set(result["groups"][attribute]) - set(next(iter(places.values()))["not_judged"])) if places else 0
        for place, found in places.items():
            low, high, area = found["null_auc_low"], found["null_auc_high"], found["auc"]["mean"]
            limits = Chance(low, high) if judged > 1 and high is not None else None
            yield f"{where} › {attribute} › {place} › verdict", found["verdict"], verdict(area, limits)
            below = bool(low is not None and area is not None and area < low)
            yield f"{where} › {attribute} › {place} › below_chance", found["below_chance"], below


def _weights(names: list[str], condition: Mapping[str, Any]) -> Iterator[Pair]:
    where = f"features given {'+'.join(condition['given']) or 'nothing'}"
    theta = np.abs(np.array(condition["values"], dtype=np.float64))
    gone = (theta <= condition["cutoff"]).mean(axis=0)
    for k, name in enumerate(names):
        yield f"{where} › {name} › theta", condition["theta"][k], float(theta[:, k].mean())
        yield f"{where} › {name} › frequency", condition["frequency"][k], float(gone[k])
        yield f"{where} › {name} › dropped", name in condition["dropped"], bool(gone[k] > 0.5)
