"""FOCI and difFOCI: selectors that see any dependence, of one column or of several together."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from diffoci.labs.feature_selection.downstream import validation_loss
from diffoci.labs.feature_selection.families import OURS
from diffoci.labs.feature_selection.selectors.selector import Asked, Found, Selector
from diffoci.labs.feature_selection.training import NN, VEC, Training

# FOCI looks for neighbours once for every column that is left, in every step; of wide tables it sees fewer rows.
MOST_ROWS, MOST_ROWS_OF_MANY, MANY_COLUMNS = 5000, 2000, 20
_APART = 1_000_000  # between the random states of two starts, so that no other repetition has the same
PAIRS = 10  # of halves, for stability


def _foci(asked: Asked) -> Found:
    from diffoci.foci import FOCI

    task = asked.task
    most = MOST_ROWS if task.x.shape[1] <= MANY_COLUMNS else MOST_ROWS_OF_MANY
    rows = task.split.train[:: max(1, -(-len(task.split.train) // most))]
    model = FOCI(n_jobs=1, standardize="none").fit(task.x[rows].astype(np.float64), _response(asked, rows))
    selected = task.features_of(model.order_)
    return Found(task.x[:, task.columns_of(selected)], selected)


def _response(asked: Asked, rows: Any) -> Any:
    import pandas as pd

    y = asked.task.y[rows]
    return pd.Series(pd.Categorical(y)) if asked.task.kind == "class" else y


def _diffoci(model: str, asked: Asked) -> Found:
    """Train with every setting that is to be tried; validation rows say which is kept."""
    found = []
    for k, training in enumerate(asked.trainings):
        one = _trained(model, asked, training, part=(k, len(asked.trainings)))
        found.append((validation_loss(asked.task, one.z), k, one))
    return min(found, key=lambda entry: entry[:2])[2]


def _trained(model: str, asked: Asked, training: Training, *, part: tuple[int, int]) -> Found:
    from diffoci.learning.estimator import DifFOCI

    task = asked.task
    learned, held = task.split.train, task.split.validation
    path: list[list[float]] = []

    def on_epoch(line: dict[str, Any]) -> None:
        fraction = (part[0] + line["epoch"] / training.epochs) / part[1]
        asked.watch.tell(fraction=fraction, cutoff=training.cutoff, **line)
        if "theta" in line:
            path.append(line["theta"])

    fitted = DifFOCI(
        model="vec" if model == VEC else "nn",
        beta=asked.beta / training.softer,
        width=training.width,
        hidden=training.hidden,
        lr=training.lr,
        weight_decay=training.weight_decay,
        batch_size=training.batch_size or len(learned),
        max_epochs=training.epochs,
        patience=training.patience,
        cutoff=training.cutoff,
        dropout=training.dropout,
        device="cpu",
        random_state=asked.seed + _APART * training.start,
    ).fit(
        task.x[learned],
        task.y[learned],
        validation=(task.x[held], task.y[held], None),
        feature_of_column=task.feature_of_column.tolist(),
        on_epoch=on_epoch,
    )
    T = float(fitted.history_[-1]["T"])
    if model != VEC:
        return Found(np.asarray(fitted.transform(task.x)), T=T, chosen=training.words)
    kept = tuple(int(k) for k in np.flatnonzero(np.abs(fitted.theta_) > training.cutoff))
    return Found(np.asarray(fitted.transform(task.x)), kept, np.array(path), T, training.words)


def _stable(asked: Asked) -> Found:
    """Stability selection: what vec-dF1 chooses again and again from halves of the training rows."""
    from diffoci.learning.selector import DifFOCISelector

    task = asked.task
    rows = task.split.train
    model = DifFOCISelector(pairs=PAIRS, random_state=asked.seed)
    model.fit(task.x[rows].astype(np.float64), _response(asked, rows))
    selected = task.features_of(np.flatnonzero(model.get_support()))
    said = f"at most {model.expected_false_:.2g} false features expected"
    return Found(task.x[:, task.columns_of(selected)], selected, chosen=said)


SELECTORS = (
    Selector(
        name="FOCI",
        title="FOCI",
        description="columns one after another, each the one that most helps to determine y",
        build=_foci,
        family=OURS,
        cost=3.0,
    ),
    Selector(
        name=VEC,
        title="vec-dF1",
        description="one weight per feature, trained to raise T(y, weighted features); small weights are dropped",
        build=partial(_diffoci, VEC),
        family=OURS,
        trained=True,
        cost=20.0,
    ),
    Selector(
        name=NN,
        title="NN-dF1",
        description="a network trained to raise T(y, its output); it makes features and drops none",
        build=partial(_diffoci, NN),
        family=OURS,
        trained=True,
        cost=20.0,
    ),
    Selector(
        name="stable",
        title="vec-dF1 with stability",
        description=f"what vec-dF1 chooses in nine of ten halves of the rows, cut {PAIRS} times",
        build=_stable,
        family=OURS,
        cost=60.0,
    ),
)
