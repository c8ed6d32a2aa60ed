"""Every table of a result with its full numbers, to be taken away."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import pandas as pd
from msgspec.structs import asdict

from diffoci.audit.decisions import GroupComparison
from diffoci.audit.result import AuditResult, Mean, MethodResult, Score

Rows = Iterator[dict[str, Any]]
_SCORES: tuple[Score, ...] = ("accuracy", "balanced_accuracy", "auc")


def tables(result: AuditResult) -> dict[str, pd.DataFrame]:
    """The tables that this result has rows for, by name."""
    made = {name: pd.DataFrame(list(rows(result))) for name, rows in _TABLES.items()}
    return {name: frame for name, frame in made.items() if len(frame)}


def _groups(result: AuditResult) -> Rows:
    for attribute, levels in result.groups.items():
        for level, group in levels.items():
            yield {"attribute": attribute, "group": level, **asdict(group)}


def _proxies(result: AuditResult) -> Rows:
    exact, meanings = result.features.exact, result.features.meanings
    for name, view in () if exact is None else exact.columns.items():
        for attribute, told in view.sensitive.items():
            row = {"feature": name, "meaning": meanings.get(name, name), "attribute": attribute, "T_y": view.T_y}
            yield {**row, "T_s": told.T, "p_value": told.p_value, "T_y_given_s": told.T_y_given}


def _paths(result: AuditResult) -> Rows:
    exact = result.features.exact
    for target, path in () if exact is None else exact.paths.items():
        for step, (name, value) in enumerate(zip(path.names, path.T, strict=True), start=1):
            yield {"target": target, "step": step, "feature": name, "T": value}


def _y(result: AuditResult) -> Rows:
    for one in result.methods:
        for score, found in asdict(one.y).items():
            if isinstance(found, Mean):
                yield {"method": one.name, "score": score, **_limits(found), "majority": one.y.majority}


def _y_probes(result: AuditResult) -> Rows:
    for one in result.methods:
        for probe, rates in one.y.probes.items():
            for score in _SCORES:
                yield {"method": one.name, "probe": probe, "score": score, **_limits(rates.score(score))}


def _chosen(result: AuditResult) -> Rows:
    for one in result.methods:
        for seed, choices in zip(one.seeds, one.chosen, strict=False):
            for name, value in choices.items():
                yield {"method": one.name, "seed": seed, "choice": name, "value": _text(value)}


def _guessed(result: AuditResult) -> Rows:
    for one, attribute, place, found in result.measured():
        row: dict[str, Any] = {"method": one.name, "attribute": attribute, "place": place}
        for score in (*_SCORES, "T"):
            row |= {f"{score}_{part}": value for part, value in _limits(getattr(found, score)).items()}
        kept = ("majority", "null_auc_low", "null_auc_high", "below_chance", "probe", "p_value", "test_rows", "verdict")
        row |= {name: getattr(found, name) for name in kept}
        needs = one.needs_sensitive_at_prediction
        yield {**row, "not_judged": "; ".join(found.not_judged), "needs_attribute_at_prediction": needs}


def _seeds(result: AuditResult) -> Rows:
    for one, attribute, place, found in result.measured():
        for score in _SCORES:
            y, s = one.y.score(score).values, found.score(score).values
            if len(y) == len(s) == len(one.seeds):
                for seed, y_value, s_value in zip(one.seeds, y, s, strict=True):
                    row = {"method": one.name, "attribute": attribute, "place": place, "seed": seed, "score": score}
                    yield {**row, "y": y_value, "guessed": s_value}


def _probes(result: AuditResult) -> Rows:
    for one, attribute, place, found in result.measured():
        for probe, rates in found.probes.items():
            for score in _SCORES:
                row = {"method": one.name, "attribute": attribute, "place": place, "probe": probe, "score": score}
                yield {**row, **_limits(rates.score(score)), "null_auc_high": found.null_auc_high}


def _curve(result: AuditResult) -> Rows:
    for name, points in result.curve.items():
        for point in points:
            for attribute, places in point.leakage.by_attribute.items():
                for place, found in places.items():
                    row = {"method": name, "weight": point.weight, "attribute": attribute, "place": place}
                    row |= {f"y_accuracy_{part}": v for part, v in _limits(point.y.accuracy).items()}
                    row |= {f"auc_{part}": v for part, v in _limits(found.auc).items()}
                    yield {**row, "null_auc_high": found.null_auc_high, "verdict": found.verdict}


def _features(result: AuditResult) -> Rows:
    features = result.features
    for condition in features.conditions:
        for k, name in enumerate(features.names):
            yield {
                "given": _given(condition.given),
                "feature": name,
                "meaning": features.labels[k],
                "theta": condition.theta[k],
                "share_of_seeds_dropping": condition.frequency[k],
                "cutoff": condition.cutoff,
                "dropped": name in condition.dropped,
                "dropped_only_together": name in features.only_together,
            }


def _weights(result: AuditResult) -> Rows:
    for condition in result.features.conditions:
        for number, theta in enumerate(condition.values):
            for name, value in zip(result.features.names, theta, strict=True):
                yield {"given": _given(condition.given), "training": number, "feature": name, "theta": value}


def _rates(result: AuditResult) -> Rows:
    for one, by, comparison in _decided(result):
        for group in comparison.groups:
            head = {name: getattr(group, name) for name in ("n", "positives", "selected", "judged")}
            for name, found in group.rates.items():
                row = {"method": one.name, "by": by, "group": group.label, **head, "rate": name}
                limits = {part: getattr(found, part, None) for part in ("value", "low", "high")}
                yield {**row, **limits, "counted": None if found is None else found.n}


def _gaps(result: AuditResult) -> Rows:
    for one, by, comparison in _decided(result):
        for name, found in comparison.between.items():
            row = {"method": one.name, "by": by, "measure": name}
            row |= {part: getattr(found, part) for part in ("value", "low", "high", "highest", "lowest")}
            chance = {part: getattr(found.chance, part, None) for part in ("limit", "p_value")}
            yield {**row, "chance_limit": chance["limit"], "p_value": chance["p_value"]}


def _four_fifths(result: AuditResult) -> Rows:
    for one, by, comparison in _decided(result):
        for entry in comparison.four_fifths:
            yield {"method": one.name, "by": by, **asdict(entry)}


def _calibration(result: AuditResult) -> Rows:
    for one, by, comparison in _decided(result):
        for group in comparison.groups:
            for found in () if group.calibration is None else group.calibration.bins:
                row = {"method": one.name, "by": by, "group": group.label, "from": found.low, "to": found.high}
                observed = {f"observed_{part}": getattr(found.observed, part) for part in ("value", "low", "high")}
                yield {**row, "mean_score": found.mean_score, **observed, "people": found.n}


def _calibration_errors(result: AuditResult) -> Rows:
    for one, by, comparison in _decided(result):
        for group in comparison.groups:
            if group.calibration is not None:
                error = group.calibration.expected_calibration_error
                yield {"method": one.name, "by": by, "group": group.label, "expected_calibration_error": error}


def _law(result: AuditResult) -> Rows:
    for one in result.methods:
        law = None if one.decisions is None else one.decisions.local_law_144
        for table in () if law is None else law.tables:
            for category in table.categories:
                yield {"method": one.name, "by": " × ".join(table.attributes), **asdict(category)}


def _settings(result: AuditResult) -> Rows:
    asked = msgspec.to_builtins(result.spec)
    settings = asked.pop("settings")
    for name, value in {**asked, "sha256": result.spec.digest(), **settings}.items():
        yield {"name": name, "value": json.dumps(value, ensure_ascii=False)}


def _provenance(result: AuditResult) -> Rows:
    for name, value in asdict(result.provenance).items():
        yield {"name": name, "value": _text(value)}


def _failures(result: AuditResult) -> Rows:
    for part, why in result.failures.items():
        yield {"part": part, "why": why}


def _decided(result: AuditResult) -> Iterator[tuple[MethodResult, str, GroupComparison]]:
    for one in result.methods:
        for comparison in () if one.decisions is None else one.decisions.comparisons:
            yield one, " × ".join(comparison.attributes), comparison


def _limits(found: Mean) -> dict[str, float | None]:
    return {"mean": found.mean, "low": found.low, "high": found.high}


def _given(names: tuple[str, ...]) -> str:
    return " + ".join(names) or "nothing"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_TABLES: Mapping[str, Callable[[AuditResult], Rows]] = {
    "groups": _groups,
    "proxies": _proxies,
    "foci_paths": _paths,
    "y": _y,
    "y_probes": _y_probes,
    "chosen": _chosen,
    "guessed": _guessed,
    "seeds": _seeds,
    "probes": _probes,
    "trade_off": _curve,
    "features": _features,
    "weights": _weights,
    "decisions": _rates,
    "gaps": _gaps,
    "four_fifths": _four_fifths,
    "calibration": _calibration,
    "calibration_errors": _calibration_errors,
    "local_law_144": _law,
    "settings": _settings,
    "provenance": _provenance,
    "failures": _failures,
}
