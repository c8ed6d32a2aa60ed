"""The tables of the paper's first half: toy studies, the product example, synthetic environment, UCI, beta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from diffoci.audit.decisions.intervals import wilson_limits
from diffoci.audit.result import Mean
from diffoci.data.sources import source_of
from diffoci.labs.feature_selection import paper
from diffoci.labs.feature_selection.problem import Kind
from diffoci.labs.feature_selection.result import LabResult, MethodOutcome
from diffoci.labs.feature_selection.selectors import SELECTORS
from diffoci.labs.feature_selection.spec import BETAS, LabSpec, reported_seeds
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.feature_selection.toys import FURTHER
from diffoci.labs.feature_selection.training import NN, VEC
from diffoci.labs.here import HERE, Here
from diffoci.labs.reproducible import MORE_THAN_VEC, Asked, PaperTable, Plan, Preset, Row

# The selectors of the paper's tables; the others are beside them on the page.
_METHODS = ("mean", "full", "GUS", "SPer", "FPR", "FDR", "FWE", "KBest", "PCA", "UMAP", "LDA", "FOCI", VEC, NN)
_SEEDS: dict[str, dict[Preset, int]] = {
    "toy1": {"quick": 34, "full": 50},  # selectors that find the same columns differ by a tenth of the error
    "toy": {"quick": 10, "full": 20},
    "product": {"quick": 10, "full": 50},
    "synthetic": {"quick": 10, "full": 50},
    "breast-cancer": {"quick": 10, "full": 20},
    "spambase": {"quick": 3, "full": 10},
    "beta": {"quick": 3, "full": 10},
}
# Test rows of toy 1 beside the tenth of a draw, of which a few with extreme y decide the error.
_FURTHER_ROWS = 20_000
_FETCHED_SEEDS: dict[Preset, int] = {"quick": 1, "full": 5}


def _methods(kind: Kind, preset: Preset, here: Here) -> tuple[str, ...]:
    """Those of the paper that are installed; UMAP takes minutes and is left to the full preset."""
    known = {one.name for one in SELECTORS.values() if kind in one.kinds and here.installed(one.name)}
    return tuple(name for name in _METHODS if name in known and (name != "UMAP" or preset == "full"))


def _without_umap(preset: Preset, here: Here) -> tuple[str, ...]:
    if preset == "quick":
        return ("UMAP is left out of the quick preset: it takes minutes.",)
    umap = SELECTORS["UMAP"]
    return () if here.installed(umap.name) else (umap.how_to_get_it,)


def _lab(problem: str, methods: Sequence[str], seeds: int, **more: object) -> Asked:
    asked = LabSpec(problem=problem, methods=tuple(methods), seeds=reported_seeds(seeds), **more)  # type: ignore[arg-type]
    return Asked(FEATURE_LAB, asked)


def _row(result: LabResult, one: MethodOutcome, study: str, figure: float | None, error: float = 0.0) -> Row:
    return Row(
        study=study,
        method=one.name,
        measure=result.measure,
        value=one.scores[result.measure],
        paper=figure,
        paper_error=error,
        reason=paper.reason(study, one.name),
        more={"features": one.size, "stability": one.stability, **_beside_vec(result, one)},
    )


def _beside_vec(result: LabResult, one: MethodOutcome) -> dict[str, Mean]:
    """By how much the error is larger than that of vec-dF1 on the same draws or splits."""
    vec = result.find(VEC)
    return {} if vec is None or vec is one else {MORE_THAN_VEC: result.more(one, vec)}


def _toy_plan(preset: Preset, here: Here = HERE, /) -> Plan:
    methods = _methods("number", preset, here)
    others = [_lab(name, methods, _SEEDS["toy"][preset]) for name in paper.TOY if name != "toy1"]
    slow = [name for name in methods if name in (NN, "UMAP")]  # far behind in toy 1, so fewer draws tell
    quick = [name for name in methods if name not in slow]
    further = {FURTHER: _FURTHER_ROWS}
    first = _lab("toy1", quick, _SEEDS["toy1"][preset], knobs=further)
    second = _lab("toy1", slow, _SEEDS["toy"][preset], knobs=further)
    return Plan((first, second, *others), _without_umap(preset, here))


def _toy_rows(results: Sequence[LabResult]) -> list[Row]:
    rows = []
    for result in results:
        for one in result.methods:
            row = _row(result, one, result.spec.problem, paper.TOY[result.spec.problem].get(one.name))
            rows.append(replace(row, more={**row.more, "correct_set": one.exact, **_weights(one)}))
    return rows


def _weights(one: MethodOutcome) -> dict[str, object]:
    """Of a selector with weights: the first three, relative to the first, and how often they stand in order."""
    thetas = [np.abs(entry.theta[:3]) for entry in one.repetitions if entry.theta is not None]
    if not thetas:
        return {}
    ratio = np.mean([theta / max(theta[0], 1e-9) for theta in thetas], axis=0)
    in_order = float(np.mean([theta[0] < theta[1] < theta[2] for theta in thetas]))
    return {"weights": [round(float(value), 2) for value in ratio], "in_order": in_order}


TOY = PaperTable(
    name="toy",
    title="Toy studies 1 to 3: test error of an SVR",
    about=(
        "Ten columns, of which three make y; SVR with C = 1 and epsilon = 0.2 on what each method selects or makes; "
        "75 % of the rows train, 15 % choose, 10 % test, in toy 1 with 20,000 further test rows of each draw and more "
        "draws of all but NN-dF1 and UMAP; every repetition draws new rows. X has sigma 1 and the noise "
        "0.1: the paper's sigma of 0.1 for X cannot give the errors of its table, and sigma 1 gives most of them."
    ),
    plan=_toy_plan,
    rows=_toy_rows,
)


def _product_plan(preset: Preset, here: Here = HERE, /) -> Plan:
    return Plan((_lab("product", ("FPR", "FWE", "L1", "FOCI", VEC), _SEEDS["product"][preset]),))


def _product_rows(results: Sequence[LabResult]) -> list[Row]:
    return [
        Row(
            study="product",
            method=one.name,
            measure="correct_subset",
            value=_share([float(entry.selected == result.truth) for entry in one.repetitions]),
            paper=paper.PRODUCT_EXACT if one.name == "FOCI" else None,
            more={"features": one.size, "mse": one.scores["mse"]},
        )
        for result in results
        for one in result.methods
    ]


def _share(found: Sequence[float]) -> Mean:
    """A share of draws with Wilson's limits: where all of them agree, Student's interval has no width."""
    low, high = wilson_limits(sum(found), len(found))
    return Mean(float(np.mean(found)), float(low), float(high), tuple(found))


PRODUCT = PaperTable(
    name="product",
    title="FOCI's product example: how often the correct columns are found",
    about=(
        "Y = X1 X2 + sin(X1 X3), 100 columns of N(0, 1), 2,000 training rows. No column is related to Y alone. Correct "
        "means X1, X2 and X3, and no other."
    ),
    plan=_product_plan,
    rows=_product_rows,
)


def _synthetic_plan(preset: Preset, here: Here = HERE, /) -> Plan:
    return Plan(
        (_lab("synthetic", _methods("number", preset, here), _SEEDS["synthetic"][preset]),), _without_umap(preset, here)
    )


def _synthetic_rows(results: Sequence[LabResult]) -> list[Row]:
    rows = []
    for result in results:
        for one in result.methods:
            figure, features = paper.SYNTHETIC.get(one.name, (None, None))
            row = _row(result, one, "synthetic", figure, paper.SYNTHETIC_ERROR.get(one.name, 0.0))
            rows.append(replace(row, more={**row.more, "paper_features": features}))
    return rows


SYNTHETIC = PaperTable(
    name="synthetic",
    title="Synthetic environment: test error of an SVR, and how many of 240 features",
    about=(
        "100 rows along x from -6 to 6, y = sin x, 60 curves a sin(b x + c), each copied four times with noise "
        "of sigma 0.1. The text leaves open which a, b and c go together; ours are drawn on the Feature lab."
    ),
    plan=_synthetic_plan,
    rows=_synthetic_rows,
)


def _uci_plan(preset: Preset, here: Here = HERE, /) -> Plan:
    asked, notes = [], list(_without_umap(preset, here))
    for name in paper.UCI:
        if not here.has(name, {}):
            notes.append(f"{source_of(name).title} is not on this machine: python -m diffoci data fetch {name}")
            continue
        seeds = _SEEDS.get(name, _FETCHED_SEEDS)[preset]
        asked.append(_lab("table", _methods("class", preset, here), seeds, data=name))
    return Plan(tuple(asked), tuple(notes))


def _uci_rows(results: Sequence[LabResult]) -> list[Row]:
    rows = []
    for result in results:
        name = result.spec.data
        for one in result.methods:
            row = _row(result, one, name, paper.UCI[name].get(one.name), paper.UCI_ERROR.get((name, one.name), 0.0))
            more = {**row.more, "log_loss": one.scores["log_loss"], "accuracy": one.scores["accuracy"]}
            rows.append(replace(row, more=more))
    return rows


UCI = PaperTable(
    name="uci",
    title="Feature selection on UCI data: log-loss of hard predictions",
    about=(
        "Logistic regression with scikit-learn's defaults on what each method selects or makes. The paper's log-loss "
        "is of hard 0/1 predictions, so that every error costs 36.04; the true log-loss stands beside it in --json."
    ),
    plan=_uci_plan,
    rows=_uci_rows,
)


def _beta_plan(preset: Preset, here: Here = HERE, /) -> Plan:
    seeds = _SEEDS["beta"][preset]
    toy = _lab("toy2", (VEC, NN), seeds, betas=BETAS)
    return Plan((toy, _lab("table", (VEC, NN), seeds, data="breast-cancer", betas=BETAS)))


def _beta_rows(results: Sequence[LabResult]) -> list[Row]:
    return [
        Row(
            study=f"{result.spec.data or result.spec.problem} {one.name}",
            method=f"beta {one.beta:g}",
            measure=result.measure,
            value=one.scores[result.measure],
            more={"soft_T": one.T, "beta": one.beta},
        )
        for result in results
        for one in result.methods
    ]


BETA = PaperTable(
    name="beta",
    title="beta from 1e-5 to 1e7: soft T and downstream error",
    about=(
        "Toy 2 and Breast Cancer, vec-dF1 and NN-dF1. At both ends the soft coefficient has no gradient to speak of: "
        "all neighbours count alike, or one alone does. The paper's own study is of Waterbirds: worst group 61.0 at "
        "1e-5, 85.7 at 5 and at 100, 61.2 at 1e7."
    ),
    plan=_beta_plan,
    rows=_beta_rows,
)
