"""Findings: the conclusions of an audit, worked out from its numbers and from nothing else.

Pages, report and command line only put them into words; `verify` works them out again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from diffoci.audit.decisions.decide import GroupComparison
from diffoci.audit.methods import REFERENCE
from diffoci.audit.noise import (
    Difference,
    changed_difference,
    paired_difference,
    share_variance,
    without_width,
)
from diffoci.audit.probes import PROBES
from diffoci.audit.result import (
    Answer,
    AuditResult,
    Cost,
    Findings,
    Guessed,
    Mean,
    MethodFinding,
    MethodResult,
    Place,
    PlaceFinding,
    Selected,
    SelectionGap,
    Sureness,
)
from diffoci.audit.verdicts import LEVEL

# A difference of y that may be zero counts as none where it is known to be no larger than this share of what the data
# as they are gain over always naming the commonest class, and than this many points.
SAME_SHARE, SAME = 0.1, 0.02
SELECTED = "demographic_parity_difference"
NO_CHOICE: tuple[Selected, ...] = ("everybody selected", "nobody selected")

Row = tuple[MethodResult, Guessed]


def conclude(result: AuditResult) -> Findings:
    """Return the conclusions that follow from the numbers of a result."""
    if not result.methods:
        return Findings()
    reference = _reference([one.name for one in result.methods])
    guessed = {attribute: dict(_places(result, attribute)) for attribute in result.attributes}
    best = [places["representation"].best for places in guessed.values() if "representation" in places]
    return Findings(
        reference=reference,
        chosen=next((name for name in best if name is not None), reference),
        guessed=guessed,
        selection=dict(_selection(result, reference)),
        sureness=_sureness(result),
    )


def largest_group_share(result: AuditResult, attribute: str) -> float:
    """How often always naming the largest group is right."""
    rows = [group.rows for group in result.groups[attribute].values()]
    return max(rows) / sum(rows)


def _reference(names: list[str]) -> str:
    return REFERENCE if REFERENCE in names else names[0]


def _rows(result: AuditResult, attribute: str, place: Place) -> list[Row]:
    found = [(one, one.leakage.of(attribute, place)) for one in result.methods if one.y.accuracy.mean is not None]
    return [(one, guessed) for one, guessed in found if guessed is not None]


def _places(result: AuditResult, attribute: str) -> Iterator[tuple[Place, PlaceFinding]]:
    for place in result.places:
        rows = _rows(result, attribute, place)
        if rows:
            yield place, _place(result, attribute, rows)


def _place(result: AuditResult, attribute: str, rows: list[Row]) -> PlaceFinding:
    reference = _reference([one.name for one, _ in rows])
    found = next(guessed for one, guessed in rows if one.name == reference)
    return PlaceFinding(
        reference=reference,
        answer=_answer(found, largest_group_share(result, attribute)),
        best=_best(rows),
        methods={one.name: _method(result, rows, one, guessed) for one, guessed in rows},
    )


def _answer(found: Guessed, largest: float) -> Answer:
    """What to say of the data as they are."""
    if found.verdict == "insufficient evidence":
        return "too few people"
    if found.below_chance:
        return "worse than chance"
    if found.verdict == "not detected":
        return "not detected"
    # One group can be so large that naming it is hard to beat; the order of the scores still tells.
    return "guessable" if (found.accuracy.mean or 0.0) > largest else "guessable by its order alone"


def _best(rows: list[Row]) -> str | None:
    """The method to speak of first: of those where the attribute is not detected, the one that predicts y best.

    Where there is none, the one it is hardest to guess from. Methods that need the attribute at prediction come last,
    and so do those it is guessed from worse than chance: that is an alarm.
    """
    others = [(one, guessed) for one, guessed in rows if one.name != REFERENCE and guessed.auc.mean]
    others = [row for row in others if not row[1].below_chance] or others
    quiet = [row for row in others if row[1].verdict == "not detected"]
    usable = [row for row in quiet if not row[0].needs_sensitive_at_prediction] or quiet
    if usable:
        return max(usable, key=lambda row: row[0].y.accuracy.mean or 0.0)[0].name
    hardest = min(others, key=lambda row: row[1].auc.mean or 0.0, default=None)
    return None if hardest is None else hardest[0].name


def _method(result: AuditResult, rows: list[Row], one: MethodResult, guessed: Guessed) -> MethodFinding:
    unchanged = next((row for row in rows if row[0].name == REFERENCE), None)
    quiet = only_linear_is_quiet(guessed)
    majority = result.methods[0].y.majority
    at_majority = _at_majority(one.y.accuracy, majority)
    if unchanged is None or one.name == REFERENCE:
        kind: Cost = "reference" if one.name == REFERENCE else "nothing to compare with"
        kind = "no better than the commonest class" if at_majority else kind
        return MethodFinding(y=kind, difference=None, only_linear_is_quiet=quiet)
    before, tested = unchanged[0], unchanged[1].test_rows
    difference = difference_of_y(before, one, test_share=result.test_share, tested=tested)
    margin = min(SAME, SAME_SHARE * max((before.y.accuracy.mean or 0.0) - majority, 0.0))
    cost = judge_difference(difference, margin=margin)
    return MethodFinding(
        y="no better than the commonest class" if at_majority and cost != "one seed" else cost,
        difference=difference,
        only_linear_is_quiet=quiet,
    )


def _at_majority(accuracy: Mean, majority: float) -> bool:
    """Whether y is predicted no better than by always naming the commonest class, or above it by a little noise."""
    mean = accuracy.mean or 0.0
    reached = accuracy.low is not None and accuracy.low <= majority
    return mean <= majority or (reached and mean < majority + SAME)


def judge_difference(difference: Difference, *, margin: float) -> Cost:
    """What a difference with its interval amounts to: the one rule for all sentences on what became of a score.

    An interval wholly on one side of zero is a loss or a gain, however small. One that has zero in it is "as well"
    where it stays within the margin, and no clear difference where it does not. Repetitions that agree exactly leave
    an interval of no width, which proves nothing: no clear difference either.
    """
    if difference.low is None or difference.high is None:
        return "one seed"
    if difference.high < 0 or difference.low > 0:
        return "less well" if difference.high < 0 else "better"
    within = difference.low >= -margin and difference.high <= margin
    return "as well" if within and not without_width(difference.low, difference.high) else "no clear difference"


def difference_of_y(before: MethodResult, after: MethodResult, *, test_share: float, tested: int) -> Difference:
    """y's accuracy after minus before in shares, repetition by repetition; `tested` is how many people were.

    Where everybody was tested once, people tell the noise of the difference better than a few folds do: those whom only
    one of the two is right about.
    """
    old, new = (dict(zip(one.seeds, one.y.accuracy.values, strict=False)) for one in (before, after))
    pairs = [(old.get(seed), value) for seed, value in new.items()]
    known = [(first, second) for first, second in pairs if first is not None and second is not None]
    accuracy = before.y.accuracy.mean or 0.0
    if len(known) < 2:
        return Difference((after.y.accuracy.mean or 0.0) - accuracy)
    if after.changed is not None:
        one = after.changed
        return changed_difference(
            float(np.mean([now - was for was, now in known])),
            people=one.people,
            lost=one.lost,
            gained=one.gained,
            wider=1 + len(known) * test_share,
        )
    return paired_difference(
        [first for first, _ in known],
        [second for _, second in known],
        test_share=test_share,
        of_rows=share_variance(accuracy, tested),
    )


def only_linear_is_quiet(found: Guessed) -> bool:
    """Whether the linear probe is within chance while another probe is above it."""
    high = found.null_auc_high
    areas = {name: scores.auc.mean for name, scores in found.probes.items() if scores.auc.mean is not None}
    linear = {name for name in areas if name in PROBES and PROBES[name].linear}
    if high is None or not linear or any(areas[name] > high for name in linear):
        return False
    return any(area > high for name, area in areas.items() if name not in linear)


def _selection(result: AuditResult, reference: str) -> Iterator[tuple[str, SelectionGap]]:
    """The gap in being selected by each attribute alone, where decisions were measured."""
    decided = result.method(reference).decisions
    for comparison in () if decided is None else decided.comparisons:
        if len(comparison.attributes) != 1 or SELECTED not in comparison.between:
            continue
        yield comparison.attributes[0], _selection_gap(comparison)


def selected(comparison: GroupComparison) -> Selected:
    """What is to be said of the gap in being selected: nothing where the groups compared were not chosen from."""
    gap, judged = comparison.between[SELECTED], [group for group in comparison.groups if group.judged]
    if gap.value is None or gap.chance is None:
        return "too few people"
    if all(group.selected == group.n for group in judged):
        return "everybody selected"
    if not any(group.selected for group in judged):
        return "nobody selected"
    return "beyond chance" if gap.value > gap.chance.limit else "within chance"


def _selection_gap(comparison: GroupComparison) -> SelectionGap:
    gap, answer = comparison.between[SELECTED], selected(comparison)
    unequal = gap.highest != gap.lowest
    return SelectionGap(
        answer=answer,
        value=gap.value,
        low=gap.low,
        high=gap.high,
        highest=gap.highest if unequal else None,
        lowest=gap.lowest if unequal else None,
        limit=None if gap.chance is None else gap.chance.limit,
        beyond_chance=answer == "beyond chance" if answer in ("within chance", "beyond chance") else None,
    )


def _sureness(result: AuditResult) -> Sureness | None:
    views = [(attribute, place) for attribute in result.attributes for place in result.places]
    rows = [row for view in views for row in _rows(result, *view)]
    if not rows:
        return None
    accuracies = [one.y.accuracy for one, _ in rows]
    judged = sum(guessed.verdict != "insufficient evidence" for _, guessed in rows)
    quiet = [guessed.null_auc_high for _, guessed in rows if guessed.verdict == "not detected"]
    return Sureness(
        seeds=max(len(one.seeds) for one, _ in rows),
        tested=max(guessed.test_rows for _, guessed in rows),
        widest=max((y.high - y.low for y in accuracies if y.low is not None and y.high is not None), default=0.0),
        verdicts=judged,
        false_alarms=judged * LEVEL,
        noticed_from=max((high for high in quiet if high is not None), default=None),
    )
