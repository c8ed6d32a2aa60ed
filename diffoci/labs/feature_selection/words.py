"""What a run of the feature lab found, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from diffoci.labs.feature_selection.downstream import WORDS
from diffoci.labs.feature_selection.families import ONE_BY_ONE, OURS
from diffoci.labs.feature_selection.result import LabResult, MethodOutcome

MOSTLY = 0.5
MOST_NAMED = 8


def headline(result: LabResult) -> str:
    """Which selector has the lowest error, beside all columns, and how many cannot be told from it."""
    best = best_of(result)
    if best is None:
        return "Nothing was measured"
    full = result.find("full")
    said = f"{best.label}, {_score(result, best)}{_size(best)}"
    beside = "" if full is None or best is full else f"; full data {_score(result, full)}"
    near, others = len(alike(result)), len(result.methods) - 1
    lowest = f"Lowest {WORDS[result.measure]}: {said}{beside}"
    if not near:
        return lowest
    if len(result.spec.seeds) == 1:
        return f"{lowest}. One repetition does not tell whether others are worse"
    if near == others:
        none = f"No selector has a clearly lower {WORDS[result.measure]} than the others"
        return f"{none}; lowest on average: {said}{beside}"
    return f"{lowest}. {near} of the {others} others {'is' if near == 1 else 'are'} not clearly different"


def best_of(result: LabResult) -> MethodOutcome | None:
    """The selector with the lowest error."""
    known = [one for one in result.methods if one.scores[result.measure].mean is not None]
    return min(known, key=lambda one: one.scores[result.measure].mean or 0.0, default=None)


def alike(result: LabResult) -> tuple[str, ...]:
    """Selectors whose error is not clearly larger than that of the best one on the same draws or splits."""
    best = best_of(result)
    if best is None:
        return ()
    more = {one.label: result.more(one, best).low for one in result.methods if one is not best}
    return tuple(label for label, low in more.items() if low is None or low <= 0)  # of one repetition nothing is known


def only_together(result: LabResult) -> frozenset[int]:
    """Features that FOCI or difFOCI choose in most repetitions and no test of one column at a time does.

    A choice says something where it leaves out at least half of the features. Empty where no such test was run. Where
    it is known what y was made from, others are left out: a test that does not choose them misses nothing.
    """
    tested = [one for one in result.methods if one.family == ONE_BY_ONE and one.tests]
    few = len(result.features) / 2
    ours = [one for one in result.methods if one.family == OURS and one.size.mean is not None and one.size.mean <= few]
    found = _mostly_chosen(ours) - _mostly_chosen(tested) if tested else frozenset()
    return found if result.truth is None else found & frozenset(result.truth)


def _mostly_chosen(methods: Sequence[MethodOutcome]) -> frozenset[int]:
    return frozenset(k for one in methods for k, share in enumerate(one.frequency or ()) if share > MOSTLY)


def star_words(result: LabResult) -> str:
    """What a star beside a feature says: missed by others only where y is known to be made from it."""
    if result.truth is None:
        return "chosen by FOCI or difFOCI, and by no test of one column at a time"
    return "y is made from it; found by FOCI or difFOCI, and missed by tests of one column at a time"


def only_together_words(result: LabResult) -> str:
    """Which features only FOCI or difFOCI chose; empty where there is none."""
    names = [result.features[k] for k in sorted(only_together(result))]
    if not names:
        return ""
    some = ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
    if result.truth is None:
        return (
            f"FOCI or difFOCI choose {some} in most repetitions, and no test of one column at a time does. Whether the "
            "outcome depends on them is not known of this table; if it does, a straight line in one column alone does "
            "not show it."
        )
    return (
        f"FOCI or difFOCI find {some} in most repetitions. The outcome is made from them, and tests that look for a "
        "straight line in one column at a time miss them."
    )


def _score(result: LabResult, one: MethodOutcome) -> str:
    return f"{one.scores[result.measure].mean:.3f}"


def _size(one: MethodOutcome) -> str:
    if one.size.mean is None:
        return ""
    size = f"{round(one.size.mean, 1):g}"
    return f" with {size} feature{'' if size == '1' else 's'}"
