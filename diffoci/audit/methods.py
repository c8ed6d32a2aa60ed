"""Methods: the representations an audit compares, ours and the baselines, each tuned on validation rows only."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from fairlearn.preprocessing import CorrelationRemover, PrototypeRepresentationLearner

from diffoci.audit.adversary import Adversary
from diffoci.audit.cells import Watch
from diffoci.audit.classifier import Matrix
from diffoci.audit.features import feature_of_column, vec_settings
from diffoci.audit.fitted import fitted_to_size
from diffoci.audit.material import Material
from diffoci.audit.probes import guess
from diffoci.estimator import DifFOCI
from diffoci.models import Eraser, Network, Unchanged, Vec


@dataclass(frozen=True)
class Representation:
    """What a method made of all rows, and how: its chosen settings, training history, and the module that did it.

    The module is None where a row's representation takes more than its features.
    """

    z: Matrix
    chosen: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    network: Network | Vec | Eraser | Unchanged | None = None


Build = Callable[[Material, Mapping[str, Any], int, Watch], Representation]


@dataclass(frozen=True)
class Method:
    """A named way to build a representation."""

    name: str
    title: str
    needs_sensitive_at_prediction: bool
    build: Build
    cost: float


def standard(material: Material, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    """The data themselves, standardised."""
    return Representation(material.standard, network=Unchanged())


def correlation_remover(material: Material, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    """fairlearn's CorrelationRemover: subtract from every column what S predicts of it linearly."""
    indicators = np.eye(int(material.joint.max()) + 1)[material.joint][:, 1:]
    both = np.hstack([indicators, material.standard.astype(np.float64)])
    remover = CorrelationRemover(sensitive_feature_ids=list(range(indicators.shape[1])))
    remover.fit(both[material.split.train])
    return Representation(remover.transform(both).astype(np.float32))


