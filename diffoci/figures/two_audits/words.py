"""Two audits in words: what they are called, what was asked differently, what changed, and whether it is noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from diffoci.audit.methods import REFERENCE
from diffoci.audit.noise import Difference
from diffoci.audit.result import AuditResult, Label
from diffoci.audit.two_audits.changes import Change, DroppedChange, MethodChange, RateChange, TwoAudits
from diffoci.audit.words import VERDICTS, listed, points_text, score_text, sentence_case
from diffoci.figures.view import called_in
from diffoci.plain_text import counted

Names = tuple[str, str]
_NAMES: tuple[Callable[[AuditResult], str], ...] = (
    lambda result: result.provenance.title,
    lambda result: f"the audit of {listed(result.attributes)}",
    lambda result: f"the {result.spec.preset} audit",
    lambda result: f"the audit with {counted(len(result.spec.seeds), 'repetition')}",
)
_JUDGED = "More than noise?"
JUDGEMENTS = {
    "more than noise": "more than noise",
    "perhaps": "perhaps",
    "no more than noise": "no more than noise",
    "not known": "not known, one repetition only",
}


def names_of(first: AuditResult, second: AuditResult) -> Names:
    """What to call two audits: by their data, else by the first thing in which they differ."""
    for tell in _NAMES:
        if tell(first) != tell(second):
            return tell(first), tell(second)
    return "the first audit", "the second audit"


def kinds_differ(first: str, second: str) -> str:
    """Why audits of two kinds, given by the titles of their studies, cannot be compared; empty where kinds are one."""
    if first == second:
        return ""
    return (
        f"The first is a {first.lower()}, the second a {second.lower()}: one asks what can be guessed from data and "
        "what methods change about that, the other what a model that exists does to groups. They measure different "
        "things, so their numbers cannot be set side by side. Choose two of the same kind."
    )


def headline(found: TwoAudits, names: Names) -> str:
    """The answer to the page's question: what is not the same question, else the largest change that is no noise."""
    names = (_without_common(names[0], names[1]), names[1])
    if others := list(_other_questions(found, names)):
        return f"These audits ask different things: {'; '.join(others)}"
    row = found.main
    said: list[tuple[Change, str]] = [(rate.change, _rate_words(found, rate, names)) for rate in found.rates]
    said.append((row.y, _y_words(found, names)))
    if row.guessed is not None:
        said.insert(0, (row.guessed, _guessed_words(row, row.guessed, names)))
    for judgement, before in (("more than noise", ""), ("perhaps", "Perhaps more than noise: ")):
        if real := [(change, words) for change, words in said if change.judgement == judgement]:
            return before + max(real, key=lambda one: abs(one[0].difference.value))[1]
    return _no_change_words(row, names)


def _other_questions(found: TwoAudits, names: Names) -> Iterator[str]:
    """What is predicted or guessed in one audit and not in the other."""
    if found.labels[0] != found.labels[1]:
        titles = [label.name for label in found.labels]
        if titles[0] == titles[1]:
            titles = [f"{label.name} as {' or '.join(label.classes)}" for label in found.labels]
        yield f"{titles[0]} is predicted in {names[0]}, {titles[1]} in {names[1]}"
    before, after = found.main.attributes
    if before != after:
        yield f"{before} is guessed in {names[0]}, {after} in {names[1]}"


def _guessed_words(row: MethodChange, change: Change, names: Names) -> str:
    easier = "easier" if change.difference.value > 0 else "harder"
    who = f"{sentence_case(row.attributes[1])} is {easier} to guess{_of(row)}"
    return f"{who} in {names[1]} than in {names[0]}: {_evidence(change)}"


def _y_words(found: TwoAudits, names: Names) -> str:
    change = found.main.y
    better = "better" if change.difference.value > 0 else "less well"
    who = f"{sentence_case(found.labels[1].name)} is predicted {better}{_of(found.main)}"
    return f"{who} in {names[1]} than in {names[0]}: {_shares(change)}"


def _rate_words(found: TwoAudits, rate: RateChange, names: Names) -> str:
    change, who = rate.change, sentence_case(rate.attribute)
    if rate.what == "gap":
        sizes = f"{_points(change.second)} in {names[1]}, {_points(change.first)} in {names[0]}"
        difference = difference_text(change.difference, "accuracy")
        return f"{who}, {rate.group}: the gap in being {_predicted(found.labels[1])} is {sizes} ({difference})"
    often = "more often" if change.difference.value > 0 else "less often"
    what = _outcome(found.labels[1]) if rate.what == "outcome" else _predicted(found.labels[1])
    return f"{who} “{rate.group}”: {what} {often} in {names[1]} than in {names[0]}, {_shares(change)}"


