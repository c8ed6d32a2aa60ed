"""The data of a specification: kinds by name, options checked, and the digest of what they hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from diffoci.labs.spurious.data.examples import Examples, Kind
from diffoci.labs.spurious.data.generated import BIRDS, DIGITS
from diffoci.labs.spurious.data.own_data import FEATURES
from diffoci.labs.spurious.data.table import TABLE
from diffoci.labs.spurious.data.waterbirds import WATERBIRDS
from diffoci.labs.spurious.spec import SpuriousSpec

KINDS: dict[str, Kind] = {kind.name: kind for kind in (BIRDS, DIGITS, WATERBIRDS, FEATURES, TABLE)}


@dataclass(frozen=True)
class LabData:
    """Data of one kind with its options; every seed draws or splits them anew."""

    kind: Kind
    options: Mapping[str, Any]

    def examples(self, seed: int) -> Examples:
        """The splits of one repetition."""
        return self.kind.draw(seed, **self.options)

    @cached_property
    def sha256(self) -> str:
        content = self.kind.content(self.options)
        described = json.dumps([self.kind.name, content, dict(self.options)], sort_keys=True)
        return hashlib.sha256(described.encode()).hexdigest()


def kind_named(name: str) -> Kind:
    """Return a kind of data by its name, or say which there are."""
    if name not in KINDS:
        raise ValueError(f"The lab has no data called {name[:60]!r}; choose from {', '.join(KINDS)}.")
    return KINDS[name]


def kind_of(spec: SpuriousSpec) -> Kind:
    """Return the kind of a specification's data in the words of its options, or say which option is wrong."""
    kind = kind_named(spec.data)
    if strange := set(spec.options) - set(kind.options):
        raise ValueError(f"{sorted(strange)[0][:60]!r} is not an option of {kind.title}.")
    if missing := set(kind.needed) - set(spec.options):
        raise ValueError(f"{kind.title} needs the option {sorted(missing)[0]!r}.")
    return replace(kind, **kind.words(spec.options))


def data_of(spec: SpuriousSpec) -> LabData:
    """Return the data of a specification, or say in a sentence why not."""
    kind = kind_of(spec)
    rows = {} if spec.rows is None else {"rows": spec.rows}
    if rows and kind.drawn is None:
        raise ValueError(f"{kind.title} has the rows it has; leave out how many to draw.")
    return LabData(kind, {**spec.options, **rows})
