"""What a run of the feature lab states, beside what follows from its specification and repetitions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from diffoci.data import sources
from diffoci.labs.feature_selection.assemble import MOST_PATH_FEATURES, MOST_PATH_POINTS
from diffoci.labs.feature_selection.downstream import HARD_ERROR
from diffoci.labs.feature_selection.families import PROJECTION
from diffoci.labs.feature_selection.means import outcome
from diffoci.labs.feature_selection.observations import OBSERVATIONS, Nothing, ObservationResult, comparison
from diffoci.labs.feature_selection.problems import problem_named
from diffoci.labs.feature_selection.result import LabResult, MethodOutcome, Repetition
from diffoci.labs.feature_selection.rows import GeneratedRows, LabRows
from diffoci.labs.feature_selection.selectors import selector_named
from diffoci.labs.feature_selection.selectors.univariate import SHARES
from diffoci.labs.feature_selection.spec import TABLE
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.feature_selection.training import NN, VEC, Training, table_trainings, with_epochs
from diffoci.report.checks.agreement import Pair
from diffoci.report.labs.lab_report import missing_cells
from diffoci.runs.study import Cell

# Selectors of which validation rows choose the share of columns or components.
CHOSEN_SHARES = ("KBest", "PCA", "UMAP")


def lab_worked_out(result: LabResult) -> Iterator[Pair]:
    """What is stated of the problem, of selectors and over repetitions beside what names and repetitions give."""
    yield from _of_problem(result)
    for one in result.methods:
        again = outcome(
            one.repetitions,
            name=one.name,
            beta=one.beta,
            kind=result.kind,
            features=len(result.features),
            truth=result.truth,
            fresh=result.spec.problem != TABLE,
        )
        yield one.label, one, again
        for found in one.repetitions:
            yield from _of_repetition(result, one, found)
    order = [(name, beta) for name in result.spec.methods for beta in _betas(result, name)]
    there = [(one.name, one.beta) for one in result.methods]
    yield "order of selectors", there, [one for one in order if one in there]
    # Which cells there are does not depend on the rows.
    plan = FEATURE_LAB.plan(result.spec, GeneratedRows("toy1", {}))
    yield from missing_cells(result, plan, lambda cell: _is_there(result, cell))
    yield from _of_paths(result)


def _of_problem(result: LabResult) -> Iterator[Pair]:
    spec = result.spec
    if spec.problem == TABLE:
        yield "real", result.real, not sources.is_simulated(spec.data, twin=False)
        yield "known truth", result.truth, None
        asked = spec.outcome or sources.outcome_of(spec.data, spec.options, twin=False)
        yield "outcome", result.title.endswith(f": {asked}"), True
        said = f"{result.rows:,} rows, {len(result.features):,} features; {asked} is "
        yield "size of the table", result.about.startswith(said), True
        return
    rows = FEATURE_LAB.load(replace(spec, methods=("full",)))
    assert isinstance(rows, GeneratedRows)
    # What features are called, and which of them make y, does not depend on how many rows are drawn.
    fewest = next(option.least for option in rows.problem.options if option.name == "n")
    task = rows.problem.draw(seed=0, **{**rows.knobs, "n": fewest})
    stated = (result.title, result.about, result.kind, result.real, result.notes, result.features, result.truth)
    yield "problem", stated, (rows.title, rows.about, rows.kind, rows.real, rows.notes, task.names, task.truth)
    yield "sha256", result.sha256, rows.sha256


def _betas(result: LabResult, name: str) -> tuple[float | None, ...]:
    several = selector_named(name).trained and len(result.spec.betas) > 1
    return result.spec.betas if several else (None,)


def _of_repetition(result: LabResult, one: MethodOutcome, found: Repetition) -> Iterator[Pair]:
    where = f"{one.label} › repetition {found.seed}"
    selector, features = selector_named(one.name), len(result.features)
    if result.kind == "class":
        scores = found.scores
        yield f"{where} › errors", scores["hard_log_loss"], HARD_ERROR * (1.0 - scores["accuracy"])
    yield f"{where} › soft T", found.T is not None, selector.trained
    yield f"{where} › weights", found.theta is not None, one.name == VEC
    yield f"{where} › features selected", found.selected is not None, selector.family != PROJECTION and one.name != NN
    if selector.trained:
        settings = with_epochs(_trainings(result, one.name), result.spec.epochs)
        yield f"{where} › choice", found.chosen in {training.words for training in settings}, True
    elif one.name != "stable":
        shares = {f"{100 * share:.0f} % of the {what}" for share in SHARES for what in ("columns", "components")}
        yield f"{where} › choice", found.chosen in (shares if one.name in CHOSEN_SHARES else {""}), True
    if one.name in ("mean", "full"):
        yield f"{where} › features", found.selected, tuple(range(features if one.name == "full" else 0))
    if one.name == NN:
        widths = {training.width or features for training in _trainings(result, NN)}
        yield f"{where} › width", found.columns in widths, True
    if found.selected is not None:
        least = len(found.selected)
        coded = result.spec.problem == TABLE  # a feature of a table may be several columns
        yield f"{where} › columns", least <= found.columns if coded else found.columns == least, True
    if found.theta is not None and found.selected is not None:
        size = np.abs(found.theta)
        chosen = list(found.selected)
        others = np.delete(size, chosen)
        apart = not len(chosen) or not len(others) or size[chosen].min() > others.max()
        yield f"{where} › the largest weights are chosen", bool(apart), True


def _trainings(result: LabResult, method: str) -> tuple[Training, ...]:
    """The settings that validation rows chose among."""
    if result.spec.problem != TABLE:
        return problem_named(result.spec.problem).trainings[method]
    return table_trainings(method, rows=result.rows, columns=len(result.features))


def _of_paths(result: LabResult) -> Iterator[Pair]:
    """Weights by epoch end in those of the first repetition, and are of the features whose weights are largest."""
    weighted = [one for one in result.methods if one.repetitions[0].theta is not None]
    stated = [(path.method, path.seed) for path in result.paths]
    yield "weights by epoch", stated, [(one.name, one.repetitions[0].seed) for one in weighted]
    for path, one in zip(result.paths, weighted, strict=False):
        theta = np.asarray(one.repetitions[0].theta, dtype=np.float32)
        largest = np.sort(np.argsort(-np.abs(theta), kind="stable")[:MOST_PATH_FEATURES])
        where = f"weights by epoch of {one.label}"
        yield f"{where} › features", path.features, tuple(largest.tolist())
        yield f"{where} › last", path.theta[-1:], (tuple(float(value) for value in theta[largest]),)
        last = path.epochs[-1] if path.epochs else 0
        points = np.unique(np.linspace(0, last - 1, min(last, MOST_PATH_POINTS)).round().astype(int)) + 1
        yield f"{where} › epochs", path.epochs, tuple(points.tolist())


def _is_there(result: LabResult, cell: Cell) -> bool:
    beta = cell.settings["beta"] if len(result.spec.betas) > 1 else None
    return any(
        (one.name, one.beta) == (cell.method, beta) and any(cell.seed == found.seed for found in one.repetitions)
        for one in result.methods
    )


def lab_of_data(result: LabResult, rows: LabRows) -> Iterator[Pair]:
    """What is stated of a table beside what it is; of a generated problem its specification says everything."""
    if result.spec.problem != TABLE:
        return
    task = rows.task(result.spec.seeds[0])
    stated = (result.sha256, result.rows, result.features, result.real, result.kind, result.title, result.about)
    yield "table", stated, (rows.sha256, len(task.y), task.names, rows.real, rows.kind, rows.title, rows.about)
    yield "notes", result.notes, rows.notes


def observations_worked_out(result: ObservationResult) -> Iterator[Pair]:
    """Means over draws, and that no draw is missing."""
    for one in result.expressions:
        sines, columns = ([value or 0.0 for value in mean.values] for mean in (one.sines, one.columns))
        yield one.expression, one, comparison(one.expression, sines, columns)
    plan = OBSERVATIONS.plan(result.spec, Nothing(""))
    failed = [cell for cell in plan if cell.id in result.failures]
    lost = sum(len(range(cell.seed, result.spec.draws, len(plan))) for cell in failed)
    yield "draws", {len(one.sines.values) for one in result.expressions} == {result.spec.draws - lost}, True
    yield "failures", len(failed), len(result.failures)
