"""Every data source by its name: this package's, and those that other packages add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from diffoci import plugins
from diffoci.data import acs, bank, berkeley, compas, lender, student, uci
from diffoci.data._attributes import names_of
from diffoci.data.dataset import Dataset
from diffoci.data.fetching.files import DataUnavailable, LocalFile, RemoteFile, fetch, paths_of
from diffoci.data.known import Known
from diffoci.data.raw_table import RawTable
from diffoci.data.source import Example, Source
from diffoci.data.tables import table
from diffoci.data.truth import source as truth
from diffoci.plain_text import can_be_shown, with_replacements

_SCORED = (berkeley.SOURCE, compas.SOURCE, lender.SOURCE)  # made for audits of a model's scores
_OURS = (student.SOURCE, bank.SOURCE, *acs.SOURCES, *uci.SOURCES, *_SCORED, table.SOURCE, truth.SOURCE)
_OUR_NAMES = frozenset(source.name for source in _OURS)


def list_sources() -> tuple[Source, ...]:
    """Return every source that there is, in the order of lists and forms."""
    added = plugins.load_all(plugins.SOURCES, Source)
    return (*_OURS, *(source for name, source in added.items() if name not in _OUR_NAMES))


def list_examples() -> tuple[tuple[Source, Example], ...]:
    """Return the sources that have a first audit to show, the one to begin with first."""
    found = [(source, source.example) for source in list_sources() if source.example is not None]
    return tuple(sorted(found, key=lambda one: one[1].place))


def list_entries() -> dict[str, tuple[Source, ...]]:
    """Return the sources that can be audited by the entry of the form they belong to."""
    entries: dict[str, tuple[Source, ...]] = {}
    for source in list_sources():
        if source.sensitive or source.takes_file:
            entries[source.entry.name] = (*entries.get(source.entry.name, ()), source)
    return entries


def source_of(data: str) -> Source:
    """Return the source of data as a specification names them: "student", "csv:PATH".

    Examples
    --------
    >>> source_of("bank").title
    'Bank Marketing'
    """
    name, sign, _ = data.partition(":")
    for source in list_sources():
        if source.name == name and source.takes_file == bool(sign):
            return source
    names = ", ".join(source.name for source in list_sources() if not source.takes_file)
    files = " or ".join(source.at("PATH") for source in list_sources() if source.takes_file)
    raise ValueError(f"'{data[:60]}' is not a data source; choose from {names}, or {files} for your own file.")


def find_source(data: str) -> Source | None:
    """Return the source of data, or None where this installation does not have it."""
    try:
        return source_of(data)
    except ValueError:
        return None


def takes_file(data: str) -> bool:
    """Say whether data lie in a file of the user.

    >>> takes_file("csv:people.csv"), takes_file("student")
    (True, False)
    """
    source = find_source(data)
    return source is not None and source.takes_file


def location_of(data: str) -> str:
    """Return the file that data are named together with; empty where they are not."""
    return data.partition(":")[2]


def load(
    data: str,
    /,
    *,
    sensitive: str | Sequence[str] | None = None,
    twin: bool = False,
    drop: str | Sequence[str] = (),
    **options: Any,
) -> Dataset:
    """Load data by the name of their source.

    Parameters
    ----------
    data : str
        One of `list_sources`, or ``csv:PATH``.
    sensitive : str or sequence of str, optional
        Attributes to audit; each source has its own default.
    twin : bool, default=False
        Load the simulated twin, which needs no file and no network.
    drop : str or sequence of str
        Features to leave out.
    **options
        Of the source, see `Source.options`.

    Examples
    --------
    >>> load("breast-cancer").features.shape
    (569, 30)
    """
    source = source_of(data)
    loader = source.twin if twin else source.load
    if loader is None:
        names = ", ".join(one.name for one in list_sources() if one.twin)
        raise ValueError(f"{source.title} has no simulated twin; there are twins of {names}.")
    source.check_options(options, twin=twin)
    drop = (drop,) if isinstance(drop, str) else tuple(drop)
    given = source.filled_in(options, twin=twin)
    if source.sensitive or source.takes_file or sensitive:
        given["sensitive"] = _attributes(source, sensitive)
    if source.takes_file:
        return loader(location_of(data), drop=drop, **given)
    found = _with_advice(source, loader, given).without(drop)
    ignored = ", ".join(name for name in options if name not in given)
    return (
        found.noting(f"A twin stands for one place and year: {ignored} make no difference to it.") if ignored else found
    )


def load_table(data: str, /, **options: Any) -> RawTable:
    """Load all columns of a source as they are.

    Examples
    --------
    >>> load_table("berkeley").table.num_rows
    4526
    """
    source = source_of(data)
    if source.table is None:
        names = ", ".join(one.at("PATH") if one.takes_file else one.name for one in list_sources() if one.table)
        raise ValueError(f"{source.title} has no scores or decisions of a model; choose from {names}.")
    source.check_options(options, twin=False)
    try:
        return source.table(*((location_of(data),) if source.takes_file else ()), **options)
    except TypeError as problem:
        given = ", ".join(f"{name} = {value!r}" for name, value in options.items())
        raise ValueError(f"An option of {data} is not one of its table: {given}.") from problem


def _attributes(source: Source, sensitive: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the attributes asked for, or else the default ones; refuse those that the source does not have."""
    names = names_of(sensitive, default=source.default_sensitive)
    wrong = [] if source.takes_file else [name for name in names if name not in source.sensitive]
    if wrong and not source.sensitive:
        raise ValueError(f"{source.title} has no sensitive attribute.")
    if wrong:
        known = ", ".join(source.sensitive)
        raise ValueError(f"'{wrong[0]}' is not a sensitive attribute of {source.title}; choose from {known}.")
    return names


