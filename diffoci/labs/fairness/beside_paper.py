"""What a run of the fairness tables found beside the paper's figures, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from diffoci.audit.dropping import only_together
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.paper import paper_figures
from diffoci.audit.result import Condition, PaperDropped
from diffoci.labs.fairness.paper_figures import ACCURACY, HARD_LOG_LOSS, SPREAD
from diffoci.labs.fairness.reasons import why_accuracy_differs, why_dropped_differ, why_loss_differs
from diffoci.labs.fairness.result import PARTS, FairnessResult, NetworkOutcome
from diffoci.labs.reproducible import Row

# Accuracies are near where they are no farther away than this share: two points of 90 %.
NEAR = 0.022
# An interval wider than these shares of a figure, of an accuracy and of a log-loss, agrees with nearly everything.
WIDEST_ACCURACY, WIDEST_LOSS = 0.15, 0.5


def fairness_rows(results: Sequence[FairnessResult]) -> tuple[Row, ...]:
    """Accuracies, chance and log-losses of every data set."""
    networks = (row for result in results for one in result.networks for row in _accuracy_rows(result, one))
    chance = (row for result in results for one in result.networks[:1] for row in _chance_rows(result, one))
    return (*networks, *chance, *(row for result in results for row in _loss_rows(result)))


def _accuracy_rows(result: FairnessResult, one: NetworkOutcome) -> Iterator[Row]:
    for target, found in (("y", one.y), ("S", one.sensitive)):
        for k, part in enumerate(PARTS):
            yield Row(
                study=result.spec.data,
                method=one.method,
                measure=f"{target}_accuracy_{part}",
                value=found.of(part),
                paper=figures[target][k] if (figures := ACCURACY[result.spec.data].get(one.method)) else None,
                tolerance=NEAR,
                widest=WIDEST_ACCURACY,
                reason=why_accuracy_differs(result, one.method, target, part),
                more={"attribute": one.attribute, "real": result.real},
            )


def _chance_rows(result: FairnessResult, one: NetworkOutcome) -> Iterator[Row]:
    """What naming the commonest class gives: the paper does not print it, and its figures cannot be read without."""
    for target, found in (("y", one.y), ("S", one.sensitive)):
        measure = f"{target}_accuracy_test"
        yield Row(study=result.spec.data, method="commonest class", measure=measure, value=found.majority)


def _loss_rows(result: FairnessResult) -> Iterator[Row]:
    for one in result.columns:
        yield Row(
            study=result.spec.data,
            method=one.name,
            measure="hard_log_loss",
            value=one.hard_log_loss,
            paper=HARD_LOG_LOSS[result.spec.data][one.name],
            paper_error=SPREAD[result.spec.data].get(one.name, 0.0),
            widest=WIDEST_LOSS,
            reason=why_loss_differs(result, one.name),
            more={"log_loss": one.log_loss, "features": one.kept, "real": result.real},
        )


def dropped_rows(results: Sequence[FairnessResult]) -> tuple[Row, ...]:
    """Features dropped under every condition of every data set."""
    return tuple(row for result in results for row in _dropped_of(result))


def _dropped_of(result: FairnessResult) -> Iterator[Row]:
    said = {one.given: one for one in paper_figures(result.spec.data, result.spec.options).dropped}
    counted = next((one for one in said.values() if one.count), None)
    for condition in result.weights:
        paper = said.get(condition.given)
        if paper is not None and paper.names:
            yield _named_row(result, condition, paper)
            continue
        count = None if paper is None else float(paper.count)
        if not condition.given and counted is not None:
            count = float(counted.count - counted.more_than_unconditioned)
        yield _counted_row(result, condition, count)
    extra = only_together({one.given: one.dropped for one in result.weights})
    together = max(said, key=len, default=())
    if len(together) > 1:
        alone = {name for given, one in said.items() if given != together for name in one.names}
        papers = [name for name in said[together].names if name not in alone]
        yield _overlap_row(result, f"only for {'+'.join(together)} together", extra, papers)


def _counted_row(result: FairnessResult, condition: Condition, paper: float | None) -> Row:
    numbers = [float(sum(abs(weight) <= condition.cutoff for weight in seed)) for seed in condition.values]
    return Row(
        study=result.spec.data,
        method=_given(condition),
        measure="dropped",
        value=mean_over_seeds(numbers, most=float(len(result.features))),
        paper=paper,
        widest=WIDEST_LOSS,
        reason=why_dropped_differ(result, condition.dropped, ()),
        more={"names": list(condition.dropped), "of": len(result.features), "real": result.real},
    )


def _named_row(result: FairnessResult, condition: Condition, paper: PaperDropped) -> Row:
    weakest = [result.features[k] for k in np.argsort(condition.theta, kind="stable")[: len(paper.names)]]
    return _overlap_row(result, _given(condition), condition.dropped, paper.names, weakest)


def _overlap_row(
    result: FairnessResult, method: str, here: Sequence[str], paper: Sequence[str], weakest: Sequence[str] = ()
) -> Row:
    """The share of names that both drop among those that either does: 1 where they drop the same."""
    either = set(here) | set(paper)
    share = len(set(here) & set(paper)) / len(either) if either else 1.0
    return Row(
        study=result.spec.data,
        method=method,
        measure="same_names",
        value=mean_over_seeds([share]),
        paper=1.0,
        tolerance=0.0,
        reason=why_dropped_differ(result, here, paper, weakest),
        more={
            "names": list(here),
            "paper_names": list(paper),
            "weakest": list(weakest),
            "of": len(result.features),
            "real": result.real,
        },
    )


def beside_paper(result: FairnessResult) -> tuple[Row, ...]:
    """Every figure of one run, of networks, selections and dropped features, as far as it has them."""
    return (*fairness_rows([result]), *(dropped_rows([result]) if result.weights else ()))


def _given(condition: Condition) -> str:
    return f"accounting for {'+'.join(condition.given)}" if condition.given else "without attributes"
