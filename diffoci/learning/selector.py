"""DifFOCISelector: features chosen all at once by the weights of difFOCI, kept if halves of the rows agree on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from diffoci.false_features import Assume
from diffoci.inputs import Ints, as_points
from diffoci.learning.estimator import DifFOCI
from diffoci.response import as_response
from diffoci.stability import Chooser, StableSelector, varying_columns


class DifFOCISelector(StableSelector):
    """Features that determine y: vec-dF1 with stability selection.

    difFOCI learns one weight per feature so that T(y, weighted features) grows; a feature whose weight stays above
    `cutoff` is chosen. That is done on both halves of the rows, `pairs` times, and what is chosen in at least the share
    `threshold` of the halves is kept. FOCI adds features one after another and so misses those that matter only
    together; here all of them are weighed at once.

    Parameters
    ----------
    max_false, threshold, pairs, assume, n_jobs, random_state
        As in `diffoci.StabilitySelection`.
    cutoff : float
        A feature with a weight at or below it is not chosen.
    beta, lr, weight_decay, batch_size, max_epochs
        Of the training, as in `diffoci.DifFOCI`; all epochs are done.

    Attributes
    ----------
    frequency_, most_per_half_, chosen_per_half_, expected_false_
        As in `diffoci.StabilitySelection`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 6))
    >>> DifFOCISelector(pairs=5).fit(X, X[:, 1] * X[:, 4] > 0).get_support(indices=True)
    array([1, 4])
    """

    def __init__(
        self,
        *,
        max_false: float | None = 1.0,
        threshold: float = 0.9,
        pairs: int = 25,
        assume: Assume = "r-concave",
        cutoff: float = 0.1,
        beta: float = 5.0,
        lr: float = 0.05,
        weight_decay: float = 0.01,
        batch_size: int = 512,
        max_epochs: int = 60,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.max_false = max_false
        self.threshold = threshold
        self.pairs = pairs
        self.assume = assume
        self.cutoff = cutoff
        self.beta = beta
        self.lr = lr
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _chooser(self, X: Any, y: pd.Series) -> Chooser:
        as_response(y)  # says in a sentence what is wrong with y
        varying = varying_columns(X)
        table = X.iloc[:, varying] if isinstance(X, pd.DataFrame) else X[:, varying]
        points = as_points(table, name="X", standardize="scale").sized()
        columns = np.hstack(points.blocks).astype(np.float32)
        feature = np.repeat(np.arange(len(points.blocks)), [block.shape[1] for block in points.blocks])
        label = y.to_numpy()

        def choose(rows: Ints, seed: int) -> Sequence[int]:
            weights = self._model(seed).fit(columns[rows], label[rows], feature_of_column=feature.tolist())
            size = np.abs(weights.theta_)
            return [int(varying[k]) for k in np.argsort(-size, kind="stable") if size[k] > self.cutoff]

        return choose

    def _model(self, seed: int) -> DifFOCI:
        return DifFOCI(
            beta=self.beta,
            lr=self.lr,
            weight_decay=self.weight_decay,
            batch_size=self.batch_size,
            max_epochs=self.max_epochs,
            patience=None,
            cutoff=self.cutoff,
            device="cpu",
            random_state=seed,
        )
