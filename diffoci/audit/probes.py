"""Probes: guessers of different power, from a line to trees, each declared once.

Reading the list loads none of the libraries that fit them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from diffoci import plugins
from diffoci.inputs import Floats, Ints, Matrix
from diffoci.runs.study import Watch


@dataclass(frozen=True, eq=False)
class Question:
    """What a probe is asked: to guess the codes of `held` and `test` rows of z, knowing those of `rows`.

    `held` are validation rows, on which a probe may choose when to stop. `settings` are those of the audit's group
    "probe", for networks.
    """

    z: Matrix
    code: Ints
    rows: Ints
    held: Ints
    test: Ints
    classes: int
    seed: int = 0
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, eq=False)
class Answer:
    """The probabilities of all classes for held and test rows; `last_layer` looks into a network that gave them."""

    held: Floats
    test: Floats
    last_layer: Callable[[Matrix], Matrix] | None = None


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A named way to guess.

    `fit` imports what it needs when it is called. A `linear` probe that finds nothing proves little. One that
    `needs_two_classes` is not asked where the rows to learn from are all of one.
    """

    name: str
    title: str
    fit: Callable[[Question], Answer]
    colour: str = "#7F7F7F"
    marker: str = "circle"
    linear: bool = False
    needs_two_classes: bool = True


def class_probabilities(model: Any, z: Matrix, classes: int) -> Floats:
    """What a scikit-learn classifier gives to all classes, also to those that its training rows did not have."""
    probability = np.zeros((len(z), classes))
    probability[:, model.classes_.astype(int)] = model.predict_proba(z)
    return probability


def _fit_logistic(asked: Question) -> Answer:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    known = asked.z[asked.rows]
    centre, scale = known.mean(axis=0), np.maximum(known.std(axis=0), 1e-6)
    ready = (asked.z - centre) / scale
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a probe short of its optimum is still a probe
        model = LogisticRegression(max_iter=200).fit(ready[asked.rows], asked.code[asked.rows])
    held, test = (class_probabilities(model, ready[rows], asked.classes) for rows in (asked.held, asked.test))
    return Answer(held, test)


def _fit_network(asked: Question) -> Answer:
    from diffoci.learning.classifier import fit_classifier

    z, code = asked.z, asked.code
    model = fit_classifier(
        z[asked.rows],
        code[asked.rows],
        (z[asked.held], code[asked.held]),
        classes=asked.classes,
        device=asked.device,
        seed=asked.seed,
        on_epoch=lambda _: asked.watch.tell(),
        **asked.settings,
    )
    return Answer(model.predict_proba(z[asked.held]), model.predict_proba(z[asked.test]), model.last_layer)


def _fit_boosting(asked: Question) -> Answer:
    from sklearn.ensemble import HistGradientBoostingClassifier

    z, code = asked.z, asked.code
    known = asked.held[np.isin(code[asked.held], np.unique(code[asked.rows]))]
    model = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=15, early_stopping=True, n_iter_no_change=8, random_state=asked.seed
    ).fit(z[asked.rows], code[asked.rows], X_val=z[known], y_val=code[known])
    held, test = (class_probabilities(model, z[rows], asked.classes) for rows in (asked.held, asked.test))
    return Answer(held, test)


_LOGISTIC = Probe(
    name="logistic", title="logistic regression", colour="#E69F00", marker="x", linear=True, fit=_fit_logistic
)
_NETWORK = Probe(
    name="mlp",
    title="neural network",
    colour="#009E73",
    marker="diamond",
    needs_two_classes=False,
    fit=_fit_network,
)
_BOOSTING = Probe(name="boosting", title="boosted trees", colour="#0072B2", marker="square", fit=_fit_boosting)

PROBES = plugins.Registry((_LOGISTIC, _NETWORK, _BOOSTING), group=plugins.PROBES, kind=Probe, noun="probe")
# Those that take no time: choices within a method are made by them.
QUICK = (_LOGISTIC.name, _BOOSTING.name)
