"""What can be guessed in the report: y against each attribute, probe by probe, trade-off, features dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from diffoci.figures import features
from diffoci.figures.compare import plane
from diffoci.figures.curve import curve
from diffoci.figures.probes import only_linear, probes
from diffoci.figures.reading import Entry, Result, View, attributes, curve_entries, entries, paper_points, places
from diffoci.figures.verdict_words import reason, sentence, table
from diffoci.figures.words import PLACES, PROBES, interval_text, score_text
from diffoci.report.blocks import Block, Heading, Picture, Points, Section, Table, Words
from diffoci.report.shortening import MOST_FEATURES

# A picture of more rows would not fit a printed page; its table has them all.
MOST_ROWS = 32


def sections(result: Result) -> Iterator[Section]:
    """y against every attribute, then features."""
    if not result["methods"]:
        yield Section("What can be guessed", (Words("No method of this audit finished: there is nothing to compare."),))
    for attribute in attributes(result) if result["methods"] else ():
        yield Section(f"How well y is predicted, how well {attribute} can be guessed", _guessing(result, attribute))
    yield Section("Features dropped for each sensitive attribute", tuple(_features(result)))


def _guessing(result: Result, attribute: str) -> tuple[Block, ...]:
    view = View(attribute)
    found = entries(result, view)
    if not found:
        return (Words(f"Nothing was measured for {attribute}."),)
    blocks: list[Block] = [Picture(plane(result, view), Table("The numbers behind the picture", table(result, view)))]
    blocks.append(Points(tuple(f"{sentence(result, view, entry)} {reason(view, entry)}" for entry in found)))
    if any(entry.by_seed() for entry in found):
        blocks.append(Table("Seed by seed", _seeds(found)))
    if "last_layer" in places(result):
        blocks += _last_layer(result, attribute)
    blocks.append(Heading("Probe by probe"))
    blocks.append(Words("A method can be at chance for a linear probe and still give the attribute away to another."))
    blocks.append(
        Picture(probes(result, view), Table("AUC of each probe, and what shuffled labels give", _probes(found)))
    )
    blocks.append(Table("The exact coefficient T(S, Z) on test rows", _coefficient(found)))
    drawn = curve(result, view)
    if drawn is not None:
        blocks.append(Heading("The trade-off"))
        blocks.append(Picture(drawn, Table("Weight by weight", _curve(result, view))))
    return tuple(blocks)


def _last_layer(result: Result, attribute: str) -> Iterator[Block]:
    view = View(attribute, "last_layer", "accuracy")
    yield Heading(f"Guessed from {PLACES['last_layer']}")
    yield Words("The paper's protocol: the last hidden layer of a classifier trained on each representation.")
    yield Table("From the last layer, as accuracies", table(result, view))
    papers = paper_points(result, view)
    if papers:
        told = [f"{name}: y {100 * y:.1f} %, {attribute} {100 * s:.1f} %" for name, (y, s) in papers.items()]
        yield Words(f"The paper reports, for these data and one split of its own: {'; '.join(told)}.")


def _seeds(found: list[Entry]) -> pd.DataFrame:
    rows = [
        {
            "Method": entry.short,
            "Seeds": ", ".join(map(str, entry.seeds)),
            "AUC of y": _in_a_row(entry.y["values"]),
            "AUC of guessing": _in_a_row(entry.s["values"]),
        }
        for entry in found
    ]
    return pd.DataFrame(rows)


def _in_a_row(values: list[float | None]) -> str:
    return " ".join("unknown" if value is None else f"{value:.3f}" for value in values) or "not measured"


def _probes(found: list[Entry]) -> pd.DataFrame:
    rows = []
    for entry in found:
        row = {"Method": entry.short}
        for probe, scores in entry.found["probes"].items():
            row[PROBES.get(probe, probe).capitalize()] = interval_text(scores["auc"], "auc")
        low, high = entry.found["null_auc_low"], entry.found["null_auc_high"]
        row["Chance"] = f"{score_text(low, 'auc')} to {score_text(high, 'auc')}" if high is not None else "not judged"
        row["Only the linear probe is at chance"] = "yes" if only_linear(entry) else "no"
        rows.append(row)
    return pd.DataFrame(rows)


def _coefficient(found: list[Entry]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for entry in found:
        T = entry.found["T"]
        limits = "one seed" if T["low"] is None else f"{T['low']:.3f} to {T['high']:.3f}".replace("-", "−")
        rows.append({"Method": entry.short, "T": T["mean"], "Interval": limits, "p-value": entry.found["p_value"]})
        rows[-1]["Tested people"] = entry.found["test_rows"]
    return pd.DataFrame(rows)


def _curve(result: Result, view: View) -> pd.DataFrame:
    rows = [
        {
            "Method": entry.short,
            "Weight": f"{weight:g}",
            "y accuracy": interval_text(entry.accuracy, "accuracy"),
            f"{view.attribute} guessed (AUC)": interval_text(entry.s, "auc"),
        }
        for points in curve_entries(result, view).values()
        for weight, entry in points
    ]
    return pd.DataFrame(rows)


def _features(result: Result) -> Iterator[Block]:
    conditions = result["features"]["conditions"]
    if not conditions:
        yield Words("No feature weights in this audit: the trainings that give every feature a weight did not finish.")
        return
    found = features.dropping(result, float(conditions[0]["cutoff"]))
    yield Words(features.sentence(found))
    yield Picture(replace(features.matrix(_leading(found)), alt=features.sentence(found)), _feature_table(found))
    lines = features.paper_sentences(result, found)
    if lines:
        yield Points(tuple(lines))
    yield Words(
        "Which feature falls below the cutoff depends on the seed, the number of steps and the coding; the table says "
        "in how many seeds it did. A dropped feature is one this training did without, not one that says nothing."
    )


def _leading(found: features.Dropping) -> features.Dropping:
    """The features with the largest weights under any condition, as many as a printed page holds."""
    if len(found.names) <= MOST_ROWS:
        return found
    kept = np.sort(np.argsort(-found.theta.max(axis=0), kind="stable")[:MOST_ROWS])
    names = tuple(found.names[k] for k in kept)
    return replace(
        found,
        names=names,
        labels=tuple(found.labels[k] for k in kept),
        values=tuple(theta[:, kept] for theta in found.values),
        theta=found.theta[:, kept],
        count=found.count[:, kept],
        dropped=found.dropped[:, kept],
        only_together=tuple(name for name in found.only_together if name in names),
    )


def _feature_table(found: features.Dropping) -> Table:
    frame = pd.DataFrame({"Feature": found.names, "Meaning": found.labels})
    if (frame["Meaning"] == frame["Feature"]).all():
        frame = frame.drop(columns="Meaning")
    for k, title in enumerate(found.titles):
        frame[f"|θ| {title}"] = [
            f"{theta:.3f} ({n:.0f} of {found.seeds[k]}){' dropped' if gone else ''}"
            for theta, n, gone in zip(found.theta[k], found.count[k], found.dropped[k], strict=True)
        ]
    if len(found.conditions) > 2:
        frame["Dropped only together"] = ["yes" if name in found.only_together else "no" for name in found.names]
    order = np.argsort(-found.theta[0], kind="stable")
    shown = f"; the picture shows the {MOST_ROWS} with the largest weights" if len(frame) > MOST_ROWS else ""
    caption = f"Weight of every feature, and in how many seeds it was dropped{shown}"
    if len(frame) > MOST_FEATURES:
        caption += f", this table the first {MOST_FEATURES} of {len(frame):,}, and the file features all"
    return Table(caption, frame.iloc[order[:MOST_FEATURES]].reset_index(drop=True))
