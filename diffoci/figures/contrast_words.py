"""Two audits in words: what they are called, what was asked differently, what changed, and whether it is noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from diffoci.audit.contrast import Change, Contrast, MethodChange
from diffoci.audit.noise import Difference
from diffoci.figures.reading import SHORT, Result
from diffoci.figures.words import VERDICTS, listed, points_text, score_text, sentence_case

Names = tuple[str, str]
JUDGEMENTS = {
    "more than noise": "more than noise",
    "perhaps": "perhaps",
    "no more than noise": "no more than noise",
    "not known": "not known, one split only",
}


def names_of(first: Result, second: Result) -> Names:
    """What to call two audits: by their data, else by the first thing in which they differ."""
    for tell in (
        lambda result: str(result["provenance"]["title"]),
        lambda result: f"the audit of {listed(list(result['groups']))}",
        lambda result: f"the {result['spec']['preset']} audit",
        lambda result: f"the audit with {len(result['spec']['seeds'])} seeds",
    ):
        if tell(first) != tell(second):
            return tell(first), tell(second)
    return "the first audit", "the second audit"


def main_row(found: Contrast) -> MethodChange:
    """The row to speak of first: the standard data, or the first method both have."""
    return next((row for row in found.methods if row.method == "standard"), found.methods[0])


def headline(found: Contrast, names: Names) -> str:
    """The answer to the page's question."""
    row = main_row(found)
    change, (before, after) = row.guessed, row.attributes
    of = "" if row.method == "standard" else f" from {SHORT.get(row.method, row.method)}"
    earlier = _without_common(names[0], names[1])
    if change is None:
        return f"Too few people to say whether {_either(row)} is easier to guess in {names[1]} than in {earlier}"
    scores = f"{score_text(change.second, 'auc')} against {score_text(change.first, 'auc')}"
    evidence = f"{scores} ({difference_text(change.difference, 'auc')})"
    if change.judgement == "more than noise":
        easier = "easier" if change.difference.value > 0 else "harder"
        if before == after:
            return f"{sentence_case(after)} is {easier} to guess{of} in {names[1]} than in {earlier}: {evidence}"
        return f"{sentence_case(after)} ({names[1]}) is {easier} to guess{of} than {before} ({earlier}): {evidence}"
    words = {
        "not known": "It is not known whether this is noise: how well",
        "perhaps": "Perhaps more than noise: how well",
    }.get(change.judgement, "No more than noise: how well")
    return f"{words} {_either(row)} can be guessed{of} in {names[1]} and in {earlier}, {evidence}"


def _without_common(name: str, other: str) -> str:
    """The parts of a name that the other does not begin with.

    >>> _without_common("ACS income, AL 2017, 1-Year", "ACS income, AL 2018, 1-Year")
    'AL 2017, 1-Year'
    """
    parts, others = name.split(", "), other.split(", ")
    while len(parts) > 1 and others and parts[0] == others[0]:
        parts, others = parts[1:], others[1:]
    return ", ".join(parts)


def difference_text(difference: Difference, score: str) -> str:
    """A difference with its interval, in the unit of its score.

    >>> difference_text(Difference(0.041, 0.012, 0.07), "auc")
    'difference 0.04, interval 0.01 to 0.07'
    """
    if score != "auc":
        return points_text(difference.value, difference.low, difference.high)
    value = f"difference {_decimals(difference.value)}"
    if difference.low is None or difference.high is None:
        return value
    return f"{value}, interval {_decimals(difference.low)} to {_decimals(difference.high)}"


def guessed_table(found: Contrast) -> pd.DataFrame:
    """How well the attribute can be guessed, one row a method and attribute."""
    several = len({row.attributes for row in found.methods}) > 1
    return pd.DataFrame(
        [
            {
                "Method": SHORT.get(row.method, row.method),
                **({"Attribute": _either(row)} if several else {}),
                **_scores(row.guessed, "auc"),
                "Verdict": " → ".join(dict.fromkeys(VERDICTS[verdict] for verdict in row.verdicts)),
            }
            for row in found.methods
        ]
    )


def y_table(found: Contrast) -> pd.DataFrame:
    """How well y is predicted, one row a method."""
    rows = {
        row.method: {"Method": SHORT.get(row.method, row.method), **_scores(row.y, "accuracy")} for row in found.methods
    }
    return pd.DataFrame(list(rows.values()))


