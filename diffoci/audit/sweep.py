"""Sweeps: many audits from one TOML file, each in a folder of its own, resumed by running the file again."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diffoci.audit.make_spec import make_spec
from diffoci.audit.spec import AuditSpec
from diffoci.data.sources import location_of, resolved, source_of

_AUDIT = ("data", "sensitive", "preset", "methods", "seeds", "twin", "device", "settings")
_WHOLE = ("methods", "drop")  # lists that are one value


@dataclass(frozen=True)
class PlannedAudit:
    """One audit of a sweep, with the name of its folder; `sized` where its rows decide how many repetitions it has."""

    name: str
    spec: AuditSpec
    sized: bool = False


def read_sweep(path: Path) -> tuple[PlannedAudit, ...]:
    """Read a sweep file: every list multiplies.

    Parameters
    ----------
    path : Path
        TOML with `data`, `sensitive` ("sex", or "sex,race" for both together), `preset`, `seeds`, `methods`,
        `settings` (one table or several) and options of the sources (`state`, `year`, …). Tables called
        ``[[audit]]`` hold grids of their own and inherit what stands above them.

    Raises
    ------
    ValueError
        With a sentence, if the file is not such a file.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"There is no sweep file {path}; check the name.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ValueError(f"{path} is not a TOML file ({problem}).") from None
    grids = content.pop("audit", [{}])
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise ValueError(f"In {path}, audit must be written as [[audit]].")
    planned: dict[str, PlannedAudit] = {}
    for grid in grids:
        for choice in _choices({**content, **grid}, path):
            spec = _spec(choice, path.parent)
            planned.setdefault(spec.digest(), PlannedAudit(_name(spec), spec, "seeds" not in choice))
    return tuple(planned.values())


def _choices(grid: Mapping[str, Any], path: Path) -> Iterator[dict[str, Any]]:
    """Multiply a grid out; options go only to the sources that have them."""
    if "data" not in grid:
        raise ValueError(f'{path} names no data; write for example data = ["student", "bank"].')
    values = {key: value if isinstance(value, list) and key not in _WHOLE else [value] for key, value in grid.items()}
    empty = next((key for key, value in values.items() if not value), None)
    if empty is not None:
        raise ValueError(f"In {path}, {empty} is an empty list; give it a value or leave it out.")
    unnamed = next((data for data in values["data"] if not isinstance(data, str)), None)
    if unnamed is not None:
        raise ValueError(f"In {path}, a source is named by a text, not by {unnamed!r}.")
    rows = list(itertools.product(values.pop("data"), values.get("twin", [False])))
    for option in (key for key in values if key not in _AUDIT):
        if not any(option in source_of(data).taken(twin=bool(twin)) for data, twin in rows):
            raise ValueError(f"In {path}, no source named there has an option '{option}'.")
    for data in dict.fromkeys(data for data, _ in rows):
        for combination in itertools.product(*values.values()):
            choice = dict(zip(values, combination, strict=True))
            taken = source_of(data).taken(twin=bool(choice.get("twin", False)))
            yield {"data": data, **{key: value for key, value in choice.items() if key in _AUDIT or key in taken}}


def _spec(choice: Mapping[str, Any], beside: Path) -> AuditSpec:
    data, twin = str(choice["data"]), bool(choice.get("twin", False))
    options = {key: _names(value) if key == "drop" else value for key, value in choice.items() if key not in _AUDIT}
    source_of(data).check_options(options, twin=twin)
    return make_spec(
        resolved(data, beside=beside),
        sensitive=_names(choice.get("sensitive")),
        preset=choice.get("preset", "standard"),
        methods=_names(choice.get("methods")),
        seeds=choice.get("seeds"),
        twin=twin,
        options=options,
        settings=choice.get("settings", {}),
        device=choice.get("device", "auto"),
    )


def _names(value: Any) -> list[str] | None:
    if value is None:
        return None
    if isinstance(value, list):
        return [str(name) for name in value]
    if not isinstance(value, str):
        raise ValueError(f"Names are texts with commas between them, not {value!r}.")
    return [part.strip() for part in value.split(",") if part.strip()]


def _name(spec: AuditSpec) -> str:
    """Readable first, then enough of the digest to keep two audits apart."""
    source = source_of(spec.data)
    place = [option.name for option in source.options if option.place and option.name in spec.options]
    name = Path(location_of(spec.data)).stem if source.takes_file else source.name
    words = [name, *(str(spec.options[key]) for key in place), *spec.sensitive]
    readable = re.sub(r"[^A-Za-z0-9-]+", "_", "-".join(words))[:60]
    return f"{readable}-{spec.digest()[:10]}"
