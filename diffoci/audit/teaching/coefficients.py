"""Numbers to teach with: what coefficients see in classic clouds, soft neighbours, and probes on known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diffoci.coefficients import T, xi
from diffoci.data.truth.source import Truth
from diffoci.inputs import Floats
from diffoci.threads import one_thread

Shape = Callable[[Floats, np.random.Generator], tuple[Floats, Floats]]
CLOUDS: Mapping[str, Shape] = {
    "line": lambda t, _: (t, t),
    "parabola": lambda t, _: (t, 2 * t**2 - 1),
    "wave": lambda t, _: (t, np.sin(3 * np.pi * t)),
    "circle": lambda t, _: (np.cos(np.pi * t), np.sin(np.pi * t)),
    "nothing": lambda t, rng: (t, rng.uniform(-1, 1, len(t))),
}


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points, and what correlation, xi and T make of them."""

    name: str
    x: Floats
    y: Floats
    correlation: float
    xi: float
    T: float


def clouds(*, rows: int = 400, noise: float = 0.1, seed: int = 0) -> list[Cloud]:
    """Five clouds, each with what correlation, xi and T make of it."""
    found = []
    for name in CLOUDS:
        x, y = cloud_points(name, rows=rows, noise=noise, seed=seed)
        found.append(Cloud(name, x, y, float(np.corrcoef(x, y)[0, 1]), xi(x, y), T(y, x)))
    return found


def cloud_points(name: str, *, rows: int, noise: float, seed: int) -> tuple[Floats, Floats]:
    """x and y of one of the classic clouds with noise on y."""
    rng = np.random.default_rng(seed)
    x, y = CLOUDS[name](rng.uniform(-1, 1, rows), rng)
    return x, y + noise * rng.standard_normal(rows)


@dataclass(frozen=True, eq=False)
class SoftNeighbours:
    """Points on a line, and how much each counts as the neighbour of one of them, under softmax(-beta * distance)."""

    beta: float
    position: Floats
    weight: Floats
    point: int
    nearest: int


def soft_neighbours(beta: float, *, point: int = 12, rows: int = 25, seed: int = 3) -> SoftNeighbours:
    """How much each other point counts as the neighbour of one point."""
    position = np.sort(np.random.default_rng(seed).uniform(0, 4, rows))
    distance = np.abs(position - position[point])
    distance[point] = np.inf
    raw = np.exp(-beta * (distance - distance.min()))
    return SoftNeighbours(beta, position, raw / raw.sum(), point, int(np.argmin(distance)))


@dataclass(frozen=True, eq=False)
class SoftCurve:
    """T with soft neighbours of one cloud for growing beta, and the exact T it grows towards."""

    name: str
    rows: int
    betas: Floats
    soft: Floats
    exact: float


def soft_curve(name: str, *, rows: int = 300, noise: float = 0.1, seed: int = 0) -> SoftCurve:
    """T_{n,beta} of one cloud for growing beta."""
    import torch  # here and not above: pages that draw need none of it

    from diffoci.soft import soft_T

    x, y = cloud_points(name, rows=rows, noise=noise, seed=seed)
    betas = np.geomspace(0.3, 3000, 25)
    with one_thread():  # small sums: a second thread only waits where audits keep the cores busy
        soft = [float(soft_T(torch.from_numpy(y), torch.from_numpy(x), beta=float(beta))) for beta in betas]
    return SoftCurve(name, rows, betas, np.array(soft), T(y, x))


def probe_areas(truth: Truth, *, seed: int = 0) -> dict[str, float]:
    """AUC of guessing the group on the half of the rows that the probes did not see, beside the best possible.

    >>> from diffoci.data.truth.source import make_truth
    >>> areas = probe_areas(make_truth(rows=2000, linear=0, variance=0, interaction=0.9))
    >>> areas["linear probe"] < 0.6 < areas["boosted trees"] < areas["best possible"]
    True
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import train_test_split

    group = (truth.dataset.sensitive["group"] == "B").to_numpy().astype(int)
    seen, unseen, known, asked = train_test_split(
        truth.dataset.features.to_numpy(), group, test_size=0.5, random_state=seed, stratify=group
    )
    probes = {
        "linear probe": LogisticRegression(),
        "boosted trees": HistGradientBoostingClassifier(max_iter=60, random_state=seed),
    }
    # On cores that audits keep busy, OpenMP's threads wait for each other: half a second on one thread was ten on two.
    with one_thread():
        scores = {name: probe.fit(seen, known).predict_proba(unseen)[:, 1] for name, probe in probes.items()}
    areas = {name: float(roc_auc_score(asked, score)) for name, score in scores.items()}
    return {**areas, "best possible": truth.bayes_s_auc}
