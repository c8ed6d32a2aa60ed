"""Every table of a model audit, unrounded, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pandas as pd

from diffoci.model_audit.result import ModelAuditResult, OneModel


def model_tables(result: ModelAuditResult) -> dict[str, pd.DataFrame]:
    """Rates, gaps, criteria and all that follows, one frame each; those without a row are left out."""
    frames = {"rates": result.to_frame(), "criteria": result.criteria_frame()}
    frames |= {
        name: pd.DataFrame([row for one in result.models for row in make(one)])
        for name, make in {
            "gaps": _gaps,
            "against_reference": _against,
            "four_fifths": _four_fifths,
            "calibration": _calibration,
            "ceilings": _ceilings,
            "given_factors": _given_factors,
            "curves": _curves,
            "carriers": _carriers,
            "what_if": _what_if,
        }.items()
    }
    frames["models_compared"] = pd.DataFrame([_flat(pair) for pair in result.pairs])
    frames["criteria_compared"] = pd.DataFrame([_flat(pair) for pair in result.paired_criteria])
    return {name: frame for name, frame in frames.items() if len(frame)}


def _flat(entry: Any, before: str = "") -> dict[str, Any]:
    """A typed entry as one row: what it holds within is named after where it stands."""
    plain = entry if isinstance(entry, dict) else msgspec.to_builtins(entry)
    row: dict[str, Any] = {}
    for name, value in plain.items():
        if isinstance(value, dict):
            row |= _flat(value, f"{before}{name}_")
        else:
            row[f"{before}{name}"] = " × ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
    return row


def _compared(one: OneModel) -> Iterator[tuple[dict[str, Any], Any]]:
    for comparison in one.comparisons:
        yield {"model": one.name, "by": " × ".join(comparison.attributes)}, comparison


def _gaps(one: OneModel) -> Iterator[dict[str, Any]]:
    for head, comparison in _compared(one):
        for name, found in comparison.between.items():
            yield {**head, "measure": name, **_flat(found)}


def _against(one: OneModel) -> Iterator[dict[str, Any]]:
    for head, comparison in _compared(one):
        yield from ({**head, **_flat(entry)} for entry in comparison.against)


def _four_fifths(one: OneModel) -> Iterator[dict[str, Any]]:
    for head, comparison in _compared(one):
        yield from ({**head, **_flat(entry)} for entry in comparison.four_fifths)


def _calibration(one: OneModel) -> Iterator[dict[str, Any]]:
    for head, comparison in _compared(one):
        for group in comparison.judged:
            yield from ({**head, "group": group.label, **_flat(part)} for part in group.calibration)


def _ceilings(one: OneModel) -> Iterator[dict[str, Any]]:
    for attribute, about in one.attributes.items():
        for bound in about.ceilings:
            yield {"model": one.name, "attribute": attribute, **_flat(bound), "most": bound.most}


def _given_factors(one: OneModel) -> Iterator[dict[str, Any]]:
    for attribute, about in one.attributes.items():
        for gap in about.gaps:
            head = {"model": one.name, "attribute": attribute, "group": gap.group, "reference": gap.reference}
            for stratum in gap.strata:
                yield {
                    **head,
                    "stratum": stratum.name,
                    **_flat(stratum.group, "group_"),
                    **_flat(stratum.reference, "reference_"),
                }


def _curves(one: OneModel) -> Iterator[dict[str, Any]]:
    for attribute, about in one.attributes.items():
        for curve in about.curves:
            head = {"model": one.name, "attribute": attribute, "rate": curve.rate}
            yield from ({**head, **_flat(point)} for point in curve.points)


def _carriers(one: OneModel) -> Iterator[dict[str, Any]]:
    for attribute, about in one.attributes.items():
        for name, found in ({} if about.carriers is None else about.carriers.columns).items():
            yield {"model": one.name, "attribute": attribute, "column": name, **_flat(found)}


def _what_if(one: OneModel) -> Iterator[dict[str, Any]]:
    for attribute, about in one.attributes.items():
        for entry in about.what_if:
            head = {"model": one.name, "attribute": attribute, "goal": entry.goal, "accuracy": entry.accuracy}
            yield from ({**head, **_flat(group)} for group in entry.groups)
