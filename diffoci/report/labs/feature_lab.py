"""A run of the feature lab as one HTML file: which selector predicts best, what each chose, and how stably."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from diffoci.figures.drawing import Drawing
from diffoci.figures.labs import feature_lab as figures
from diffoci.figures.labs import lab_weights
from diffoci.figures.labs.lab_table import selector_table
from diffoci.labs.feature_selection.observations import OBSERVATIONS, ObservationResult
from diffoci.labs.feature_selection.result import LabResult
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.feature_selection.training import VEC
from diffoci.labs.feature_selection.words import alike, headline, only_together_words
from diffoci.report._document import Document
from diffoci.report.labs.making import making
from diffoci.report.writing.blocks import Picture, Points, Section, Table, Words
from diffoci.signing.keys import PublicKey

_LIMITS = (
    "Errors are measured on test rows that no selector saw; choices are made on validation rows.",
    "A selector that is named first by a difference within its interval may not be the best one on other rows.",
    "Seconds depend on the machine and on what else it did.",
)


def feature_lab_document(result: LabResult, created: float | None, signer: PublicKey | None) -> Document:
    """Everything the report says, from the result alone."""
    title = FEATURE_LAB.describe(result.spec)
    return Document(
        title=f"Which features determine the outcome? {title}",
        kicker="difFOCI feature lab",
        simulated=not result.real,
        sections=tuple(_sections(result, created, signer)),
    )


def _sections(result: LabResult, created: float | None, signer: PublicKey | None) -> Iterator[Section]:
    near = alike(result)
    points = (f"Not clearly different from the lowest: {', '.join(near)}." if near else "", only_together_words(result))
    first = figures.betas(result) or figures.errors(result)
    yield Section(
        "What was found",
        (
            Words(f"{headline(result)}."),
            Picture(first, None),
            Table("Every selector", selector_table(result)),
            Points(tuple(filter(None, points))),
        ),
    )
    shares = figures.frequencies(result)
    drawn = (
        *((_picture("Share of repetitions that chose a feature", shares),) if shares is not None else ()),
        _picture("Score, size, stability and time", figures.at_a_glance(result)),
    )
    yield Section("What each selector chose", drawn)
    if weights := tuple(_weights(result)):
        yield Section("Weights", weights)
    yield making(
        result,
        result.spec,
        said=f"{result.about}. Seeds {', '.join(map(str, result.spec.seeds))}.",
        tables=(Table("Selectors", _selectors(result)),),
        limits=(*_LIMITS, *result.notes),
        created=created,
        signer=signer,
    )


def _weights(result: LabResult) -> Iterator[Picture]:
    for drawing in lab_weights.theta_paths(result):
        yield _picture("Weights by epoch", drawing)
    one = result.find(VEC)
    if one is not None and (ends := lab_weights.sizes(result, one)) is not None:
        yield _picture("Size of the weights at the end", ends)


def _selectors(result: LabResult) -> pd.DataFrame:
    return pd.DataFrame([{"Selector": one.label, "What it does": one.description} for one in result.methods])


def _picture(title: str, drawing: Drawing) -> Picture:
    return Picture(drawing, Table(title, drawing.data))


def observations_document(result: ObservationResult, created: float | None, signer: PublicKey | None) -> Document:
    """What T prefers among functions of three columns."""
    found = Section(
        "What was found",
        (Words(OBSERVATIONS.headline(result)), _picture("T of every expression", figures.observations(result))),
    )
    said = "Y = sin(X1) + 2 sin(X2) + 3 sin(X3) + noise, drawn anew every time. Every draw has its own seed, from 0 on."
    made = making(result, result.spec, said=said, limits=(), created=created, signer=signer)
    return Document("T of sines and of the columns themselves", "difFOCI feature lab", True, (found, made))