def _scores(change: Change | None, score: str) -> dict[str, str]:
    if change is None:
        return {"First": "too few people", "Second": "", "Difference": "", "More than noise?": "not known"}
    return {
        "First": score_text(change.first, score),
        "Second": score_text(change.second, score),
        "Difference": difference_text(change.difference, score).removeprefix("difference "),
        "More than noise?": JUDGEMENTS[change.judgement],
    }


def method_note(found: Contrast) -> str:
    """How the intervals were come by, in two sentences."""
    how = (
        "Both audits used the same rows in the same splits, so differences are taken split by split."
        if found.paired
        else "The audits used different rows or splits, so intervals add the spread between splits to the error of the "
        "test rows, of both audits; they are rather too wide than too narrow."
    )
    return (
        f"{how} {found.comparisons} scores were compared, and “more than noise” allows for that many (Holm); the "
        "intervals of 95 % do not, so “perhaps” is what stands out alone but not among so many."
    )


def dropped_table(found: Contrast, names: Names) -> pd.DataFrame:
    """Features dropped in one audit only, with how many seeds dropped them."""
    return pd.DataFrame(
        [
            {
                "Given": " / ".join(dict.fromkeys(listed(list(given)) for given in one.given)),
                "Feature": one.feature,
                names[0]: f"dropped by {round(one.shares[0] * one.seeds[0])} of {one.seeds[0]} seeds",
                names[1]: f"dropped by {round(one.shares[1] * one.seeds[1])} of {one.seeds[1]} seeds",
                "Every seed agrees": "yes" if one.every_seed else "no",
            }
            for one in found.dropped
        ],
        columns=["Given", "Feature", *names, "Every seed agrees"],
    )


def asked_differently(first: Result, second: Result) -> list[str]:
    """What is not the same in the two audits, one sentence each."""
    told = [f"{words}: {before} → {after}" for words, before, after in _asked(first, second) if before != after]
    methods = [list(result["spec"]["methods"]) for result in (first, second)]
    features = [list(result["features"]["names"]) for result in (first, second)]
    for words, both in (("Methods", methods), ("Features", features)):
        for which, here, there in (("first", both[0], both[1]), ("second", both[1], both[0])):
            if only := [name for name in here if name not in there]:
                told.append(f"{words} only in the {which}: {listed(only)}")
    return told


def _asked(first: Result, second: Result) -> list[tuple[str, str, str]]:
    def rows(words: str, tell: Any) -> tuple[str, str, str]:
        return words, str(tell(first)), str(tell(second))

    found = [
        rows("Data", lambda result: result["provenance"]["title"]),
        rows("Kind of data", lambda result: "real" if result["provenance"]["real"] else "simulated"),
        rows("Rows", lambda result: f"{result['provenance']['rows']:,}"),
        rows("Content of the data (sha256)", lambda result: f"{result['provenance']['sha256'][:12]}…"),
        rows("Label", lambda result: result["label"]["name"]),
        rows(
            "Commonest class of the label", lambda result: score_text(result["methods"][0]["y"]["majority"], "accuracy")
        ),
        rows("Sensitive attributes", lambda result: listed(list(result["groups"]))),
        rows("Preset", lambda result: result["spec"]["preset"]),
        rows("Seeds", lambda result: len(result["spec"]["seeds"])),
        rows("Device", lambda result: result["provenance"].get("device")),
    ]
    for part, words in (("options", "Option of the data,"), ("settings", "Setting")):
        one, two = (_flat(result["spec"][part]) for result in (first, second))
        for name in dict.fromkeys([*one, *two]):
            found.append((f"{words} {name}", one.get(name, "not given"), two.get(name, "not given")))
    one, two = (result["provenance"].get("versions") or {} for result in (first, second))
    found += [(f"Version of {name}", str(one.get(name)), str(two.get(name))) for name in dict.fromkeys([*one, *two])]
    return found


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{before}{name}.")
        else:
            plain = isinstance(value, Sequence) and not isinstance(value, str)
            flat[f"{before}{name}"] = ", ".join(map(str, value)) if plain else str(value)
    return flat


def _either(row: MethodChange) -> str:
    return " and ".join(dict.fromkeys(row.attributes))


def _decimals(value: float) -> str:
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")
