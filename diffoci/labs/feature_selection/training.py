"""Training: the settings of one difFOCI training, and those to choose among where a problem names none."""

from __future__ import annotations

from dataclasses import dataclass, replace

VEC, NN = "vec-dF1", "NN-dF1"


@dataclass(frozen=True)
class Training:
    """Settings of `diffoci.DifFOCI`; the last epoch is kept unless `patience` says otherwise.

    `hidden` and `width` are of the network; a `width` of None is that of the input. A `batch_size` of None takes all
    rows in every step. `softer` divides beta: the more outputs, the farther rows lie apart, and the sharper a beta is.
    `start` tells apart trainings with the same settings that begin with other weights.
    """

    lr: float
    weight_decay: float
    epochs: int
    batch_size: int | None = None
    hidden: tuple[int, ...] = ()
    width: int | None = None
    patience: int | None = None
    cutoff: float = 0.1
    dropout: float = 0.0
    softer: float = 1.0
    start: int = 0

    @property
    def words(self) -> str:
        """What is said of the settings that validation rows chose."""
        return f"learning rate {self.lr:g}, weight decay {self.weight_decay:g}, {self.epochs} epochs"


# Of fewer rows every step takes all of them; of more, a network learns less from epochs than from batches.
_SMALL = 1000
_WIDEST = 64


def table_trainings(method: str, *, rows: int, columns: int) -> tuple[Training, ...]:
    """Settings to choose among for a table of this size."""
    batch = None if rows < _SMALL else 512
    if method == VEC:
        return Training(0.01, 1e-4, 50, batch), Training(0.05, 1e-2, 60, batch)
    width = min(columns, _WIDEST)
    if rows < _SMALL:  # a hidden layer learns the rows: Breast Cancer had twice the errors on validation rows
        soft = Training(0.01, 1e-2, 20, width=width, softer=10.0)
        return soft, replace(soft, weight_decay=1.0, epochs=60)
    return (
        Training(0.01, 5e-2, 15, batch, hidden=(2 * width,), width=width),
        Training(0.002, 1e-2, 10, batch, hidden=(), width=width),
    )


def with_epochs(trainings: tuple[Training, ...], epochs: int | None) -> tuple[Training, ...]:
    """The same settings for so many epochs, where a number was asked for."""
    return trainings if epochs is None else tuple(replace(training, epochs=epochs) for training in trainings)
