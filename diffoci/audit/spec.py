"""AuditSpec: everything that decides an audit's numbers, frozen, as JSON, with a digest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, field

from diffoci.audit.kinds import MOST_ATTRIBUTES, MOST_METHODS, MOST_SEEDS, Seed
from diffoci.runs.study import Spec


class AuditSpec(Spec, frozen=True):
    """What to audit and how.

    Parameters
    ----------
    data : str
        Name of the source, as `diffoci.data.sources.load` takes it (`student`, `acs-income`, `csv:PATH`, …).
    sensitive : tuple of str
        Sensitive attributes; several are also conditioned on jointly.
    methods : tuple of str
        Representations to compare, by name.
    seeds : tuple of int
        One split and one training of each method for every seed.
    preset : str
        "quick", "standard" or "paper": where `settings` come from.
    twin : bool
        Use the simulated twin of the source.
    options : mapping
        Options of the source (state, year, label, positive, drop, …).
    settings : mapping
        Every number a preset decides (see `diffoci.audit.presets`).
    device : str
        "auto", "cpu", "cuda" or "mps". Not part of the digest.
    """

    data: str
    sensitive: Annotated[tuple[str, ...], Meta(max_length=MOST_ATTRIBUTES)]
    methods: Annotated[tuple[str, ...], Meta(max_length=MOST_METHODS)]
    seeds: Annotated[tuple[Seed, ...], Meta(min_length=1, max_length=MOST_SEEDS)]
    preset: str = "standard"
    twin: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
