"""Observations 1 and 2 of the paper: T prefers the right functions of columns, and the right sum of them; a study."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from diffoci.audit.kinds import Positive, Stored, Text
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.result import Mean
from diffoci.inputs import Floats
from diffoci.labs.here import HERE, Here
from diffoci.labs.reading import read_checked
from diffoci.labs.reproducible import Asked, PaperTable, Plan, Preset, Row
from diffoci.plain_text import counted
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, Result, Spec, Study, Watch

WEIGHTS = np.array([1.0, 2.0, 3.0])
PARTS = 5
# Of three columns of sines or of the columns as they are: what T is asked about.
EXPRESSIONS: dict[str, Callable[[Floats], Floats]] = {
    "(i) [f1 + f2, f3]": lambda f: np.column_stack([f[:, 0] + f[:, 1], f[:, 2]]),
    "(i) [f1 + f3, f2]": lambda f: np.column_stack([f[:, 0] + f[:, 2], f[:, 1]]),
    "(i) [f2 + f3, f1]": lambda f: np.column_stack([f[:, 1] + f[:, 2], f[:, 0]]),
    "(ii) [f1, f2, f3]": lambda f: f,
    "(iii) f1 + f2 + f3": lambda f: f.sum(axis=1),
    "f1 + 2 f2 + 3 f3": lambda f: f @ WEIGHTS,
}
SINES, COLUMNS = "f = sin X", "f = X"


class ObservationSpec(Spec, frozen=True, kw_only=True):
    """How often to draw, how many rows, and the standard deviations of X and of the noise."""

    draws: Annotated[int, Meta(ge=PARTS, le=1000)] = 50
    n: Annotated[int, Meta(ge=20, le=100_000)] = 2000
    sigma_x: Annotated[float, Meta(gt=0, le=100)] = 1.0
    sigma_e: Annotated[float, Meta(ge=0, le=100)] = 0.1


class Compared(Stored, frozen=True, kw_only=True):
    """T of Y and one expression, of sines and of the columns as they are, and their difference draw by draw."""

    expression: Text
    sines: Mean
    columns: Mean
    difference: Mean


class ObservationResult(Result, frozen=True, kw_only=True):
    """Every expression, in the order of the paper."""

    spec: ObservationSpec
    expressions: Annotated[tuple[Compared, ...], Meta(max_length=len(EXPRESSIONS))]
    seconds: Positive


def comparison(expression: str, sines: Sequence[float], columns: Sequence[float]) -> Compared:
    """One expression over all draws; `verify` works it out again."""
    mean = partial(mean_over_seeds, test_share=0.0)
    less = [sine - column for sine, column in zip(sines, columns, strict=True)]
    return Compared(expression=expression, sines=mean(sines), columns=mean(columns), difference=mean(less))


@dataclass(frozen=True)
class Nothing:
    """Every draw makes its own rows."""

    sha256: str


class Observations(Study[ObservationSpec, Nothing, ObservationResult]):
    """T of sines and of the columns themselves, over draws of toy 1."""

    name = "observations"
    title = "Observations 1 and 2"
    spec = ObservationSpec
    result = ObservationResult

    def load(self, spec: ObservationSpec) -> Nothing:
        return Nothing(hashlib.sha256(spec.digest().encode()).hexdigest())

    def plan(self, spec: ObservationSpec, data: Nothing) -> tuple[Cell, ...]:
        return tuple(Cell(f"part.{k}", "draws", "T", k, title=f"part {k + 1} of the draws") for k in range(PARTS))

    def run_cell(self, spec: ObservationSpec, data: Nothing, cell: Cell, watch: Watch) -> CellOutput:
        from diffoci.coefficients import T

        found: dict[str, list[list[float]]] = {name: [] for name in EXPRESSIONS}
        draws = range(cell.seed, spec.draws, PARTS)
        for k, draw in enumerate(draws):
            watch.tell(fraction=k / len(draws))
            rng = np.random.default_rng(draw)
            x = rng.normal(0.0, spec.sigma_x, (spec.n, 3))
            y = np.sin(x) @ WEIGHTS + rng.normal(0.0, spec.sigma_e, spec.n)
            for name, make in EXPRESSIONS.items():
                found[name].append([float(T(y, make(np.sin(x)))), float(T(y, make(x)))])
        return CellOutput({"T": found})

    def assemble(
        self, spec: ObservationSpec, data: Nothing, outputs: Outputs, failures: Failures, made: Made
    ) -> ObservationResult:
        compared = []
        for name in EXPRESSIONS:
            values = np.array([pair for output in outputs.values() for pair in output.summary["T"][name]])
            compared.append(comparison(name, values[:, 0].tolist(), values[:, 1].tolist()))
        return ObservationResult(failures=failures, spec=spec, expressions=tuple(compared), seconds=made.seconds)

    def read_result(self, content: Mapping[str, Any], name: str) -> ObservationResult:
        return read_checked(content, ObservationResult, _problems, name)

    def details(self, spec: ObservationSpec) -> str:
        return f"{counted(spec.draws, 'draw')}, sigma_x {spec.sigma_x:g}"

    def is_simulated(self, spec: ObservationSpec) -> bool:
        return True

    def headline(self, result: ObservationResult) -> str:
        """How many expressions T prefers with sines, and whether one sum beats three columns."""
        paper = result.expressions[:-1]
        better = sum((one.difference.low or 0.0) > 0 for one in paper)
        apart, plain, weighted = (one.sines.mean or 0.0 for one in result.expressions[-3:])
        return (
            f"T of sines is larger than T of the columns in {better} of {len(paper)} expressions. T is {apart:.2f} "
            f"for three sines, {plain:.2f} for their sum and {weighted:.2f} for their sum with the right weights."
        )


def _problems(result: ObservationResult) -> Iterator[str]:
    if [one.expression for one in result.expressions] != list(EXPRESSIONS):
        yield "it does not have every expression once, in their order"
    if any(len(one.sines.values) != len(one.columns.values) for one in result.expressions):
        yield "it has draws of sines without those of columns"


OBSERVATIONS = Observations()


def observation_rows(results: Sequence[ObservationResult]) -> list[Row]:
    """A row for every expression, of sines and of the columns as they are."""
    return [
        Row(
            study=f"{kind}, sigma_x {result.spec.sigma_x:g}",
            method=one.expression,
            measure="T",
            value=value,
            more={"sines_less_columns": one.difference},
        )
        for result in results
        for kind, values in ((SINES, [one.sines for one in result.expressions]),
                             (COLUMNS, [one.columns for one in result.expressions]))
        for one, value in zip(result.expressions, values, strict=True)
    ]  # fmt: skip


def _plan(preset: Preset, here: Here = HERE, /) -> Plan:
    return Plan(tuple(Asked(OBSERVATIONS, ObservationSpec(sigma_x=sigma)) for sigma in (1.0, 0.1)))


TABLE = PaperTable(
    name="observations",
    title="Observations 1 and 2: T of sines and of the columns themselves",
    about=(
        "Y = sin(X1) + 2 sin(X2) + 3 sin(X3) + noise, 2,000 rows, 50 draws. Observation 1: T of sines is larger than T "
        "of the columns. Observation 2: T of the sum of sines is larger than T of the three apart. Once with sigma 1 "
        "for X and once with the 0.1 of the paper's text; the last expression has the weights of Y."
    ),
    plan=_plan,
    rows=observation_rows,
)