def leace(material: Material, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    """LEACE: the smallest change after which no linear model can guess S."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it compiles its kernels the old way when imported
        from concept_erasure import LeaceEraser
    x = torch.from_numpy(material.standard.astype(np.float64))
    s = torch.from_numpy(np.eye(int(material.joint.max()) + 1)[material.joint])
    train = torch.from_numpy(material.split.train)
    fitted = LeaceEraser.fit(x[train], s[train])
    centre = torch.zeros(x.shape[1]) if fitted.bias is None else fitted.bias
    eraser = Eraser(fitted.proj_left, fitted.proj_right, centre)
    return Representation(eraser(x).numpy(), network=eraser)


def prototypes(material: Material, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    """fairlearn's prototype representation (LFR): every row as its closeness to a few prototypes."""
    train = material.split.train
    learner = PrototypeRepresentationLearner(
        n_prototypes=settings["prototypes"], max_iter=settings["prototype_iterations"], random_state=seed
    )
    learner.fit(
        material.standard[train].astype(np.float64),
        material.label[train],
        sensitive_features=material.joint[train],
    )
    return Representation(np.asarray(learner.transform(material.standard.astype(np.float64)), dtype=np.float32))


def trained(objective: str, *, penalties: str | None = None) -> Build:
    """DifFOCI; with a penalty, its weight is chosen on validation rows from the setting of that name.

    The setting "model" decides what is trained: networks on the inputs of networks, or with "vec" one weight for each
    feature of the standard data, as the weights of the Features page are.
    """

    def build(material: Material, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
        name = settings.get("model", "nn")  # an audit begun before there was a choice is one of networks
        if name == "vec":
            own = vec_settings(settings, objective, len(material.split.train))
            inputs, features = material.standard, feature_of_column(material)
        else:
            own, inputs, features = settings["network" if penalties is None else "penalised"], material.inputs, None
            own = fitted_to_size(own, len(material.split.train)) | {"width": own["width"] or material.features}
        weights = (0.0,) if penalties is None else settings[penalties]

        def one(weight: float, share: float, done: float) -> Representation:
            model = DifFOCI(
                objective=objective,  # type: ignore[arg-type]
                model=name,
                penalty=weight,
                device=settings["device"],
                random_state=seed,
                **own,
            )
            model.fit(
                *_rows(inputs, material, material.split.train),
                validation=_rows(inputs, material, material.split.validation),
                feature_of_column=features,
                on_epoch=_epochs(watch, own["max_epochs"], share, done),
            )
            chosen = {"penalty": weight, "epochs": len(model.history_), "model": name}
            z = model.transform(inputs)
            if not z.shape[1]:
                z = np.zeros((len(inputs), 1), dtype=np.float32)  # every feature dropped: everybody looks the same
            return Representation(z, chosen, model.history_, model.network_)

        return _best(one, weights, material, settings, seed)

    return build


def adversary(material: Material, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    """An adversarially trained network of the same size, its weight chosen on validation rows."""
    own = fitted_to_size(settings["adversary"], len(material.split.train))
    own["width"] = own["width"] or material.features

    def one(weight: float, share: float, done: float) -> Representation:
        model = Adversary(weight=weight, device=settings["device"], seed=seed, **own)
        rows, held = material.split.train, material.split.validation
        model.fit(
            material.inputs[rows],
            material.label[rows],
            material.joint[rows],
            (material.inputs[held], material.label[held], material.joint[held]),
            on_epoch=_epochs(watch, own["max_epochs"], share, done),
        )
        return Representation(model.transform(material.inputs), {"weight": weight}, network=model.network)

    return _best(one, settings["adversary_weights"], material, settings, seed)


METHODS = {
    method.name: method
    for method in (
        Method("standard", "Standardised data", False, standard, 0.5),
        Method("dF1", "difFOCI without conditioning (dF1)", False, trained("dF1"), 1.5),
        Method("dF2", "Classifier with difFOCI penalty (dF2)", False, trained("dF2", penalties="dF2_penalties"), 3.0),
        Method("dF3", "difFOCI given the attribute (dF3)", False, trained("dF3"), 1.5),
        Method("dF3+penalty", "dF3 with leakage penalty", False, trained("dF3", penalties="penalties"), 3.0),
        Method("correlation-remover", "CorrelationRemover", True, correlation_remover, 0.5),
        Method("leace", "LEACE", False, leace, 0.5),
        Method("adversary", "Adversarial network", False, adversary, 3.0),
        Method("prototypes", "Prototypes (LFR)", False, prototypes, 8.0),
    )
}


def _rows(inputs: Matrix, material: Material, rows: Any) -> tuple[Matrix, Any, Any]:
    return inputs[rows], material.label[rows], material.sensitive.iloc[rows]


def _epochs(watch: Watch, epochs: int, share: float, done: float) -> Callable[[dict[str, Any]], None]:
    """Report an epoch as progress: this training is `share` of the method's, after `done` of it."""
    return lambda line: watch.tell(fraction=0.7 * (done + share * line["epoch"] / epochs), **line)


def _best(
    one: Callable[[float, float, float], Representation],
    weights: Any,
    material: Material,
    settings: Mapping[str, Any],
    seed: int,
) -> Representation:
    """Of several weights take the one that leaves S hardest to guess among those that predict y about as well as any.

    "About as well" is a quarter of a standard error of a validation accuracy: a smaller gap is no evidence.
    """
    candidates = [one(float(weight), 1 / len(weights), k / len(weights)) for k, weight in enumerate(weights)]
    if len(candidates) == 1:
        return candidates[0]
    quick: dict[str, Any] = {"probes": ("logistic", "boosting"), "most_rows": settings["probe_rows"], "seed": seed}
    accuracy, leakage = [], []
    for candidate in candidates:
        label = guess(candidate.z, material.label, material.split, classes=material.classes, **quick)
        accuracy.append(label.validation.accuracy)
        seen = [
            guess(candidate.z, code, material.split, classes=len(material.levels[name]), **quick).validation.auc or 0.5
            for name, code in material.groups.items()
        ]
        leakage.append(max(seen))
    top = max(accuracy)
    slack = 0.25 * np.sqrt(top * (1 - top) / len(material.split.validation))
    allowed = [k for k in range(len(candidates)) if accuracy[k] >= top - slack]
    return candidates[min(allowed, key=lambda k: leakage[k])]
