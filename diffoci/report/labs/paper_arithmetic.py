"""What runs of the fairness tables and of domain shift state, beside what follows from their repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec.structs import asdict

from diffoci.audit.dropping import condition_of
from diffoci.audit.presets import vec_settings
from diffoci.data.dataset import Dataset
from diffoci.labs.fairness.means import OF_COLUMN, OF_PARTS, column_of, parts_of
from diffoci.labs.fairness.result import ColumnOutcome, FairnessResult, Parts
from diffoci.labs.fairness.spec import conditions_of
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.feature_selection.downstream import HARD_ERROR
from diffoci.labs.shift.compute import ALL
from diffoci.labs.shift.rows import ShiftRows
from diffoci.labs.shift.study import DOMAIN_SHIFT, ShiftResult, choices_of, outcome_of
from diffoci.report.checks.agreement import Pair


def fairness_worked_out(result: FairnessResult) -> Iterator[Pair]:
    """Means over repetitions, what log-losses of hard predictions are made of, and that nothing is missing."""
    spec = result.spec
    yield "real", result.real, not FAIRNESS_TABLES.is_simulated(spec)
    yield "rows", result.rows <= (spec.most_rows or result.rows), True
    for one in result.networks:
        for target, found in (("y", one.y), (one.attribute, one.sensitive)):
            yield f"{one.method} › {target}", found, parts_of(_by_seed(found, OF_PARTS))
    for one, other in pairwise(result.networks):
        yield from _same_commonest(result, one.method, one.y, other.method, other.y)
        yield from _same_commonest(result, one.method, one.sensitive, other.method, other.sensitive)
    for column in result.columns:
        yield from _of_column(result, column)
    for condition in result.weights:
        where = f"weights given {'+'.join(condition.given) or 'nothing'}"
        cutoff = vec_settings(spec.settings, "dF3" if condition.given else "dF1", result.rows)["cutoff"]
        values = np.array(condition.values, dtype=np.float64)
        yield where, condition, condition_of(condition.given, result.features, values, cutoff)
    repetitions = {f"networks-{one.method}": len(one.y.test.values) for one in result.networks}
    repetitions |= {f"columns-{one.name}": len(one.accuracy.values) for one in result.columns}
    repetitions |= {f"weights-{'+'.join(one.given) or 'nothing'}": len(one.values) for one in result.weights}
    names = [f"networks-{name}" for name in spec.methods] + [f"columns-{name}" for name in spec.columns]
    names += [f"weights-{'+'.join(given) or 'nothing'}" for given in conditions_of(spec)]
    yield from _repetitions(result, spec.seeds, {name: repetitions.get(name, 0) for name in names})


def _by_seed(found: Parts | ColumnOutcome, names: Sequence[str]) -> list[dict[str, float]]:
    """What every repetition gave, by the names of the figures."""
    means = asdict(found)
    return [dict(zip(names, row, strict=True)) for row in zip(*(means[name].values for name in names), strict=True)]


def _same_commonest(result: FairnessResult, name: str, one: Parts, other_name: str, other: Parts) -> Iterator[Pair]:
    """What naming the commonest class gives does not depend on the network."""
    if not any(f"networks-{method}.{seed}" in result.failures for method in (name, other_name)
               for seed in result.spec.seeds):  # fmt: skip
        yield f"commonest class, {name} and {other_name}", one.majority, other.majority


def _of_column(result: FairnessResult, column: ColumnOutcome) -> Iterator[Pair]:
    found = _by_seed(column, OF_COLUMN)
    yield column.name, column, column_of(column.name, found)
    for k, one in enumerate(found):
        yield f"{column.name} › errors, {k}", one["hard_log_loss"], HARD_ERROR * (1.0 - one["accuracy"])
        kept = one["kept"]
        selects = column.name not in ("UMAP", "LDA", "PCA")
        yield f"{column.name} › selects, {k}", kept is not None, selects
        yield f"{column.name} › features, {k}", kept in (None, *range(len(result.features) + 1)), True


def _repetitions(result: FairnessResult | ShiftResult, seeds: Sequence[int], found: dict[str, int]) -> Iterator[Pair]:
    """Everything was computed with every seed, but for what is said to have failed."""
    known = {f"{name}.{seed}" for name in found for seed in seeds}
    for name, count in found.items():
        failed = sum(f"{name}.{seed}" in result.failures for seed in seeds)
        yield f"{name} › repetitions", count, len(seeds) - failed
    for name in result.failures:
        yield f"failure of {name}", name in known, True


def fairness_of_data(result: FairnessResult, data: Dataset) -> Iterator[Pair]:
    """What is stated of the data beside what they are."""
    names = tuple(column.name for column in data.columns)
    stated = (result.sha256, result.rows, result.real, result.title, result.features)
    yield "data", stated, (data.sha256, len(data), data.real, data.title, names)


def shift_worked_out(result: ShiftResult) -> Iterator[Pair]:
    """Means over repetitions, drops as differences of accuracies, features as shares, and that nothing is missing."""
    yield "real", result.real, not DOMAIN_SHIFT.is_simulated(result.spec)
    found: dict[str, int] = {ALL: 0, **dict.fromkeys(result.spec.methods, 0)}
    for one in result.outcomes:
        where = f"{one.method}, {one.share:g}"
        names = ("features", "train", "test", "outside")
        values = [getattr(one, name).values for name in names]
        repetitions = [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
        yield where, one, outcome_of(one.method, one.share, repetitions)
        kept = float(max(1, round(one.share * result.features)))
        yield f"{where} › features", set(values[0]) <= {kept}, True
        yield f"{where} › accuracies", all(0 <= value <= 100 for part in values[1:] for value in part), True
        found[one.method] = len(values[0])
    there = [(one.method, one.share) for one in result.outcomes]
    yield "choices", there, [choice for choice in choices_of(result.spec) if found[choice[0]]]
    yield from _repetitions(result, result.spec.seeds, found)


def shift_of_data(result: ShiftResult, rows: ShiftRows) -> Iterator[Pair]:
    """What is stated of both domains beside what they are."""
    stated = (result.sha256, (result.rows_inside, result.rows_outside), result.features, result.real)
    yield "data", stated, (rows.sha256, rows.sizes, rows.features, rows.real)
