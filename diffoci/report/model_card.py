"""A model card for one representation, in the sections of Mitchell and others (2019)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from diffoci.figures import decision_words
from diffoci.figures.reading import Entry, Result, View, attributes, entries, places
from diffoci.figures.verdict_words import reason, sentence
from diffoci.figures.words import PLACES, PROBES, VERDICTS, interval_text, listed, score_text
from diffoci.report.blocks import Block, Heading, Points, Section, Table, Words
from diffoci.report.data_sections import REAL, SIMULATED, groups
from diffoci.report.decision_sections import rate_frame
from diffoci.report.document import Document
from diffoci.report.embedded import public
from diffoci.report.method_sections import LIMITS, PAPER
from diffoci.report.stored_decisions import stored_comparisons
from diffoci.report.summary import NOT_JUDGED, answers, chosen_method

CARD = (
    "M. Mitchell, S. Wu, A. Zaldivar, P. Barnes, L. Vasserman, B. Hutchinson, E. Spitzer, I. D. Raji, T. Gebru (2019). "
    "Model cards for model reporting. Proceedings of the Conference on Fairness, Accountability, and Transparency."
)
_KINDS = {
    "standard": "the features, standardised; nothing is trained",
    "dF1": "a difFOCI network trained to keep what tells y",
    "dF2": "a classifier of y trained with difFOCI's leakage penalty max(T(S, Z), 0)",
    "dF3": "a difFOCI network trained to keep what tells y beyond the sensitive attributes",
    "dF3+penalty": "dF3 with the leakage penalty max(T(S, Z), 0) added: an extension of the paper's method",
    "correlation-remover": "fairlearn's CorrelationRemover: a linear change of the standardised features",
    "leace": "LEACE: the smallest linear change after which no linear model can guess the attributes",
    "adversary": "a network trained against an adversary that guesses the attributes (gradient reversal)",
    "prototypes": "fairlearn's prototype representation (LFR)",
}


def model_card(result: Result, method: str | None = None) -> Document:
    """The card of one method of an audit, by default of the one that the report speaks of first.

    Raises
    ------
    ValueError
        With a sentence, if the audit has no such method.
    """
    names = [one["name"] for one in result["methods"]]
    if not names:
        raise ValueError("No method of this audit finished, so there is no representation to make a card for.")
    name = method or chosen_method(result)
    if name not in names:
        raise ValueError(f"This audit has no method '{name}'; choose from {', '.join(names)}.")
    result, one = public(result), result["methods"][names.index(name)]
    return Document(
        title=f"Model card: {one['title']}, {result['provenance']['title']}",
        kicker="difFOCI model card",
        simulated=not result["provenance"]["real"],
        sections=(
            Section("Model details", tuple(_details(result, one))),
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


def _entries(result: Result, one: Mapping[str, Any]) -> list[tuple[View, Entry]]:
    views = [View(attribute, place) for attribute in attributes(result) for place in places(result)]
    return [(view, entry) for view in views for entry in entries(result, view) if entry.name == one["name"]]


def _details(result: Result, one: Mapping[str, Any]) -> Iterator[Block]:
    versions = result["provenance"]["versions"]
    chosen = [dict(found) for found in one["chosen"] if found]
    facts = {
        "Name": one["title"],
        "What it is": _KINDS.get(one["name"], one["name"]),
        "Made by": f"diffoci {versions.get('diffoci', 'unknown')}, torch {versions.get('torch', 'unknown')}",
        "Trainings": f"{len(one['seeds'])}, one for each split (seeds {', '.join(map(str, one['seeds']))})",
        "Chosen on validation rows": "; ".join(", ".join(f"{k} {v}" for k, v in found.items()) for found in chosen)
        or "nothing to choose",
        "Preset": result["spec"]["preset"],
        "Audit": result["id"],
        "Licence of the program": "MIT",
    }
    yield Table("Facts", pd.DataFrame({"What": list(facts), "Value": list(facts.values())}))
    yield Words(f"Method: {PAPER}")
    yield Words(f"Form of this card: {CARD}")


def _use(result: Result, one: Mapping[str, Any]) -> Iterator[Block]:
    label, names = result["label"]["name"], listed(attributes(result))
    yield Words(f"Meant for studying how well “{label}” can be predicted when {names} should be hard to guess.")
    if one["needs_sensitive_at_prediction"]:
        yield Words(f"It needs {names} of every person at prediction, which may be unavailable or unlawful to use.")
    yield Words(
        "Not meant for deciding about single people, for data from other places or times than these, for other "
        "attributes than those audited, or as proof that a decision treats groups alike."
    )


def _factors(result: Result) -> Iterator[Block]:
    yield Words(f"Groups by {listed(attributes(result))}; decisions are also measured for all attributes crossed.")
    yield from groups(result).blocks


def _metrics(result: Result, one: Mapping[str, Any]) -> Iterator[Block]:
    probes = listed(sorted({PROBES.get(p, p) for _, e in _entries(result, one) for p in e.found["probes"]}))
    yield Points(
        (
            "How well y is predicted: accuracy, AUC and log-loss on test rows.",
            f"How well each attribute can be guessed: the AUC of the strongest of several probes ({probes}), chosen on "
            "validation rows, beside the range that shuffled labels give.",
            "Decisions at a threshold of 0.5: selection, true and false positive rates by group, and their gaps.",
            "Intervals at 95 % over splits, allowing for their overlap; for rates of groups, Wilson's.",
        )
    )


def _evaluation(result: Result, one: Mapping[str, Any]) -> Iterator[Block]:
    train, validation, test = result["spec"]["settings"]["fractions"]
    people = one["decisions"].get("people")
    told = f" {people:,} people were tested in at least one of them." if people else ""
    yield Words(
        f"{100 * test:.0f} % of the rows of each of {len(one['seeds'])} random splits, stratified on label and groups."
        f"{told} {100 * validation:.0f} % served for choices, {100 * train:.0f} % for training."
    )


def _training(result: Result) -> Iterator[Block]:
    about = result["provenance"]
    yield Words(SIMULATED if not about["real"] else REAL, loud=True)
    facts = {
        "Data": about["title"],
        "Source": about["source"] or "not stated",
        "Licence": about["licence"] or "not stated",
    }
    facts |= {"Rows": f"{about['rows']:,}", "sha256": about["sha256"]}
    yield Table("Where the data come from", pd.DataFrame({"What": list(facts), "Value": list(facts.values())}))
    if about["notes"]:
        yield Points(tuple(about["notes"]))


def _analyses(result: Result, one: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading("Unitary results")
    rows = []
    for view, entry in _entries(result, one):
        found = entry.found
        rows.append(
            {
                "Attribute": view.attribute,
                "Guessed from": PLACES[view.place],
                "AUC": interval_text(found["auc"], "auc"),
                "Chance up to": score_text(found["null_auc_high"], "auc"),
                "y accuracy": interval_text(entry.accuracy, "accuracy"),
                "Verdict": VERDICTS[found["verdict"]],
            }
        )
    if rows:
        yield Table("How well y is predicted and each attribute guessed", pd.DataFrame(rows))
    else:
        yield Words("Nothing was measured for this method.")
    for view, entry in _entries(result, one):
        if view.place == "representation":
            yield Words(f"{sentence(result, view, entry)} {reason(view, entry)}")
    for comparison in stored_comparisons(one):
        kind = "Intersectional results" if len(comparison.attributes) > 1 else "Decisions"
        by, compared = " × ".join(comparison.attributes), {one["title"]: comparison}
        yield Heading(f"{kind} by {by}")
        yield Table(f"Rates by {by}", rate_frame(compared).drop(columns="Method"))
        yield Table(f"Gaps by {by}, in points", decision_words.gaps(compared).drop(columns="Method"))


def _ethics(result: Result, one: Mapping[str, Any]) -> Iterator[Block]:
    yield Words(
        f"The data hold {listed(attributes(result))}, sensitive facts about people; whatever was "
        "fitted, was fitted to their rows."
    )
    leaking = [view.attribute for view, e in _entries(result, one) if e.found["verdict"] == "detected"]
    for attribute in dict.fromkeys(leaking):
        yield Words(f"{attribute} can still be guessed from it: publishing transformed rows gives it away in part.")
    yield Words(
        "Making an attribute hard to guess can also hide harm: without the attribute nobody can check who is harmed. "
        "Keep it, apart from the model, for auditing."
    )


def _caveats(result: Result) -> Iterator[Block]:
    yield Points((*answers(result)[NOT_JUDGED], *LIMITS))
