"""The paper's synthetic environment: y = sin x, and 60 curves over x, in four noisy copies, as 240 features."""

from __future__ import annotations

import numpy as np

from diffoci.data.source import Option
from diffoci.inputs import Floats
from diffoci.labs.feature_selection.problem import Problem, Task, cut_rows, standard_task
from diffoci.labs.feature_selection.training import NN, VEC, Training

ENDS = (-6.0, 6.0)
SHAPES, FREQUENCIES = 4, 15


def curves(n: int) -> tuple[Floats, Floats, tuple[str, ...]]:
    """The points x, the 60 curves a sin(b x + c) over them, and their names.

    The paper's text leaves open which of its parameters go together. Here the four pairs of a and c, with signs in
    turn, meet each of the 15 b.
    """
    x = np.linspace(*ENDS, n)
    made, names = [], []
    heights, shifts = np.linspace(0.1, 2, SHAPES), np.linspace(-1, 1, SHAPES)
    for i, (a, c) in enumerate(zip(heights, shifts, strict=True)):
        sign = (-1) ** (i + 1)
        for b in np.linspace(0.1, 2, FREQUENCIES):
            made.append(sign * a * np.sin(b * x + c))
            names.append(f"{sign * a:.2f} sin({b:.2f} x {'+' if c >= 0 else '−'} {abs(c):.2f})")
    return x, np.column_stack(made), tuple(names)


def _draw(seed: int, *, n: int, copies: int, sigma: float) -> Task:
    x, made, names = curves(n)
    rng = np.random.default_rng([seed, 0])
    columns = np.hstack([made + rng.normal(0.0, sigma, made.shape) for _ in range(copies)])
    called = tuple(f"{name} #{k + 1}" for k in range(copies) for name in names)
    return standard_task(columns, np.sin(x), kind="number", split=cut_rows(n, seed), truth=None, names=called)


SYNTHETIC = Problem(
    name="synthetic",
    title="Synthetic environment",
    formula="Y = sin x; features are 60 curves a sin(b x + c) over the same x, each copied four times with noise",
    draw=_draw,
    options=(
        Option("n", "whole", "rows", default=100, least=40, most=10_000),
        Option("copies", "whole", "noisy copies of every curve", default=4, least=1, most=20),
        Option("sigma", "number", "standard deviation of the noise", default=0.1, least=0, most=10),
    ),
    trainings={
        VEC: (Training(0.05, 1.0, 300), Training(0.05, 2.0, 300)),
        NN: (Training(5e-3, 1e-2, 200, hidden=(64,), width=3, patience=40),),
    },
)
