"""Here: what of a machine decides which runs a table of the paper has: data at hand and packages installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from diffoci.data import sources
from diffoci.labs.feature_selection.selectors import SELECTORS


class Here(Protocol):
    """What a plan asks of a machine: this one, or the one that a report was made on."""

    def has(self, data: str, options: Mapping[str, Any]) -> bool:
        """Say whether the real rows of a source are at hand."""
        ...

    def installed(self, selector: str) -> bool:
        """Say whether the package of a selector is installed."""
        ...


@dataclass(frozen=True)
class ThisMachine:
    """What is at hand and installed now."""

    def has(self, data: str, options: Mapping[str, Any]) -> bool:
        return sources.is_at_hand(data, **options)

    def installed(self, selector: str) -> bool:
        return selector not in SELECTORS or not SELECTORS[selector].missing()


HERE = ThisMachine()
