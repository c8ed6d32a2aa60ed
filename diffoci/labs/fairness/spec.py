"""FairnessSpec: an audit's specification, and the columns of the paper's table of log-losses."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from diffoci.audit.kinds import MOST_METHODS, Text
from diffoci.audit.spec import AuditSpec

# The weights of features by the objective they are trained for, as the table's columns are called.
WEIGHTS = {"vec-dF1": "dF1", "vec-dF3": "dF3"}


class FairnessSpec(AuditSpec, frozen=True, kw_only=True):
    """What to compare and how.

    Parameters
    ----------
    methods : tuple of str
        Representations of the audit whose networks are looked into.
    columns : tuple of str
        Selectors of the feature lab, and "vec-dF1" and "vec-dF3", before a logistic regression.
    weights : bool
        Whether to train weights of features given nothing, each attribute, and all together.
    most_rows : int, optional
        Take so many people at random.
    """

    columns: Annotated[tuple[Text, ...], Meta(max_length=MOST_METHODS)] = ()
    weights: bool = False
    most_rows: Annotated[int, Meta(ge=100)] | None = None


def conditions_of(spec: FairnessSpec) -> list[tuple[str, ...]]:
    """What weights of features account for."""
    from diffoci.audit.plan import conditions

    return conditions(spec.sensitive) if spec.weights else []
