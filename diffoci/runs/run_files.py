"""The JSON files of a run directory: what each holds, written and read by these types only, and their version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, field

from diffoci.runs.files import read_json
from diffoci.runs.typed_json import convert

SCHEMA = 1
FIRST_STUDY = "audit"  # of run directories from the time when there was no other, which name none
State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
Moment = Annotated[float, Meta(ge=0, le=4e9)]  # in seconds since 1970, up to the year 2096
Amount = Annotated[float, Meta(ge=0, lt=1e300)]
Seed = Annotated[int, Meta(ge=-(2**53), le=2**53)]
_ID = re.compile(r"[0-9a-f]{32}")
T = TypeVar("T", bound=Struct)


def is_id(text: str) -> bool:
    """Say whether a text is a run's id: 32 hexadecimal digits, so that it can name no other path.

    Examples
    --------
    >>> is_id("0" * 32), is_id("../" + "0" * 29)
    (True, False)
    """
    return _ID.fullmatch(text) is not None


class SpecFile(Struct, frozen=True, kw_only=True):
    """spec.json: which run this is, whose, of which study, and what was asked for."""

    schema: int = SCHEMA
    id: str
    created: Moment = 0.0
    owner: str = ""
    study: str = FIRST_STUDY
    digest: str = ""
    spec: dict[str, Any]

    def __post_init__(self) -> None:
        if not is_id(self.id):
            raise ValueError("it has no id")


class PlannedCell(Struct, frozen=True, kw_only=True):
    """One part of the work, as `Cell` has it."""

    id: str
    stage: str
    method: str
    seed: Seed
    cost: Amount = 0.0
    title: str = ""


class PlanFile(Struct, frozen=True, kw_only=True):
    """plan.json: the parts of a run, what they are computed from, and the memory that others should leave to it.

    `columns` are the names of the weights that cells tell of.
    """

    schema: int = SCHEMA
    digest: str
    sha256: str
    memory: Amount = 0.0
    columns: tuple[str, ...] = ()
    cells: tuple[PlannedCell, ...]


class StateFile(Struct, frozen=True, kw_only=True):
    """state.json: where a run stood when its process last said so."""

    schema: int = SCHEMA
    state: State
    message: str = ""
    time: float = 0.0


class CellFile(Struct, frozen=True, kw_only=True):
    """The JSON of a finished cell, and the digests of the files beside it."""

    schema: int = SCHEMA
    cell: str
    digest: str
    data: str
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: Amount = 0.0
    device: str = ""
    files: dict[Literal["npz", "safetensors"], str]
    summary: dict[str, Any]


class FailedFile(Struct, frozen=True, kw_only=True):
    """Why a cell has no output; `trace` is for whoever mends the program."""

    schema: int = SCHEMA
    cell: str
    error: str
    trace: str = ""


def read_file(path: Path, kind: type[T]) -> T:
    """Read one of these files, or say in a sentence what is wrong with it."""
    return checked(read_json(path), kind, f"The file {path}")


def checked(content: Mapping[str, Any], kind: type[T], name: str) -> T:
    """Turn the content of one of these files into its type, where it is of a version that is read."""
    check_schema(content, name)
    return convert(content, kind, name)


def check_schema(content: Mapping[str, Any], name: str) -> None:
    """Refuse a file of another version, saying what to do.

    Every schema up to `SCHEMA` that was ever written must be read here or be refused with its reason; so far there is
    only the first. What schema 1 gained on the way is optional for its readers.

    >>> check_schema({"schema": 1}, "spec.json")
    >>> check_schema({"schema": 2}, "spec.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: spec.json was written by another version, a newer one (schema 2, here 1); update this installation ...
    """
    found = content.get("schema")
    if found == SCHEMA and not isinstance(found, bool):
        return
    if isinstance(found, int) and SCHEMA < found < 10**6:
        raise ValueError(
            f"{name} was written by another version, a newer one (schema {found}, here {SCHEMA}); "
            "update this installation to open it."
        )
    raise ValueError(
        f"{name} was written by another version, whose files are not read any more (schema {str(found)[:20]}, "
        f"here {SCHEMA}); run it again."
    )
