"""The paper's fairness tables, to run again: accuracies of y and of the attribute, log-losses, dropped features."""

from __future__ import annotations

from collections.abc import Sequence

from diffoci.labs.fairness.beside_paper import dropped_rows, fairness_rows
from diffoci.labs.fairness.paper_data import DATA, PaperData
from diffoci.labs.fairness.paper_figures import ACCURACY, COLUMNS
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.here import HERE, Here
from diffoci.labs.reproducible import Asked, PaperTable, Plan, Preset

SEEDS = 5


def _notes(data: Sequence[PaperData], preset: Preset, here: Here) -> tuple[str, ...]:
    small = (
        "The quick preset takes 4,000 people of each data set, and its networks train for fewer epochs."
        if preset == "quick"
        else ""
    )
    return tuple(filter(None, (small, *(one.note(here) for one in data))))


def _plan_fairness(preset: Preset, here: Here = HERE, /) -> Plan:
    seeds = range(SEEDS)
    installed = [name for name in COLUMNS if here.installed(name)]
    columns = [name for name in installed if name != "UMAP" or preset == "full"]
    data = tuple(DATA.values())
    asked = tuple(
        Asked(
            FAIRNESS_TABLES,
            one.spec(
                preset,
                here=here,
                methods=("standard", "dF3") if one.name in ACCURACY else (),
                columns=columns,
                seeds=seeds,
            ),
        )
        for one in data
    )
    left_out = () if "UMAP" in columns else ("UMAP is left out: it takes minutes, or is not installed.",)
    return Plan(asked, (*_notes(data, preset, here), *left_out))


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
    rows=fairness_rows,
)


def _plan_dropped(preset: Preset, here: Here = HERE, /) -> Plan:
    seeds = range(SEEDS)
    data = tuple(DATA.values())
    asked = (
        Asked(FAIRNESS_TABLES, one.spec(preset, here=here, sensitive=one.sensitive, weights=True, seeds=seeds))
        for one in data
    )
    return Plan(tuple(asked), _notes(data, preset, here))


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
    rows=dropped_rows,
)
