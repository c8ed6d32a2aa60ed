"""DifFOCI: learn features that determine y, and, given sensitive attributes, not through those; scikit-learn style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor, nn

from diffoci.batches import Batches
from diffoci.inputs import Ints
from diffoci.models import Network, Vec, linear
from diffoci.objectives import OBJECTIVES, Groups, Objective, ObjectiveName, Target
from diffoci.training import History, Schedule, few_threads, pick_device, train

ModelName = Literal["vec", "nn", "vec-nn"]
MODELS = ("vec", "nn", "vec-nn")
# Validation coefficients of more rows than this say nothing new and cost their square.
MOST_VALIDATION_ROWS = 2048
FEWEST_VALIDATION_ROWS = 20


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
    validation_fraction : float
        Share of rows held out for choosing the epoch, when `fit` is not given validation rows.
    device : str
        "auto", "cpu", "cuda" or "mps".
    random_state : int
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
        validation_fraction: float = 0.15,
        device: str = "auto",
        random_state: int = 0,
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
            Classes or numbers.
        sensitive : array, Series or DataFrame, optional
            One or several sensitive attributes; several count jointly. Needed by dF2 and dF3.
        validation : (X, y, sensitive), optional
            Rows that choose the epoch; a random part of the given ones by default.
        feature_of_column : sequence of int, optional
            Feature each column belongs to, when several columns (indicators) code one feature.
        on_epoch : callable
            Told every epoch's line of the history.
        """
        self._check_settings()
        X, y = validate_data(self, X, y, dtype=np.float32, ensure_min_samples=2)
        label, self.classes_ = _label(y)
        group, levels = _groups(sensitive, len(X), needed=self.objective != "dF1")
        device = pick_device(self.device)
        seeds = np.random.SeedSequence(self.random_state).generate_state(3)
        rows, held = self._held_out(len(X), label, validation, int(seeds[0]))
        if validation is None:
            X_held, label_held, group_held = X[held], label[held], None if group is None else group[held]
        else:
            X_held = validate_data(self, validation[0], dtype=np.float32, reset=False)
            label_held = _label(np.asarray(validation[1]), self.classes_)[0]
            group_held = None if group is None else _groups(validation[2], len(X_held), needed=True, levels=levels)[0]
        fitting = _Fitting(self, device, int(seeds[1]), int(seeds[2]), feature_of_column)
        with few_threads(min(self.batch_size, len(X)), device):
            self.history_ = fitting.run(
                (X[rows], label[rows], None if group is None else group[rows]),
                (X_held, label_held, group_held),
                classes=None if self.classes_ is None else len(self.classes_),
                groups=len(levels) if levels is not None else 0,
                on_epoch=on_epoch,
            )
        self.network_ = fitting.network.cpu()
        self.n_outputs_ = fitting.width
        self._feature_of_column = fitting.feature_of_column.cpu().numpy()
        if self.network_.theta is not None:
            self.theta_ = self.network_.theta.detach().numpy().copy()
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The learned features; for vec, the kept columns times their weights."""
        check_is_fitted(self, "network_")
        X = validate_data(self, X, dtype=np.float32, reset=False)
        if self.model == "vec":
            weight = self.theta_[self._feature_of_column].astype(np.float32)
            return np.asarray(X * weight)[:, self.get_support()]
        device = pick_device(self.device)
        network = self.network_.to(device)
        with torch.no_grad():
            z = network(torch.from_numpy(np.ascontiguousarray(X)).to(device)).cpu().numpy()
        self.network_.cpu()
        return z

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Which input columns are kept (vec)."""
        check_is_fitted(self, "network_")
        if self.model != "vec":
            raise ValueError("Only model='vec' keeps or drops features; a network mixes them.")
        mask = (np.abs(self.theta_) > self.cutoff)[self._feature_of_column]
        return np.flatnonzero(mask) if indices else mask

    @property
    def dropped_(self) -> NDArray[Any]:
        """Names of the input columns that are dropped (vec)."""
        return self._input_names()[~self.get_support()]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the learned features."""
        check_is_fitted(self, "network_")
        if self.model == "vec":
            return self._input_names(input_features)[self.get_support()]
        return np.array([f"difoci{k}" for k in range(self.n_outputs_)], dtype=object)

    def _input_names(self, input_features: Any = None) -> NDArray[Any]:
        known = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            names = np.asarray(input_features, dtype=object)
            if len(names) != self.n_features_in_ or (known is not None and not np.array_equal(names, known)):
                raise ValueError("input_features is not equal to feature_names_in_")
            return names
        return known if known is not None else np.array([f"x{k}" for k in range(self.n_features_in_)], dtype=object)

    def _held_out(
        self, rows: int, label: NDArray[Any], validation: object, seed: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        everything = np.arange(rows)
        if validation is not None:
            return everything, everything[:0]
        order = np.random.default_rng(seed).permutation(rows)
        held = order[: int(rows * self.validation_fraction)]
        rest = order[len(held) :]
        # Too few rows to choose an epoch on: use the training rows themselves rather than a coin.
        if len(held) < FEWEST_VALIDATION_ROWS or len(np.unique(label[held])) < 2:
            return everything, everything
        return np.sort(rest), np.sort(held)

    def _check_settings(self) -> None:
        for name, allowed in (("objective", OBJECTIVES), ("model", MODELS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}.")
        for name in ("beta", "lr"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}.")
        for name in ("penalty", "weight_decay", "cutoff"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, but it is {getattr(self, name)}.")
        for name in ("batch_size", "max_epochs", "patience"):
            value = getattr(self, name)
            if value is not None and value < (2 if name == "batch_size" else 1):
                raise ValueError(f"{name} is too small: {getattr(self, name)}.")
        if self.width is not None and self.width < 1:
            raise ValueError(f"width must be at least 1, not {self.width}.")
        if self.objective == "dF1" and self.penalty > 0:
            raise ValueError("dF1 knows no sensitive attribute to penalise; use dF3, or set penalty=0.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class _Fitting:
    """One training: data on the device, the network, the objective for training and validation rows."""

    def __init__(
        self, settings: DifFOCI, device: torch.device, seed: int, order_seed: int, features: Sequence[int] | None
    ) -> None:
        self.settings = settings
        self.device = device
        self.start = torch.Generator().manual_seed(seed)
        self.order = torch.Generator(device=device).manual_seed(order_seed)
        columns = settings.n_features_in_
        self.feature_of_column = torch.arange(columns) if features is None else torch.as_tensor(features).long()
        if len(self.feature_of_column) != columns:
            raise ValueError(f"feature_of_column has {len(self.feature_of_column)} entries for {columns} columns.")
        self.width = columns if settings.model == "vec" or settings.width is None else settings.width
        self.network: Vec | Network
        if settings.model == "vec":
            self.network = Vec(self.feature_of_column, self.start).to(device)
        else:
            weighted = settings.model == "vec-nn"
            self.network = Network(columns, settings.hidden, self.width, self.start, weighted=weighted).to(device)

    def run(
        self,
        training: tuple[NDArray[Any], NDArray[Any], Ints | None],
        held: tuple[NDArray[Any], NDArray[Any], Ints | None],
        *,
        classes: int | None,
        groups: int,
        on_epoch: Callable[[dict[str, Any]], None],
    ) -> History:
        settings = self.settings
        x, target, conditions = self._on_device(training, classes, groups)
        cell = _cells(training[1], training[2], classes)
        batches = Batches.of(cell, settings.batch_size, self.device)
        shape = {"beta": settings.beta, "penalty": settings.penalty}
        objective = Objective.of(settings.objective, target, conditions, batches.template(), **shape)
        head = None
        if settings.objective == "dF2":
            head = linear(self.width, 1 if classes in (None, 2) else int(classes or 1), self.start).to(self.device)

        def step(rows: Tensor) -> dict[str, Tensor]:
            this = objective
            if classes is None:
                this = objective.with_response(target.response(rows), conditions, rows)
            z = self.network(x[rows])
            scores = this.scores(z, None if head is None else head(z), target.values[rows])
            return {"loss": scores.loss, "T": scores.dependence, "leakage": scores.leakage}

        validate = self._validation(held, classes, groups, head, x)
        trained: nn.Module = self.network if head is None else nn.ModuleList([self.network, head])
        schedule = Schedule(settings.lr, settings.weight_decay, settings.max_epochs, settings.patience)
        history = train(trained, batches, step, validate, schedule=schedule, generator=self.order, on_epoch=on_epoch)
        self.network.calibrate(x)
        return history

    def _validation(
        self,
        held: tuple[NDArray[Any], NDArray[Any], Ints | None],
        classes: int | None,
        groups: int,
        head: nn.Module | None,
        training_rows: Tensor,
    ) -> Callable[[], dict[str, Any]]:
        settings = self.settings
        some = np.random.default_rng(0).permutation(len(held[1]))[:MOST_VALIDATION_ROWS]
        x, target, conditions = self._on_device(
            (held[0][some], held[1][some], None if held[2] is None else held[2][some]), classes, groups
        )
        rows = torch.arange(len(some), device=self.device)
        shape = {"beta": settings.beta, "penalty": settings.penalty}
        objective = Objective.of(settings.objective, target, conditions, rows, **shape)

        def validate() -> dict[str, Any]:
            self.network.calibrate(training_rows)
            z = self.network(x)
            scores = objective.scores(z, None if head is None else head(z), target.values)
            line: dict[str, Any] = {
                "objective": -float(scores.loss),
                "validation_T": float(scores.dependence),
                "validation_leakage": float(scores.leakage),
            }
            if settings.model != "nn" and self.network.theta is not None:
                line["theta"] = self.network.theta.detach().cpu().numpy().tolist()
            return line

        return validate

    def _on_device(
        self, data: tuple[NDArray[Any], NDArray[Any], Ints | None], classes: int | None, groups: int
    ) -> tuple[Tensor, Target, Groups | None]:
        x = torch.from_numpy(np.ascontiguousarray(data[0])).to(self.device)
        kind = np.float32 if classes is None else np.int64
        target = Target(torch.from_numpy(data[1].astype(kind)).to(self.device), classes)
        if data[2] is None:
            return x, target, None
        return x, target, Groups.of(torch.from_numpy(data[2]).to(self.device), groups)


def _label(y: NDArray[Any], classes: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Class codes with their names, or numbers with None."""
    if classes is None and type_of_target(y) == "continuous":
        return y.astype(np.float32), None
    if classes is None:
        classes = np.unique(y)
        if len(classes) == 1:
            raise ValueError("y has one class only, so nothing about it can be learned; classes needed: 2 or more.")
    code = np.searchsorted(classes, y)
    if (code == len(classes)).any() or (classes[code] != y).any():
        raise ValueError("The validation rows hold a class of y that the training rows do not.")
    return code.astype(np.int64), classes


