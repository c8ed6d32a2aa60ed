"""PaperTable: one table of the paper that can be run again, declared once; Row: one of its figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from diffoci.audit.result import Mean
from diffoci.labs.here import Here
from diffoci.runs.study import AnyStudy, Spec

Preset = Literal["quick", "full"]
PRESETS: tuple[Preset, ...] = ("quick", "full")
Agreement = Literal["agrees", "differs", "too wide to say", "not in the paper", "not run here"]
# A figure of the paper agrees with ours inside our interval, or where it is no farther away than this share of itself.
TOLERANCE = 0.1
# The further entry of a row that pages show: how much larger an error is than that of vec-dF1 on the same draws.
MORE_THAN_VEC = "more_than_vec_dF1"


@dataclass(frozen=True)
class Asked:
    """One run that a table needs."""

    study: AnyStudy
    spec: Spec


@dataclass(frozen=True)
class Plan:
    """The runs of a table under a preset; `notes` say what is left out and why."""

    asked: tuple[Asked, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure of ours, and the paper's where it has one.

    `study` says which data, `method` what was done with them, `measure` what `value` is: "mse", "hard_log_loss".
    `paper_error` is what the paper gives after its ±, `tolerance` the share of its figure that counts as near.
    Inside an interval wider than the share `widest` of its figure, a figure that is not near says nothing.
    `reason` says why ours differs, as far as we know. `more` are further entries of the row, by name, of plain values
    or `Mean`.
    """

    study: str
    method: str
    measure: str
    value: Mean
    paper: float | None = None
    paper_error: float = 0.0
    tolerance: float = TOLERANCE
    widest: float | None = None
    reason: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def agreement(self) -> Agreement:
        """Whether ours agrees with the paper's."""
        if self.paper is None:
            return "not in the paper"
        if self.value.mean is None:
            return "not run here"
        reach = max(self.tolerance * abs(self.paper), self.paper_error)
        low = self.value.mean if self.value.low is None else self.value.low
        high = self.value.mean if self.value.high is None else self.value.high
        if not low - reach <= self.paper <= high + reach:
            return "differs"
        too_wide = self.widest is not None and high - low > self.widest * abs(self.paper)
        return "too wide to say" if too_wide and abs(self.value.mean - self.paper) > reach else "agrees"

    def to_dict(self) -> dict[str, Any]:
        """As ``reproduce --json`` prints it.

        >>> row = Row(study="toy1", method="full", measure="mse", value=Mean(0.2, 0.1, 0.3, (0.1, 0.3)), paper=0.22)
        >>> row.to_dict()
        {'study': 'toy1', 'method': 'full', 'mse': {'mean': 0.2, 'low': 0.1, 'high': 0.3}, 'paper': 0.22, \
'agreement': 'agrees', 'reason': ''}
        """
        return {
            "study": self.study,
            "method": self.method,
            self.measure: _interval(self.value),
            "paper": self.paper,
            "agreement": self.agreement,
            "reason": self.reason if self.agreement == "differs" else "",
            **{name: _interval(value) if isinstance(value, Mean) else value for name, value in self.more.items()},
        }


def compared(rows: Sequence[Row]) -> str:
    """How many figures of the paper agree with ours, in a sentence; empty where none can be compared."""
    known = [row.agreement for row in rows if row.paper is not None and row.value.mean is not None]
    if not known:
        return ""
    agree, differ, wide = (known.count(one) for one in ("agrees", "differs", "too wide to say"))
    unsure = f"; of {wide} our interval is too wide to say" if wide else ""
    return f"Of {len(known)} figures of the paper, {agree} agree with ours and {differ} differ{unsure}."


def _interval(value: Mean) -> dict[str, float | None]:
    return {"mean": value.mean, "low": value.low, "high": value.high}


class Planner(Protocol):
    """What makes the plan of a table; `here` is this machine unless said otherwise."""

    def __call__(self, preset: Preset, here: Here = ..., /) -> Plan: ...


@dataclass(frozen=True)
class PaperTable:
    """A table that ``reproduce NAME`` computes.

    Parameters
    ----------
    name, title : str
        What the command line calls it, and what a reader does.
    about : str
        What was done, in two or three sentences, with whatever the paper leaves open.
    plan : callable
        Gets a preset, and what of a machine decides the runs; returns them. Data that are not at hand are a note, not
        an error.
    rows : callable
        Gets the results of the runs, in the order of the plan; returns the rows.
    """

    name: str
    title: str
    about: str
    plan: Planner
    rows: Callable[[Sequence[Any]], Sequence[Row]]


@dataclass(frozen=True)
class Reproduced:
    """A table that was computed: its rows, what its runs found, and how long they took in seconds."""

    table: PaperTable
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    seconds: float
    results: tuple[Any, ...]
