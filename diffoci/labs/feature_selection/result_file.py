"""Read the result.json of the feature lab: what every entry speaks of is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diffoci.labs.feature_selection.downstream import MEASURES, measure_of
from diffoci.labs.feature_selection.problems import problem_named
from diffoci.labs.feature_selection.result import LabResult, MethodOutcome, Repetition
from diffoci.labs.feature_selection.selectors import selector_named
from diffoci.labs.feature_selection.spec import TABLE
from diffoci.labs.feature_selection.toys import FURTHER
from diffoci.labs.reading import read_checked


def read_result(content: Mapping[str, Any], name: str = "result.json") -> LabResult:
    """Return the result that plain values hold, or say in a sentence which entry of them is wrong."""
    return read_checked(content, LabResult, _problems, name)


def _problems(result: LabResult) -> Iterator[str]:
    if result.spec.problem != TABLE:
        knobs = problem_named(result.spec.problem).filled_in(result.spec.knobs)
        if result.rows != knobs["n"] + knobs.get(FURTHER, 0):
            yield "it has other rows than were asked for"
        if result.spec.data or result.spec.options or result.spec.outcome:
            yield "it names a table that a generated problem does not have"
    elif result.spec.knobs:
        yield "a table has no options of a generated problem"
    if result.measure != measure_of(result.kind):
        yield "it is not measured as such an outcome is"
    if not _are_features(result.truth or (), result):
        yield "the truth names features that are not there"
    if len({(one.name, one.beta) for one in result.methods}) < len(result.methods):
        yield "a selector is there twice"
    for one in result.methods:
        selector_named(one.name)
        yield from _problems_of_method(result, one)
    for path in result.paths:
        if not _are_features(path.features, result) or len(path.epochs) != len(path.theta):
            yield "weights by epoch do not belong to its features"
        if any(len(weights) != len(path.features) for weights in path.theta):
            yield "weights by epoch do not belong to its features"


def _problems_of_method(result: LabResult, one: MethodOutcome) -> Iterator[str]:
    if list(one.scores) != list(MEASURES[result.kind]):
        yield f"{one.title} does not have the scores of such an outcome"
    if (one.beta is None) != (len(result.spec.betas) == 1 or not selector_named(one.name).trained):
        yield f"{one.title} is told apart by beta, or is not, against what was asked for"
    if one.frequency is not None and len(one.frequency) != len(result.features):
        yield f"{one.title} does not say of every feature how often it was chosen"
    seeds = [found.seed for found in one.repetitions]
    if not seeds or len(set(seeds)) < len(seeds) or not set(seeds) <= set(result.spec.seeds):
        yield f"{one.title} has repetitions that nobody asked for"
    for found in one.repetitions:
        if not _is_possible(result, found):
            yield f"{one.title} has a repetition that cannot be"


def _is_possible(result: LabResult, found: Repetition) -> bool:
    """Whether scores are those of such an outcome, and what was selected and weighted are its features."""
    if set(found.scores) != set(MEASURES[result.kind]) or not 0 <= found.scores.get("accuracy", 0) <= 1:
        return False
    if any(score < 0 for score in found.scores.values()):
        return False
    weighted = found.theta is None or len(found.theta) == len(result.features)
    return weighted and _are_features(found.selected or (), result)


def _are_features(places: tuple[int, ...], result: LabResult) -> bool:
    """Whether positions name features, each once and in order."""
    return list(places) == sorted(set(places)) and all(place < len(result.features) for place in places)
