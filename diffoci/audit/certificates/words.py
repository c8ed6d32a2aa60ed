"""A certificate in words: what nobody can exceed who receives the cells, or how many people that would take."""

from __future__ import annotations

from diffoci.audit.certificates.ceiling import telling
from diffoci.audit.certificates.certificate import AttributeBounds, Certificate
from diffoci.audit.result import MethodResult, Score

TOO_FEW = "too few people"
OF_CELLS = (
    "A ceiling is about the cells of the first repetition, which export --cells writes, and about nothing finer. Each "
    "holds by itself; the lowest of several was picked with the same people and is less certain."
)


def ceiling_sentence(one: MethodResult, attribute: str) -> str:
    """What binds everybody who receives a method's cells; empty where nothing was counted."""
    held = one.certificate
    if held is None or attribute not in held.by_attribute:
        return ""
    bounds = held.by_attribute[attribute]
    if held.cells == 1:
        return f"{one.title} puts everybody into one cell: nothing can be guessed from it, nor can {attribute}."
    if bounds.too_few:
        return _too_few(held, bounds)
    right = f"{100 * bounds.balanced_accuracy_at_most:.1f} %"
    return (
        f"Whoever receives only these {held.cells} cells of {one.title}, whatever their method, names {attribute} "
        f"correctly at most {right} of the time ({_how(held, bounds)}, {bounds.people:,} people). {_decisions(bounds)} "
        f"{_outcome(held)}"
    )


def _how(held: Certificate, bounds: AttributeBounds) -> str:
    sure = f"{100 * held.confidence:g} % confidence"
    if len(bounds.groups) == 2:
        return f"balanced; {sure}"
    chance = f"{100 / len(bounds.groups):.1f} %"
    return f"balanced over {len(bounds.groups)} groups, {chance} by chance; {sure} for {bounds.comparisons} comparisons"


def _decisions(bounds: AttributeBounds) -> str:
    gap = f"{100 * bounds.parity_gap_at_most:.1f} points"
    return f"No decision made from them alone selects one group more often than another by more than {gap}."


def _outcome(held: Certificate) -> str:
    area = "" if held.y_auc is None else f" (AUC {held.y_auc:.2f})"
    return f"From them, the outcome is predicted correctly for {100 * held.y_accuracy:.1f} %{area}."


def _too_few(held: Certificate, bounds: AttributeBounds) -> str:
    aim = f"{100 * telling(len(bounds.groups)):.1f} %"
    return (
        f"Too few people for a ceiling: with {bounds.people:,} it could not be under {100 * bounds.least:.1f} % "
        f"({_how(held, bounds)}), whatever the cells. It would take about {bounds.people_needed:,} people for one of "
        f"{aim} with {held.cells} cells that reveal nothing."
    )


def ceiling_in(held: Certificate | None, attribute: str, score: Score) -> float | None:
    """What nobody can exceed in a score; None where there is no ceiling, it says nothing, or the score has none."""
    bounds = None if held is None else held.by_attribute.get(attribute)
    if bounds is None or bounds.too_few or score == "accuracy":
        return None
    return bounds.auc_at_most if score == "auc" else bounds.balanced_accuracy_at_most
