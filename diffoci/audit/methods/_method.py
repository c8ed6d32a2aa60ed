"""Method: one way to make a representation, declared once; everything that lists, trains or explains it reads this."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods.families import OTHER
from diffoci.inputs import Matrix
from diffoci.runs.study import Watch

if TYPE_CHECKING:  # the list of methods is read by pages and reports, which never load torch
    from diffoci.learning.models import Eraser, Network, Unchanged, Vec


@dataclass(frozen=True, eq=False)
class Representation:
    """What a method made of all rows, and how: its chosen settings, training history, and the module that did it.

    The module is None where a row's representation takes more than its features, or a module of another library.
    `tried` are what several weights made, by weight, where one of them was chosen.
    """

    z: Matrix
    chosen: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    network: Network | Vec | Eraser | Unchanged | None = None
    tried: Mapping[float, Representation] = field(default_factory=dict)


Build = Callable[[PreparedSplit, Mapping[str, Any], int, Watch], Representation]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A named way to make a representation.

    Parameters
    ----------
    name : str
        What it is called on the command line and in a result.
    title, short : str
        What it is called where there is room, and where there is little; the latter is the name by default.
    build : callable
        Makes the representation of all rows from a prepared split, the audit's settings, a seed and a watch, learning
        from training rows and choosing on validation rows. It imports what it needs when it is called.
    family, marker : str
        One of `diffoci.audit.methods.families`, and a marker of its own within it.
    description : str
        What it is, in plain words; goes on "Name: …".
    objective : str
        What it is trained for, in the words of the Train form.
    citation : str
        The paper it comes from; empty for what comes from none.
    needs_sensitive_at_prediction : bool
        A new row's representation takes its sensitive attributes.
    two_classes_only : bool
        It cannot learn from a label of more classes.
    settings : str
        The group of settings it is trained with.
    curve : str, optional
        The setting that holds the weights it is tried with; those of the trade-off curve take their place.
    exportable : bool
        It can be taken away: its module is kept.
    trained : bool
        It is trained in epochs that are worth looking at.
    default : bool
        It is part of an audit that names no methods. Another package's never is: a command means one audit everywhere.
    is_reference : bool
        It is the data as they are, which everything else is compared with.
    cost : float
        Its share of the work, in the unit of other cells.
    """

    name: str
    title: str
    build: Build
    short: str = ""
    family: str = OTHER
    marker: str = ""
    description: str = ""
    objective: str = ""
    citation: str = ""
    needs_sensitive_at_prediction: bool = False
    two_classes_only: bool = False
    settings: str = ""
    curve: str | None = None
    exportable: bool = False
    trained: bool = False
    default: bool = False
    is_reference: bool = False
    cost: float = 1.0

    @property
    def called(self) -> str:
        """The short name."""
        return self.short or self.name

    def check_classes(self, classes: int) -> None:
        """Refuse a label of more classes than it takes, in a sentence."""
        if self.two_classes_only and classes > 2:
            raise ValueError(f"The method '{self.name}' takes an outcome of two classes only; leave it out.")
