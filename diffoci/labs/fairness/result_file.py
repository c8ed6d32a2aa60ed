"""Read the result.json of the fairness tables: what every entry speaks of is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diffoci.audit.methods import method_named
from diffoci.audit.result import Condition
from diffoci.labs.fairness.means import OF_COLUMN, OF_PARTS
from diffoci.labs.fairness.paper_data import DATA
from diffoci.labs.fairness.paper_figures import ACCURACY, COLUMNS
from diffoci.labs.fairness.result import FairnessResult
from diffoci.labs.fairness.spec import conditions_of
from diffoci.labs.reading import read_checked


def read_result(content: Mapping[str, Any], name: str = "result.json") -> FairnessResult:
    """Return the result that plain values hold, or say in a sentence which entry of them is wrong."""
    return read_checked(content, FairnessResult, _problems, name)


def _problems(result: FairnessResult) -> Iterator[str]:
    spec = result.spec
    if spec.data not in DATA or (result.networks and spec.data not in ACCURACY):
        yield "the paper has no such table of these data"
    if not spec.sensitive:
        yield "it names no sensitive attribute"
    for part, names, asked in (
        ("networks", [one.method for one in result.networks], spec.methods),
        ("columns", [one.name for one in result.columns], spec.columns),
    ):
        if names != [name for name in asked if name in names]:
            yield f"its {part} are not those that were asked for, once each"
    for network in result.networks:
        method_named(network.method)
        if network.attribute != spec.sensitive[0]:
            yield "a network guesses another attribute than was asked for"
        values = [getattr(part, name).values for part in (network.y, network.sensitive) for name in OF_PARTS]
        yield from _problems_of_values(result, network.method, values, most=100.0)
    for column in result.columns:
        if column.name not in COLUMNS:
            yield "the paper has no such column"
        means = [getattr(column, name) for name in OF_COLUMN]
        yield from _problems_of_values(result, column.name, [mean.values for mean in means], most=float("inf"))
    if [one.given for one in result.weights] != [
        given for given in conditions_of(spec) if given in [one.given for one in result.weights]
    ]:
        yield "weights do not account for what was asked for, once each"
    for condition in result.weights:
        yield from _problems_of_weights(result, condition)


def _problems_of_values(
    result: FairnessResult, named: str, values: list[tuple[float | None, ...]], *, most: float
) -> Iterator[str]:
    """Every measure is of the same repetitions, and none of them is impossible."""
    if len({len(one) for one in values}) > 1 or not 1 <= len(values[0]) <= len(result.spec.seeds):
        yield f"{named[:60]} does not have every figure of every repetition"
    if any(value is not None and not 0 <= value <= most for one in values for value in one):
        yield f"{named[:60]} has a figure that cannot be"


def _problems_of_weights(result: FairnessResult, condition: Condition) -> Iterator[str]:
    lists = [condition.theta, condition.frequency, *condition.values]
    if any(len(values) != len(result.features) for values in lists):
        yield "it has weights that do not belong to its features"
    if not 1 <= len(condition.values) <= len(result.spec.seeds) or condition.trainings:
        yield "it does not have the weights of every repetition"
