"""What can be guessed in the report: y against each attribute, probe by probe, trade-off, features dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from diffoci.audit.certificates.words import OF_CELLS, ceiling_sentence
from diffoci.audit.dropping import Dropping, drop
from diffoci.audit.result import AuditResult
from diffoci.audit.words import PLACES, interval_text, probe_title, score_text
from diffoci.audit.words.verdicts import reason, sentence
from diffoci.figures import features
from diffoci.figures.ceilings import CEILING, FROM_CELLS
from diffoci.figures.compare import plane, table
from diffoci.figures.curve import curve
from diffoci.figures.probes import fooled_in, probes
from diffoci.figures.view import Row, View, curve_rows, paper_points, rows_of
from diffoci.inputs import Ints
from diffoci.report._shortening import IN_FULL, MOST_FEATURES
from diffoci.report.writing.blocks import (
    Block,
    Follows,
    Heading,
    Picture,
    Points,
    Section,
    Sources,
    Table,
    Words,
    cell_text,
)

# A picture of more rows would take more than half a printed page; the appendix has them all.
MOST_ROWS = 16


def sections(result: AuditResult) -> Iterator[Section]:
    """y against every attribute, then what was dropped."""
    if not result.methods:
        yield Section("What can be guessed", (Words("No method of this audit finished: there is nothing to compare."),))
    for attribute in result.attributes[:IN_FULL] if result.methods else ():
        yield Section(_question(attribute), tuple(_guessing(result, attribute)))
    yield Section("Features dropped for each sensitive attribute", tuple(_features(result)))


def appendix(result: AuditResult) -> Iterator[Section]:
    """Every attribute by method, repetition and probe, and the weight of every feature."""
    for attribute in result.attributes[IN_FULL:] if result.methods else ():
        yield Section(_question(attribute), tuple(_guessing(result, attribute)), folded=True)
    for attribute in result.attributes if result.methods else ():
        if rows := rows_of(result, View(attribute)):
            yield Section(f"Guessing {attribute} in detail", tuple(_details(result, attribute, rows)), folded=True)
    yield from _every_feature(result)


def _question(attribute: str) -> str:
    return f"How well the outcome is predicted, how well {attribute} can be guessed"


def _guessing(result: AuditResult, attribute: str) -> Iterator[Block]:
    view = View(attribute)
    rows = rows_of(result, view)
    if not rows:
        yield Words(f"Nothing was measured for {attribute}.")
        return
    numbers = Table("The numbers behind the picture", table(result, view))
    numbers = replace(numbers, follows=_compared(result, view, rows, numbers.frame))
    yield from _ceilings(result, attribute)
    # The picture of the first attribute stands on page one.
    yield numbers if attribute == result.attributes[0] else Picture(plane(result, view), numbers)


def _ceilings(result: AuditResult, attribute: str) -> Iterator[Block]:
    """What nobody can exceed, for the method spoken of first; the others are points of the appendix."""
    finding = result.findings.guessed.get(attribute, {}).get("representation")
    named = None if finding is None else finding.best or finding.reference
    if named is not None and (said := ceiling_sentence(result.method(named), attribute)):
        yield Words(f"{said} {OF_CELLS}")


def _compared(result: AuditResult, view: View, rows: Sequence[Row], frame: pd.DataFrame) -> Sources:
    """Where the cells of the table of a view come from, by its columns."""
    _, judged, accuracy, *drawn, guessed, chance = map(str, frame.columns[: list(frame.columns).index("Chance") + 1])
    interval = "auc interval" if view.score == "auc" else "percent interval"
    shuffled = [Follows(row.found, "chance") for row in rows]
    largest = [Follows(result.groups[view.attribute], "largest share") for _ in rows]
    return {
        accuracy: [Follows(row.accuracy, "percent interval") for row in rows],
        **{name: [Follows(row.y, "two digits", "mean") for row in rows] for name in drawn},
        guessed: [Follows(row.s, interval) for row in rows],
        chance: shuffled if view.score == "auc" else largest,
        judged: [Follows(row.found, "verdict", "verdict") for row in rows],
        **_bounded(view, rows, frame),
    }


def _bounded(view: View, rows: Sequence[Row], frame: pd.DataFrame) -> Sources:
    if CEILING not in frame or view.score != "auc":
        return {}
    held = [row.certificate for row in rows]
    bounds = [None if one is None else one.by_attribute.get(view.attribute) for one in held]
    return {
        CEILING: [None if one is None or one.too_few else Follows(one, "two digits", "auc_at_most") for one in bounds],
        FROM_CELLS: [
            None if one is None or of is None else Follows(one, "percent", "y_accuracy")
            for one, of in zip(held, bounds, strict=True)
        ],
    }


def _details(result: AuditResult, attribute: str, rows: Sequence[Row]) -> Iterator[Block]:
    view = View(attribute)
    yield Points(tuple(in_words(result, view, row) for row in rows))
    if any(row.by_seed() for row in rows):
        yield _seeds(rows)
    if "last_layer" in result.places:
        yield from _last_layer(result, attribute)
    yield Heading("Probe by probe")
    yield Words("A method can be at chance for a linear probe and still reveal the attribute to another.")
    yield Picture(probes(result, view), _probes(rows, fooled_in(result, view)))
    yield _coefficient(rows)
    drawn = curve(result, view)
    if drawn is not None:
        yield Heading("The trade-off")
        yield Picture(drawn, _curve(result, view))


def in_words(result: AuditResult, view: View, row: Row) -> str:
    """What one method costs and brings, and why its verdict is what it is."""
    one = result.method(row.name)
    said = f"{sentence(result, one, view.attribute, view.place)} {reason(view.attribute, view.place, row.found)}"
    return f"{said} {ceiling_sentence(one, view.attribute)}".strip() if view.place == "representation" else said


def _last_layer(result: AuditResult, attribute: str) -> Iterator[Block]:
    view = View(attribute, "last_layer", "accuracy")
    yield Heading(f"Guessed from {PLACES['last_layer']}")
    yield Words("The paper's protocol: the last hidden layer of a classifier trained on each representation.")
    frame = table(result, view)
    follows = _compared(result, view, rows_of(result, view), frame) if len(frame) else {}
    yield Table("From the last layer, as accuracies", frame, follows=follows)
    papers = paper_points(result, view)
    if papers:
        told = [f"{name}: outcome {100 * y:.1f} %, {attribute} {100 * s:.1f} %" for name, (y, s) in papers.items()]
        yield Words(f"The paper reports, for these data and one split of its own: {'; '.join(told)}.")


def _seeds(rows: Sequence[Row]) -> Table:
    frame = pd.DataFrame(
        [
            {
                "Method": row.called,
                "Seeds": ", ".join(map(str, row.seeds)),
                "AUC of the outcome": _in_a_row(row.y.values),
                "AUC of guessing": _in_a_row(row.s.values),
            }
            for row in rows
        ]
    )
    follows = {
        "AUC of the outcome": [Follows(row.y, "every seed", "values") for row in rows],
        "AUC of guessing": [Follows(row.s, "every seed", "values") for row in rows],
    }
    return Table("Repetition by repetition", frame, follows=follows)


def _in_a_row(values: Sequence[float | None]) -> str:
    return " ".join("unknown" if value is None else f"{value:.3f}" for value in values) or "not measured"


def _probes(rows: Sequence[Row], fooled: set[str]) -> Table:
    lines = []
    for row in rows:
        line = {"Method": row.called}
        for probe, scores in row.found.probes.items():
            line[_probe_heading(probe)] = interval_text(scores.auc, "auc")
        low, high = row.found.null_auc_low, row.found.null_auc_high
        line["Chance"] = f"{score_text(low, 'auc')} to {score_text(high, 'auc')}" if high is not None else "not judged"
        line["Only the linear probe is at chance"] = "yes" if row.name in fooled else "no"
        lines.append(line)
    follows: dict[str, list[Follows | None]] = {"Chance": [Follows(row.found, "chance") for row in rows]}
    for probe in dict.fromkeys(probe for row in rows for probe in row.found.probes):
        known = [row.found.probes.get(probe) for row in rows]
        heading = _probe_heading(probe)
        follows[heading] = [None if one is None else Follows(one.auc, "auc interval") for one in known]
    return Table("AUC of each probe, and what shuffled labels give", pd.DataFrame(lines), follows=follows)


def _probe_heading(probe: str) -> str:
    return probe_title(probe).capitalize()


def _coefficient(rows: Sequence[Row]) -> Table:
    lines: list[dict[str, Any]] = []
    for row in rows:
        T = row.found.T
        limits = "one seed" if T.low is None else f"{cell_text(T.low)} to {cell_text(T.high)}"
        lines.append({"Method": row.called, "T": T.mean, "Interval": limits, "p-value": row.found.p_value})
        lines[-1]["Tested people"] = row.found.test_rows
    follows: Sources = {
        "T": [Follows(row.found.T, "three digits", "mean") for row in rows],
        "Interval": [Follows(row.found.T, "limits") if row.found.T.low is not None else None for row in rows],
        "p-value": [Follows(row.found, "three digits", "p_value") for row in rows],
        "Tested people": [Follows(row.found, "count", "test_rows") for row in rows],
    }
    return Table("The exact coefficient T(S, Z) on test rows", pd.DataFrame(lines), follows=follows)


def _curve(result: AuditResult, view: View) -> Table:
    points = [point for points in curve_rows(result, view).values() for point in points]
    guessed = f"{view.attribute} guessed (AUC)"
    frame = pd.DataFrame(
        [
            {
                "Method": row.called,
                "Weight": f"{weight:g}",
                "Outcome accuracy": interval_text(row.accuracy, "accuracy"),
                guessed: interval_text(row.s, "auc"),
            }
            for weight, row in points
        ]
    )
    follows = {
        "Outcome accuracy": [Follows(row.accuracy, "percent interval") for _, row in points],
        guessed: [Follows(row.s, "auc interval") for _, row in points],
    }
    return Table("Weight by weight", frame, follows=follows)


def _features(result: AuditResult) -> Iterator[Block]:
    conditions = result.features.conditions
    if not conditions:
        yield Words("No feature weights in this audit: the trainings that give every feature a weight did not finish.")
        return
    found = drop(result, conditions[0].cutoff)
    yield Words(features.sentence(found))
    shown = _leading(found)
    drawing = replace(features.matrix(found.of_features(np.sort(shown))), alt=features.sentence(found))
    caption = "Weight of every feature, and in how many repetitions it was dropped"
    if len(shown) < len(found.names):
        caption = f"The {len(shown)} features with the largest weights, and in how many repetitions each was dropped"
    yield Picture(drawing, _feature_table(result, found, shown, caption))
    lines = features.paper_sentences(result.paper, found)
    if lines:
        yield Points(tuple(lines))
    yield Words(
        "Which feature falls below the cutoff varies with the repetition, the number of steps and the coding; the "
        "table says in how many repetitions it did. A dropped feature is one this training did without, not one that "
        "says nothing."
    )


def _every_feature(result: AuditResult) -> Iterator[Section]:
    """The weights that the body of the report has no room for."""
    if not result.features.conditions or len(result.features.names) <= MOST_ROWS:
        return
    found = drop(result, result.features.conditions[0].cutoff)
    caption = "Weight of every feature, and in how many repetitions it was dropped"
    if len(found.names) > MOST_FEATURES:
        caption += f"; this table has the first {MOST_FEATURES} of {len(found.names):,}, and the file features all"
    every = _feature_table(result, found, _by_weight(found)[:MOST_FEATURES], caption)
    yield Section("The weight of every feature", (every,), folded=True)


def _by_weight(found: Dropping) -> Ints:
    return np.argsort(-found.theta[0], kind="stable")


def _leading(found: Dropping) -> Ints:
    """Positions of the features with the largest weights under any condition, as many as the picture holds."""
    largest = set(np.argsort(-found.theta.max(axis=0), kind="stable")[:MOST_ROWS].tolist())
    return np.array([k for k in _by_weight(found) if k in largest])


def _feature_table(result: AuditResult, found: Dropping, shown: Ints, caption: str) -> Table:
    """The features at some positions, in that order."""
    some = found.of_features(shown)
    frame = pd.DataFrame({"Feature": some.names, "Meaning": some.labels})
    if (frame["Meaning"] == frame["Feature"]).all():
        frame = frame.drop(columns="Meaning")
    follows: dict[str, list[Follows | None]] = {}
    for k, title in enumerate(features.titles(some)):
        frame[f"|θ| {title}"] = [
            f"{theta:.3f} ({n:.0f} of {some.seeds[k]}){' dropped' if gone else ''}"
            for theta, n, gone in zip(some.theta[k], some.count[k], some.dropped[k], strict=True)
        ]
        condition = result.features.conditions[k]
        follows[f"|θ| {title}"] = [Follows(condition, "weight", f"theta/{feature}") for feature in shown]
    if len(some.conditions) > 2:
        frame["Dropped only together"] = ["yes" if name in some.only_together else "no" for name in some.names]
    return Table(caption, frame, follows=follows)
