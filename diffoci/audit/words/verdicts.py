"""What an audit found, in sentences: a headline, and for each method its cost and gain with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from diffoci.audit.findings import largest_group_share
from diffoci.audit.methods import REFERENCE
from diffoci.audit.result import AuditResult, Guessed, MethodResult, Place
from diffoci.audit.verdicts import FEWEST_ROWS, LEVEL
from diffoci.audit.words import (
    PLACES,
    VERDICTS,
    beside_chance,
    interval_text,
    listed,
    points_text,
    probe_title,
    score_text,
    sentence_case,
)

NO_METHOD = "No method finished; every one of them failed."
_COSTS = {
    "as well": "predicted as well as before",
    "less well": "predicted less well than before",
    "better": "predicted better than before",
    "no clear difference": "predicted neither clearly better nor clearly worse",
    "no better than the commonest class": "predicted no better than by always naming the commonest class",
}


def summary(result: AuditResult) -> str:
    """The data as they are first, then the method to speak of, for each attribute."""
    if not result.methods:
        return NO_METHOD
    sentences = []
    for attribute in result.attributes:
        sentences.append(f"{headline(result, attribute)}.")
        finding = result.findings.guessed.get(attribute, {}).get("representation")
        if finding is not None and finding.best is not None:
            sentences.append(sentence(result, result.method(finding.best), attribute))
    return " ".join(sentences)


def headline(result: AuditResult, attribute: str, place: Place = "representation", *, also: Sequence[str] = ()) -> str:
    """Whether an attribute can be guessed from the data, or from what was audited in their place.

    `also` are further attributes of which there are too few people to say, like this one.
    """
    finding = result.findings.guessed.get(attribute, {}).get(place)
    found = None if finding is None else result.method(finding.reference).leakage.of(attribute, place)
    if finding is None or found is None:
        return f"Nothing was measured for {attribute} here"
    of = _of(result, finding.reference, place)
    who = sentence_case(attribute)
    match finding.answer:
        case "too few people":
            return f"Too few people to say whether {listed([attribute, *also])} can be guessed from {of}"
        case "worse than chance":
            return f"{who} is guessed from {of} clearly worse than chance. That is an alarm, no success: check the run"
        case "guessable":
            return f"{who} can be guessed from {of}: {_right(result, attribute, found)}"
        case "guessable by its order alone":
            area, high = beside_chance(found.auc.mean, found.null_auc_high)
            return f"{who} can be guessed from {of}: AUC {area}, where shuffled labels stay below {high}"
        case "not detected":
            return f"{who} was not detected above chance in {of}: {_right(result, attribute, found)}"


def _of(result: AuditResult, reference: str, place: Place) -> str:
    of = "the data" if reference == REFERENCE else result.method(reference).title
    return of if place == "representation" else f"{PLACES[place]} on {of}"


def _right(result: AuditResult, attribute: str, found: Guessed) -> str:
    right, largest = (
        score_text(value, "accuracy") for value in (found.accuracy.mean, largest_group_share(result, attribute))
    )
    return f"{right} right, {largest} by always naming the largest group"


def sentence(result: AuditResult, one: MethodResult, attribute: str, place: Place = "representation") -> str:
    """One method's cost and gain, each with its evidence."""
    found = one.leakage.of(attribute, place)
    gain = f"{attribute} was not measured" if found is None else _leak(attribute, found)
    return f"{one.title}: {_cost(result, one, attribute, place)}; {gain}."


def joint_sentence(result: AuditResult, one: MethodResult, attributes: Sequence[str]) -> str:
    """One method's cost, and its gain for several attributes."""
    found = [(attribute, one.leakage.of(attribute)) for attribute in attributes]
    gains = [f"{name} was not measured" if leak is None else _leak(name, leak) for name, leak in found]
    return f"{one.title}: {_cost(result, one, attributes[0], 'representation')}; {'; '.join(gains)}."


def _cost(result: AuditResult, one: MethodResult, attribute: str, place: Place) -> str:
    label, finding = result.label.name, result.findings.guessed[attribute][place].methods[one.name]
    if finding.difference is None:
        right = f"right for {interval_text(one.y.accuracy, 'accuracy')}"
        return f"{label} {_COSTS[finding.y]}: {right}" if finding.y in _COSTS else f"{label} predicted {right}"
    words = f"accuracy {points_text(finding.difference.value, finding.difference.low, finding.difference.high)}"
    if finding.y == "one seed":
        return f"{label}: {words} against standard data, one repetition"
    return f"{label} {_COSTS[finding.y]} ({words})"


def _leak(attribute: str, found: Guessed) -> str:
    verdict = VERDICTS[found.verdict]
    if found.auc.mean is None:
        return f"{attribute}: {verdict}"
    area, high = beside_chance(found.auc.mean, found.null_auc_high)
    judged = found.verdict != "insufficient evidence"
    said = f"{attribute} {verdict}" if judged else f"{verdict} whether {attribute} can be guessed"
    return f"{said} (AUC {area}, chance up to {high})"


def reason(attribute: str, place: Place, found: Guessed) -> str:
    """Why the verdict is what it is."""
    if found.auc.mean is None:
        small = ", ".join(found.not_judged)
        return f"Fewer than {FEWEST_ROWS} test rows in all groups but one ({small}), so {attribute} was not judged."
    probe, high = probe_title(found.probe), beside_chance(found.auc.mean, found.null_auc_high)[1]
    where = f"Measured on {found.test_rows:,} test rows from {PLACES[place]}; strongest probe: {probe}. "
    if found.below_chance:
        return where + "Its AUC is clearly below chance, which is an alarm, not a success: check the run."
    if found.verdict == "detected":
        below = f"{100 * (1 - LEVEL):.0f} in 100"
        return where + f"Its AUC is above {high}, which {below} shuffled labellings stay below."
    if found.verdict == "not detected":
        return where + f"Its AUC is within what shuffled labels give (up to {high}); that is no proof of absence."
    return where + f"Shuffled labels alone reach {high}, so a leak worth worrying about could not be seen."
