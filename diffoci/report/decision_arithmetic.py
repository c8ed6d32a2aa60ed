"""Work decisions out again from the counts a result keeps: sizes, gaps, four-fifths ratios, calibration, the law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from diffoci.audit.decisions import DecisionSettings, compare_counts
from diffoci.audit.group_rates import RATES
from diffoci.audit.local_law_144 import SMALL_SHARE
from diffoci.inputs import Ints
from diffoci.report.agreement import Pair, leaves
from diffoci.runs.files import plain

Stored = Mapping[str, Any]


def decided_pairs(decisions: Stored, where: str) -> Iterator[Pair]:
    """What is stated of decisions beside what the counts of the same groups give."""
    if not decisions:
        return
    settings = DecisionSettings()
    yield from _alike(decisions["settings"], asdict(settings), f"{where} › decisions › settings")
    groups = {}
    for comparison in decisions["by"]:
        here = f"{where} › decisions by {'+'.join(comparison['attributes'])}"
        groups[tuple(comparison["attributes"])] = comparison["groups"]
        for group in comparison["groups"]:
            yield from _group(group, settings, f"{here} › {group['label']}")
        judged = [group for group in comparison["groups"] if group["judged"]]
        counts = _counts(judged)
        if (counts < 0).any():
            yield f"{here} › counts", "as stated", "more were selected than there are people"
            continue
        between, ratios = compare_counts(counts, [group["label"] for group in judged], settings)
        again = plain({one.name: one.to_dict() for one in between}, finite=True)
        yield from _alike(comparison["between"], again, f"{here} › gaps")
        again = plain([one.to_dict() for one in ratios], finite=True)
        yield from _alike(comparison["four_fifths"], again, f"{here} › four fifths")
    for table in (decisions.get("local_law_144") or {}).get("tables", []):
        known = {group["label"]: group for group in groups.get(tuple(table["attributes"]), [])}
        yield from _impact(table, known, f"{where} › Local Law 144 by {'+'.join(table['attributes'])}")


def _alike(stated: Any, found: Any, where: str) -> Iterator[Pair]:
    one, other = dict(leaves(stated, where)), dict(leaves(found, where))
    for name in dict.fromkeys([*one, *other]):
        yield name, one.get(name), other.get(name)


def _counts(groups: Sequence[Stored]) -> Ints:
    """People by group, label and decision, from the rates of judged groups."""
    tables = [_table(group) for group in groups]
    return np.array(tables, dtype=np.int64).reshape(len(groups), 2, 2)


def _table(group: Stored) -> list[list[int]]:
    positives = int(group["positives"])
    rows = []
    for name, people in (("false_positive_rate", int(group["n"]) - positives), ("true_positive_rate", positives)):
        selected = int(group[name]["k"]) if group[name] else 0
        rows.append([people - selected, selected])
    return rows


def _group(group: Stored, settings: DecisionSettings, where: str) -> Iterator[Pair]:
    yield f"{where} › judged", group["judged"], group["n"] >= settings.minimum
    if not group["judged"]:
        return
    counts = np.array(_table(group))
    yield f"{where} › selected", group["selected"], int(counts[:, 1].sum())
    for name, successes in RATES.items():
        stated, (k, n) = group[name] or {"k": 0, "n": 0}, successes(counts)
        yield f"{where} › {name} › of", f"{stated['k']} of {stated['n']}", f"{k} of {n}"
    if (curve := group["calibration"]) is not None and (bins := curve["bins"]):
        people = sum(one["observed"]["n"] for one in bins)
        apart = sum(abs(one["observed"]["n"] * one["mean_score"] - one["observed"]["k"]) for one in bins)
        yield f"{where} › people in bins", group["n"], people
        yield f"{where} › calibration error", curve["expected_calibration_error"], apart / max(people, 1)


def _impact(table: Stored, groups: Mapping[str, Stored], where: str) -> Iterator[Pair]:
    rates = {row["category"]: row["selected"] / row["applicants"] for row in table["categories"]}
    highest = max(rates.values(), default=0.0)
    everybody = sum(row["applicants"] for row in table["categories"])
    for row in table["categories"]:
        here = f"{where} › {row['category']}"
        yield f"{here} › rate", row["rate"], rates[row["category"]]
        yield f"{here} › under 2 %", row["small"], row["applicants"] < SMALL_SHARE * everybody
        if row["impact_ratio"] is not None:
            yield f"{here} › impact ratio", row["impact_ratio"], rates[row["category"]] / highest
        if (group := groups.get(row["category"])) is not None:
            yield f"{here} › applicants", row["applicants"], group["n"]
            yield f"{here} › selected", row["selected"], group["selected"]
