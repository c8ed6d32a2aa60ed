"""Whether an audit says all it measured: no method, seed, attribute or probe was quietly taken away."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from diffoci.audit.methods import METHODS, method_words
from diffoci.audit.plan import cells_of
from diffoci.audit.result import SCORES, AuditResult, CurvePoint, Guessed, Mean, MethodResult, Predicted
from diffoci.report.checks.agreement import Pair
from diffoci.runs.study import Cell


def whole(result: AuditResult) -> Iterator[Pair]:
    """What is stated of every part of the audit beside what its specification and its other parts ask for."""
    for cell in _planned(result):
        if not _is_there(result, cell) and cell.id not in result.failures:
            yield f"{cell.title}, seed {cell.seed}", "not there", "measured, or said to have failed"
    positives = {_positives(result, attribute) for attribute in result.groups}
    yield "groups › people with the outcome, by every attribute", len(positives), 1
    for one in result.methods:
        yield from _described(one)
        yield from _measured(result, one, f"methods › {one.name}")
    for name, points in result.curve.items():
        for point in points:
            yield from _measured(result, point, f"curve › {name} › {point.weight:g}")


def _described(one: MethodResult) -> Iterator[Pair]:
    """What is said of a method of ours; one that was installed beside us may have changed its words since."""
    method = METHODS.get(one.name)
    if method is not None and type(method).__module__.startswith("diffoci."):
        words = {"title": method.title, **method_words(one.name)}
        yield f"methods › {one.name} › words", {word: getattr(one, word) for word in words}, words
        needed = method.needs_sensitive_at_prediction
        yield f"methods › {one.name} › needs attributes", one.needs_sensitive_at_prediction, needed


def _planned(result: AuditResult) -> Iterator[Cell]:
    """The cells of methods that this installation has."""
    known = tuple(name for name in result.spec.methods if name in METHODS)
    yield from cells_of(replace(result.spec, methods=known), list(result.groups))


def _is_there(result: AuditResult, cell: Cell) -> bool:
    if cell.stage == "methods":
        return any(cell.seed in one.seeds for one in result.methods if one.name == cell.method)
    if cell.stage == "curve":
        (weight,) = next(iter(cell.settings.values()))
        return any(cell.seed in one.seeds for one in result.curve.get(cell.method, ()) if one.weight == weight)
    if "given" in cell.settings:
        given = tuple(cell.settings["given"])
        return any(one.given == given for one in result.features.conditions)
    return result.features.exact is not None


def _positives(result: AuditResult, attribute: str) -> int:
    """People of all groups who have the outcome; 0 where it has more than two classes."""
    return round(sum(group.rows * (group.label_rate or 0) for group in result.groups[attribute].values()))


def _measured(result: AuditResult, one: MethodResult | CurvePoint, where: str) -> Iterator[Pair]:
    first = one.leakage.by_attribute[next(iter(result.groups))]
    yield f"{where} › first attribute", one.leakage.representation, first.get("representation")
    yield f"{where} › first attribute, last layer", one.leakage.last_layer, first.get("last_layer")
    shortened, seeds = bool(result.left_out), len(one.seeds)
    yield f"{where} › y › probes named", len(one.y.probe), seeds
    for k, probe in enumerate(one.y.probe):
        named = one.y.probes.get(probe)
        if named is not None and named.accuracy.values:
            for score in SCORES:
                yield f"{where} › y › {score}, seed {k}", _at(one.y.score(score), k), _at(named.score(score), k)
    for about, found in _predictions(one):
        for mean in _means(found):
            if not (shortened and not mean.values):
                yield f"{where} › {about} › seeds with a value", len(mean.values), seeds
    for attribute, places in one.leakage.by_attribute.items():
        rows = [group.rows for group in result.groups[attribute].values()]
        for place, guessed in places.items():
            there = f"{where} › {attribute} › {place}"
            yield f"{there} › commonest group", guessed.majority, max(rows) / sum(rows)
            yield f"{there} › people tested", guessed.test_rows <= sum(rows), True
            if not shortened:
                yield from _strongest(guessed, there)


def _predictions(one: MethodResult | CurvePoint) -> Iterator[tuple[str, Predicted | Guessed]]:
    yield "y", one.y
    for attribute, places in one.leakage.by_attribute.items():
        for place, found in places.items():
            yield f"{attribute} › {place}", found


def _means(found: Predicted | Guessed) -> Iterator[Mean]:
    """Means that have a value for every seed; an AUC of one group alone has none."""
    yield from (found.accuracy, found.balanced_accuracy)
    if found.auc.values or (isinstance(found, Guessed) and found.null_auc_low is not None):
        yield found.auc
    for rates in found.probes.values():
        yield from (rates.score(score) for score in SCORES)


def _strongest(guessed: Guessed, where: str) -> Iterator[Pair]:
    """What is stated was reached by one of the probes in every seed."""
    for k, value in enumerate(guessed.accuracy.values):
        reached = [_at(rates.accuracy, k) for rates in guessed.probes.values()]
        yield f"{where} › a probe reached it, seed {k}", not reached or value in reached, True


def _at(mean: Mean, k: int) -> float | None:
    return mean.values[k] if k < len(mean.values) else None
