"""Every data source by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diffoci.data import acs, bank, student, table, uci
from diffoci.data.dataset import Dataset
from diffoci.data.download import Progress
from diffoci.data.fetch import DataUnavailable, LocalFile, RemoteFile, fetch, locate


@dataclass(frozen=True)
class Source:
    """What can be loaded under one name.

    Parameters
    ----------
    sensitive : tuple of str
        Attributes that can be chosen; the first `default_sensitive` are used when none is.
    options : mapping of str to str
        Keyword options of `load` beyond `sensitive` and `drop`, each in words.
    twin : bool
        Whether there is a simulated twin for use with no network.
    """

    name: str
    title: str
    summary: str
    sensitive: tuple[str, ...] = ()
    default_sensitive: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    twin: bool = False


_ACS_OPTIONS = {
    "state": "postal code, several with commas, or all (AL)",
    "year": "2014 to 2024 (2018)",
    "horizon": "1-Year or 5-Year (1-Year)",
    "race": "grouped or recorded (grouped)",
    "paper_ages": "only ages 16 to 90",
}
_TWINS = ("acs-income", "acs-employment", "bank", "student")


def _acs_source(name: str) -> Source:
    from_task = {
        "acs-income": ("sex", "race", "age", "marital"),
        "acs-employment": tuple(acs.attributes("grouped")),
        "acs-public-coverage": tuple(acs.attributes("grouped")),
        "acs-mobility": tuple(acs.attributes("grouped")),
        "acs-travel-time": ("sex", "race", "age", "marital", "citizenship", "disability"),
    }
    options = dict(_ACS_OPTIONS)
    if name == "acs-income":
        options["threshold"] = "income in dollars that counts as high (50000)"
    task = acs.TASKS[name]
    summary = f"U.S. census records, task {task.problem} of folktables"
    return Source(name, task.title, summary, from_task[name], acs.DEFAULT_SENSITIVE, options, twin=name in _TWINS)


def _uci_source(name: str) -> Source:
    if name == "breast-cancer":
        return Source(name, "Breast Cancer Wisconsin", "569 tumours, 30 features; ships with scikit-learn")
    entry = uci.SETS[name]
    rows, columns = entry.shape
    return Source(name, entry.title, f"{rows:,} rows, {columns:,} features, for feature selection")


_SOURCES = (
    Source(
        "student",
        student.TITLE,
        "grades at two Portuguese schools; label: final grade of 12 or more",
        tuple(student.ATTRIBUTES),
        student.DEFAULT_SENSITIVE,
        {"subject": "mat or por (mat)", "grades": "keep the grades of the first two periods"},
        twin=True,
    ),
    Source(
        "bank",
        bank.TITLE,
        "calls of a Portuguese bank; label: subscribed a term deposit",
        tuple(bank.ATTRIBUTES),
        bank.DEFAULT_SENSITIVE,
        {"duration": "keep the length of the call, as the paper does"},
        twin=True,
    ),
    *map(_acs_source, acs.TASKS),
    *map(_uci_source, uci.NAMES),
    Source(
        "truth",
        "Known truth",
        "generated data whose leakage is known by construction",
        ("group",),
        ("group",),
        {"rows": "number of rows", "seed": "of the random draw"},
    ),
)


def list_sources() -> tuple[Source, ...]:
    """Return every source that `load` knows; your own file is ``csv:PATH``."""
    return _SOURCES


def source_named(name: str) -> Source:
    """Return one source by name."""
    for source in _SOURCES:
        if source.name == name:
            return source
    names = ", ".join(source.name for source in _SOURCES)
    raise ValueError(f"'{name}' is not a data source; choose from {names}, or csv:PATH for your own file.")


def load(
    name: str,
    *,
    sensitive: str | Sequence[str] | None = None,
    twin: bool = False,
    drop: Sequence[str] = (),
    **options: Any,
) -> Dataset:
    """Load a source by name.

    Parameters
    ----------
    name : str
        One of `list_sources`, or ``csv:PATH``.
    sensitive : str or sequence of str, optional
        Attributes to audit; each source has its own default.
    twin : bool, default=False
        Load the simulated twin, which needs no file and no network.
    drop : sequence of str
        Features to leave out.
    **options
        Of the source, see `Source.options`; of ``csv:PATH``, see `diffoci.data.table.load_table`.

    Examples
    --------
    >>> load("breast-cancer").features.shape
    (569, 30)
    """
    drop = (drop,) if isinstance(drop, str) else tuple(drop)
    if name.startswith("csv:"):
        if twin:
            raise ValueError("There is no simulated twin of your own file; load it without twin.")
        if "label" not in options:
            raise ValueError("Your own file needs a label: name the column to predict.")
        return _called(table.load_table, name, name[4:], sensitive=sensitive, drop=drop, **options)
    source = source_named(name)
    if twin:
        return _load_twin(source, sensitive, options).without(drop)
    if source.name == "truth":
        return _load_truth(sensitive, options).without(drop)
    try:
        return _load_real(source, sensitive, options).without(drop)
    except DataUnavailable as problem:
        if not source.twin:
            raise
        advice = " Or use its simulated twin: twin=True, on the command line --twin."
        raise DataUnavailable(problem.file, problem.reason, folder=problem.folder, advice=advice) from problem


def _load_real(source: Source, sensitive: str | Sequence[str] | None, options: Mapping[str, Any]) -> Dataset:
    name = source.name
    if name in acs.TASKS:
        return _called(acs.load_acs, name, name, sensitive=sensitive, **options)
    if name == "bank":
        return _called(bank.load_bank, name, sensitive=sensitive, **options)
    if name == "student":
        return _called(student.load_student, name, sensitive=sensitive, **options)
    if sensitive:
        raise ValueError(f"{source.title} has no sensitive attribute.")
    return _called(uci.load_uci, name, name, **options)


def _called(loader: Callable[..., Dataset], name: str, *arguments: Any, **options: Any) -> Dataset:
    """Call a loader, refusing options it does not have in words and not with a traceback."""
    known = loader.__kwdefaults__ or {}
    for option in options:
        if option not in known and option != "label":
            choices = ", ".join(key for key in known if key != "sensitive") or "none"
            raise ValueError(f"{name} has no option '{option}'; its options are {choices}.")
    return loader(*arguments, **options)


def _load_twin(source: Source, sensitive: str | Sequence[str] | None, options: Mapping[str, Any]) -> Dataset:
    if not source.twin:
        raise ValueError(f"{source.title} has no simulated twin; there are twins of {', '.join(_TWINS)}.")
    from diffoci.data.twins import load_twin

    # A twin stands for one place and year; asking for another must work with no network, and be said.
    ignored = _only(options, "state", "year", "horizon")
    taken = {key: value for key, value in options.items() if key not in ignored}
    data = load_twin(source.name, sensitive=sensitive, **taken)
    if not ignored:
        return data
    return data.noting(f"A twin stands for one place and year: {', '.join(ignored)} make no difference to it.")


def _load_truth(sensitive: str | Sequence[str] | None, options: Mapping[str, Any]) -> Dataset:
    from diffoci.data.truth import make_truth

    known = make_truth.__kwdefaults__ or {}
    for option in options:
        if option not in known:
            raise ValueError(f"truth has no option '{option}'; its options are {', '.join(known)}.")
    data = make_truth(**options).dataset
    names = (sensitive,) if isinstance(sensitive, str) else sensitive or ()
    for name in names:
        if name not in data.sensitive:
            raise ValueError(f"'{name}' is not a sensitive attribute of {data.title}; it has 'group'.")
    return data


def _only(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: options[name] for name in names if name in options}


def published_files(name: str, /, **options: Any) -> tuple[RemoteFile, ...]:
    """Return the files a source is published in, for fetching or for putting them in place by hand."""
    source_named(name)
    if name in acs.TASKS:
        return acs.files(**_only(options, "state", "year", "horizon"))
    if name == "bank":
        return bank.files()
    if name == "student":
        return student.files(**_only(options, "subject"))
    return uci.files(name) if name in uci.NAMES else ()


def fetch_source(name: str, *, progress: Progress | None = None, **options: Any) -> tuple[LocalFile, ...]:
    """Make sure the files of a source are on this machine."""
    return tuple(fetch(file, progress=progress) for file in published_files(name, **options))


def is_at_hand(name: str, /, **options: Any) -> bool:
    """Say whether a source can be loaded with no network."""
    if name in acs.TASKS and acs.derived_file(name, **_only(options, "state", "year", "horizon")):
        return True
    return all(locate(file) is not None for file in published_files(name, **options))
