"""What to train on what, and every number that decides it; frozen and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, field

from diffoci.audit.kinds import MOST_METHODS, MOST_SEEDS, Positive, Seed, Stored, Text
from diffoci.runs.study import Spec

Weight = Annotated[float, Meta(ge=0, le=1e6)]
Beta = Annotated[float, Meta(gt=0, le=1e9)]
# Bounds within which a run fits into an ordinary machine's memory and ends: a stranger's specification is opened, too.
Rows = Annotated[int, Meta(ge=1, le=10**5)]
Batch = Annotated[int, Meta(ge=1, le=4096)]
Epochs = Annotated[int, Meta(ge=1, le=10**4)]


class Training(Stored, frozen=True, kw_only=True):
    """How networks are trained. Defaults were chosen by validation rows of seeds that no table reports.

    Parameters
    ----------
    epochs, batch_size, lr, weight_decay
        Of SGD with momentum 0.9 and gradients of bounded length; the learning rate falls to zero along a cosine. Every
        method makes as many steps.
    shift : int
        Pixels by which every image is moved at most, anew in every step.
    width : int
        Features, that is what the last layer sees.
    hidden : int
        Hidden layer of the extractor where rows are features; 0 trains the last layer only.
    penalty, beta : float
        Weight (lambda) of the penalty, which it reaches halfway, and sharpness of its soft neighbours.
    penalty_rows : int
        Rows of every label in every group that the penalty of a step sees, beside the batch; 0 takes the batch.
    memory : int
        Recent rows that are neighbours in the penalty, too.
    eta : float
        How fast group DRO moves its weights.
    balanced : bool
        Whether group DRO draws every group equally often.
    mixup, irm, upweight : float
        Of Beta(mixup, mixup); the weight of IRM's penalty; how much more rows count that JTT got wrong.
    pretraining_images, pretraining_epochs : int
        Of the neutral task.
    """

    epochs: Epochs = 10
    batch_size: Batch = 64
    lr: Positive = 0.02
    weight_decay: Positive = 1e-3
    shift: Annotated[int, Meta(ge=0, le=100)] = 3
    width: Batch = 16
    hidden: Annotated[int, Meta(ge=0, le=4096)] = 64
    penalty: Weight = 6.0
    beta: Beta = 2.0
    penalty_rows: Annotated[int, Meta(ge=0, le=1000)] = 24
    memory: Annotated[int, Meta(ge=0, le=10**4)] = 0
    eta: Positive = 0.1
    balanced: bool = True
    mixup: Positive = 0.3
    irm: Weight = 10.0
    upweight: Weight = 20.0
    pretraining_images: Rows = 8000
    pretraining_epochs: Epochs = 3


class SpuriousSpec(Spec, frozen=True, kw_only=True):
    """What to train on what.

    Parameters
    ----------
    data : str
        A kind of data: "birds", "digits", "waterbirds", "features" or "table".
    options : mapping
        Of that kind: a path, or a data source and its attribute.
    rows : int, optional
        Training rows of generated data.
    methods, seeds
        Every method is trained with every seed.
    training : Training
        How.
    lambdas, betas : tuple of float
        Further values of the penalty's weight and sharpness that ERM + dF2 is trained with.
    """

    data: Text = "birds"
    options: Mapping[str, Any] = field(default_factory=dict)
    rows: Rows | None = None
    methods: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=MOST_METHODS)]
    seeds: Annotated[tuple[Seed, ...], Meta(min_length=1, max_length=MOST_SEEDS)]
    training: Training = Training()
    lambdas: Annotated[tuple[Weight, ...], Meta(max_length=50)] = ()
    betas: Annotated[tuple[Beta, ...], Meta(max_length=50)] = ()
