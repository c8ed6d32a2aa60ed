"""AuditSpec: everything that decides an audit's numbers, frozen, as JSON, with a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class AuditSpec:
    """What to audit and how.

    Parameters
    ----------
    data : str
        Name of the source, as `diffoci.data.sources.load` takes it ("student", "acs-income", "csv:PATH", …).
    options : mapping
        Options of the source (state, year, label, positive, drop, …).
    sensitive : tuple of str
        Sensitive attributes; several are also conditioned on jointly.
    twin : bool
        Use the simulated twin of the source.
    preset : str
        "quick", "standard" or "paper": where `settings` come from.
    methods : tuple of str
        Representations to compare, by name.
    seeds : tuple of int
        One split and one training of each method for every seed.
    settings : mapping
        Every number a preset decides (see `diffoci.audit.presets`).
    device : str
        "auto", "cpu", "cuda" or "mps". Not part of the digest.
    """

    data: str
    sensitive: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    preset: str = "standard"
    twin: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    device: str = "auto"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return json.loads(json.dumps(asdict(self)))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave; an unknown or missing entry is a sentence, not a crash."""
        known = {entry.name for entry in fields(cls)}
        unknown, missing = set(values) - known, {"data", "sensitive", "methods", "seeds"} - set(values)
        if unknown or missing:
            what = f"has no entry {sorted(missing)[0]!r}" if missing else f"has an unknown entry {sorted(unknown)[0]!r}"
            raise ValueError(f"The audit's specification {what}; it was written by another version.")
        lists = {name: tuple(values[name]) for name in ("sensitive", "methods", "seeds")}
        return cls(**{**values, **lists})

    def check_names_its_file_whole(self) -> None:
        """Refuse a file named without its folder: an audit from another machine names it so.

        No file that happens to lie here may be taken for it.
        """
        if self.data.startswith("csv:") and not Path(self.data.removeprefix("csv:")).is_absolute():
            raise ValueError("The data of this audit are not on this machine; it was opened without them.")

    def digest(self) -> str:
        """The same for two specifications that must give the same numbers on one device."""
        values = self.to_dict()
        del values["device"]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