def _no_change_words(row: MethodChange, names: Names) -> str:
    change = row.guessed
    if change is None:
        return f"Too few people to say whether {_either(row)} is easier to guess in {names[1]} than in {names[0]}"
    words = "It is not known whether this is noise" if change.judgement == "not known" else "No more than noise"
    where = f"in {names[1]} and in {names[0]}"
    return f"{words}: how well {_either(row)} can be guessed{_of(row)} {where}, {_evidence(change)}"


def _of(row: MethodChange) -> str:
    return "" if row.method == REFERENCE else f" from {row.called}"


def _outcome(label: Label) -> str:
    return f"{label.name} is “{label.classes[-1]}”"


def _predicted(label: Label) -> str:
    return f"predicted “{label.classes[-1]}”"


def _points(gap: float) -> str:
    return points_text(gap, None, None).removeprefix("+")


def _shares(change: Change) -> str:
    shares = f"{score_text(change.second, 'accuracy')} against {score_text(change.first, 'accuracy')}"
    return f"{shares} ({difference_text(change.difference, 'accuracy')})"


def _evidence(change: Change) -> str:
    first, second, difference = _areas(change)
    return f"{second} against {first} ({difference})"


def _areas(change: Change) -> tuple[str, str, str]:
    """Two AUCs and their difference, with a third digit where two would not add up."""
    adds_up = round(change.second, 2) - round(change.first, 2) - round(change.difference.value, 2)
    digits = 2 if abs(adds_up) < 0.005 else 3
    first, second = (f"{value:.{digits}f}" for value in (change.first, change.second))
    return first, second, difference_text(change.difference, "auc", digits=digits)


def _without_common(name: str, other: str) -> str:
    """The parts of a name that the other does not begin with.

    >>> _without_common("ACS income, AL 2017, 1-Year", "ACS income, AL 2018, 1-Year")
    'AL 2017, 1-Year'
    >>> _without_common("Students, mathematics", "Students, mathematics (simulated)")
    'Students, mathematics'
    """
    parts, others = name.split(", "), other.split(", ")
    while len(parts) > 1 and others and parts[0] == others[0]:
        parts, others = parts[1:], others[1:]
    short = ", ".join(parts)
    return name if short in other else short


def difference_text(difference: Difference, score: str, *, digits: int = 2) -> str:
    """A difference with its interval, in the unit of its score.

    >>> difference_text(Difference(0.041, 0.012, 0.07), "auc")
    'difference 0.04, interval 0.01 to 0.07'
    """
    if score != "auc":
        return points_text(difference.value, difference.low, difference.high)
    value = f"difference {_decimals(difference.value, digits)}"
    if difference.low is None or difference.high is None:
        return value
    return f"{value}, interval {_decimals(difference.low, digits)} to {_decimals(difference.high, digits)}"


def guessed_table(found: TwoAudits) -> pd.DataFrame:
    """How well the attribute can be guessed, one row a method and attribute."""
    several = len({row.attributes for row in found.methods}) > 1
    return pd.DataFrame(
        [
            {
                "Method": row.called,
                "Verdict": " → ".join(dict.fromkeys(VERDICTS[verdict] for verdict in row.verdicts)),
                **({"Attribute": _either(row)} if several else {}),
                **_scores(row.guessed, "auc"),
            }
            for row in found.methods
        ]
    )


def rates_table(found: TwoAudits) -> pd.DataFrame:
    """How often each group has the outcome and is predicted to, and the gap between two groups."""
    label = found.labels[1]
    titles = {"outcome": _outcome(label), "predicted": _predicted(label), "gap": f"gap in {_predicted(label)}"}
    rows = []
    for rate in found.rates:
        scores = _scores(rate.change, "accuracy")
        if rate.what == "gap":
            scores |= {"First": _points(rate.change.first), "Second": _points(rate.change.second)}
        judged = scores.pop(_JUDGED)
        group = f"{rate.attribute} {rate.group}"
        rows.append({"Group": group, _JUDGED: judged, "How often": titles[rate.what], **scores})
    return pd.DataFrame(rows)


def y_table(found: TwoAudits) -> pd.DataFrame:
    """How well the outcome is predicted, one row a method."""
    rows = {row.method: {"Method": row.called, **_scores(row.y, "accuracy")} for row in found.methods}
    return pd.DataFrame(list(rows.values()))


def _scores(change: Change | None, score: str) -> dict[str, str]:
    if change is None:
        return {_JUDGED: "not known", "First": "too few people", "Second": "", "Difference": ""}
    first, second = score_text(change.first, score), score_text(change.second, score)
    difference = difference_text(change.difference, score)
    if score == "auc":
        first, second, difference = _areas(change)
    return {
        _JUDGED: JUDGEMENTS[change.judgement],
        "First": first,
        "Second": second,
        "Difference": difference.removeprefix("difference "),
    }


