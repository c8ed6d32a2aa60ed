"""DifFOCI: learn features that determine y, and, given sensitive attributes, not through those; scikit-learn style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from diffoci.learning._codes import read_groups, read_label
from diffoci.learning._fitting import NetworkSettings, ready
from diffoci.learning.leakage import MEASURES, MeasureName
from diffoci.learning.models import MODELS, ModelName, Vec
from diffoci.learning.objectives import NEIGHBOURS, OBJECTIVES, NeighbourName, ObjectiveName, Recipe
from diffoci.learning.setup import Rows, Setup, outputs
from diffoci.learning.together import Training
from diffoci.learning.training import History, Schedule, pick_device

FEWEST_VALIDATION_ROWS = 20


def _drops_features(model: DifFOCI) -> bool:
    if model.model != "vec":
        raise AttributeError("Only model='vec' keeps or drops features; a network mixes them.")
    return True


def _seed(random_state: int | np.random.RandomState | None) -> int | None:
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return random_state


class DifFOCI(TransformerMixin, BaseEstimator):
    """Differentiable FOCI.

    Parameters
    ----------
    objective : {"dF1", "dF2", "dF3"}
        dF1 maximises T(Y, f(X)); dF2 minimises a classifier's loss plus `penalty` x T(S, f(X)); dF3 maximises
        T(Y, f(X) | S), minus `penalty` x T(S, f(X)) if that is positive (an extension of the paper's).
    model : {"vec", "nn", "vec-nn"}
        One weight a feature; a network; a network with weighted outputs.
    beta : float
        Sharpness of soft neighbours.
    penalty : float
        Weight of the leakage T(S, f(X)), counted only where it is above zero.
    width : int, optional
        Number of learned features of a network; that of the input by default.
    hidden : sequence of int
        Hidden layers of a network.
    lr, weight_decay, batch_size, max_epochs
        Training.
    patience : int, optional
        Epochs to wait for a better validation objective; the best epoch is kept. None trains all epochs and keeps the
        last one, as the paper does.
    cutoff : float
        A feature with abs(theta) at or below it is dropped (vec).
    dropout : float
        Share of a network's hidden values left out of every training step, against over-fitting.
    penalty_beta : float, optional
        Sharpness of soft neighbours in the penalty, `beta` by default. Wide neighbourhoods make learning y easier,
        sharp ones see more of what gives S away.
    measure : {"T", "T-ranks", "T-codes", "projections", "hsic"}
        How the penalty measures leakage: T(S, f(X)) with every row looking at its neighbours; the same of the ranks of
        a network's features, whose neighbourhoods hold as many rows everywhere, with every group counted alike; T of
        the groups' codes, the paper's, in which of two groups only the second looks; T along single directions of
        several learned features; or HSIC, a kernel criterion, for comparison.
    neighbours : {"all", "same"}
        Whom T(Y, f(X) | S) looks at: all rows, with a distance between groups (the paper's), or rows of the same group
        only, for one learned feature; then any batch size costs about the same.
    validation_fraction : float
        Share of rows held out for choosing the epoch, when `fit` is not given validation rows.
    device : str
        "auto", "cpu", "cuda" or "mps".
    random_state : int, RandomState or None
        One seed gives one result on one device.

    Attributes
    ----------
    theta_ : array
        Weight of every feature (vec) or output (vec-nn).
    dropped_ : array of str
        Names of features whose weight is at or below `cutoff` (vec).
    history_ : list of dict
        Loss, T on training and validation rows, and theta, epoch by epoch.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3)).astype("float32")
    >>> model = DifFOCI(max_epochs=30, random_state=0).fit(X, X[:, 1] > 0)
    >>> int(np.argmax(np.abs(model.theta_)))
    1
    """

    def __init__(
        self,
        objective: ObjectiveName = "dF1",
        model: ModelName = "vec",
        beta: float = 5.0,
        penalty: float = 0.0,
        width: int | None = None,
        hidden: Sequence[int] = (128, 128, 128),
        lr: float = 0.01,
        weight_decay: float = 1e-4,
        batch_size: int = 256,
        max_epochs: int = 50,
        patience: int | None = 10,
        cutoff: float = 0.1,
        dropout: float = 0.0,
        penalty_beta: float | None = None,
        measure: MeasureName = "T",
        neighbours: NeighbourName = "all",
        validation_fraction: float = 0.15,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.objective = objective
        self.model = model
        self.beta = beta
        self.penalty = penalty
        self.width = width
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.cutoff = cutoff
        self.dropout = dropout
        self.penalty_beta = penalty_beta
        self.measure = measure
        self.neighbours = neighbours
        self.validation_fraction = validation_fraction
        self.device = device
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sensitive: Any = None,
        *,
        validation: tuple[Any, Any, Any] | None = None,
        feature_of_column: Sequence[int] | None = None,
        on_epoch: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> Self:
        """Learn the features.

        Parameters
        ----------
        X : array of shape (n, columns)
            Standardised inputs.
        y : array
            Classes or numbers; whole numbers of more than 20 values are numbers.
        sensitive : array, Series or DataFrame, optional
            One or several sensitive attributes; several count jointly. Needed by dF2 and dF3.
        validation : (X, y, sensitive), optional
            Rows that choose the epoch; a random part of the given ones by default.
        feature_of_column : sequence of int, optional
            Feature each column belongs to, when several columns (indicators) code one feature.
        on_epoch : callable
            Told every epoch's line of the history.
        """
        training = self.begin(X, y, sensitive, validation=validation, feature_of_column=feature_of_column)
        return self.end(training, replace(training, on_epoch=on_epoch).alone())

    def begin(
        self,
        X: Any,
        y: Any,
        sensitive: Any = None,
        *,
        validation: tuple[Any, Any, Any] | None = None,
        feature_of_column: Sequence[int] | None = None,
    ) -> Training:
        """The training that `fit` does, ready to begin; several can be done by `train_together` and given to `end`."""
        self._check_settings()
        X, y = validate_data(self, X, y, dtype=np.float32, ensure_min_samples=2)
        label, self.classes_ = read_label(y)
        group, levels = read_groups(sensitive, len(X), needed=self.objective != "dF1")
        self._feature_of_column = self._read_features(feature_of_column)
        seeds = [int(seed) for seed in np.random.SeedSequence(_seed(self.random_state)).generate_state(3)]
        training = held = Rows(X, label, group)
        if validation is not None:
            held = self._read_validation(validation, levels)
        elif (parts := self._held_out(label, seeds[0])) is not None:
            training, held = (training.take(rows) for rows in parts)
        self.n_outputs_ = self.n_features_in_ if self.model == "vec" or self.width is None else self.width
        schedule = Schedule(self.lr, self.weight_decay, self.max_epochs, self.patience)
        return ready(
            training,
            held,
            self._network_settings(0 if levels is None else len(levels)),
            Setup.of(self.device, (seeds[1], seeds[2]), schedule, self.batch_size),
            feature_of_column=self._feature_of_column.tolist(),
        )

    def end(self, training: Training, history: History) -> Self:
        """Take over what a training gave."""
        self.network_, self.history_ = training.network.cpu(), history
        if self.network_.theta is not None:
            self.theta_ = self.network_.theta.detach().numpy().copy()
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The learned features; for vec, the kept columns times their weights."""
        check_is_fitted(self, "network_")
        X = validate_data(self, X, dtype=np.float32, reset=False)
        if isinstance(self.network_, Vec):
            weight = self.theta_[self._feature_of_column].astype(np.float32)
            return np.asarray(X * weight)[:, self.get_support()]
        z = outputs(self.network_.to(pick_device(self.device)), X)
        self.network_.cpu()
        return z

    @available_if(_drops_features)  # type: ignore[untyped-decorator]
    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Which input columns are kept (vec)."""
        check_is_fitted(self, "network_")
        mask = (np.abs(self.theta_) > self.cutoff)[self._feature_of_column]
        return np.flatnonzero(mask) if indices else mask

    @property
    def dropped_(self) -> NDArray[Any]:
        """Names of the input columns that are dropped (vec)."""
        _drops_features(self)
        dropped: NDArray[Any] = self._input_names()[~self.get_support()]
        return dropped

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the learned features."""
        check_is_fitted(self, "network_")
        if self.model == "vec":
            kept: NDArray[Any] = self._input_names(input_features)[self.get_support()]
            return kept
        return np.array([f"diffoci{k}" for k in range(self.n_outputs_)], dtype=object)

    def _input_names(self, input_features: Any = None) -> NDArray[Any]:
        known = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            names = np.asarray(input_features, dtype=object)
            if len(names) != self.n_features_in_ or (known is not None and not np.array_equal(names, known)):
                raise ValueError("input_features is not equal to feature_names_in_")
            return names
        return known if known is not None else np.array([f"x{k}" for k in range(self.n_features_in_)], dtype=object)

    def _network_settings(self, groups: int) -> NetworkSettings:
        return NetworkSettings(
            recipe=Recipe(
                name=self.objective,
                beta=self.beta,
                penalty=self.penalty,
                penalty_beta=self.penalty_beta or self.beta,
                measure=self.measure,
                neighbours=self.neighbours,
            ),
            model=self.model,
            classes=None if self.classes_ is None else len(self.classes_),
            groups=groups,
            width=self.n_outputs_,
            hidden=self.hidden,
            dropout=self.dropout,
        )

    def _read_features(self, feature_of_column: Sequence[int] | None) -> NDArray[np.int64]:
        columns = self.n_features_in_
        features = np.asarray(range(columns) if feature_of_column is None else feature_of_column, dtype=np.int64)
        if len(features) != columns:
            raise ValueError(f"feature_of_column has {len(features)} entries for {columns} columns.")
        return features

    def _read_validation(self, validation: tuple[Any, Any, Any], levels: pd.Index | None) -> Rows:
        X = validate_data(self, validation[0], dtype=np.float32, reset=False)
        label = read_label(np.asarray(validation[1]), self.classes_)[0]
        if levels is None:
            return Rows(X, label)
        return Rows(X, label, read_groups(validation[2], len(X), needed=True, levels=levels)[0])

    def _held_out(self, label: NDArray[Any], seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """Rows to train on and rows to choose the epoch on; None where these are too few to choose by."""
        order = np.random.default_rng(seed).permutation(len(label))
        held = order[: int(len(label) * self.validation_fraction)]
        # Better the training rows themselves than a coin.
        if len(held) < FEWEST_VALIDATION_ROWS or len(np.unique(label[held])) < 2:
            return None
        return np.sort(order[len(held) :]), np.sort(held)

    def _check_settings(self) -> None:
        choices = {"objective": OBJECTIVES, "model": MODELS, "measure": MEASURES, "neighbours": NEIGHBOURS}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}.")
        for name in ("beta", "lr"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}.")
        for name in ("penalty", "weight_decay", "cutoff"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, but it is {getattr(self, name)}.")
        if self.penalty_beta is not None and not self.penalty_beta > 0:
            raise ValueError(f"penalty_beta must be positive, not {self.penalty_beta}.")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, not {self.dropout}.")
        for name in ("batch_size", "max_epochs", "patience"):
            value = getattr(self, name)
            if value is not None and value < (2 if name == "batch_size" else 1):
                raise ValueError(f"{name} is too small: {getattr(self, name)}.")
        if not 0 < self.validation_fraction < 1:
            raise ValueError(f"validation_fraction must be between 0 and 1, not {self.validation_fraction}.")
        if self.width is not None and self.width < 1:
            raise ValueError(f"width must be at least 1, not {self.width}.")
        if self.neighbours == "same" and (self.model == "vec" or self.width != 1):
            raise ValueError("neighbours='same' goes by sorting, so it needs one learned feature: set width=1.")
        if self.measure == "T-ranks" and self.model != "nn":
            raise ValueError("measure='T-ranks' would not see how large a weight is: use measure='T' with weights.")
        if self.objective == "dF1" and self.penalty > 0:
            raise ValueError("dF1 knows no sensitive attribute to penalise; use dF3, or set penalty=0.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags
