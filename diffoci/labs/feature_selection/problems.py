"""Every generated problem by its name."""

from __future__ import annotations

from diffoci.labs.feature_selection.problem import Problem
from diffoci.labs.feature_selection.synthetic import SYNTHETIC
from diffoci.labs.feature_selection.toys import TOYS

PROBLEMS: dict[str, Problem] = {problem.name: problem for problem in (*TOYS, SYNTHETIC)}


def problem_named(name: str) -> Problem:
    """Return a problem, or say in a sentence which there are."""
    if name not in PROBLEMS:
        raise ValueError(f"There is no problem {name[:60]!r}; choose from {', '.join(PROBLEMS)}.")
    return PROBLEMS[name]