def method_note(found: TwoAudits) -> str:
    """How the intervals were come by, in two sentences."""
    how = (
        "Both audits used the same rows in the same splits, so differences are taken repetition by repetition."
        if found.paired
        else "The audits used different rows or splits, so intervals add the spread between repetitions to the "
        "error of the test rows, of both audits; if anything, they are too wide."
    )
    return (
        f"{how} {found.comparisons} scores were compared, and “more than noise” allows for that many (Holm); the "
        "95 % intervals do not, so “perhaps” is what stands out alone but not among so many. Outcomes and "
        "predictions of groups are compared by counts of people; predictions come from a classifier trained here and "
        "count as half as many people, since another training would predict differently."
    )


def dropped_table(found: TwoAudits, names: Names) -> pd.DataFrame:
    """Features dropped in one audit only, with how many seeds dropped them."""
    return pd.DataFrame(
        [
            {
                "Accounting for": " / ".join(dict.fromkeys(listed(list(given)) or "none" for given in one.given)),
                "Feature": one.feature,
                names[0]: f"dropped in {_of_repetitions(one, 0)}",
                names[1]: f"dropped in {_of_repetitions(one, 1)}",
                "All repetitions agree": _agreement(one),
            }
            for one in found.dropped
        ],
        columns=["Accounting for", "Feature", *names, "All repetitions agree"],
    )


def _of_repetitions(one: DroppedChange, which: int) -> str:
    seeds = one.seeds[which]
    return f"{round(one.shares[which] * seeds)} of {counted(seeds, 'repetition')}"


def _agreement(one: DroppedChange) -> str:
    """Whether all repetitions of both audits say the same; a single one agrees with nobody.

    >>> _agreement(DroppedChange("age", ((), ()), (1.0, 0.0), (5, 1)))
    'not known'
    """
    if min(one.seeds) == 1:
        return "not known"
    return "yes" if one.every_seed else "no"


def asked_differently(first: AuditResult, second: AuditResult) -> list[str]:
    """What is not the same in the two audits, one sentence each."""
    told = [f"{words}: {before} → {after}" for words, before, after in _asked(first, second) if before != after]
    methods = [[called_in(result, name) for name in result.spec.methods] for result in (first, second)]
    features = [result.features.names for result in (first, second)]
    for words, both in (("Methods", methods), ("Features", features)):
        for which, here, there in (("first", both[0], both[1]), ("second", both[1], both[0])):
            if only := [name for name in here if name not in there]:
                told.append(f"{words} only in the {which}: {listed(only)}")
    return told


_FACTS: Mapping[str, Callable[[AuditResult], str]] = {
    "Data": lambda result: result.provenance.title,
    "Kind of data": lambda result: "real" if result.provenance.real else "simulated",
    "Rows": lambda result: f"{result.provenance.rows:,}",
    "Content of the data (sha256)": lambda result: f"{result.provenance.sha256[:12]}…",
    "Outcome": lambda result: result.label.name,
    "Commonest class of the outcome": lambda result: score_text(result.methods[0].y.majority, "accuracy"),
    "Sensitive attributes": lambda result: listed(result.attributes),
    "Preset": lambda result: result.spec.preset,
    "Repetitions": lambda result: str(len(result.spec.seeds)),
    "Device": lambda result: result.provenance.device,
}


def _asked(first: AuditResult, second: AuditResult) -> list[tuple[str, str, str]]:
    """Everything that may differ, in words, with what it is in both audits."""
    found = [(words, tell(first), tell(second)) for words, tell in _FACTS.items()]
    both = {
        "Option of the data,": (first.spec.options, second.spec.options),
        "Setting": (first.spec.settings, second.spec.settings),
    }
    for words, values in both.items():
        one, two = (flat(part) for part in values)
        for name in dict.fromkeys([*one, *two]):
            found.append((f"{words} {name}", one.get(name, "not given"), two.get(name, "not given")))
    here, there = first.provenance.versions, second.provenance.versions
    names = dict.fromkeys([*here, *there])
    return found + [(f"Version of {name}", str(here.get(name)), str(there.get(name))) for name in names]


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Nested settings as one list of names and values in words."""
    found: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{name}.")
        else:
            plain = isinstance(value, Sequence) and not isinstance(value, str)
            found[f"{before}{name}"] = (
                ", ".join(map(str, value)) or "none" if plain else "not given" if value is None else str(value)
            )
    return found


def _either(row: MethodChange) -> str:
    return " and ".join(dict.fromkeys(row.attributes))


def _decimals(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")
