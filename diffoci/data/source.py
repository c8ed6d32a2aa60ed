"""Source: what a data source is, declared once. Whatever lists, asks for, checks, loads or names one reads it here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from diffoci.data._option import DROP, Option
from diffoci.data.dataset import Dataset
from diffoci.data.fetching.files import RemoteFile, locate
from diffoci.data.known import Known
from diffoci.data.raw_table import RawTable
from diffoci.data.twins.recipe import Origin

__all__ = ["Card", "Example", "Family", "Option", "Source"]


@dataclass(frozen=True)
class Card:
    """How the home page offers a source; those with a lower `place` come first."""

    icon: str
    text: str
    button: str = "Look at it"
    place: int = 100


@dataclass(frozen=True)
class Example:
    """A quick audit of half a minute that the home page starts with one click; the first has the lowest `place`.

    `button` says what is audited, `shows` what there is to see; a twin is drawn where the real rows are not at hand.
    Without `repetitions` there are as many as its rows have by default.
    """

    button: str
    shows: str
    options: Mapping[str, Any] = field(default_factory=dict)
    repetitions: int | None = None
    place: int = 100


@dataclass(frozen=True)
class Family:
    """One entry of the form; where several sources share it, `choice` is what it asks to tell them apart."""

    name: str
    title: str
    choice: str = ""


@dataclass(frozen=True, kw_only=True)
class Source:
    """What can be loaded under one name.

    Parameters
    ----------
    name : str
        What the command line and a specification call it.
    title, summary : str
        What a reader calls it, and what is in it.
    load : callable
        Gets every option by its name, and as `sensitive` the attributes to audit, where the source has any; returns a
        `Dataset`. A source that takes a file gets its path first, and the columns to `drop`.
    options : tuple of Option
    sensitive, default_sensitive : tuple of str
        Attributes that can be chosen, and those that are where nobody chooses.
    licence, citation : str
        Of the published data.
    simulated : bool
        Nobody in it is real.
    takes_file : bool
        It is named together with a file of the user, as in "csv:PATH".
    files : callable
        Gets the options that are a place; returns the published files that hold these rows.
    stands_in : callable, optional
        Gets the same; says whether something else on this machine can be read for want of those files.
    twin : callable, optional
        Like `load`, for the simulated twin, which needs no file and no network.
    origins : tuple of Origin
        What the twin is fitted to.
    known : callable, optional
        Of generated data: gets every option by its name and the columns to `drop`; returns what is `Known` by
        construction, which pages show beside what was found.
    subtitle : callable
        Gets the options; says in a few words which rows they are.
    outcome : callable
        Gets the options; names the label, so that lists can without loading the data. Empty where it cannot.
    family : Family, optional
        The entry of the form, where several sources share one; `member` is the name of this one there.
    card : Card, optional
        On the home page.
    example : Example, optional
        On the home page.
    table : callable, optional
        Gets the options that are given; returns all columns as they are, for the audit of a model's scores. A source
        that takes a file gets its path first.
    roles : mapping
        What its columns are in such an audit, unless the user says otherwise.

    Examples
    --------
    >>> from diffoci.data.sources import source_of
    >>> source_of("student").describe("", {"subject": "por"}, twin=False)
    'Student Performance, Portuguese'
    """

    name: str
    title: str
    summary: str
    load: Callable[..., Dataset]
    options: tuple[Option, ...] = ()
    sensitive: tuple[str, ...] = ()
    default_sensitive: tuple[str, ...] = ()
    licence: str = "not stated"
    citation: str = ""
    simulated: bool = False
    takes_file: bool = False
    files: Callable[..., tuple[RemoteFile, ...]] = lambda **_: ()
    stands_in: Callable[..., bool] = lambda **_: False
    twin: Callable[..., Dataset] | None = None
    origins: tuple[Origin, ...] = ()
    known: Callable[..., Known] | None = None
    subtitle: Callable[[Mapping[str, Any]], str] = lambda _: ""
    outcome: Callable[[Mapping[str, Any]], str] = lambda _: ""
    family: Family | None = None
    member: str = ""
    card: Card | None = None
    example: Example | None = None
    table: Callable[..., RawTable] | None = None
    roles: Mapping[str, Any] = field(default_factory=dict)

    @property
    def entry(self) -> Family:
        """The entry of the form that it belongs to, which may be its own."""
        return self.family or Family(self.name, self.title)

    def option(self, name: str) -> Option | None:
        """Return one option by name, or None where the source does not have it."""
        return next((option for option in (*self.options, DROP) if option.name == name), None)

    def at(self, location: object) -> str:
        """Name the data in a file as a specification does."""
        return f"{self.name}:{location}"

    def filled_in(self, options: Mapping[str, Any], *, twin: bool) -> dict[str, Any]:
        """Return a value for every option that makes a difference to the rows: what is given, or else the default."""
        known = [option for option in self.options if option.applies(twin=twin)]
        return {option.name: options.get(option.name, option.default) for option in known}

    def place_of(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return those options that decide which published file is read, the defaults of others included."""
        place = {option.name: options.get(option.name, option.default) for option in self.options if option.place}
        self.check_options(place, twin=False)
        return place

    def published(self, options: Mapping[str, Any]) -> tuple[RemoteFile, ...]:
        """Return the files these rows are published in."""
        return self.files(**self.place_of(options))

    def at_hand(self, options: Mapping[str, Any]) -> bool:
        """Say whether the real rows can be loaded with no network."""
        place = self.place_of(options)
        return self.stands_in(**place) or all(locate(file) is not None for file in self.files(**place))

    def is_simulated(self, twin: bool) -> bool:
        """Say whether nobody in the rows is real."""
        return twin or self.simulated

    def describe(self, location: str, options: Mapping[str, Any], *, twin: bool) -> str:
        """Name the data from their options alone, without loading them."""
        if self.takes_file:
            return PurePath(location).name
        return ", ".join(filter(None, (self.title, self.subtitle(self.filled_in(options, twin=twin)))))

    def taken(self, *, twin: bool) -> dict[str, Option]:
        """Return the options that can be given, by name.

        A twin stands for one place: naming another is no mistake, and makes no difference.
        """
        known = [option for option in self.options if option.applies(twin=twin) or (twin and option.place)]
        return {option.name: option for option in (*known, DROP)}

    def check_options(self, options: Mapping[str, Any], *, twin: bool) -> None:
        """Refuse, in a sentence, options that the source does not have and values that they cannot have."""
        taken = self.taken(twin=twin)
        for name, value in options.items():
            if name not in taken:
                who = f"The simulated twin of {self.name}" if twin else self.name
                names = ", ".join(option.name for option in self.options if option.applies(twin=twin))
                rest = f"its options are {names}" if names else "it takes none"
                raise ValueError(f"{who} has no option '{name[:40]}'; {rest}.")
            taken[name].check(value)

    def check_complete(self, options: Mapping[str, Any]) -> None:
        """Refuse, in a sentence, to audit without an option that an audit needs."""
        for option in self.options:
            if option.required and option.name not in options:
                raise ValueError(f"{self.title} needs the option '{option.name}': {option.words}.")
