"""A model card for one representation, in the sections of Mitchell and others (2019)."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from diffoci.audit.certificates.words import OF_CELLS, ceiling_sentence
from diffoci.audit.result import AuditResult, Guessed, MethodResult, Place
from diffoci.audit.splitting import are_folds
from diffoci.audit.words import PLACES, VERDICTS, interval_text, listed, probe_title, score_text
from diffoci.audit.words.verdicts import reason, sentence
from diffoci.figures.decisions import words as decision_words
from diffoci.report._document import Document
from diffoci.report.build import public_audit
from diffoci.report.sections.data import REAL, SIMULATED, groups
from diffoci.report.sections.decisions import rate_frame
from diffoci.report.sections.methods import LIMITS, chosen_words
from diffoci.report.summary import NOT_JUDGED, answers
from diffoci.report.writing.blocks import Block, Heading, Points, Section, Table, Words
from diffoci.signing.keys import PublicKey

CARD = (
    "M. Mitchell, S. Wu, A. Zaldivar, P. Barnes, L. Vasserman, B. Hutchinson, E. Spitzer, I. D. Raji, T. Gebru (2019). "
    "Model cards for model reporting. Proceedings of the Conference on Fairness, Accountability, and Transparency."
)


def model_card(result: AuditResult, method: str | None = None, *, signer: PublicKey | None = None) -> Document:
    """The card of one method of an audit, by default of the one that the report speaks of first; `signer` signs it.

    Raises
    ------
    ValueError
        With a sentence, if the audit has no such method.
    """
    name = method or result.findings.chosen
    if name is None:
        raise ValueError("No method of this audit finished, so there is no representation to make a card for.")
    names = [one.name for one in result.methods]
    if name not in names:
        raise ValueError(f"This audit has no method '{name}'; choose from {', '.join(names)}.")
    result = public_audit(result)
    one = result.method(name)
    return Document(
        title=f"Model card: {one.title}, {result.provenance.title}",
        kicker="difFOCI model card",
        simulated=not result.provenance.real,
        sections=(
            Section("Model details", tuple(_details(result, one, signer))),
            Section("Intended use", tuple(_use(result, one))),
            Section("Factors", tuple(_factors(result))),
            Section("Metrics", tuple(_metrics(result, one))),
            Section("Evaluation data", tuple(_evaluation(result, one))),
            Section("Training data", tuple(_training(result))),
            Section("Quantitative analyses", tuple(_analyses(result, one))),
            Section("Ethical considerations", tuple(_ethics(result, one))),
            Section("Caveats and recommendations", tuple(_caveats(result))),
        ),
    )


def _measured(result: AuditResult, one: MethodResult) -> list[tuple[str, Place, Guessed]]:
    """What can be guessed from the method, by attribute and place."""
    return [
        (attribute, place, found)
        for attribute, places in result.findings.guessed.items()
        for place, finding in places.items()
        if one.name in finding.methods and (found := one.leakage.of(attribute, place)) is not None
    ]


def _details(result: AuditResult, one: MethodResult, signer: PublicKey | None) -> Iterator[Block]:
    versions = result.provenance.versions
    facts = {
        "Name": one.title,
        "What it is": one.description or one.name,
        "Made by": f"diffoci {versions.get('diffoci', 'unknown')}, torch {versions.get('torch', 'unknown')}",
        "Trainings": f"{len(one.seeds)}, one for each split (seeds {', '.join(map(str, one.seeds))})",
        "Chosen on validation rows": chosen_words([found for found in one.chosen if found]) or "nothing to choose",
        "Preset": result.spec.preset,
        "Audit": result.id,
        "Licence of the program": "MIT",
    }
    if signer is not None:
        facts |= {"Signed by": signer.name, "Fingerprint of the key": signer.fingerprint}
    yield Table("Facts", pd.DataFrame({"What": list(facts), "Value": list(facts.values())}))
    if one.citation:
        yield Words(f"Method: {one.citation}")
    yield Words(f"Form of this card: {CARD}")


def _use(result: AuditResult, one: MethodResult) -> Iterator[Block]:
    label, names = result.label.name, listed(result.attributes)
    yield Words(f"Meant for studying how well “{label}” can be predicted when {names} should be hard to guess.")
    if one.needs_sensitive_at_prediction:
        yield Words(f"It needs {names} of every person at prediction, which may be unavailable or unlawful to use.")
    yield Words(
        "Not meant for deciding about single people, for data from other places or times than these, for other "
        "attributes than those audited, or as proof that a decision treats groups alike."
    )


def _factors(result: AuditResult) -> Iterator[Block]:
    yield Words(f"Groups by {listed(result.attributes)}; decisions are also measured for all attributes crossed.")
    yield from groups(result).blocks


def _metrics(result: AuditResult, one: MethodResult) -> Iterator[Block]:
    probes = listed(sorted({probe_title(p) for _, _, found in _measured(result, one) for p in found.probes}))
    yield Points(
        (
            "How well the outcome is predicted: accuracy, AUC and log-loss on test rows.",
            f"How well each attribute can be guessed: the AUC of the strongest of several probes ({probes}), chosen on "
            "validation rows, beside the range that shuffled labels give.",
            "Decisions at a threshold of 0.5: how often each group is predicted yes, true and false positive rates, "
            "and their gaps.",
            "Intervals at 95 % over repetitions, allowing for their overlap; for rates of groups, Wilson's.",
        )
    )


def _evaluation(result: AuditResult, one: MethodResult) -> Iterator[Block]:
    train, validation, test, *aside = result.spec.settings["fractions"]
    folds = are_folds(result.spec.settings, result.provenance.rows)
    kind = "splits that test different people" if folds else "random splits"
    told = "" if one.decisions is None else f" {one.decisions.people:,} people were tested in at least one of them."
    yield Words(
        f"{100 * test:.0f} % of the rows of each of {len(one.seeds)} {kind}, stratified on outcome and groups."
        f"{told} {100 * validation:.0f} % served for choices, {100 * train:.0f} % for training"
        f"{f', {100 * aside[0]:.0f} % for ceilings' if aside else ''}."
    )


def _training(result: AuditResult) -> Iterator[Block]:
    about = result.provenance
    yield Words(REAL if about.real else SIMULATED, loud=True)
    facts = {
        "Data": about.title,
        "Source": about.source or "not stated",
        "Licence": about.licence or "not stated",
        "Rows": f"{about.rows:,}",
        "sha256": about.sha256,
    }
    yield Table("Where the data come from", pd.DataFrame({"What": list(facts), "Value": list(facts.values())}))
    if about.notes:
        yield Points(about.notes)


def _analyses(result: AuditResult, one: MethodResult) -> Iterator[Block]:
    yield Heading("Unitary results")
    rows = [
        {
            "Attribute": attribute,
            "Guessed from": PLACES[place],
            "AUC": interval_text(found.auc, "auc"),
            "Chance up to": score_text(found.null_auc_high, "auc"),
            "Outcome accuracy": interval_text(one.y.accuracy, "accuracy"),
            "Verdict": VERDICTS[found.verdict],
        }
        for attribute, place, found in _measured(result, one)
    ]
    if rows:
        yield Table("How well the outcome is predicted and each attribute guessed", pd.DataFrame(rows))
    else:
        yield Words("Nothing was measured for this method.")
    for attribute, place, found in _measured(result, one):
        if place == "representation":
            yield Words(f"{sentence(result, one, attribute)} {reason(attribute, place, found)}")
            if said := ceiling_sentence(one, attribute):
                yield Words(f"{said} {OF_CELLS}")
    if one.decisions is not None:
        yield Words(decision_words.WHOSE)
    for comparison in () if one.decisions is None else one.decisions.comparisons:
        kind = "Intersectional results" if len(comparison.attributes) > 1 else "Decisions"
        by, compared = " × ".join(comparison.attributes), {one.title: comparison}
        yield Heading(f"{kind} by {by}")
        yield Table(f"Rates by {by}", rate_frame(compared).drop(columns="Method"))
        yield Table(f"Gaps by {by}, in points", decision_words.gaps(compared).drop(columns="Method"))


def _ethics(result: AuditResult, one: MethodResult) -> Iterator[Block]:
    yield Words(
        f"The data hold {listed(result.attributes)}, sensitive facts about people; whatever was "
        "fitted, was fitted to their rows."
    )
    leaking = [attribute for attribute, _, found in _measured(result, one) if found.verdict == "detected"]
    for attribute in dict.fromkeys(leaking):
        yield Words(f"{attribute} can still be guessed from it: publishing transformed rows reveals it in part.")
    yield Words(
        "Making an attribute hard to guess can also hide harm: without the attribute nobody can check who is harmed. "
        "Keep it, apart from the model, for auditing."
    )


def _caveats(result: AuditResult) -> Iterator[Block]:
    yield Points((*answers(result)[NOT_JUDGED], *LIMITS))
