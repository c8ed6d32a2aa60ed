"""Put the cells of an audit together: means over seeds with intervals, chance, verdicts, features, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from diffoci.audit.cells import Cell, CellOutput
from diffoci.audit.decisions import decide
from diffoci.audit.local_law_144 import law_columns, local_law_144
from diffoci.audit.measure import PLACES
from diffoci.audit.methods import METHODS
from diffoci.audit.paper import paper_figures
from diffoci.audit.presets import CURVES
from diffoci.audit.spec import AuditSpec
from diffoci.audit.verdicts import SplitScores, aucs, chance, judged_classes, verdict
from diffoci.data.dataset import Dataset
from diffoci.data.summary import group_sizes
from diffoci.inputs import Ints

SCHEMA = 1
RATES = ("accuracy", "balanced_accuracy", "auc")
Found = list[tuple[Cell, CellOutput]]


def assemble(
    spec: AuditSpec,
    dataset: Dataset,
    cells: Sequence[Cell],
    outputs: Mapping[str, CellOutput],
    failures: Mapping[str, str],
) -> dict[str, Any]:
    """The content of result.json, but for what only the runner knows (id, device, versions, seconds)."""
    done = [(cell, outputs[cell.id]) for cell in cells if cell.id in outputs]
    return {
        "schema": SCHEMA,
        "spec": spec.to_dict(),
        "provenance": {
            "sha256": dataset.sha256,
            "rows": len(dataset),
            "real": dataset.real,
            "name": dataset.name,
            "title": dataset.title,
            "source": dataset.source,
            "licence": dataset.licence,
            "citation": dataset.citation,
            "notes": list(dataset.notes),
        },
        "label": {"name": dataset.label_name, "classes": list(dataset.label_classes)},
        "groups": group_sizes(dataset),
        "methods": [
            _method(
                name, [pair for pair in done if pair[0].stage == "methods" and pair[0].method == name], spec, dataset
            )
            for name in spec.methods
            if any(cell.stage == "methods" and cell.method == name for cell, _ in done)
        ],
        "curve": _curve([pair for pair in done if pair[0].stage == "curve"], spec, dataset),
        "features": _features([pair for pair in done if pair[0].stage == "features"], dataset),
        "paper": paper_figures(spec.data, spec.options),
        "failures": dict(failures),
    }


def interval(
    values: Sequence[float | None], *, test_share: float = 0.1 / 0.75, most: float | None = None
) -> dict[str, Any]:
    """Mean over seeds with a 95 % interval that allows for overlapping splits (Nadeau and Bengio).

    With `most` the interval is cut at 0 and at that value: a rate is never above 1. A seed without a value (its test
    rows lack a group) keeps its place.
    """
    every = [None if value is None or not np.isfinite(value) else float(value) for value in values]
    known = np.array([value for value in every if value is not None], dtype=np.float64)
    if not len(known):
        return {"mean": None, "low": None, "high": None, "values": every}
    mean = float(known.mean())
    if len(known) == 1:
        return {"mean": mean, "low": None, "high": None, "values": every}
    error = float(known.std(ddof=1)) * np.sqrt(1 / len(known) + test_share)
    reach = float(stats.t.ppf(0.975, len(known) - 1)) * error
    low, high = mean - reach, mean + reach
    if most is not None:
        low, high = max(low, 0.0), min(high, most)
    return {"mean": mean, "low": low, "high": high, "values": every}


def _method(name: str, found: Found, spec: AuditSpec, dataset: Dataset) -> dict[str, Any]:
    return {
        "name": name,
        "title": METHODS[name].title,
        "needs_sensitive_at_prediction": METHODS[name].needs_sensitive_at_prediction,
        **_numbers(found, spec, dataset),
        "chosen": [output.summary["chosen"] for _, output in found],
        "decisions": _decisions(found, dataset),
    }


def _numbers(found: Found, spec: AuditSpec, dataset: Dataset) -> dict[str, Any]:
    """y and leakage of one method over its seeds."""
    share = spec.settings["fractions"][2] / spec.settings["fractions"][0]
    by_attribute = {
        str(attribute): {
            place: _leakage(found, str(attribute), place, dataset, spec, share)
            for place in PLACES
            if all(f"{place}:{attribute}" in output.arrays for _, output in found)
        }
        for attribute in dataset.sensitive
    }
    first = by_attribute[str(dataset.sensitive.columns[0])]
    y = [output.summary["y"] for _, output in found]
    return {
        "seeds": [cell.seed for cell, _ in found],
        "y": {
            **{
                score: interval(
                    [one["scores"][score] for one in y], test_share=share, most=1.0 if score in RATES else None
                )
                for score in y[0]["scores"]
            },
            "majority": float(dataset.label.value_counts(normalize=True).max()),
            "probe": [one["probe"] for one in y],
            "probes": _by_probe(y, share),
        },
        "leakage": {**first, "by_attribute": by_attribute},
    }


def _by_probe(ones: Sequence[Mapping[str, Any]], share: float) -> dict[str, Any]:
    return {
        probe: {
            score: interval([one["probes"][probe][score] for one in ones], test_share=share, most=1.0)
            for score in RATES
        }
        for probe in ones[0]["probes"]
    }


def _leakage(
    found: Found, attribute: str, place: str, dataset: Dataset, spec: AuditSpec, share: float
) -> dict[str, Any]:
    column = dataset.sensitive[attribute].cat.remove_unused_categories()
    code: Ints = column.cat.codes.to_numpy().astype(np.int64)
    levels = [str(level) for level in column.cat.categories]
    tests = [SplitScores(o.arrays["test_rows"], o.arrays[f"{place}:{attribute}"].astype(np.float64)) for _, o in found]
    judged = judged_classes(code, tests, len(levels))
    ones = [output.summary["leakage"][attribute][place] for _, output in found]
    # Where no group can be judged the score is still shown; only the verdict is withheld.
    scored = judged or [int(k) for k in np.unique(code[np.concatenate([test.rows for test in tests])])]
    limits = chance(code, tests, scored, draws=spec.settings["null_draws"]) if len(scored) > 1 else None
    area = interval(aucs(code, tests, scored).tolist() if len(scored) > 1 else [], test_share=share, most=1.0)
    p_values = [one["p_value"] for one in ones if one["p_value"] is not None]
    return {
        "majority": float(np.bincount(code).max() / len(code)),
        "accuracy": interval([one["scores"]["accuracy"] for one in ones], test_share=share, most=1.0),
        "balanced_accuracy": interval([one["scores"]["balanced_accuracy"] for one in ones], test_share=share, most=1.0),
        "auc": area,
        "null_auc_low": None if limits is None else limits.low,
        "null_auc_high": None if limits is None else limits.high,
        "below_chance": limits is not None and area["mean"] is not None and area["mean"] < limits.low,
        "probe": max(sorted({one["probe"] for one in ones}), key=[one["probe"] for one in ones].count),
        "probes": _by_probe(ones, share),
        "T": interval([one["T"] for one in ones], test_share=share),
        # Twice the median of dependent p-values is a valid p-value.
        "p_value": min(1.0, 2 * float(np.median(p_values))) if len(p_values) > 1 else (p_values or [None])[0],
        "not_judged": [level for k, level in enumerate(levels) if k not in judged],
        "test_rows": len(np.unique(np.concatenate([test.rows for test in tests]))),
        "verdict": verdict(area["mean"], limits if judged else None),
    }


def _decisions(found: Found, dataset: Dataset) -> dict[str, Any]:
    """Decisions of the strongest y-probe on the test rows of all seeds, every person once."""
    rows = np.concatenate([output.arrays["test_rows"] for _, output in found])
    if len(dataset.label_classes) != 2 or len(np.unique(rows)) < 2:
        return {}
    score = np.concatenate([output.arrays["y"][:, 1] for _, output in found]).astype(np.float64)
    rows, first = np.unique(rows, return_index=True)
    sensitive = dataset.sensitive.iloc[rows].reset_index(drop=True)
    label = dataset.label.to_numpy()[rows]
    decided = decide(label, sensitive=sensitive, score=score[first])
    sex, race = law_columns(sensitive)
    law = {}
    if sex or race:
        law = local_law_144(sensitive, selected=(score[first] >= 0.5).astype(int), sex=sex, race=race).to_dict()
    return {**decided.to_dict(), "people": len(rows), "local_law_144": law}


def _curve(found: Found, spec: AuditSpec, dataset: Dataset) -> dict[str, Any]:
    curve: dict[str, Any] = {}
    for name, entry in CURVES.items():
        for weight in spec.settings["curve"]:
            cells = [pair for pair in found if pair[0].method == name and list(pair[0].settings[entry]) == [weight]]
            if cells:
                curve.setdefault(name, []).append({"weight": weight, **_numbers(cells, spec, dataset)})
    return curve


def _features(found: Found, dataset: Dataset) -> dict[str, Any]:
    names = [column.name for column in dataset.columns]
    conditions = []
    for given in dict.fromkeys(tuple(cell.settings["given"]) for cell, _ in found if "given" in cell.settings):
        ones = [o.summary for cell, o in found if "given" in cell.settings and tuple(cell.settings["given"]) == given]
        theta = np.array(
            [[dict(zip(one["names"], one["theta"], strict=True)).get(n, 0.0) for n in names] for one in ones]
        )
        dropped = np.abs(theta) <= ones[0]["cutoff"]
        conditions.append(
            {
                "given": list(given),
                "theta": np.abs(theta).mean(axis=0).tolist(),
                "values": theta.tolist(),
                "dropped": [name for name, often in zip(names, dropped.mean(axis=0), strict=True) if often > 0.5],
                "frequency": dropped.mean(axis=0).tolist(),
                "cutoff": ones[0]["cutoff"],
            }
        )
    exact = next((output.summary for cell, output in found if cell.method == "exact"), None)
    return {
        "names": names,
        "labels": [column.label for column in dataset.columns],
        "conditions": conditions,
        "only_together": only_together(conditions),
        "exact": exact,
    }


def only_together(conditions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Features dropped given all attributes together and under no other condition (the paper's red entries)."""
    most = max((len(condition["given"]) for condition in conditions), default=0)
    if most < 2:
        return []
    together = next(condition for condition in conditions if len(condition["given"]) == most)
    elsewhere = {name for condition in conditions if len(condition["given"]) < most for name in condition["dropped"]}
    return [name for name in together["dropped"] if name not in elsewhere]
