"""A run of the spurious lab as one HTML file: what the average hides, every group, features, lambda and beta."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pandas as pd

from diffoci.audit.result import Mean
from diffoci.figures.drawing import Drawing
from diffoci.figures.labs import spurious as figures
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.result import SpuriousResult, Stage
from diffoci.labs.spurious.words import (
    feature_sentences,
    group_sentences,
    headline,
    saliency_sentences,
    shortcut_sentence,
)
from diffoci.report._document import Document
from diffoci.report.sections.methods import signed
from diffoci.report.writing.blocks import NOTHING, Block, Picture, Points, Section, Table, Words
from diffoci.signing.keys import PublicKey

_LIMITS = (
    "The worst group is the one that did worst on these test rows; of several groups that do alike one always does.",
    "Saliency is a gradient: it says what would change a score, not what a network has understood.",
    "That a group is not guessed from features speaks of the probes that tried.",
)


def spurious_document(result: SpuriousResult, created: float | None, signer: PublicKey | None) -> Document:
    """Everything the report says, from the result alone."""
    return Document(
        title=f"{result.title}: what the average hides",
        kicker="difFOCI spurious lab",
        simulated=not result.real,
        sections=tuple(_sections(result, created, signer)),
    )


def method_table(result: SpuriousResult) -> pd.DataFrame:
    """Every method with its intervals."""
    return pd.DataFrame(
        [
            {
                "Method": one.title,
                "Average, test rows": _share(one.average),
                "Average, as training rows come": _share(one.average_by_training_groups),
                "Worst group": _share(one.worst_group),
                "Worst group, new last layer": _share(one.worst_group_refitted),
                "Saliency on the object": _share(one.saliency_on_object),
                f"{result.group_name.capitalize()} guessed from features (AUC)": _number(
                    one.group_guessed_from_features
                ),
                "T given the outcome": _number(one.T_given_label),
            }
            for one in result.methods
        ]
    )


def _sections(result: SpuriousResult, created: float | None, signer: PublicKey | None) -> Iterator[Section]:
    yield Section(
        "What was found",
        (
            Words(headline(result)),
            Words(shortcut_sentence(result)),
            _picture("Average and worst group", figures.worst_groups(result)),
            Table("Every method", method_table(result)),
            Points((*group_sentences(result), *saliency_sentences(result))),
        ),
    )
    names = [one.name for one in result.methods]
    yield Section("Group by group", (Table("Rows of every group", _sizes(result)), *_groups(result, names)))
    if result.area.mean is not None:
        yield Section("Where networks look", (_picture("Saliency on the object", figures.saliency_shares(result)),))
    yield Section(
        "Features or last layer",
        (_picture("What features know", figures.features_know(result)), Points(tuple(feature_sentences(result)))),
    )
    if result.along("lambda"):
        yield Section("Weight of the penalty", _study(result, "lambda"))
    if result.along("beta"):
        yield Section("Sharpness of neighbours", _study(result, "beta"))
    yield _making(result, created, signer)


def _study(result: SpuriousResult, stage: Stage) -> tuple[Block, ...]:
    against = figures.average_against_worst(result, stage)
    return _picture(stage.capitalize(), figures.study(result, stage)), Picture(against, None)


def _groups(result: SpuriousResult, names: list[str]) -> Iterator[Block]:
    for start in range(0, len(names), 4):
        yield _picture("Right in every group", figures.by_group(result, names[start : start + 4]))


def _picture(title: str, drawing: Drawing) -> Picture:
    return Picture(drawing, Table(title, drawing.data))


def _sizes(result: SpuriousResult) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"Group": size.name, "Training": size.train, "Validation": size.validation, "Test": size.test}
            for size in result.sizes
        ]
    )


def _making(result: SpuriousResult, created: float | None, signer: PublicKey | None) -> Section:
    training = result.spec.training
    settings = pd.DataFrame(
        [{"Setting": name, "Value": str(getattr(training, name))} for name in training.__struct_fields__]
    )
    methods = pd.DataFrame(
        [{"Method": one.title, "What it does": one.description, "After": _citation(one.name)} for one in result.methods]
    )
    when = "" if created is None else time.strftime(" on %Y-%m-%d", time.gmtime(created))
    said = f"{result.about[:1].upper()}{result.about[1:]}. Seeds {', '.join(map(str, result.spec.seeds))}, made{when}."
    tables = (Table("Methods", methods), Table("Settings", settings))
    return Section("How it was made", (Words(said), *tables, Points(_LIMITS), *signed(signer)))


def _citation(name: str) -> str:
    return (METHODS[name].citation if name in METHODS else "") or NOTHING


def _share(mean: Mean) -> str:
    return _written(mean, lambda value: f"{100 * value:.1f} %")


def _number(mean: Mean) -> str:
    return _written(mean, lambda value: f"{value:.2f}")


def _written(mean: Mean, write: Callable[[float], str]) -> str:
    if mean.mean is None:
        return NOTHING
    if mean.low is None or mean.high is None:
        return write(mean.mean)
    return f"{write(mean.mean)} ({write(mean.low)} to {write(mean.high)})"