def _groups(
    sensitive: Any, rows: int, *, needed: bool, levels: pd.Index | None = None
) -> tuple[Ints | None, pd.Index | None]:
    """Codes of the joint groups of all sensitive attributes."""
    if sensitive is None:
        if needed:
            raise ValueError("sensitive is missing; dF2 and dF3 need the sensitive attributes of every row.")
        return None, None
    if not needed:
        return None, None
    frame = pd.DataFrame(sensitive) if not isinstance(sensitive, pd.DataFrame) else sensitive
    if len(frame) != rows:
        raise ValueError(f"sensitive has {len(frame)} rows but X has {rows}; give both the same rows.")
    if frame.isna().to_numpy().any():
        raise ValueError("sensitive has missing values; give those rows a level of their own or drop them.")
    joint = pd.Series(list(map(tuple, frame.astype(str).to_numpy()))).map(" & ".join)
    if levels is None:
        levels = pd.Index(sorted(joint.unique()))
        if len(levels) == 1:
            raise ValueError("sensitive is constant; there is nothing to condition on.")
    code = levels.get_indexer(pd.Index(joint))
    # A group that training rows do not have: count it with the largest one rather than fail on a rare row.
    code[code < 0] = 0
    return code.astype(np.int64), levels


def _cells(label: NDArray[Any], group: Ints | None, classes: int | None) -> Ints:
    code = np.zeros(len(label), dtype=np.int64) if classes is None else label.astype(np.int64)
    return code if group is None else code * (int(group.max()) + 1) + group
