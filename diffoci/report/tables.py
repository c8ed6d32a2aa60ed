"""Every table of a result with its full numbers, to be taken away."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from diffoci.audit.group_rates import RATES
from diffoci.audit.spec import AuditSpec
from diffoci.figures.reading import Result

Rows = Iterator[dict[str, Any]]
_SCORES = ("accuracy", "balanced_accuracy", "auc")


def tables(result: Result) -> dict[str, pd.DataFrame]:
    """The tables that this result has rows for, by name."""
    made = {name: pd.DataFrame(list(rows(result))) for name, rows in _TABLES.items()}
    return {name: frame for name, frame in made.items() if len(frame)}


def _groups(result: Result) -> Rows:
    for attribute, levels in result["groups"].items():
        for level, one in levels.items():
            yield {"attribute": attribute, "group": level, **one}


def _proxies(result: Result) -> Rows:
    labels = dict(zip(result["features"]["names"], result["features"]["labels"], strict=True))
    for name, entry in ((result["features"]["exact"] or {}).get("columns") or {}).items():
        for attribute, told in entry["sensitive"].items():
            row = {"feature": name, "meaning": labels.get(name, name), "attribute": attribute, "T_y": entry["T_y"]}
            yield {**row, "T_s": told["T"], "p_value": told["p_value"], "T_y_given_s": told["T_y_given"]}


def _paths(result: Result) -> Rows:
    for target, path in ((result["features"]["exact"] or {}).get("paths") or {}).items():
        for step, (name, value) in enumerate(zip(path["names"], path["T"], strict=True), start=1):
            yield {"target": target, "step": step, "feature": name, "T": value}


def _y(result: Result) -> Rows:
    for one in result["methods"]:
        for score, found in one["y"].items():
            if isinstance(found, Mapping) and "mean" in found:
                yield {"method": one["name"], "score": score, **_limits(found), "majority": one["y"]["majority"]}


def _y_probes(result: Result) -> Rows:
    for one in result["methods"]:
        for probe, scores in one["y"]["probes"].items():
            for score in _SCORES:
                yield {"method": one["name"], "probe": probe, "score": score, **_limits(scores[score])}


def _chosen(result: Result) -> Rows:
    for one in result["methods"]:
        for seed, choices in zip(one["seeds"], one["chosen"], strict=False):
            for name, value in choices.items():
                told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                yield {"method": one["name"], "seed": seed, "choice": name, "value": told}


def _guessed(result: Result) -> Rows:
    for one, attribute, place, found in _measured(result):
        row = {"method": one["name"], "attribute": attribute, "place": place}
        for score in (*_SCORES, "T"):
            row |= {f"{score}_{part}": value for part, value in _limits(found[score]).items()}
        kept = ("majority", "null_auc_low", "null_auc_high", "below_chance", "probe", "p_value", "test_rows", "verdict")
        row |= {name: found[name] for name in kept}
        needs = one["needs_sensitive_at_prediction"]
        yield {**row, "not_judged": "; ".join(found["not_judged"]), "needs_attribute_at_prediction": needs}


def _seeds(result: Result) -> Rows:
    for one, attribute, place, found in _measured(result):
        for score in _SCORES:
            y, s = one["y"][score]["values"], found[score]["values"]
            if len(y) == len(s) == len(one["seeds"]):
                for seed, y_value, s_value in zip(one["seeds"], y, s, strict=True):
                    row = {"method": one["name"], "attribute": attribute, "place": place, "seed": seed, "score": score}
                    yield {**row, "y": y_value, "guessed": s_value}


def _probes(result: Result) -> Rows:
    for one, attribute, place, found in _measured(result):
        for probe, scores in found["probes"].items():
            for score in _SCORES:
                row = {"method": one["name"], "attribute": attribute, "place": place, "probe": probe, "score": score}
                yield {**row, **_limits(scores[score]), "null_auc_high": found["null_auc_high"]}


def _curve(result: Result) -> Rows:
    for name, points in result["curve"].items():
        for point in points:
            for attribute, places in point["leakage"]["by_attribute"].items():
                for place, found in places.items():
                    row = {"method": name, "weight": point["weight"], "attribute": attribute, "place": place}
                    row |= {f"y_accuracy_{part}": v for part, v in _limits(point["y"]["accuracy"]).items()}
                    row |= {f"auc_{part}": v for part, v in _limits(found["auc"]).items()}
                    yield {**row, "null_auc_high": found["null_auc_high"], "verdict": found["verdict"]}


def _features(result: Result) -> Rows:
    features = result["features"]
    for condition in features["conditions"]:
        for k, name in enumerate(features["names"]):
            row = {
                "given": " + ".join(condition["given"]) or "nothing",
                "feature": name,
                "meaning": features["labels"][k],
            }
            row |= {"theta": condition["theta"][k], "share_of_seeds_dropping": condition["frequency"][k]}
            row |= {"cutoff": condition["cutoff"], "dropped": name in condition["dropped"]}
            yield {**row, "dropped_only_together": name in features["only_together"]}


def _weights(result: Result) -> Rows:
    for condition in result["features"]["conditions"]:
        for number, theta in enumerate(condition["values"]):
            for name, value in zip(result["features"]["names"], theta, strict=True):
                given = " + ".join(condition["given"]) or "nothing"
                yield {"given": given, "training": number, "feature": name, "theta": value}


def _rates(result: Result) -> Rows:
    for one, by, comparison in _decided(result):
        for group in comparison["groups"]:
            head = {name: group[name] for name in ("n", "positives", "selected", "judged")}
            for name in RATES:
                found = group[name] or dict.fromkeys(("value", "low", "high", "k", "n"))
                row = {"method": one["name"], "by": by, "group": group["label"], **head, "rate": name}
                yield {
                    **row,
                    "value": found["value"],
                    "low": found["low"],
                    "high": found["high"],
                    "counted": found["n"],
                }


def _gaps(result: Result) -> Rows:
    for one, by, comparison in _decided(result):
        for name, found in comparison["between"].items():
            row = {"method": one["name"], "by": by, "measure": name}
            row |= {part: found[part] for part in ("value", "low", "high", "highest", "lowest")}
            chance = found["chance"] or {"limit": None, "p_value": None}
            yield {**row, "chance_limit": chance["limit"], "p_value": chance["p_value"]}


def _four_fifths(result: Result) -> Rows:
    for one, by, comparison in _decided(result):
        for entry in comparison["four_fifths"]:
            yield {"method": one["name"], "by": by, **entry}


def _calibration(result: Result) -> Rows:
    for one, by, comparison in _decided(result):
        for group in comparison["groups"]:
            for found in (group["calibration"] or {"bins": ()})["bins"]:
                row = {
                    "method": one["name"],
                    "by": by,
                    "group": group["label"],
                    "from": found["low"],
                    "to": found["high"],
                }
                observed = {f"observed_{part}": found["observed"][part] for part in ("value", "low", "high")}
                yield {**row, "mean_score": found["mean_score"], **observed, "people": found["n"]}


def _calibration_errors(result: Result) -> Rows:
    for one, by, comparison in _decided(result):
        for group in comparison["groups"]:
            if group["calibration"]:
                error = group["calibration"]["expected_calibration_error"]
                yield {"method": one["name"], "by": by, "group": group["label"], "expected_calibration_error": error}


def _law(result: Result) -> Rows:
    for one in result["methods"]:
        for table in (one["decisions"].get("local_law_144") or {}).get("tables", []):
            for category in table["categories"]:
                yield {"method": one["name"], "by": " × ".join(table["attributes"]), **category}


def _settings(result: Result) -> Rows:
    spec = result["spec"]
    asked = {name: spec[name] for name in spec if name != "settings"}
    for name, value in {**asked, "sha256": AuditSpec.from_dict(spec).digest(), **spec["settings"]}.items():
        yield {"name": name, "value": json.dumps(value, ensure_ascii=False)}


def _provenance(result: Result) -> Rows:
    for name, value in result["provenance"].items():
        yield {"name": name, "value": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}


def _failures(result: Result) -> Rows:
    for part, why in result["failures"].items():
        yield {"part": part, "why": why}


def _measured(result: Result) -> Iterator[tuple[Mapping[str, Any], str, str, Mapping[str, Any]]]:
    for one in result["methods"]:
        for attribute, places in one["leakage"]["by_attribute"].items():
            for place, found in places.items():
                yield one, attribute, place, found


def _decided(result: Result) -> Iterator[tuple[Mapping[str, Any], str, Mapping[str, Any]]]:
    for one in result["methods"]:
        for comparison in one["decisions"].get("by", []):
            yield one, " × ".join(comparison["attributes"]), comparison


def _limits(found: Mapping[str, Any]) -> dict[str, float | None]:
    return {part: found[part] for part in ("mean", "low", "high")}


_TABLES: Mapping[str, Callable[[Result], Rows]] = {
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
