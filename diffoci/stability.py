"""Stability selection: keep the features that halves of the rows choose again and again, with a bound on false ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from diffoci.false_features import ASSUME, Assume, false_feature_bound, most_to_choose
from diffoci.inputs import Floats, Ints, read_table

# Chooses features from some rows, best first; the seed is for its own draws.
Chooser = Callable[[Ints, int], Sequence[int]]


class StableSelector(SelectorMixin, BaseEstimator):
    """What selectors over complementary pairs of halves share: the cutting, the counting and the bound."""

    max_false: float | None
    threshold: float
    pairs: int
    assume: Assume
    n_jobs: int | None
    random_state: int | np.random.RandomState | None

    frequency_: Floats
    chosen_per_half_: float
    most_per_half_: int
    expected_false_: float
    n_features_in_: int

    @abstractmethod
    def _chooser(self, X: Any, y: pd.Series) -> Chooser: ...

    def fit(self, X: Any, y: Any) -> Self:
        """Choose columns of X for y from every half, and keep those chosen in enough of them.

        Parameters
        ----------
        X : array or DataFrame
            One row per person (or thing), one column per feature.
        y : array or Series
            Classes or numbers.
        """
        self._check_settings()
        X, column = read_table(self, X, y)
        self.most_per_half_ = self._most_per_half()
        choose = self._chooser(X, column)
        random = check_random_state(self.random_state)
        halves = [half for _ in range(self.pairs) for half in _two_halves(len(column), random)]
        seeds = random.randint(np.iinfo(np.int32).max, size=len(halves))
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_choose_from)(choose, column.iloc[half], half, int(seed))
            for half, seed in zip(halves, seeds, strict=True)
        )
        counts = np.zeros(self.n_features_in_)
        for chosen in found:
            counts[list(chosen)[: self.most_per_half_]] += 1
        self.frequency_ = counts / len(halves)
        self.chosen_per_half_ = float(counts.sum()) / len(halves)
        self.expected_false_ = self._bound(self.chosen_per_half_)
        return self

    def _most_per_half(self) -> int:
        if self.max_false is None:
            return self.n_features_in_
        most = most_to_choose(
            self.n_features_in_,
            max_false=self.max_false,
            threshold=self.threshold,
            pairs=self.pairs,
            assume=self.assume,
        )
        if most == 0:
            raise ValueError(
                f"max_false={self.max_false:g} leaves no feature to choose among {self.n_features_in_}; "
                f"set it to {self._bound(1):.2g} or more, or raise threshold."
            )
        return most

    def _bound(self, chosen: float) -> float:
        return false_feature_bound(
            chosen, self.n_features_in_, threshold=self.threshold, pairs=self.pairs, assume=self.assume
        )

    def _check_settings(self) -> None:
        if not 0.5 < self.threshold <= 1:
            raise ValueError(f"threshold must be above 0.5 and at most 1, not {self.threshold}.")
        if self.pairs < 1:
            raise ValueError(f"pairs must be at least 1, not {self.pairs}.")
        if self.assume not in ASSUME:
            raise ValueError(f"assume must be one of {', '.join(ASSUME)}, not {self.assume!r}.")
        if self.max_false is not None and not self.max_false > 0:
            raise ValueError(f"max_false must be positive, not {self.max_false}.")

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "frequency_")
        mask: NDArray[np.bool_] = self.frequency_ >= self.threshold - 1e-9
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class StabilitySelection(MetaEstimatorMixin, StableSelector):
    """Stability selection over complementary pairs, around any selector.

    The rows are cut into two halves `pairs` times, and the selector chooses features from every half. A feature
    chosen in at least the share `threshold` of the halves is kept. So that no more than `max_false` features are
    kept by mistake on average, a half may choose only so many: the selector's best.

    Parameters
    ----------
    estimator : selector
        `FOCI`, or whatever has ``get_support`` after ``fit``. Its best features are the first of ``order_`` or those
        with the largest ``theta_``, ``scores_``, ``coef_`` or ``feature_importances_``.
    max_false : float, optional
        Expected number of false features to allow. None lets the selector choose as many as it does by itself.
    threshold : float
        Share of the halves that must choose a feature; above 0.5.
    pairs : int
        How many times to cut the rows in two.
    assume : {"none", "r-concave"}
        What the bound assumes: nothing, or that the shares of false features fall off evenly (much lower; see
        `diffoci.false_features.false_feature_bound`).
    n_jobs : int, optional
        Processes, as in joblib; one by default.
    random_state : int, RandomState or None
        Seed of the cuts.

    Attributes
    ----------
    frequency_ : array of float
        Share of the halves that chose each feature.
    most_per_half_ : int
        Most features a half may choose.
    chosen_per_half_ : float
        Features that halves chose, on average.
    expected_false_ : float
        Bound on the expected number of false features, for as many as were chosen per half.

    Examples
    --------
    >>> from diffoci.foci import FOCI
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 6))
    >>> y = X[:, 2] ** 2 + X[:, 5]
    >>> StabilitySelection(FOCI(), pairs=10).fit(X, y).get_support(indices=True)
    array([2, 5])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        max_false: float | None = 1.0,
        threshold: float = 0.9,
        pairs: int = 50,
        assume: Assume = "r-concave",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.estimator = estimator
        self.max_false = max_false
        self.threshold = threshold
        self.pairs = pairs
        self.assume = assume
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _chooser(self, X: Any, y: pd.Series) -> Chooser:
        def choose(rows: Ints, seed: int) -> Sequence[int]:
            part = _safe_indexing(X, rows)
            varying = varying_columns(part)
            selector = clone(self.estimator)
            if "random_state" in selector.get_params():
                selector.set_params(random_state=seed)
            selector.fit(_safe_indexing(part, varying, axis=1), y.iloc[rows].to_numpy())
            return [int(varying[k]) for k in best_first(selector)]

        return choose


def best_first(selector: Any) -> Ints:
    """The columns a fitted selector chose, best first, by whatever it says about them."""
    if hasattr(selector, "order_"):
        return np.asarray(selector.order_)
    chosen = np.flatnonzero(selector.get_support())
    fitted = getattr(selector, "estimator_", selector)
    for name in ("theta_", "scores_", "coef_", "feature_importances_"):
        if hasattr(fitted, name):
            size = np.atleast_2d(np.abs(getattr(fitted, name))).max(axis=0)
            return chosen[np.argsort(-size[chosen], kind="stable")]
    raise ValueError(
        f"{type(selector).__name__} does not say which of its features are best (order_, theta_, scores_, coef_ or "
        "feature_importances_), so a half cannot be held to some; set max_false=None."
    )


def _choose_from(choose: Chooser, y: pd.Series, rows: Ints, seed: int) -> Sequence[int]:
    # Of an outcome that is the same for all rows of a half nothing can be learned, so nothing is chosen.
    return choose(rows, seed) if y.nunique() > 1 else []


def _two_halves(rows: int, random: np.random.RandomState) -> tuple[Ints, Ints]:
    order, half = random.permutation(rows), rows // 2
    return np.sort(order[:half]), np.sort(order[half : 2 * half])


def varying_columns(table: Any) -> Ints:
    """Columns with more than one value: others say nothing, and FOCI refuses them."""
    columns = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table)
    return np.flatnonzero([columns.iloc[:, k].nunique(dropna=False) > 1 for k in range(columns.shape[1])])
