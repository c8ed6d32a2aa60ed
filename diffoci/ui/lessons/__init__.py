"""Topics of the Learn page in the order of a lesson: an idea, its formula, a question to answer first, a picture."""

from __future__ import annotations

from collections.abc import Callable

from diffoci.ui.lessons.coefficients import five_clouds, soft_and_exact, soft_neighbour
from diffoci.ui.lessons.guessing import base_rate, dropping_the_column, known_truth, linear_probe
from diffoci.ui.lessons.objectives import given_the_group, three_objectives

TOPICS: dict[str, Callable[[], None]] = {
    "Why dropping the column is not enough": dropping_the_column,
    "Known truth": known_truth,
    "Why a linear probe is not enough": linear_probe,
    "Accuracy against base rate": base_rate,
    "What correlation misses": five_clouds,
    "The soft neighbour": soft_neighbour,
    "T and its soft twin": soft_and_exact,
    "T given S": given_the_group,
    "What dF1, dF2 and dF3 ask for": three_objectives,
}
