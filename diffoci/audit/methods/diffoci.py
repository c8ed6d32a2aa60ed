"""difFOCI's objectives as methods: dF1, dF2 and dF3 of the paper, and dF3 with a leakage penalty."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Method, Representation
from diffoci.audit.methods._trained import Begun, Trained
from diffoci.audit.methods.families import OURS
from diffoci.audit.presets import fitted_to_size, vec_settings
from diffoci.inputs import Ints, Matrix

if TYPE_CHECKING:
    from diffoci.learning.training import History

PENALISED = "penalised"  # the group of settings of trainings with a penalty
PAPER = (
    "K. Lehman Pavasovic, D. Lopez-Paz, G. Biroli, L. Sagun (2025). A differentiable rank-based objective for better "
    "feature learning. International Conference on Learning Representations. arXiv:2502.09445"
)


def begin_diffoci(
    objective: str,
    group: str,
    prepared: PreparedSplit,
    settings: Mapping[str, Any],
    seed: int,
    penalty: float,
    **changes: Any,
) -> Begun:
    """A training for one objective as the settings say, but for `changes`, with one weight of the penalty.

    The setting "model" decides what is trained: networks on the inputs of networks, or with "vec" one weight for each
    feature of the standard data, as the weights of the Features page are.
    """
    from diffoci.learning.estimator import DifFOCI

    model = settings.get("model", "nn")  # an audit begun before there was a choice is one of networks
    rows = len(prepared.split.train)
    if model == "vec":
        inputs, features = prepared.standard, prepared.feature_of_column()
        own = {**vec_settings(settings, objective, rows), "measure": measure_in(settings, model)}
    else:
        inputs, features = prepared.inputs, None
        own = fitted_to_size({**settings[group], **changes}, rows)
        own["width"] = own["width"] or prepared.features
        if group == PENALISED:
            own["measure"] = changes.get("measure", measure_in(settings, model))
        if own["width"] > 1:
            own.pop("neighbours", None)  # several learned features have no order to go by
    learner = DifFOCI(
        objective=objective,  # type: ignore[arg-type]
        model=model,
        penalty=penalty,
        device=settings["device"],
        random_state=seed,
        **own,
    )
    training = learner.begin(
        *_rows(inputs, prepared, prepared.split.train),
        validation=_rows(inputs, prepared, prepared.split.validation),
        feature_of_column=features,
    )

    def end(history: History) -> Representation:
        z = learner.end(training, history).transform(inputs)
        if not z.shape[1]:
            z = np.zeros((len(inputs), 1), dtype=np.float32)  # every feature dropped: everybody looks the same
        chosen = {"penalty": penalty, "epochs": len(history), "model": model}
        return Representation(z, chosen, history, learner.network_)

    return Begun(training, end)


def measure_in(settings: Mapping[str, Any], model: str) -> str:
    """What the penalty is on; ranks do not show how large a weight is. An audit begun before there was a choice has the
    paper's."""
    asked = str(settings["penalised"].get("measure", "T-codes"))
    return "T" if asked == "T-ranks" and model != "nn" else asked


def _rows(inputs: Matrix, prepared: PreparedSplit, rows: Ints) -> tuple[Matrix, Ints, Any]:
    return inputs[rows], prepared.label[rows], prepared.sensitive.iloc[rows]


def _method(name: str, *, objective: str, trained_for: str, penalties: str | None = None, **words: Any) -> Method:
    group = "network" if penalties is None else PENALISED
    return Method(
        name=name,
        family=OURS,
        objective=trained_for,
        build=Trained(partial(begin_diffoci, objective, group), penalties),
        settings=group,
        curve=penalties,
        exportable=True,
        trained=True,
        default=True,
        cost=1.5 if penalties is None else 3.0,
        **words,
    )


METHODS = (
    _method(
        "dF1",
        objective="dF1",
        trained_for="dF1: keep what predicts the outcome",
        title="dF1",
        citation=PAPER,
        marker="pentagon",
        description="a difFOCI network trained to keep what predicts the outcome",
    ),
    _method(
        "dF2",
        objective="dF2",
        penalties="dF2_penalties",
        trained_for="dF2: predict the outcome, with a penalty",
        title="dF2",
        citation=PAPER,
        marker="triangle-down",
        description="a classifier of the outcome trained with difFOCI's leakage penalty max(T(S, Z), 0)",
    ),
    _method(
        "dF3",
        objective="dF3",
        trained_for="dF3: keep what predicts beyond the attribute",
        title="dF3",
        citation=PAPER,
        description="a difFOCI network trained to keep what predicts the outcome beyond the sensitive attributes",
    ),
    _method(
        "dF3+penalty",
        objective="dF3",
        penalties="penalties",
        trained_for="dF3 with penalty (our extension)",
        title="dF3 with penalty",
        short="dF3 with penalty",
        citation=f"An extension made here, not part of the paper it extends: {PAPER}",
        marker="star",
        description="dF3 with the leakage penalty max(T(S, Z), 0) added: an extension of the paper's method",
    ),
)
