"""Kinds of settings: what values each takes, and what a sentence says of one it does not take.

A kind's `problem` is the rest of a sentence that begins with the setting's name; None where a value is possible. Every
number has limits on both sides: values come from files and strangers, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_LONGEST = 60  # letters of a value in a sentence


@dataclass(frozen=True)
class Number:
    """A number between two limits; `above` and `below` leave the limit itself out.

    It may be none, too, where `none` says what that means.
    """

    least: float
    most: float
    whole: bool = False
    above: bool = False
    below: bool = False
    none: str = ""

    @property
    def words(self) -> str:
        """What it takes.

        >>> Number(0, 1, below=True).words, Number(1, 10_000, whole=True, none="all rows").words
        ('a number from 0 to below 1', 'a whole number from 1 to 10,000, or none')
        """
        first = f"above {_said(self.least)} and up" if self.above else f"from {_said(self.least)}"
        last = f"to {'below ' if self.below else ''}{_said(self.most)}{', or none' if self.none else ''}"
        return f"a {'whole ' if self.whole else ''}number {first} {last}"

    def problem(self, value: Any) -> str | None:
        return None if self.takes(value) else _must_be(self.words, value)

    def takes(self, value: Any) -> bool:
        """Say whether a value is possible."""
        if value is None:
            return bool(self.none)
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        inside = self.least <= value <= self.most
        return inside and not (self.above and value == self.least) and not (self.below and value == self.most)


@dataclass(frozen=True)
class Numbers:
    """A list of at most so many numbers; `distinct` where none may stand in it twice. `noun` is what one is called."""

    each: Number
    most: int
    may_be_empty: bool = False
    distinct: bool = False
    noun: str = "number"

    def problem(self, value: Any) -> str | None:
        words = f"a list of {'whole ' if self.each.whole else ''}numbers"
        if not _is_list(value):
            return _must_be(words, value)
        if not value and not self.may_be_empty:
            return f"must have at least one {self.noun}"
        if len(value) > self.most:
            return f"must have at most {self.most} {self.noun}s, not {len(value):,}"
        if not all(map(self.each.takes, value)):
            return _must_be(f"{words}, each {self.each.words}", value)
        # As they are told apart in names of files and on axes.
        if self.distinct and len({f"{one:g}" for one in value}) < len(value):
            return f"has the same {self.noun} twice: {shown(value)}"
        return None


@dataclass(frozen=True)
class Shares:
    """So many shares of a whole, each above 0."""

    counts: tuple[int, ...]
    words: str

    def problem(self, value: Any) -> str | None:
        share = Number(0, 1, above=True, below=True)
        shares = _is_list(value) and len(value) in self.counts and all(map(share.takes, value))
        return None if shares and abs(sum(value) - 1) < 1e-9 else _must_be(self.words, value)


@dataclass(frozen=True)
class Choice:
    """One of a few words; `titles` are what they are called on a page, `explained` what they mean."""

    titles: Mapping[str, str]
    explained: Mapping[str, str] = field(default_factory=dict)

    def problem(self, value: Any) -> str | None:
        known = isinstance(value, str) and value in self.titles
        return None if known else _must_be(f"one of {', '.join(self.titles)}", value)


Kind = Number | Numbers | Shares | Choice


def shown(value: Any) -> str:
    """A value as a sentence has room for it."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _must_be(words: str, value: Any) -> str:
    return f"must be {words}, not {shown(value)}"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _said(value: float) -> str:
    return f"{value:,}" if abs(value) >= 10_000 else f"{value:g}"
