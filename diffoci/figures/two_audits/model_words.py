"""Two model audits in words: what changed for whom, whether it is noise, and what was asked differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import pandas as pd

from diffoci.audit.noise import Difference
from diffoci.audit.words import listed, points_text, score_text, sentence_case
from diffoci.figures.model_audit import SHORT
from diffoci.figures.two_audits.words import Names, flat
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.two_audits import CriterionChange, GroupChange, TwoModelAudits
from diffoci.model_audit.words import ERRORS, MEASURES, answer_words

JUDGED = "More than noise?"


def names_of(first: ModelAuditResult, second: ModelAuditResult) -> Names:
    """What to call two audits: by their data, where these differ."""
    if first.provenance.title != second.provenance.title:
        return first.provenance.title, second.provenance.title
    return "the first audit", "the second audit"


def headline(found: TwoModelAudits, names: Names) -> str:
    """The largest change that is no noise, gaps first; else the first gap, and that its change may be noise.

    Audits of different outcomes ask different questions, which is said instead.
    """
    if found.outcomes[0] != found.outcomes[1]:
        told = [f"{outcome} in {name}" for outcome, name in zip(found.outcomes, names, strict=True)]
        return f"These audits ask different things: the outcome is {told[0]}, {told[1]}"
    if not found.gaps and not found.groups and not found.criteria:
        return "Too few people: no group is large enough in both audits"
    several = len(found.models) > 1
    every: tuple[Sequence[GroupChange | CriterionChange], ...] = (found.gaps, found.groups, found.criteria)
    for judgement, before in (("more than noise", ""), ("perhaps", "Perhaps more than noise: ")):
        for changes in every:
            if real := [entry for entry in changes if entry.change.judgement == judgement]:
                largest = max(real, key=lambda entry: abs(entry.change.difference.value))
                return before + _words(largest, names, several=several)
    entry = next(one for changes in every for one in changes)
    start = "It is not known whether this is noise" if entry.change.judgement == "not known" else "No more than noise"
    return f"{start}: {_words(entry, names, several=several)}"


def _words(entry: GroupChange | CriterionChange, names: Names, *, several: bool) -> str:
    if isinstance(entry, CriterionChange):
        under = f" under {called(entry.models)}" if several else ""
        where = f"T {_T(entry.second.T)} in {names[1]}, {_T(entry.first.T)} in {names[0]}"
        what = f"Departure from {SHORT[entry.name]} by {entry.attribute}{under}"
        return f"{what}: {where}, a difference of {_T_difference(entry)}"
    before, after = _shown(entry, entry.change.first), _shown(entry, entry.change.second)
    who = f"“{entry.group}”" if entry.reference is None else f"“{entry.group}” minus “{entry.reference}”"
    where = f"{after} in {names[1]}, {before} in {names[0]}"
    what = MEASURES[entry.measure]
    under = f" under {called(entry.models)}" if several and entry.measure != "base_rate" else ""
    return f"{who}{under}, {what}: {where} ({_difference(entry, entry.change.difference)})"


def _shown(entry: GroupChange, value: float) -> str:
    if entry.measure in ERRORS:
        return f"{value:.4g}".replace("-", "−")
    return score_text(value, "accuracy") if entry.reference is None else points_text(value, None, None)


def _difference(entry: GroupChange, difference: Difference) -> str:
    if entry.measure not in ERRORS:
        return points_text(difference.value, difference.low, difference.high)
    text = f"{difference.value:.4g}"
    if difference.low is not None and difference.high is not None:
        text += f", interval {difference.low:.4g} to {difference.high:.4g}"
    return text.replace("-", "−")


def changes_table(changes: tuple[GroupChange, ...]) -> pd.DataFrame:
    """Rates, errors or gaps in both audits, one row each."""
    several = len({entry.models for entry in changes}) > 1
    return pd.DataFrame(
        [
            {
                "Group": entry.group if entry.reference is None else f"{entry.group} minus {entry.reference}",
                JUDGED: entry.change.judgement,
                "What": sentence_case(MEASURES[entry.measure]),
                **({"Model": called(entry.models)} if several else {}),
                "First": _shown(entry, entry.change.first),
                "Second": _shown(entry, entry.change.second),
                "Difference": _difference(entry, entry.change.difference),
            }
            for entry in changes
        ]
    )


def criteria_table(found: TwoModelAudits) -> pd.DataFrame:
    """What the scores tell, in both audits."""
    several = len({entry.models for entry in found.criteria}) > 1
    return pd.DataFrame(
        [
            {
                "Attribute": entry.attribute,
                "Criterion": SHORT[entry.name],
                JUDGED: entry.change.judgement,
                **({"Model": called(entry.models)} if several else {}),
                "T": f"{_T(entry.first.T)} → {_T(entry.second.T)}",
                "Difference": _T_difference(entry),
                "Departure": " → ".join(dict.fromkeys(map(answer_words, (entry.first, entry.second)))),
            }
            for entry in found.criteria
        ]
    )


def _T(value: float) -> str:
    return f"{value:.3f}".replace("-0.000", "0.000").replace("-", "−")


def _T_difference(entry: CriterionChange) -> str:
    found = entry.change.difference
    limits = "" if found.low is None or found.high is None else f" ({_T(found.low)} to {_T(found.high)})"
    return f"{_T(found.value)}{limits}"


def called(models: tuple[str, str]) -> str:
    """One name, or both.

    >>> called(("score", "score")), called(("old", "new"))
    ('score', 'old → new')
    """
    return " → ".join(dict.fromkeys(models))


def method_note(found: TwoModelAudits) -> str:
    """How the intervals were come by."""
    who = (
        "Both audits are of the very same people and scores: what differs comes from what was asked, such as the "
        "threshold, and the intervals are wider than they need be."
        if found.same_rows
        else "The people of the two audits are counted as different people. Two models of the same people are told "
        "apart better in one audit of both, which compares them person by person."
    )
    return (
        f"{who} {found.comparisons:,} numbers were compared, and “more than noise” allows for that many (Holm); the "
        "95 % intervals do not, so “perhaps” is what stands out alone but not among so many. Every row counts once, "
        "whatever its weight. How far a coefficient T varies is known from halves of its own rows."
    )


_FACTS: Mapping[str, Callable[[ModelAuditResult], str]] = {
    "Data": lambda result: result.provenance.title,
    "Kind of data": lambda result: "real" if result.provenance.real else "simulated",
    "People": lambda result: f"{result.provenance.rows:,}",
    "Content of the data (sha256)": lambda result: f"{result.provenance.sha256[:12]}…",
    "Outcome": lambda result: "none" if result.outcome is None else result.outcome.name,
    "Models": lambda result: listed([one.name for one in result.models]),
    "Sensitive attributes": lambda result: listed(result.sensitive),
    "Factors": lambda result: listed(result.spec.roles.factors) or "none",
    "Weights": lambda result: result.spec.roles.weights or "none",
    "Selected": lambda result: "; ".join(_basis(one.basis, one.threshold) for one in result.models),
}


def _basis(basis: str, threshold: float | None) -> str:
    return "as recorded" if threshold is None else f"score of at least {threshold:g}"


def asked_differently(first: ModelAuditResult, second: ModelAuditResult) -> list[str]:
    """What is not the same in the two audits, one sentence each."""
    pairs = [(words, tell(first), tell(second)) for words, tell in _FACTS.items()]
    for words, values in {
        "Setting": [msgspec.to_builtins(result.spec.settings) for result in (first, second)],
        "Option of the data,": [dict(result.spec.options) for result in (first, second)],
        "Version of": [dict(result.provenance.versions) for result in (first, second)],
    }.items():
        one, two = map(flat, values)
        pairs += [
            (f"{words} {k}", one.get(k, "not given"), two.get(k, "not given")) for k in dict.fromkeys([*one, *two])
        ]
    return [f"{words}: {before} → {after}" for words, before, after in pairs if before != after]
