"""Decisions as a result keeps them, read back into what figures draw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from diffoci.audit.decisions import GroupComparison
from diffoci.audit.disparities import Chance, Disparity
from diffoci.audit.four_fifths import GroupRatio
from diffoci.audit.group_rates import RATES, GroupRates
from diffoci.audit.intervals import Interval, Rate
from diffoci.audit.local_law_144 import Category, ImpactTable
from diffoci.audit.reliability import Reliability, ReliabilityBin

Stored = Mapping[str, Any]


def stored_comparisons(method: Stored) -> list[GroupComparison]:
    """Groups by each attribute and by all crossed, as the audit compared them; none where nothing was decided."""
    return [_comparison(one) for one in method["decisions"].get("by", [])]


def stored_impact_tables(method: Stored) -> list[ImpactTable]:
    """Local Law 144's tables of one method; none where neither sex nor race was audited."""
    law = method["decisions"].get("local_law_144") or {}
    return [
        ImpactTable(
            tuple(table["attributes"]),
            tuple(Category(**row) for row in table["categories"]),
            table["unknown"],
            table["note"],
        )
        for table in law.get("tables", [])
    ]


def missing_in_law(method: Stored) -> list[str]:
    """What Local Law 144 asks for and the audit does not have."""
    law = method["decisions"].get("local_law_144") or {}
    return list(law.get("missing", ["sex", "race/ethnicity"]))


def _comparison(one: Stored) -> GroupComparison:
    return GroupComparison(
        attributes=tuple(one["attributes"]),
        groups=tuple(_group(group) for group in one["groups"]),
        between=tuple(_disparity(name, found) for name, found in one["between"].items()),
        four_fifths=tuple(
            GroupRatio(entry["label"], _interval(entry), entry["reference"], entry["verdict"])
            for entry in one["four_fifths"]
        ),
    )


def _group(one: Stored) -> GroupRates:
    facts = {name: one[name] for name in ("label", "levels", "n", "positives", "selected", "judged", "note")}
    rates = {name: Rate(**one[name]) if one[name] else None for name in RATES}
    return GroupRates(**facts, rates=rates, calibration=_calibration(one["calibration"]))


def _calibration(one: Stored | None) -> Reliability | None:
    if one is None:
        return None
    bins = [ReliabilityBin(b["low"], b["high"], b["mean_score"], Rate(**b["observed"])) for b in one["bins"]]
    return Reliability(one["expected_calibration_error"], tuple(bins))


def _disparity(name: str, one: Stored) -> Disparity:
    return Disparity(
        name=name,
        arithmetic=one["arithmetic"],
        found=None if one["value"] is None else _interval(one),
        rate=one["rate"],
        highest=one["highest"],
        lowest=one["lowest"],
        chance=Chance(**one["chance"]) if one["chance"] else None,
        few=tuple(one["few"]),
    )


def _interval(one: Stored) -> Interval:
    # JSON has no infinity: a ratio without an upper limit is kept without one.
    return Interval(one["value"], one["low"], math.inf if one["high"] is None else one["high"])
