"""Put the cells of an audit together: means over seeds with intervals, chance, verdicts, features, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from diffoci.audit.certificates.certificate import Certificate, certify
from diffoci.audit.decisions import decide
from diffoci.audit.decisions.any_threshold import ScoreCeiling, score_ceilings
from diffoci.audit.decisions.decide import DecisionSettings
from diffoci.audit.decisions.grouping import group_by
from diffoci.audit.decisions.local_law_144 import ImpactTables, law_columns, local_law_144
from diffoci.audit.dropping import condition_of, only_together
from diffoci.audit.findings import conclude
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.methods import METHODS, REFERENCE, curves, method_words
from diffoci.audit.paper import paper_figures
from diffoci.audit.result import (
    PLACES,
    SCHEMA,
    SCORES,
    AuditResult,
    Changed,
    CurvePoint,
    Decided,
    ExactViews,
    FeatureResult,
    Group,
    Guessed,
    Label,
    Leakage,
    MethodResult,
    Place,
    Predicted,
    Provenance,
    Rates,
)
from diffoci.audit.spec import AuditSpec
from diffoci.audit.splitting import are_folds, overlap_of_splits, taught_by_each_other
from diffoci.audit.trade_off import point_in
from diffoci.audit.verdicts import SplitScores, aucs, chance, judged_classes, verdict
from diffoci.data.dataset import Dataset
from diffoci.data.summary import group_sizes
from diffoci.inputs import Floats, Ints
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs

Found = list[tuple[Cell, CellOutput]]
_THRESHOLD = 0.5


def assemble(
    spec: AuditSpec, dataset: Dataset, cells: Sequence[Cell], outputs: Outputs, failures: Failures, made: Made
) -> AuditResult:
    """The result of an audit but for its id, which only the run knows."""
    done = [(cell, outputs[cell.id]) for cell in cells if cell.id in outputs]
    methods, curve, features = (
        [pair for pair in done if pair[0].stage == stage] for stage in ("methods", "curve", "features")
    )
    result = AuditResult(
        schema=SCHEMA,
        id="",
        study="audit",
        spec=spec,
        provenance=_provenance(dataset, made),
        label=Label(dataset.label_name, tuple(dataset.label_classes)),
        groups=msgspec.convert(group_sizes(dataset), dict[str, dict[str, Group]]),
        methods=tuple(_methods(methods, spec, dataset)),
        curve=_curve(methods, curve, spec, dataset),
        features=_features(features, dataset),
        paper=paper_figures(spec.data, spec.options),
        failures=dict(failures),
    )
    return replace(result, findings=conclude(result))


def _provenance(dataset: Dataset, made: Made) -> Provenance:
    return Provenance(
        sha256=dataset.sha256,
        rows=len(dataset),
        real=dataset.real,
        name=dataset.name,
        title=dataset.title,
        source=dataset.source,
        licence=dataset.licence,
        citation=dataset.citation,
        notes=tuple(dataset.notes),
        versions=dict(made.versions),
        device=made.device,
        seconds=made.seconds,
    )


def _methods(found: Found, spec: AuditSpec, dataset: Dataset) -> list[MethodResult]:
    by_name = {name: [pair for pair in found if pair[0].method == name] for name in spec.methods}
    folds = are_folds(spec.settings, len(dataset))
    return [
        MethodResult(
            name=name,
            title=METHODS[name].title,
            needs_sensitive_at_prediction=METHODS[name].needs_sensitive_at_prediction,
            seeds=tuple(cell.seed for cell, _ in cells),
            y=_predicted(cells, dataset, _test_share(spec, dataset)),
            leakage=_leakage(cells, dataset, spec),
            chosen=tuple(output.summary["chosen"] for _, output in cells),
            decisions=_decided(cells, dataset),
            certificate=_certificate(cells, spec),
            changed=_changed(by_name.get(REFERENCE, []), cells, dataset) if folds and name != REFERENCE else None,
            **method_words(name),
        )
        for name, cells in by_name.items()
        if cells
    ]


def _certificate(found: Found, spec: AuditSpec) -> Certificate | None:
    """That of the first split, whose representation is the one taken away; what others gave plays no part."""
    cell, output = found[0]
    counted = output.summary.get("certificate")
    if counted is None:
        return None
    return certify(counted, confidence=spec.settings["confidence"], seed=cell.seed)


def _changed(before: Found, after: Found, dataset: Dataset) -> Changed | None:
    """Who is predicted right by one method only; None unless the same people were tested by both, each once."""
    (old, was), (new, now) = (_predicted_right(found, dataset) for found in (before, after))
    if not np.array_equal(old, new) or not len(old) or len(np.unique(old)) < len(old):
        return None
    return Changed(people=len(old), lost=int((was & ~now).sum()), gained=int((now & ~was).sum()))


def _predicted_right(found: Found, dataset: Dataset) -> tuple[Ints, NDArray[np.bool_]]:
    """Everybody who was tested, in the order of the data, and whether the outcome was predicted right."""
    nobody: list[Ints] = [np.zeros(0, dtype=np.int64)]
    rows = np.concatenate([*nobody, *(output.arrays["test_rows"] for _, output in found)])
    said = np.concatenate([*nobody, *(output.arrays["y"].argmax(axis=1) for _, output in found)])
    order = np.argsort(rows, kind="stable")
    return rows[order], dataset.label.to_numpy()[rows[order]] == said[order]


def _curve(methods: Found, found: Found, spec: AuditSpec, dataset: Dataset) -> dict[str, tuple[CurvePoint, ...]]:
    """Every weight of every curve: from a cell of its own, or from the cell of the method that is tried with it."""
    curve: dict[str, list[CurvePoint]] = {}
    for name, entry in curves().items():
        own = [pair for pair in methods if pair[0].method == name]
        for weight in spec.settings["curve"]:
            cells = [pair for pair in found if pair[0].method == name and list(pair[0].settings[entry]) == [weight]]
            cells += [(cell, tried) for cell, output in own if (tried := point_in(output, weight)) is not None]
            if cells:
                point = CurvePoint(
                    weight=weight,
                    seeds=tuple(cell.seed for cell, _ in cells),
                    y=_predicted(cells, dataset, _test_share(spec, dataset)),
                    leakage=_leakage(cells, dataset, spec),
                )
                curve.setdefault(name, []).append(point)
    return {name: tuple(points) for name, points in curve.items()}


def _test_share(spec: AuditSpec, dataset: Dataset) -> float:
    return overlap_of_splits(spec.settings, rows=len(dataset), splits=len(spec.seeds))


def _predicted(found: Found, dataset: Dataset, share: float) -> Predicted:
    """How well the outcome is predicted from one method over its seeds."""
    y = [output.summary["y"] for _, output in found]
    losses = {
        loss: mean_over_seeds([one["scores"][loss] for one in y], test_share=share)
        for loss in ("log_loss", "hard_log_loss")
    }
    return Predicted(
        **_rates([one["scores"] for one in y], share),
        **losses,
        majority=float(dataset.label.value_counts(normalize=True).max()),
        probe=tuple(one["probe"] for one in y),
        probes=_by_probe(y, share),
    )


def _rates(scores: Sequence[Mapping[str, float | None]], share: float) -> dict[str, Any]:
    return {score: mean_over_seeds([one[score] for one in scores], test_share=share, most=1.0) for score in SCORES}


def _by_probe(ones: Sequence[Mapping[str, Any]], share: float) -> dict[str, Rates]:
    return {probe: Rates(**_rates([one["probes"][probe] for one in ones], share)) for probe in ones[0]["probes"]}


def _leakage(found: Found, dataset: Dataset, spec: AuditSpec) -> Leakage:
    by_attribute: dict[str, dict[Place, Guessed]] = {
        str(attribute): {
            place: _guessed(found, str(attribute), place, dataset, spec)
            for place in PLACES
            if all(f"{place}:{attribute}" in output.arrays for _, output in found)
        }
        for attribute in dataset.sensitive
    }
    first = by_attribute[str(dataset.sensitive.columns[0])]
    return Leakage(by_attribute=by_attribute, **first)


def _guessed(found: Found, attribute: str, place: Place, dataset: Dataset, spec: AuditSpec) -> Guessed:
    column = dataset.sensitive[attribute].cat.remove_unused_categories()
    code: Ints = column.cat.codes.to_numpy().astype(np.int64)
    levels = [str(level) for level in column.cat.categories]
    tests = [SplitScores(o.arrays["test_rows"], o.arrays[f"{place}:{attribute}"].astype(np.float64)) for _, o in found]
    judged = judged_classes(code, tests, len(levels))
    ones, share = [output.summary["leakage"][attribute][place] for _, output in found], _test_share(spec, dataset)
    # Where no group can be judged the score is still shown; only the verdict is withheld.
    scored = judged or [int(k) for k in np.unique(code[np.concatenate([test.rows for test in tests])])]
    taught = taught_by_each_other(spec.settings, len(dataset))
    # Cells from before points of a curve had a width have none.
    learned = [output.summary.get("width") if place == "representation" else None for _, output in found]
    how: dict[str, Any] = {"draws": spec.settings["null_draws"], "taught": taught}
    how["one_direction"] = bool(taught) and set(learned) == {1} and len(scored) == 2
    limits = chance(code, tests, scored, **how) if len(scored) > 1 else None
    area = mean_over_seeds(aucs(code, tests, scored).tolist() if len(scored) > 1 else [], test_share=share, most=1.0)
    return Guessed(
        accuracy=mean_over_seeds([one["scores"]["accuracy"] for one in ones], test_share=share, most=1.0),
        balanced_accuracy=mean_over_seeds(
            [one["scores"]["balanced_accuracy"] for one in ones], test_share=share, most=1.0
        ),
        auc=area,
        majority=float(np.bincount(code).max() / len(code)),
        null_auc_low=None if limits is None else limits.low,
        null_auc_high=None if limits is None else limits.high,
        below_chance=limits is not None and area.mean is not None and area.mean < limits.low,
        probe=max(sorted({one["probe"] for one in ones}), key=[one["probe"] for one in ones].count),
        probes=_by_probe(ones, share),
        T=mean_over_seeds([one["T"] for one in ones], test_share=share),
        p_value=_joint_p_value([one["p_value"] for one in ones if one["p_value"] is not None]),
        not_judged=tuple(level for k, level in enumerate(levels) if k not in judged),
        test_rows=len(np.unique(np.concatenate([test.rows for test in tests]))),
        verdict=verdict(area.mean, limits if judged else None),
    )


def _joint_p_value(p_values: Sequence[float]) -> float | None:
    """Twice the median of dependent p-values is a valid p-value."""
    if len(p_values) > 1:
        return min(1.0, 2 * float(np.median(p_values)))
    return p_values[0] if p_values else None


def _decided(found: Found, dataset: Dataset) -> Decided | None:
    """Decisions of the strongest y-probe on the test rows of all seeds, every person once."""
    rows = np.concatenate([output.arrays["test_rows"] for _, output in found])
    if len(dataset.label_classes) != 2 or len(np.unique(rows)) < 2:
        return None
    score: Floats = np.concatenate([output.arrays["y"][:, 1] for _, output in found]).astype(np.float64)
    rows, first = np.unique(rows, return_index=True)
    sensitive = dataset.sensitive.iloc[rows].reset_index(drop=True)
    label = dataset.label.to_numpy()[rows]
    decided = decide(label, sensitive=sensitive, score=score[first], threshold=_THRESHOLD)
    sex, race = law_columns(sensitive)
    law: ImpactTables | None = None
    if sex or race:
        law = local_law_144(sensitive, selected=(score[first] >= _THRESHOLD).astype(int), sex=sex, race=race)
    return Decided(
        threshold=decided.threshold,
        overall=decided.overall,
        comparisons=decided.comparisons,
        settings=decided.settings,
        people=len(rows),
        local_law_144=law,
        any_threshold=_any_threshold(found[0][1], dataset, decided.settings),
    )


def _any_threshold(
    output: CellOutput, dataset: Dataset, settings: DecisionSettings
) -> dict[str, tuple[ScoreCeiling, ...]]:
    """What no threshold exceeds on the score of one split; by attributes with two groups of enough people."""
    people = dataset.sensitive.iloc[output.arrays["test_rows"]].reset_index(drop=True)
    values, place = np.unique(output.arrays["y"][:, 1].astype(np.float64), return_inverse=True)
    found = {
        str(name): score_ceilings(
            values, place, group_by(people, [str(name)]), minimum=settings.minimum, confidence=settings.confidence
        )
        for name in people
    }
    return {name: bounds for name, bounds in found.items() if bounds}


def _features(found: Found, dataset: Dataset) -> FeatureResult:
    names = tuple(column.name for column in dataset.columns)
    weights: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for cell, output in found:
        if "given" in cell.settings:
            weights.setdefault(tuple(cell.settings["given"]), []).append(output.summary)
    conditions = tuple(
        condition_of(given, names, np.array([_theta(one, names) for one in ones]), ones[0]["cutoff"])
        for given, ones in weights.items()
    )
    exact = next((output.summary for cell, output in found if cell.method == "exact"), None)
    return FeatureResult(
        names=names,
        labels=tuple(column.label for column in dataset.columns),
        conditions=conditions,
        only_together=only_together({one.given: one.dropped for one in conditions}),
        exact=None if exact is None else msgspec.convert(exact, ExactViews),
    )


def _theta(trained: Mapping[str, Any], names: Sequence[str]) -> list[float]:
    """Weights in the order of the features; a feature that training had no column for has none."""
    known = dict(zip(trained["names"], trained["theta"], strict=True))
    return [known.get(name, 0.0) for name in names]
