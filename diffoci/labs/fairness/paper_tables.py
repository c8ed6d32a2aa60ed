"""The paper's fairness tables, to run again: accuracies of y and of the attribute, log-losses, dropped features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from diffoci.audit.dropping import only_together
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.paper import paper_figures
from diffoci.audit.result import Condition, PaperDropped
from diffoci.labs.fairness.paper_data import DATA, PaperData
from diffoci.labs.fairness.paper_figures import ACCURACY, COLUMNS, HARD_LOG_LOSS, SPREAD
from diffoci.labs.fairness.reasons import why_accuracy_differs, why_dropped_differ, why_loss_differs
from diffoci.labs.fairness.result import PARTS, FairnessResult, NetworkOutcome
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.feature_selection.selectors import SELECTORS
from diffoci.labs.reproducible import Asked, PaperTable, Plan, Preset, Row

SEEDS = 5
# Accuracies are near where they are no farther away than this share: two points of 90 %.
NEAR = 0.022
# An interval wider than these shares of a figure, of an accuracy and of a log-loss, agrees with nearly everything.
WIDEST_ACCURACY, WIDEST_LOSS = 0.15, 0.5


def _notes(data: Sequence[PaperData], preset: Preset) -> tuple[str, ...]:
    small = (
        "The quick preset takes 4,000 people of each data set, and its networks train for fewer epochs."
        if preset == "quick"
        else ""
    )
    return tuple(filter(None, (small, *(one.note() for one in data))))


def _plan_fairness(preset: Preset) -> Plan:
    seeds = range(SEEDS)
    installed = [name for name in COLUMNS if name not in SELECTORS or not SELECTORS[name].missing()]
    columns = [name for name in installed if name != "UMAP" or preset == "full"]
    data = tuple(DATA.values())
    asked = tuple(
        Asked(
            FAIRNESS_TABLES,
            one.spec(preset, methods=("standard", "dF3") if one.name in ACCURACY else (), columns=columns, seeds=seeds),
        )
        for one in data
    )
    left_out = () if "UMAP" in columns else ("UMAP is left out: it takes minutes, or is not installed.",)
    return Plan(asked, (*_notes(data, preset), *left_out))


def _fairness_rows(results: Sequence[FairnessResult]) -> tuple[Row, ...]:
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
                paper=ACCURACY[result.spec.data][one.method][target][k],
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


FAIRNESS = PaperTable(
    name="fairness",
    title="Fairness: what networks on standard data and on dF3 reach, and log-losses of twelve selections",
    about=(
        "Accuracies in per cent: a network of three hidden layers predicts the outcome y, a second one the attribute "
        "from the last layer of the first. Further down: what naming the commonest class gives. Log-losses are of the "
        "hard predictions of a logistic regression, as in the paper: an error costs 36.04. 75 % of the rows train, 15 "
        "% choose the epoch, 10 % test."
    ),
    plan=_plan_fairness,
    rows=_fairness_rows,
)


def _plan_dropped(preset: Preset) -> Plan:
    seeds = range(SEEDS)
    data = tuple(DATA.values())
    asked = (
        Asked(FAIRNESS_TABLES, one.spec(preset, sensitive=one.sensitive, weights=True, seeds=seeds)) for one in data
    )
    return Plan(tuple(asked), _notes(data, preset))


def _dropped_rows(results: Sequence[FairnessResult]) -> tuple[Row, ...]:
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
    return (*_fairness_rows([result]), *(_dropped_rows([result]) if result.weights else ()))


def _given(condition: Condition) -> str:
    return f"accounting for {'+'.join(condition.given)}" if condition.given else "without attributes"


DROPPED = PaperTable(
    name="dropped",
    title="Features dropped for each sensitive attribute",
    about=(
        "One weight per feature (vec-dF1 without attributes, vec-dF3 accounting for some) with the paper's settings; "
        "dropped is what ends at or below 0.1 in more than half of the repetitions. Where the paper names features, "
        "the figure is the share of names that both drop among those that either does; else it is how many are "
        "dropped. The rows of the paper's ACS table are put right."
    ),
    plan=_plan_dropped,
    rows=_dropped_rows,
)
