"""Options of data sources on the command line: a flag for some, ``--option NAME=VALUE`` for any."""

from __future__ import annotations

import argparse
import contextlib
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from diffoci.data.source import Option, Source
from diffoci.data.sources import list_sources

_DEST = "option_"


def add_source_options(parser: argparse.ArgumentParser, wanted: Callable[[Option], bool]) -> None:
    """Add a flag for every option of a source that is wanted, whichever sources have it."""
    group = parser.add_argument_group("of the source")
    declared: dict[str, list[tuple[Source, Option]]] = {}
    for source in list_sources():
        for option in filter(wanted, source.options):
            declared.setdefault(option.name, []).append((source, option))
    for name, ones in declared.items():
        option = ones[0][1]
        who = dict.fromkeys("twins" if one.rows == "twin" else source.entry.name for source, one in ones)
        words = f"{', '.join(who)}: {option.described()}".replace("%", "%%")
        action = argparse.BooleanOptionalAction if option.default else "store_true"
        switch = {"action": action, "default": None}
        value: dict[str, Any] = switch if option.kind == "flag" else {"metavar": name.upper()}
        # A name that the command has itself, which only another package can choose, is given by --option.
        with contextlib.suppress(argparse.ArgumentError):
            group.add_argument(f"--{name.replace('_', '-')}", dest=f"{_DEST}{name}", help=words, **value)


def add_any_option(parser: argparse.ArgumentParser) -> None:
    """Add the flag by which any option can be given."""
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="any option of the source")


def given_options(arguments: argparse.Namespace, source: Source) -> dict[str, Any]:
    """Read the options that were given, by the kinds that the source declares; it is the source that checks them."""
    given = {name: _parsed(source, name, value) for name, value in given_flags(arguments).items()}
    for name, text in split_assignments(getattr(arguments, "option", ())).items():
        option, value = source.option(name), read_value(text)
        given[name] = value if option is None or option.allows(value) else option.parse(text)
    return given


def given_flags(arguments: argparse.Namespace) -> dict[str, Any]:
    """What was given by a flag of its own, as it was written."""
    flags = {name.removeprefix(_DEST): value for name, value in vars(arguments).items() if name.startswith(_DEST)}
    return {name: value for name, value in flags.items() if value is not None}


def _parsed(source: Source, name: str, value: Any) -> Any:
    option = source.option(name)
    return value if option is None or not isinstance(value, str) else option.parse(value)


def split_assignments(texts: Sequence[str]) -> dict[str, str]:
    """Split NAME=VALUE.

    >>> split_assignments(["rows=300", "positive=a=b"])
    {'rows': '300', 'positive': 'a=b'}
    """
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise ValueError(f"'{text}' is not of the form NAME=VALUE.")
        values[name] = value
    return values


def read_value(text: str) -> Any:
    """Read a number, true, false, a list or a table as in TOML; anything else is a text.

    >>> read_value("0.5"), read_value('{age = "nominal"}'), read_value("plain")
    (0.5, {'age': 'nominal'}, 'plain')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
