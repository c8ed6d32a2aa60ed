"""What the paper says of spurious correlations: its tables, worst group and average, in percent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperFigure:
    """One figure with what follows its ± (None where the paper gives none)."""

    value: float
    error: float | None = None


_COLUMNS = ("difFOCI+ERM", "difFOCI+DRO", "ERM", "DRO", "JTT", "Mixup", "IRM")
# Waterbirds, ResNet-50: average and worst group on test rows; "l2" is early stopping with strong weight decay.
WATERBIRDS: dict[str, tuple[float, float]] = {
    "ERM": (97.3, 60.0),
    "ERM, l2": (95.7, 21.3),
    "difFOCI+ERM": (93.7, 85.7),
    "DRO": (97.4, 76.9),
    "DRO, l2": (96.6, 86.0),
    "difFOCI+DRO": (93.5, 87.2),
}
# beta on Waterbirds, ERM + dF2: worst group; "none" is ERM.
BETA_STUDY: dict[float, float] = {1e-5: 61.0, 1e-3: 62.3, 1.0: 84.8, 5.0: 85.7, 100.0: 85.7, 1e5: 63.9, 1e7: 61.2}

_WORST = {
    "MultiNLI": ((77.6, 0.1), (77.5, 0.2), (66.9, 0.5), (77.0, 0.1), (69.6, 0.1), (69.5, 0.4), (66.5, 1.0)),
    "CivilComments": ((66.32, 0.2), (70.3, 0.2), (64.1, 1.1), (70.2, 0.8), (64.0, 1.1), (65.1, 0.9), (63.2, 0.5)),
    "CelebA": ((89.32, 0.4), (89.8, 0.9), (65.0, 2.5), (88.8, 0.6), (70.3, 0.5), (57.6, 0.5), (63.1, 1.7)),
    "NICO++": ((47.10, 0.7), (46.3, 0.2), (39.3, 2.0), (38.3, 1.2), (40.0, 0.0), (43.1, 0.7), (40.0, 0.0)),
    "MetaShift": ((83.10, 0.5), (91.7, 0.2), (80.9, 0.3), (86.2, 0.6), (82.6, 0.6), (80.9, 0.8), (84.0, 0.4)),
    "CheXpert": ((54.42, 3.2), (75.3, 0.3), (50.1, 3.5), (73.9, 0.4), (61.5, 4.3), (40.2, 4.1), (35.1, 1.2)),
}
_AVERAGE = {
    "MultiNLI": (81.9, 81.8, 81.4, 80.2, 81.2, 80.7, 77.7),
    "CivilComments": (86.3, 81.9, 85.7, 82.3, 84.3, 84.9, 85.4),
    "CelebA": (94.4, 92.9, 94.9, 93.1, 92.4, 95.7, 94.5),
    "NICO++": (85.7, 85.8, 84.7, 83.0, None, 84.2, 84.7),  # one figure of the paper is misprinted
    "MetaShift": (92.1, 91.8, 91.3, 89.0, 90.7, 91.2, 91.5),
    "CheXpert": (87.1, 81.9, 86.5, 77.9, 75.7, 82.2, 90.0),
}
BENCHMARKS = tuple(_WORST)


def worst_groups(benchmark: str) -> dict[str, PaperFigure]:
    """Worst-group accuracy of a benchmark by the paper's names of methods.

    >>> worst_groups("CelebA")["ERM"]
    PaperFigure(value=65.0, error=2.5)
    """
    return {name: PaperFigure(*entry) for name, entry in zip(_COLUMNS, _WORST[benchmark], strict=True)}


def averages(benchmark: str) -> dict[str, float | None]:
    """Average accuracy of a benchmark by the paper's names of methods."""
    return dict(zip(_COLUMNS, _AVERAGE[benchmark], strict=True))
