"""A network of the same size trained against an adversary, its weight chosen on validation rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Method, Representation
from diffoci.audit.methods._trained import Begun, Trained
from diffoci.audit.methods.families import ADVERSARIAL
from diffoci.audit.presets import fitted_to_size

if TYPE_CHECKING:
    from diffoci.learning.training import History

_SETTINGS, _WEIGHTS = "adversary", "adversary_weights"


def _begin(prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, weight: float) -> Begun:
    from diffoci.learning.adversary import against_adversary
    from diffoci.learning.setup import Rows, outputs

    own = fitted_to_size(settings[_SETTINGS], len(prepared.split.train))
    own["width"] = own["width"] or prepared.features
    rows = Rows(prepared.inputs, prepared.label, prepared.joint)
    training, network = against_adversary(
        rows.take(prepared.split.train),
        rows.take(prepared.split.validation),
        weight=weight,
        device=settings["device"],
        seed=seed,
        **own,
    )

    def end(_: History) -> Representation:
        return Representation(outputs(network, prepared.inputs), {"weight": weight}, network=network)

    return Begun(training, end)


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
    build=Trained(_begin, _WEIGHTS),
    settings=_SETTINGS,
    curve=_WEIGHTS,
    exportable=True,
    trained=True,
    default=True,
    cost=3.0,
)
METHODS = (ADVERSARY,)
