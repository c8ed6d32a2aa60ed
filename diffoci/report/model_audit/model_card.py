"""A model card for a model that exists, in the sections of Mitchell and others (2019), as far as its scores tell."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from diffoci.audit.words import listed
from diffoci.model_audit.guide import QUESTIONS, advice
from diffoci.model_audit.result import ModelAuditResult, OneModel
from diffoci.model_audit.words import CRITERIA, SHORT, basis_words, exclusion, gap_sentence
from diffoci.report._document import Document
from diffoci.report.model_audit._document import LIMITS
from diffoci.report.model_audit.build import public_model_audit
from diffoci.report.model_audit.shown import against_frame, ceiling_frame, criteria_table, gap_words, rate_frame
from diffoci.report.model_card import CARD
from diffoci.report.sections.data import REAL, SIMULATED
from diffoci.report.writing.blocks import NOTHING, Block, Heading, Points, Section, Table, Words
from diffoci.signing.keys import PublicKey

OWNER = "to be filled in by the owner of the model: an audit of its scores cannot know this"


def audited_model_card(
    result: ModelAuditResult, model: str | None = None, *, signer: PublicKey | None = None
) -> Document:
    """The card of one model of an audit, by default the first; `signer` signs it.

    Raises
    ------
    ValueError
        With a sentence, if the audit has no such model.
    """
    names = [one.name for one in result.models]
    if model is not None and model not in names:
        raise ValueError(f"This audit has no model '{model}'; choose from {', '.join(names)}.")
    shared = public_model_audit(result)
    one = shared.model(model)
    return Document(
        title=f"Model card: {one.name}, {shared.provenance.title}",
        kicker="difFOCI model card",
        simulated=not shared.provenance.real,
        sections=(
            Section("Model details", tuple(_details(shared, one, signer))),
            Section("Intended use", tuple(_use(shared))),
            Section("Factors", tuple(_factors(shared))),
            Section("Metrics", tuple(_metrics(shared, one))),
            Section("Evaluation data", tuple(_evaluation(shared))),
            Section("Training data", (Words(f"Training data: {OWNER}."),)),
            Section("Quantitative analyses", tuple(_analyses(shared, one))),
            Section("Ethical considerations", tuple(_ethics(shared))),
            Section("Caveats and recommendations", (Points((*shared.cannot, *LIMITS)),)),
        ),
    )


def _frame(facts: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame({"What": list(facts), "Value": list(facts.values())})


def _details(result: ModelAuditResult, one: OneModel, signer: PublicKey | None) -> Iterator[Block]:
    scales = {"probability": "a probability", "plain": "a plain score", "quantity": "a predicted quantity"}
    facts = {
        "Name": one.name,
        "Score": NOTHING
        if one.score is None
        else f"column “{one.score}”, {scales.get(str(one.scale), str(one.scale))}",
        "Decision": NOTHING if one.decision is None else f"column “{one.decision}”",
        "Selected": basis_words(one, result.spec.roles),
        "Who made it, when, how": OWNER,
        "Licence of the model": OWNER,
        "Audited by": f"diffoci {result.provenance.versions.get('diffoci', 'unknown')}",
        "Audit": result.id or "made from Python",
    }
    if signer is not None:
        facts |= {"Signed by": signer.name, "Fingerprint of the key": signer.fingerprint}
    yield Table("Facts", _frame(facts))
    yield Words(f"Form of this card: {CARD}")


def _use(result: ModelAuditResult) -> Iterator[Block]:
    yield Words(f"Intended use, users, and uses that are out of scope: {OWNER}.")
    answers = result.spec.answers
    rows = [
        {"Question": question.text, "Answer": question.choices[answers[question.name]].text}
        for question in QUESTIONS
        if question.name in answers
    ]
    if rows:
        yield Table("What the auditor answered", pd.DataFrame(rows))
    if matter := tuple(f"{SHORT[one.criterion]}: {one.why}" for one in advice(answers)):
        yield Words("So these criteria matter:")
        yield Points(matter)


def _factors(result: ModelAuditResult) -> Iterator[Block]:
    yield Words(
        f"Audited by {listed(result.sensitive)}; groups also by all attributes crossed, where there are several."
    )
    sizes = [
        {"Attribute": attribute, "Group": group, "People": count}
        for attribute, groups in result.groups.items()
        for group, count in groups.items()
    ]
    if sizes:
        yield Table("Groups", pd.DataFrame(sizes))
    if result.continuous:
        yield Words(f"Taken as numbers, not cut into groups: {listed(result.continuous)}.")
    if result.spec.roles.factors:
        yield Words(f"Taken to justify a difference: {listed(result.spec.roles.factors)}.")


def _metrics(result: ModelAuditResult, one: OneModel) -> Iterator[Block]:
    shown = {name for about in one.attributes.values() for name in about.criteria}
    yield Points(tuple(f"{words} = 0." for name, words in CRITERIA.items() if name in shown))
    yield Words(
        f"Rates of groups with Wilson's intervals at {100 * result.spec.settings.confidence:g} %; groups of fewer than "
        f"{result.spec.settings.minimum} people are not judged. Selected: {basis_words(one, result.spec.roles)}."
    )


def _evaluation(result: ModelAuditResult) -> Iterator[Block]:
    about, outcome = result.provenance, result.outcome
    yield Words(REAL if about.real else SIMULATED, loud=True)
    facts = {
        "Data": about.title,
        "Source": about.source or "not stated",
        "Licence": about.licence or "not stated",
        "People": f"{about.rows:,}",
        "Outcome": "none" if outcome is None else outcome.name,
        "Weights": result.spec.roles.weights or "none",
        "sha256": about.sha256,
    }
    yield Table("Where the people come from", _frame(facts))
    if about.notes:
        yield Points(about.notes)


def _analyses(result: ModelAuditResult, one: OneModel) -> Iterator[Block]:
    for comparison in one.comparisons:
        by = " × ".join(comparison.attributes)
        yield Heading(f"{'Intersectional results' if len(comparison.attributes) > 1 else 'Results'} by {by}")
        yield Words(gap_sentence(one, comparison))
        yield Table(f"Rates by {by}", rate_frame(one, comparison).drop(columns="Model"))
        if comparison.against:
            yield Table(f"Each group against {comparison.against[0].reference}, by {by}", against_frame(comparison))
    frame = criteria_table(result)
    if len(frame := frame[frame["Model"] == one.name]):
        yield Heading("What the score tells")
        yield Table("The criteria", frame.drop(columns="Model"))
    for attribute, about in one.attributes.items():
        if said := exclusion(result, attribute):
            yield Words(f"{attribute}: {said}")
        if about.ceilings:
            yield Table(f"Every threshold at once, by {attribute}", ceiling_frame(about))
        for gap in about.gaps:
            yield Words(f"Given the factors, “{gap.group}” minus “{gap.reference}”. {gap_words(gap)}")


def _ethics(result: ModelAuditResult) -> Iterator[Block]:
    yield Words(
        f"The rows hold {listed(result.sensitive)}, sensitive facts about people. Who is affected by a mistake, who "
        f"was asked, and who can object: {OWNER}."
    )
    if result.outcome is not None:
        yield Words(
            f"Mistakes are counted by “{result.outcome.name}”. Where that is itself a judgement, or some people are "
            "watched more closely than others, criteria that use it repeat its errors."
        )
