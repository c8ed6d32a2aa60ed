"""One training of DifFOCI: what the label and the groups are, the data on the device, the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from torch import Tensor, nn

from diffoci.batches import Batches
from diffoci.inputs import Ints
from diffoci.models import Dropout, Network, Vec, linear
from diffoci.objectives import Groups, Objective, Target
from diffoci.training import History, Schedule, train

if TYPE_CHECKING:
    from diffoci.estimator import DifFOCI

# Validation coefficients of more rows than this say nothing new and cost their square; the same number of training rows
# tells the scale of outputs well enough to compare epochs (after the last one it is measured on all).
MOST_VALIDATION_ROWS = 2048
# Numbers of more values than this are an amount (an age, a count) and not the names of classes.
MOST_NUMBERED_CLASSES = 20


class Fitting:
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
            self.network = Network(
                columns,
                settings.hidden,
                self.width,
                self.start,
                weighted=settings.model == "vec-nn",
                dropout=Dropout(settings.dropout, self.order) if settings.dropout else None,
            ).to(device)

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
        everybody = np.zeros(len(training[1]), dtype=np.int64)
        label = everybody if classes is None else training[1].astype(np.int64)
        group = everybody if training[2] is None else training[2]
        batches, fixed_groups = Batches.by_label(label, group, settings.batch_size, self.device)
        objective = self._objective(target, conditions, batches.template())
        head = None
        if settings.objective == "dF2":
            head = linear(self.width, 1 if classes in (None, 2) else int(classes or 1), self.start).to(self.device)

        def step(rows: Tensor) -> dict[str, Tensor]:
            this = objective
            if classes is None:
                this = this.with_response(target.response(rows))
            if conditions is not None and not (fixed_groups and classes is not None):
                this = this.with_groups(conditions, rows)
            z = self.network(x[rows])
            scores = this.scores(z, None if head is None else head(z), target.values[rows])
            return {"loss": scores.loss, "T": scores.dependence, "leakage": scores.leakage}

        validate = self._validation(held, classes, groups, head, x[some_rows(len(x), self.device)])
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
        some = some_rows(len(held[1]), torch.device("cpu")).numpy()
        x, target, conditions = self._on_device(
            (held[0][some], held[1][some], None if held[2] is None else held[2][some]), classes, groups
        )
        rows = torch.arange(len(some), device=self.device)
        objective = self._objective(target, conditions, rows)

        def validate() -> dict[str, Any]:
            self.network.calibrate(training_rows)
            z = self.network(x)
            scores = objective.scores(z, None if head is None else head(z), target.values)
            line: dict[str, Any] = {
                "validation_loss": float(scores.loss),
                "validation_T": float(scores.dependence),
                "validation_leakage": float(scores.leakage),
            }
            if settings.model != "nn" and self.network.theta is not None:
                line["theta"] = self.network.theta.detach().cpu().numpy().tolist()
            return line

        return validate

    def _objective(self, target: Target, conditions: Groups | None, rows: Tensor) -> Objective:
        settings = self.settings
        return Objective.of(
            settings.objective,
            target,
            conditions,
            rows,
            beta=settings.beta,
            penalty=settings.penalty,
            penalty_beta=settings.penalty_beta or settings.beta,
        )

    def _on_device(
        self, data: tuple[NDArray[Any], NDArray[Any], Ints | None], classes: int | None, groups: int
    ) -> tuple[Tensor, Target, Groups | None]:
        x = torch.from_numpy(np.ascontiguousarray(data[0])).to(self.device)
        kind = np.float32 if classes is None else np.int64
        target = Target(torch.from_numpy(data[1].astype(kind)).to(self.device), classes)
        if data[2] is None:
            return x, target, None
        return x, target, Groups.of(torch.from_numpy(data[2]).to(self.device), groups)


def some_rows(count: int, device: torch.device) -> Tensor:
    """All rows, or as many as are enough to validate on, always the same ones."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))[:MOST_VALIDATION_ROWS].to(device)


def read_label(y: NDArray[Any], classes: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Class codes with their names, or numbers with None: whole numbers of many values are numbers, too."""
    if classes is None and (type_of_target(y) == "continuous" or _counts(y)):
        return y.astype(np.float32), None
    if classes is None:
        classes = np.unique(y)
        if len(classes) == 1:
            raise ValueError("y has one class only, so nothing about it can be learned; classes needed: 2 or more.")
    code = np.searchsorted(classes, y)
    if (code == len(classes)).any() or (classes[code] != y).any():
        raise ValueError("The validation rows hold a class of y that the training rows do not.")
    return code.astype(np.int64), classes


def _counts(y: NDArray[Any]) -> bool:
    return np.issubdtype(y.dtype, np.number) and len(np.unique(y)) > MOST_NUMBERED_CLASSES


def read_groups(
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
    joint = pd.Index(list(map(tuple, frame.astype(str).to_numpy())), tupleize_cols=False)
    if levels is None:
        levels = pd.Index(sorted(joint.unique()), tupleize_cols=False)
        if len(levels) == 1:
            raise ValueError("sensitive is constant; there is nothing to condition on.")
    code = levels.get_indexer(joint)
    # A group that training rows do not have: count it with the largest one rather than fail on a rare row.
    known = np.bincount(code[code >= 0], minlength=len(levels))
    code[code < 0] = known.argmax()
    return code.astype(np.int64), levels
