"""Study: what the run machinery needs to know of anything that can be run, and the pieces it is run in.

A study turns a specification and data into cells, computes each by itself, and puts what they found together. The
store, the pool, the queue and the pages of progress know this and nothing of what is studied.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import msgspec
from numpy.typing import NDArray

from diffoci import plugins
from diffoci.runs.typed_json import convert


@dataclass(frozen=True)
class Cell:
    """One piece of work, independent of the others: it has the same numbers in any process.

    `stage` groups cells ("methods", "curve", "features"); `needed` marks those without which a run has failed, where
    all of them did. `settings` are what differs from the specification's; `title` names the cell for a reader, where
    `method` does not; `cost` is its share of the work, in any unit. Cells of one `kin` are best computed by one process
    that keeps what they have in common; a cell that is handed out without it is to be done by itself.
    """

    id: str
    stage: str
    method: str
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0
    title: str = ""
    needed: bool = True
    kin: str = ""


@dataclass(frozen=True)
class CellOutput:
    """What a cell found: plain values for JSON, arrays, and text-free weights."""

    summary: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    weights: dict[str, NDArray[Any]] = field(default_factory=dict)


Outputs = Mapping[str, CellOutput]  # what was found, by the cells' ids
Failures = Mapping[str, str]  # why the other cells found nothing


class Cancelled(Exception):
    """Raised inside a cell when the run was asked to stop."""


@dataclass(frozen=True)
class Watch:
    """How a cell speaks to the outside: `report` takes progress, `cancelled` tells whether to stop."""

    report: Callable[[dict[str, Any]], None] = field(default=lambda _: None)
    cancelled: Callable[[], bool] = field(default=lambda: False)

    def tell(self, **progress: Any) -> None:
        """Report progress ("fraction" of this cell, "epoch", "loss", …), or stop if asked to.

        Entries that the live page draws: "T" and "loss" by "epoch"; "theta", a weight for each of the study's
        `column_names`, where "cutoff" says which of them count as dropped.
        """
        if self.cancelled():
            raise Cancelled
        self.report(progress)


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that decides a run's numbers. A study's own specification adds its fields to these.

    `device` ("auto", "cpu", "cuda" or "mps") is where to compute; it is not part of the digest.
    """

    device: str = "auto"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as JSON has them."""
        values: dict[str, Any] = json.loads(json.dumps(msgspec.to_builtins(self)))
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], name: str = "The specification") -> Self:
        """Read back what `to_dict` gave; an entry that is unknown, missing or of another kind is a sentence."""
        return convert(values, cls, name)

    def digest(self) -> str:
        """The same for two specifications that must give the same numbers on one device."""
        values = self.to_dict()
        del values["device"]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run found. A study's own result adds its fields to these, which the runner fills in.

    `schema` is the version of the file, `study` the name of the study; `failures` says why cells have no output.
    """

    schema: int = 1
    id: str = ""
    study: str = ""
    failures: Failures = msgspec.field(default_factory=dict)


class Data(Protocol):
    """What a study computes with; the digest of its content is that of everything computed from it."""

    @property
    def sha256(self) -> str: ...


@dataclass(frozen=True)
class Made:
    """How the cells of a run were computed: versions of packages, devices, and the time it took in seconds."""

    versions: Mapping[str, str]
    device: str
    seconds: float


SpecT = TypeVar("SpecT", bound=Spec)
DataT = TypeVar("DataT", bound=Data)
ResultT = TypeVar("ResultT", bound=Result)


@runtime_checkable
class Study(Protocol[SpecT, DataT, ResultT]):
    """One kind of run.

    The first eight members are each study's own; the others have an answer that suits most. An object of a class that
    derives from this one is named under the entry point ``diffoci.studies``.
    """

    name: str
    title: str
    spec: type[SpecT]
    result: type[ResultT]

    def load(self, spec: SpecT) -> DataT:
        """Return the data of a specification, or say in a sentence why not."""
        ...

    def plan(self, spec: SpecT, data: DataT) -> Sequence[Cell]:
        """Return all cells in the order they should start."""
        ...

    def run_cell(self, spec: SpecT, data: DataT, cell: Cell, watch: Watch) -> CellOutput:
        """Compute one cell; the same arguments give the same numbers in any process."""
        ...

    def assemble(self, spec: SpecT, data: DataT, outputs: Outputs, failures: Failures, made: Made) -> ResultT:
        """Put together what the cells found, by their ids; `failures` says why others have no output."""
        ...

    # Modules that cells compute with: loaded before the first of them, and once for all processes that are forked.
    preload: tuple[str, ...] = ()

    def device_name(self, spec: SpecT) -> str:
        """Return the kind of device that the specification's means on this machine: "cpu", "cuda" or "mps"."""
        return "cpu"

    def bytes_needed(self, spec: SpecT, data: DataT) -> float:
        """Return the memory that one process needs at its peak."""
        return 1e9

    def column_names(self, spec: SpecT, data: DataT) -> Sequence[str]:
        """Return what the weights are called that cells tell of as "theta"."""
        return ()

    def describe(self, spec: SpecT) -> str:
        """Name a run for lists and titles, from its specification alone."""
        return self.title

    def details(self, spec: SpecT) -> str:
        """Say in a few words how much was asked for, beside the title in lists."""
        return ""

    def files_read(self, spec: SpecT) -> Sequence[Path]:
        """Return the files of this machine that the data are read from: none is deleted while a run needs it."""
        return ()

    def asked(self, spec: SpecT) -> Mapping[str, str]:
        """Say what was asked for, one entry each, for lists of runs; entries without words are left out there."""
        return {}

    def is_simulated(self, spec: SpecT) -> bool:
        """Say whether a run is about generated data, which every page then marks."""
        return False

    def read_result(self, content: Mapping[str, Any], name: str) -> ResultT:
        """Return the result that plain values hold, checked, or say in a sentence what is wrong with them."""
        return convert(content, self.result, name)

    def headline(self, result: ResultT) -> str:
        """Say in a sentence or two what was found."""
        return ""

    def portable(self, spec: SpecT) -> SpecT:
        """Return the specification as another machine may have it: without names of folders of this one."""
        return spec

    def check_portable(self, spec: SpecT) -> None:
        """Refuse, in a sentence, a specification from another machine that cannot be believed."""
        return  # a body, so that type checkers let a study inherit it

    def check_local(self, spec: SpecT) -> None:
        """Refuse, in a sentence, to run a specification whose data are not on this machine."""
        return


AnyStudy = Study[Any, Any, Any]


def study_named(name: str) -> AnyStudy:
    """Return a study by its name."""
    found: AnyStudy | None = plugins.load(plugins.STUDIES, name, Study)
    if found is None:
        known = ", ".join(plugins.names(plugins.STUDIES))
        raise ValueError(f"There is no study {name[:60]!r} here; this installation has {known}.")
    return found
