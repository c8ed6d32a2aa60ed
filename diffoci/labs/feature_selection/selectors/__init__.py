"""Every selector by its name, in the order of tables."""

from diffoci.labs.feature_selection.problem import Kind
from diffoci.labs.feature_selection.selectors import by_model, projections, ranks, references, univariate
from diffoci.labs.feature_selection.selectors.selector import Asked, Found, Selector

__all__ = ["SELECTORS", "Asked", "Found", "Selector", "selector_named", "selectors_for"]

_MODULES = (references, univariate, projections, by_model, ranks)
SELECTORS: dict[str, Selector] = {selector.name: selector for module in _MODULES for selector in module.SELECTORS}


def selector_named(name: str) -> Selector:
    """Return a selector, or say in a sentence which there are."""
    if name not in SELECTORS:
        raise ValueError(f"There is no selector {name[:60]!r}; choose from {', '.join(SELECTORS)}.")
    return SELECTORS[name]


def selectors_for(kind: Kind) -> tuple[Selector, ...]:
    """Return the selectors that can learn from such a y and are installed."""
    return tuple(one for one in SELECTORS.values() if kind in one.kinds and not one.missing())
