"""The rows of a specification: a generated problem that is drawn anew for every seed, or one table that is split."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from diffoci.labs.feature_selection.problem import Kind, Problem, Task
from diffoci.labs.feature_selection.problems import problem_named
from diffoci.labs.feature_selection.spec import TABLE, LabSpec
from diffoci.labs.feature_selection.table import load_rows
from diffoci.labs.feature_selection.training import Training


class LabRows(Protocol):
    """What the study asks of its rows."""

    @property
    def sha256(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def real(self) -> bool: ...
    @property
    def fresh(self) -> bool: ...
    @property
    def notes(self) -> tuple[str, ...]: ...

    def task(self, seed: int) -> Task: ...
    def trainings(self, method: str) -> tuple[Training, ...]: ...


@dataclass(frozen=True)
class GeneratedRows:
    """A generated problem by its name, which another process can be told; every seed draws rows of its own."""

    name: str
    knobs: dict[str, Any]

    @property
    def problem(self) -> Problem:
        return problem_named(self.name)

    @cached_property
    def sha256(self) -> str:
        described = json.dumps([self.name, self.knobs], sort_keys=True)
        return hashlib.sha256(described.encode()).hexdigest()

    @property
    def title(self) -> str:
        return self.problem.title

    @property
    def about(self) -> str:
        knobs = ", ".join(f"{name} = {value:.6g}" for name, value in self.knobs.items())
        return f"{self.problem.formula}; {knobs}"

    @property
    def kind(self) -> Kind:
        return self.problem.kind

    @property
    def real(self) -> bool:
        return False

    @property
    def fresh(self) -> bool:
        """Repetitions share no rows."""
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def task(self, seed: int) -> Task:
        return self.problem.draw(seed=seed, **self.knobs)

    def trainings(self, method: str) -> tuple[Training, ...]:
        return self.problem.trainings.get(method, ())


def rows_of(spec: LabSpec) -> LabRows:
    """Return the rows of a specification, or say in a sentence why not."""
    if spec.problem == TABLE:
        return load_rows(spec.data, spec.options, spec.outcome, spec.outcome_kind)
    return GeneratedRows(spec.problem, problem_named(spec.problem).filled_in(spec.knobs))
