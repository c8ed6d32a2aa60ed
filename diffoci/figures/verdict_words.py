"""What an audit found, in words: a headline, a sentence for each method with its reason, and the table behind it."""

from __future__ import annotations

import pandas as pd

from diffoci.audit.noise import Difference, paired_difference, share_variance
from diffoci.figures.reading import Entry, Result, View, entries, s_reference, y_reference
from diffoci.figures.words import (
    PLACES,
    PROBES,
    SCORES,
    VERDICTS,
    interval_text,
    points_text,
    score_text,
    sentence_case,
)

# A difference of y counts as none where it is known to be smaller than this share of what standard data gain over
# always naming the commonest class, and than this many points.
SAME_SHARE, SAME = 0.1, 0.02


def headline(result: Result, view: View) -> str:
    """The answer to the page's question, from the standard data where they were audited."""
    found = entries(result, view)
    if not found:
        return f"Nothing was measured for {view.attribute} here"
    first = next((entry for entry in found if entry.name == "standard"), found[0])
    of = "the data" if first.name == "standard" else first.title
    if view.place != "representation":
        of = f"{PLACES[view.place]} on {of}"
    who = sentence_case(view.attribute)
    verdict = first.found["verdict"]
    if verdict == "insufficient evidence":
        return f"Too few people to say whether {view.attribute} can be guessed from {of}"
    if first.found["below_chance"]:
        return f"{who} is guessed from {of} clearly worse than chance: an alarm and no success, check the run"
    right, largest = first.found["accuracy"]["mean"], s_reference(result, View(view.attribute, view.place, "accuracy"))
    told = (
        f"{score_text(right, 'accuracy')} right, {score_text(largest, 'accuracy')} by always naming the largest group"
    )
    if verdict == "detected":
        if right <= largest:  # one group is so large that naming it is hard to beat; the scores still tell
            area, high = first.found["auc"]["mean"], first.found["null_auc_high"]
            told = f"AUC {area:.2f}, where shuffled labels stay below {high:.2f}"
        return f"{who} can be guessed from {of}: {told}"
    return f"{who} was not detected above chance in {of}: {told}"


def best(result: Result, view: View) -> Entry | None:
    """The method to speak of first: of those where the attribute is not detected, the one that predicts y best.

    Where there is none, the one it is hardest to guess from. Methods that need the attribute at prediction come last,
    and so do those it is guessed from worse than chance: that is an alarm.
    """
    others = [entry for entry in entries(result, view) if entry.name != "standard" and entry.found["auc"]["mean"]]
    others = [entry for entry in others if not entry.found["below_chance"]] or others
    quiet = [entry for entry in others if entry.found["verdict"] == "not detected"]
    usable = [entry for entry in quiet if not entry.needs_sensitive] or quiet
    if usable:
        return max(usable, key=lambda entry: entry.accuracy["mean"])
    return min(others, key=lambda entry: entry.found["auc"]["mean"], default=None)


def sentence(result: Result, view: View, entry: Entry) -> str:
    """One method's cost and gain, each with its evidence."""
    return f"{entry.title}: {_cost(result, view, entry)}; {_leak(view, entry)}."


def reason(view: View, entry: Entry) -> str:
    """Why the verdict is what it is."""
    found = entry.found
    probe = PROBES.get(found["probe"], found["probe"])
    if found["auc"]["mean"] is None:
        small = ", ".join(found["not_judged"])
        return f"Fewer than 30 test rows in all groups but one ({small}), so {view.attribute} was not judged."
    high = found["null_auc_high"]
    where = f"Measured on {found['test_rows']:,} test rows from {PLACES[view.place]}; strongest probe: {probe}. "
    if found["below_chance"]:
        return where + "Its AUC is clearly below chance, which is an alarm, not a success: check the run."
    if found["verdict"] == "detected":
        return where + f"Its AUC is above {high:.2f}, which 99 in 100 shuffled labellings stay below."
    if found["verdict"] == "not detected":
        return where + f"Its AUC is within what shuffled labels give (up to {high:.2f}); that is no proof of absence."
    return where + f"Shuffled labels alone reach {high:.2f}, so a leak worth worrying about could not be seen."


def table(result: Result, view: View) -> pd.DataFrame:
    """The numbers behind the picture, one row a method."""
    rows = []
    for entry in entries(result, view):
        drawn = {} if view.score == "accuracy" else {_y_drawn(view): score_text(entry.y["mean"], view.score)}
        rows.append(
            {
                "Method": entry.short,
                "y accuracy": interval_text(entry.accuracy, "accuracy"),
                **drawn,
                f"{sentence_case(view.attribute)} guessed": interval_text(entry.s, view.score),
                "Chance": _chance(result, view, entry),
                "Strongest probe": PROBES.get(entry.found["probe"], entry.found["probe"]),
                "At prediction": f"needs {view.attribute}" if entry.needs_sensitive else "data only",
                "Verdict": VERDICTS[entry.found["verdict"]],
            }
        )
    return pd.DataFrame(rows)


def _y_drawn(view: View) -> str:
    return "y AUC" if view.score == "auc" else f"y {SCORES[view.score].lower()}"


def _chance(result: Result, view: View, entry: Entry) -> str:
    low, high = entry.found["null_auc_low"], entry.found["null_auc_high"]
    if view.score == "auc":
        return f"{low:.2f} to {high:.2f}" if low is not None else "not judged"
    return score_text(s_reference(result, view), view.score)


def _cost(result: Result, view: View, entry: Entry) -> str:
    label = result["label"]["name"]
    before = next((other for other in entries(result, view) if other.name == "standard"), None)
    if before is None or entry.name == "standard":
        return f"{label} predicted right for {interval_text(entry.accuracy, 'accuracy')}"
    found = difference_of_y(result, before, entry)
    words = f"accuracy {points_text(found.value, found.low, found.high)}"
    if found.low is None or found.high is None:
        return f"{label}: {words} against standard data, one seed"
    majority = y_reference(result, View(view.attribute, score="accuracy"))
    if entry.accuracy["mean"] <= majority < before.accuracy["mean"]:
        return f"{label} predicted no better than by always naming the commonest class ({words})"
    same = min(SAME, SAME_SHARE * max(before.accuracy["mean"] - majority, 0.0))
    if found.low > -same and found.high < same:
        return f"{label} predicted as well as before ({words})"
    if found.high < 0 or found.low > 0:
        return f"{label} predicted {'less well' if found.high < 0 else 'better'} than before ({words})"
    return f"{label} predicted with no clear difference ({words})"


def difference_of_y(result: Result, before: Entry, after: Entry) -> Difference:
    """y accuracy after minus before in shares, seed by seed."""
    old = dict(zip(before.seeds, before.accuracy["values"], strict=True))
    new = dict(zip(after.seeds, after.accuracy["values"], strict=True))
    shared = [seed for seed in new if seed in old]
    if len(shared) < 2:
        return Difference(after.accuracy["mean"] - before.accuracy["mean"])
    train, _, test = result["spec"]["settings"]["fractions"]
    of_rows = share_variance(before.accuracy["mean"], int(before.found["test_rows"]))
    return paired_difference(
        [old[seed] for seed in shared], [new[seed] for seed in shared], test_share=test / train, of_rows=of_rows
    )


def _leak(view: View, entry: Entry) -> str:
    found = entry.found
    verdict = VERDICTS[found["verdict"]]
    if found["auc"]["mean"] is None:
        return f"{view.attribute}: {verdict}"
    return f"{view.attribute} {verdict} (AUC {found['auc']['mean']:.2f}, chance up to {found['null_auc_high']:.2f})"
