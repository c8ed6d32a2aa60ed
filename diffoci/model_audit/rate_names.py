"""Rates of a model by name, and which of them can be counted; quick to load, for those who only read a result."""

from __future__ import annotations

from collections.abc import Mapping

from diffoci.audit.decisions.group_rates import RATES, Successes

# Those of the fairness audit, and three more that people ask of a model.
MODEL_RATES: Mapping[str, Successes] = {
    **RATES,
    "false_negative_rate": lambda counts: (counts[..., 1, 0], counts[..., 1, :].sum(-1)),
    "false_omission_rate": lambda counts: (counts[..., 1, 0], counts[..., 0].sum(-1)),
    "base_rate": lambda counts: (counts[..., 1, :].sum(-1), counts.sum((-1, -2))),
}
WITHOUT_LABEL = ("selection_rate",)
WITHOUT_DECISION = ("base_rate",)


def allowed_rates(*, labelled: bool, deciding: bool) -> tuple[str, ...]:
    """Names of the rates that can be counted with or without an outcome of two classes, and with decisions or none.

    >>> allowed_rates(labelled=False, deciding=True), allowed_rates(labelled=True, deciding=False)
    (('selection_rate',), ('base_rate',))
    """
    if not deciding:
        return WITHOUT_DECISION if labelled else ()
    return tuple(MODEL_RATES) if labelled else WITHOUT_LABEL
