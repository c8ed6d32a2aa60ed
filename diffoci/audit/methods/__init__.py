"""Methods: the representations an audit compares, ours, the baselines, and those of other packages.

Reading the list loads none of the libraries that train them.
"""

from diffoci import plugins
from diffoci.audit.methods import adversarial, diffoci, erasers, hsic, prototypes, splince, standard
from diffoci.audit.methods._method import Build, Method, Representation
from diffoci.audit.methods._trained import TRAINED, Trained, side_by_side

__all__ = [
    "METHODS",
    "REFERENCE",
    "TRAINED",
    "Build",
    "Method",
    "Representation",
    "Trained",
    "curves",
    "default_methods",
    "list_methods",
    "method_named",
    "method_words",
    "side_by_side",
]

METHODS = plugins.Registry(
    (
        *standard.METHODS,
        *diffoci.METHODS,
        *erasers.METHODS,
        *splince.METHODS,
        *adversarial.METHODS,
        *hsic.METHODS,
        *prototypes.METHODS,
    ),
    group=plugins.METHODS,
    kind=Method,
    noun="method",
)
# The data as they are, with which everything else is compared.
REFERENCE = next(method.name for method in METHODS.ours.values() if method.is_reference)


def method_named(name: str) -> Method:
    """Return a method by its name, or say in a sentence which there are."""
    return METHODS.named(name)


def list_methods() -> tuple[Method, ...]:
    """All methods, in the order in which an audit compares them."""
    return tuple(METHODS.values())


def default_methods() -> tuple[str, ...]:
    """Names of the methods of an audit that names none."""
    return tuple(method.name for method in METHODS.ours.values() if method.default)


def curves() -> dict[str, str]:
    """Methods with a trade-off curve, and the setting that holds their weights."""
    return {method.name: method.curve for method in METHODS.values() if method.curve is not None}


def method_words(name: str) -> dict[str, str]:
    """Words that stay with a method's numbers in a result; none for one that this installation does not have."""
    if name not in METHODS:
        return {}
    method = METHODS[name]
    words = {word: getattr(method, word) for word in ("family", "marker", "description", "citation")}
    return {"short": method.called, **words}
