"""Option: one choice that a data source leaves open, with its kind, limits and words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal, get_args

from diffoci.data.dataset import Kind
from diffoci.name_lists import split_names
from diffoci.plain_text import LONGEST_TEXT, can_be_shown

OptionKind = Literal["choice", "whole", "number", "flag", "text", "names", "kinds"]
MOST_NAMES = 1_000  # columns, the most that a table may have


@dataclass(frozen=True)
class Option:
    """One option of a source: the form, the command line and every check read it.

    Parameters
    ----------
    name : str
        The keyword under which `Source.load` gets it.
    kind : str
        "choice" (one of `choices`), "whole" or "number" (from `least` to `most`), "flag" (true or false), "text",
        "names" (a text, or a list of texts), or "kinds" (kinds of columns by their names).
    words : str
        What it is, in a phrase for the command line.
    default : object
        What holds where it is not given. None says that it may be left open.
    choices : mapping
        Values that the form offers, each in words; a "choice" has no others.
    required : bool
        An audit needs it; without it, data can only be looked at.
    title, help : str
        How the form asks for it, by its words unless said, and what it says about it.
    on_form : bool
        Whether the form asks for it, in the order of declaration.
    shown : pair of numbers, optional
        The range that the form offers, where it is not from `least` to `most`.
    step : number, optional
        The form has a field to type into, which steps by this; without it a number has a slider.
    flag : bool
        Whether ``diffoci audit`` has a flag of its own for it; any other is given by ``--option NAME=VALUE``.
    rows : {"both", "real", "twin"}
        Which rows it makes a difference to.
    place : bool
        It decides which of the published files is read.

    Examples
    --------
    >>> rows = Option("rows", "whole", "how many rows", default=400, least=2, most=1_000_000)
    >>> rows.check(1)
    Traceback (most recent call last):
    ValueError: The option 'rows' must be a whole number from 2 to 1,000,000, not 1.
    """

    name: str
    kind: OptionKind
    words: str = ""
    default: Any = None
    choices: Mapping[Any, str] = field(default_factory=dict)
    least: float | None = None
    most: float | None = None
    required: bool = False
    title: str = ""
    help: str = ""
    on_form: bool = True
    shown: tuple[float, float] | None = None
    step: float | None = None
    flag: bool = False
    rows: Literal["both", "real", "twin"] = "both"
    place: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(OptionKind):
            raise ValueError(f"The option '{self.name}' must be one of {', '.join(get_args(OptionKind))}.")

    @property
    def asked(self) -> str:
        """What the form calls it."""
        words = self.words or self.name
        return self.title or words[:1].upper() + words[1:]

    def applies(self, *, twin: bool) -> bool:
        """Say whether it makes a difference to the simulated twin, or to the real rows."""
        return self.rows in ("both", "twin" if twin else "real")

    def check(self, value: Any) -> None:
        """Refuse a value that cannot be, in a sentence."""
        if not self.allows(value):
            raise ValueError(f"The option '{self.name}' must be {self._wanted()}, not {_short(value)}.")

    def allows(self, value: Any) -> bool:
        """Say whether it can have this value."""
        if value is None:
            return self.default is None and not self.required
        return _ALLOWS[self.kind](self, value)

    def parse(self, text: str) -> Any:
        """Read the value of a command-line flag; what cannot be read is left for `check` to refuse.

        >>> Option("kinds", "kinds").parse('postcode=nominal,"a,b"=number')
        {'postcode': 'nominal', 'a,b': 'number'}
        """
        try:
            if self.kind in ("whole", "number"):
                return int(text) if self.kind == "whole" else float(text)
            if self.kind == "kinds":
                return _parsed_kinds(text)
        except ValueError:
            return text
        return next((value for value in self.choices if str(value) == text), text) if self.kind == "choice" else text

    def described(self) -> str:
        """Say what it is, what it can be, and what it is unless given.

        >>> Option("year", "whole", "year of the survey", default=2018, least=2014, most=2024).described()
        'year of the survey, a whole number from 2014 to 2024 (default 2018)'
        """
        limited = self.kind == "choice" or self.least is not None
        usual = "" if self.default in (None, False) else f" (default {_said(self.default)})"
        return ", ".join(filter(None, (self.words, self._wanted() if limited else ""))) + usual

    def _wanted(self) -> str:
        if self.kind == "choice":
            *others, last = map(str, self.choices)
            return f"{', '.join(others)} or {last}" if others else last
        if self.kind in ("whole", "number"):
            return ("a whole number" if self.kind == "whole" else "a number") + self._limits()
        return _WANTED[self.kind]

    def _limits(self) -> str:
        if self.least is None or self.most is None:
            return "" if self.least is None else f" of at least {_said(self.least)}"
        return f" from {_said(self.least)} to {_said(self.most)}"


def _parsed_kinds(text: str) -> dict[str, str]:
    """Read COLUMN=KIND, commas between; a column's name may hold the sign itself, a kind does not."""
    pairs = [name.rpartition("=") for name in split_names(_with_quotes_outside(text))]
    if text.startswith("{") or not all(sign for _, sign, _ in pairs):
        raise ValueError("A kind is not told of a column.")
    return {name: kind.strip() for name, _, kind in pairs}


def _with_quotes_outside(text: str) -> str:
    """Take what follows a quoted name into its quotes: names are split there."""
    return re.sub(r'"((?:[^"]|"")*)"=([\w ]*)', r'"\1=\2"', text)


def _is_choice(option: Option, value: Any) -> bool:
    return any(type(value) is type(known) and value == known for known in option.choices)


def _is_number(option: Option, value: Any) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole and (option.kind == "whole" or not isinstance(value, Real) or isinstance(value, bool)):
        return False
    number: Any = value
    least = -math.inf if option.least is None else option.least
    most = math.inf if option.most is None else option.most
    return least <= number <= most and (whole or math.isfinite(number))


def _is_text(_: Option, value: Any) -> bool:
    return isinstance(value, str) and can_be_shown(value)


def _are_names(option: Option, value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) <= MOST_NAMES and all(_is_text(option, name) for name in value)
    return _is_text(option, value)


def _are_kinds(option: Option, value: Any) -> bool:
    known = isinstance(value, Mapping) and len(value) <= MOST_NAMES
    return known and all(_is_text(option, name) and kind in get_args(Kind) for name, kind in value.items())


_ALLOWS = {
    "choice": _is_choice,
    "whole": _is_number,
    "number": _is_number,
    "flag": lambda _, value: isinstance(value, bool),
    "text": _is_text,
    "names": _are_names,
    "kinds": _are_kinds,
}
_WANTED = {
    "flag": "true or false",
    "text": f"a text of at most {LONGEST_TEXT:,} letters",
    "names": f"a name, or a list of at most {MOST_NAMES:,}",
    "kinds": f"a table that says for columns which of {', '.join(get_args(Kind))} they are (age=number,zip=nominal)",
}
# Features to leave out: of every source, so none declares it.
DROP = Option("drop", "names", "features to leave out", default=())


def _said(value: Any) -> str:
    large = isinstance(value, (int, float)) and abs(value) >= 10_000
    return f"{value:,.0f}" if large else f"{value}".removesuffix(".0")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
