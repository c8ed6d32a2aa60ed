"""FOCI: choose columns one after another, each the one that most helps to determine y."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from diffoci.coefficients import Ties, draw_neighbours
from diffoci.inputs import SHORTEST, Floats, Ints, Standardize, as_points, read_table
from diffoci.neighbours import MOST_TREE_DIMENSIONS, SLACK, cores, nearest_neighbours
from diffoci.response import Response, as_response


class FOCI(SelectorMixin, BaseEstimator):
    """Feature Ordering by Conditional Independence, as a scikit-learn selector.

    Parameters
    ----------
    n_features : int, optional
        Most columns to choose; all by default.
    stop : bool
        Stop when no column adds to what is known of y (otherwise go on to `n_features`).
    standardize : {"scale", "bounded", "none"}
        How numeric columns are scaled first.
    ties : {"average", "random"}
        Average over equally near neighbours, or draw one as R's FOCI does.
    n_jobs : int, optional
        Threads; all cores by default.
    random_state : int, optional
        Seed of the draws of ``ties="random"``.

    Attributes
    ----------
    order_ : array of int
        Chosen columns, first choice first.
    scores_ : array of float
        T of y on the columns chosen up to each step.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 5))
    >>> FOCI().fit(X, X[:, 3] + X[:, 1] ** 2).order_
    array([3, 1])
    """

    order_: Ints
    scores_: Floats
    n_features_in_: int

    def __init__(
        self,
        n_features: int | None = None,
        stop: bool = True,
        standardize: Standardize = "scale",
        ties: Ties = "average",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.n_features = n_features
        self.stop = stop
        self.standardize = standardize
        self.ties = ties
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose columns of X for y.

        Parameters
        ----------
        X : array or DataFrame
            Numeric and nominal columns as they come.
        y : array or Series
            Response, read as by `diffoci.T`.
        """
        self._check_settings()
        table, column = read_table(self, X, y)
        features = as_points(table, name="X", standardize=self.standardize).sized()
        response = as_response(column)
        most = len(features.blocks) if self.n_features is None else min(self.n_features, len(features.blocks))
        workers = cores() if self.n_jobs in (None, -1) else self.n_jobs
        seeds = np.random.SeedSequence(self.random_state)
        order: list[int] = []
        sums: list[float] = []
        bar = response.chance / len(column)  # the sum of agreements at which T is 0
        with ThreadPoolExecutor(workers) as pool:
            while len(order) < most:
                left = [k for k in range(len(features.blocks)) if k not in order]
                step = _Step.after([features.blocks[k] for k in order], response, workers)
                draws = seeds.spawn(len(left))
                found = list(pool.map(self._evaluate(step), [features.blocks[k] for k in left], draws))
                best = int(np.argmax(found))
                if self.stop and found[best] <= bar:
                    break
                order.append(left[best])
                sums.append(found[best])
                bar = found[best]
        self.order_ = np.array(order, dtype=np.int64)
        self.scores_ = (len(column) * np.array(sums) - response.chance) / response.spread
        return self

    def _evaluate(self, step: _Step) -> Callable[[Floats, np.random.SeedSequence], float]:
        if self.ties == "average":
            return lambda block, _: step.agreement(block)
        return lambda block, seed: step.drawn_agreement(block, np.random.default_rng(seed))

    def _check_settings(self) -> None:
        if self.ties not in ("average", "random"):
            raise ValueError(f"ties must be 'average' or 'random', not {self.ties!r}.")
        if self.n_features is not None and self.n_features < 1:
            raise ValueError(f"n_features must be at least 1, not {self.n_features}.")
        if self.n_jobs is not None and self.n_jobs != -1 and self.n_jobs < 1:
            raise ValueError(f"n_jobs must be a number of threads, or -1 for all cores, not {self.n_jobs}.")

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "order_")
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.order_] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@dataclass(frozen=True)
class _Step:
    """What is known after some choices: their coordinates and each row's nearby rows in them.

    Adding a column can only increase distances. So a row's nearest neighbour after the addition is among
    the rows nearby before it, as soon as it is closer than the farthest of those (`reach`).
    """

    chosen: tuple[Floats, ...]
    response: Response
    nearby: Ints | None
    squared: Floats
    reach: Floats

    @classmethod
    def after(cls, chosen: list[Floats], response: Response, workers: int) -> _Step:
        none = np.empty((0, 0))
        points = np.hstack(chosen) if chosen else none
        rows, dimension = points.shape
        # The ball that holds one more neighbour holds about n^(1/(d+1)) points of the smaller space; a few
        # times as many settle nearly every row. On a line that is more than a tree would look at.
        wanted = int(8 + 4 * rows ** (1 / (dimension + 1))) if dimension > 1 else rows
        if not 2 <= dimension <= MOST_TREE_DIMENSIONS or wanted >= rows // 4:
            return cls(tuple(chosen), response, None, none, none)
        distance, nearby = cKDTree(points).query(points, k=wanted + 1, workers=workers)
        if distance[:, 1].min() < SHORTEST:  # repeated rows: the neighbours of a row may outnumber the list
            return cls(tuple(chosen), response, None, none, none)
        nearby = nearby[:, 1:]
        squared = distance[:, 1:] ** 2
        return cls(tuple(chosen), response, nearby, squared, squared[:, -1])

    def agreement(self, block: Floats) -> float:
        """Sum over rows of the agreement with the nearest neighbours once `block` is added."""
        if self.nearby is None:
            return float(self.response.agreement(nearest_neighbours(self._with(block), workers=1)).sum())
        squared = self.squared
        for coordinate in block.T:
            apart = coordinate.take(self.nearby)
            apart -= coordinate[:, None]
            apart *= apart
            apart += squared
            squared = apart
        rows = np.arange(len(squared))
        place = squared.argmin(axis=1)
        lowest = squared[rows, place]
        squared[rows, place] = np.inf
        settled = (lowest < self.reach * (1 - SLACK)) & (lowest * (1 + SLACK) < squared.min(axis=1))
        if settled.mean() < 0.5:
            return float(self.response.agreement(nearest_neighbours(self._with(block), workers=1)).sum())
        nearest = self.nearby[rows, place]
        return self._finish(block, nearest, np.flatnonzero(~settled))

    def drawn_agreement(self, block: Floats, draw: np.random.Generator) -> float:
        """The same with one random neighbour where several are equally near."""
        graph = nearest_neighbours(self._with(block), workers=1)
        return float(self.response.agreement_with(draw_neighbours(graph, draw)).sum())

    def _with(self, block: Floats) -> Floats:
        return np.ascontiguousarray(np.hstack([*self.chosen, block]))

    def _finish(self, block: Floats, nearest: Ints, unsettled: Ints) -> float:
        points = self._with(block)
        if len(unsettled) and points.shape[1] > MOST_TREE_DIMENSIONS:
            return float(self.response.agreement(nearest_neighbours(points, workers=1)).sum())
        if len(unsettled):
            distance, index = cKDTree(points, balanced_tree=False, compact_nodes=False).query(points[unsettled], k=3)
            if (distance[:, 2] <= distance[:, 1] * (1 + SLACK)).any():  # ties: average over all of them
                return float(self.response.agreement(nearest_neighbours(points, workers=1)).sum())
            nearest[unsettled] = index[:, 1]
        return float(self.response.agreement_with(nearest).sum())
