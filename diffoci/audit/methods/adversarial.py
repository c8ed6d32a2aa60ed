"""A network of the same size trained against an adversary, its weight chosen on validation rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._choosing import OnEpoch, choose_weight
from diffoci.audit.methods._method import Method, Representation
from diffoci.audit.methods.families import ADVERSARIAL
from diffoci.audit.presets import fitted_to_size
from diffoci.runs.study import Watch

_SETTINGS, _WEIGHTS = "adversary", "adversary_weights"


def _train(prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    from diffoci.learning.adversary import fit_against_adversary
    from diffoci.learning.setup import Rows, outputs

    own = fitted_to_size(settings[_SETTINGS], len(prepared.split.train))
    own["width"] = own["width"] or prepared.features
    rows = Rows(prepared.inputs, prepared.label, prepared.joint)
    training, held = rows.take(prepared.split.train), rows.take(prepared.split.validation)

    def train(weight: float, on_epoch: OnEpoch) -> Representation:
        network = fit_against_adversary(
            training, held, weight=weight, device=settings["device"], seed=seed, on_epoch=on_epoch, **own
        )
        return Representation(outputs(network, prepared.inputs), {"weight": weight}, network=network)

    return choose_weight(
        train, settings[_WEIGHTS], prepared, settings, epochs=own["max_epochs"], seed=seed, watch=watch
    )


ADVERSARY = Method(
    name="adversary",
    title="Adversary",
    short="Adversary",
    family=ADVERSARIAL,
    description="a network trained against an adversary that guesses the attributes (gradient reversal)",
    citation=(
        "Y. Ganin, E. Ustinova, H. Ajakan, P. Germain, H. Larochelle, F. Laviolette, M. Marchand, V. Lempitsky (2016). "
        "Domain-adversarial training of neural networks. Journal of Machine Learning Research 17(59)"
    ),
    build=_train,
    settings=_SETTINGS,
    curve=_WEIGHTS,
    exportable=True,
    trained=True,
    default=True,
    cost=3.0,
)
METHODS = (ADVERSARY,)