def _with_advice(source: Source, loader: Callable[..., Dataset], given: Mapping[str, Any]) -> Dataset:
    """Load, and where the published files cannot be had say what else there is."""
    try:
        return loader(**given)
    except DataUnavailable as problem:
        if source.twin is None:
            raise
        advice = " Or use its simulated twin: twin=True, on the command line --twin."
        raise DataUnavailable(problem.file, problem.reason, folder=problem.folder, advice=advice) from problem


def published_files(data: str, /, **options: Any) -> tuple[RemoteFile, ...]:
    """Return the files a source is published in, for fetching or for putting them in place by hand."""
    return source_of(data).published(options)


def fetch_source(
    data: str, /, *, progress: Callable[[str, int, int | None], None] | None = None, **options: Any
) -> Iterator[LocalFile]:
    """Make sure that the files of a source are on this machine, one after the other.

    `progress` gets the name of what is downloaded, how many bytes of it arrived, and of how many.
    """
    for file in published_files(data, **options):
        yield fetch(file, progress=None if progress is None else partial(progress, file.archive_name))


def files_read(data: str, options: Mapping[str, Any], *, twin: bool) -> tuple[Path, ...]:
    """Return the files that data are read from, wherever on this machine they may lie."""
    source = find_source(data)
    if source is None or twin:
        return ()
    if source.takes_file:
        return (Path(location_of(data)),)
    return tuple(path for file in source.published(options) for path in paths_of(file))


def is_at_hand(data: str, /, *, twin: bool = False, **options: Any) -> bool:
    """Say whether data can be loaded with no network."""
    source = source_of(data)
    return twin or source.at_hand(options)


def describe(data: str, options: Mapping[str, Any], *, twin: bool) -> str:
    """Name data from their options alone; those of a source that is not here by what the specification calls them.

    >>> describe("acs-income", {"year": 2017}, twin=False), describe("csv:a/people.csv", {}, twin=False)
    ('ACS income, AL 2017', 'people.csv')
    """
    source = find_source(data)
    return data if source is None else source.describe(location_of(data), options, twin=twin)


def outcome_of(data: str, options: Mapping[str, Any], *, twin: bool) -> str:
    """Name the label of data from their options alone; empty where the source does not say.

    >>> outcome_of("student", {}, twin=True), outcome_of("csv:a/people.csv", {"label": "approved"}, twin=False)
    ('final grade of 12 or more', 'approved')
    """
    source = find_source(data)
    try:
        return "" if source is None else source.outcome(source.filled_in(options, twin=twin))
    except (ValueError, TypeError):  # options that loading would refuse
        return ""


def is_simulated(data: str, *, twin: bool) -> bool:
    """Say whether nobody in the data is real; data of a source that is not here may be of people."""
    source = find_source(data)
    return twin if source is None else source.is_simulated(twin)


def known_truth(data: str, options: Mapping[str, Any], *, twin: bool = False) -> Known | None:
    """Return what is known of generated data by construction; None of all others.

    >>> known = known_truth("truth", {"variance": 0})
    >>> known.leaking, round(known.columns[0].auc, 2)
    (('linear', 'interaction_a', 'interaction_b'), 0.76)
    """
    source = find_source(data)
    if source is None or source.known is None or twin:
        return None
    return source.known(drop=options.get("drop", ()), **source.filled_in(options, twin=False))


def resolved(data: str, *, beside: Path | None = None) -> str:
    """Name a file of the user whole, so that it is the same from wherever it is read again."""
    if not takes_file(data):
        return data
    path = str(((beside or Path()) / Path(location_of(data)).expanduser()).resolve())
    if not can_be_shown(path) or any(ord(sign) < 32 for sign in path):
        raise ValueError(
            f"The path {with_replacements(path[:200])} is too long or has signs that cannot be shown; rename the"
            " file or its folder."
        )
    return source_of(data).at(path)


def portable(data: str) -> str:
    """Name data as another machine may have them: a file of the user without its folders.

    >>> portable("csv:/home/ann/people.csv"), portable("student")
    ('csv:people.csv', 'student')
    """
    if not takes_file(data):
        return data
    return source_of(data).at(PurePath(location_of(data).replace("\\", "/")).name)


def check_portable(data: str, options: Mapping[str, Any], *, twin: bool) -> None:
    """Refuse, in a sentence, data that a stranger's specification cannot ask for."""
    source = find_source(data)
    if source is None:
        raise ValueError(f"The audit is of {data[:60]!r}, a source that this installation does not have.")
    if source.takes_file and not _is_bare_name(location_of(data)):
        raise ValueError("The audit names a file of this machine by its path; a shared audit names it without.")
    source.check_options(options, twin=twin)


def _is_bare_name(name: str) -> bool:
    return name not in ("", ".", "..") and not any(sign in "/\\" or ord(sign) < 32 for sign in name)


def check_local(data: str) -> None:
    """Refuse a file named without its folder: an audit from another machine names it so.

    No file that happens to lie here may be taken for it.
    """
    if takes_file(data) and not Path(location_of(data)).is_absolute():
        raise ValueError("The data of this audit are not on this machine; it was opened without them.")
