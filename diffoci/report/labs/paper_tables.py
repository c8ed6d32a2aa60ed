"""Tables of the paper beside ours, as one HTML file that carries the results of their runs; read and checked again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import asdict, replace

from diffoci.audit.kinds import Stored, Text
from diffoci.labs.feature_selection.selectors import SELECTORS
from diffoci.labs.reading import read_checked
from diffoci.labs.reproducible import Preset, Reproduced
from diffoci.labs.tables import TABLES
from diffoci.report._document import Document
from diffoci.report.checks.agreement import Pair, compare_pairs
from diffoci.report.checks.check import Check, check_digest, check_shown
from diffoci.report.labs.beside_paper import row_blocks
from diffoci.report.labs.known import LAB_REPORTS
from diffoci.report.writing.blocks import Block, Code, Points, Section, Words
from diffoci.report.writing.embedded import Embedded, embed, public, read_embedded
from diffoci.report.writing.page import page
from diffoci.runs.study import Result

PAPER_TABLES = "paper-tables"


class TableRuns(Stored, frozen=True, kw_only=True):
    """One table: its name, what is left out of it and why, and the results of its runs in the order of its plan."""

    name: Text
    notes: Annotated[tuple[Text, ...], Meta(max_length=50)]
    runs: Annotated[tuple[dict[str, Any], ...], Meta(max_length=50)]


class PaperTables(Result, frozen=True, kw_only=True):
    """Everything that the page follows from."""

    preset: Preset
    tables: Annotated[tuple[TableRuns, ...], Meta(min_length=1, max_length=50)]


def paper_page(done: Sequence[Reproduced], *, preset: Preset) -> str:
    """Write the file: a section for every table, with a picture and a table for every data set in it."""
    tables = tuple(
        TableRuns(name=one.table.name, notes=one.notes, runs=tuple(_public(result) for result in one.results))
        for one in done
    )
    return _written(PaperTables(study=PAPER_TABLES, preset=preset, tables=tables))


def _public(result: Any) -> dict[str, Any]:
    shared: Any = public(result, LAB_REPORTS[result.study].study.portable(result.spec))
    plain: dict[str, Any] = msgspec.to_builtins(shared)
    return plain


def _written(tables: PaperTables) -> str:
    document = Document(
        title="The paper's tables, run again",
        kicker="difFOCI",
        simulated=False,
        sections=tuple(_section(one, tables.preset) for one in tables.tables),
    )
    return page(document, embedded=embed(tables, created=None))


def _section(one: TableRuns, preset: Preset) -> Section:
    return Section(TABLES[one.name].title, tuple(_blocks(one, preset)))


def _blocks(one: TableRuns, preset: Preset) -> Iterator[Block]:
    table = TABLES[one.name]
    yield Words(table.about)
    yield from row_blocks(table.rows(_results(one)))
    if one.notes:
        yield Points(one.notes)
    yield Code(f"python -m diffoci reproduce {table.name} --preset {preset}")


def _results(one: TableRuns) -> list[Any]:
    """The results of a table's runs, each read and checked by its study."""
    return [LAB_REPORTS[run["study"]].study.read_result(run, "The result.json in this page") for run in one.runs]


def runs_of(tables: PaperTables) -> Iterator[Any]:
    """The results of every run, table by table."""
    for one in tables.tables:
        yield from _results(one)


def read_paper_tables(report: str) -> Embedded[PaperTables]:
    """Read what a page carries, or say in a sentence what is wrong with it."""
    embedded = read_embedded(report, read_tables)
    for result in runs_of(embedded.result):
        LAB_REPORTS[result.study].study.check_portable(result.spec)
    return embedded


def read_tables(content: Mapping[str, Any], name: str) -> PaperTables:
    """Return the tables that plain values hold, or say in a sentence which entry of them is wrong."""
    return read_checked(content, PaperTables, _problems, name)


def _problems(tables: PaperTables) -> Iterator[str]:
    names = [one.name for one in tables.tables]
    if not set(names) <= set(TABLES) or len(set(names)) < len(names):
        yield "it has a table that the paper has not, or one twice"
    if tables.failures:
        yield "a page of tables has no parts that failed"
    for one in tables.tables:
        if any(not isinstance(run.get("study"), str) or run["study"] not in LAB_REPORTS for run in one.runs):
            yield "one of its runs is of another study"


def check_paper_tables(text: str, embedded: Embedded[PaperTables]) -> list[Check]:
    """Whether what a reader sees follows from the results, they from their repetitions, and none is missing."""
    try:
        rebuilt = _written(embedded.result)
        arithmetic = compare_pairs(_worked_out(embedded.result))
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError):
        raise ValueError("The result in this page is damaged: parts of it make no sense together.") from None
    words = f"{arithmetic.compared:,} numbers and words worked out from repetitions"
    return [check_shown(text, rebuilt, embedded), Check("arithmetic", arithmetic, words), check_digest(embedded)]


def _worked_out(tables: PaperTables) -> Iterator[Pair]:
    for one in tables.tables:
        results = _results(one)
        for k, result in enumerate(results):
            for where, stated, found in LAB_REPORTS[result.study].worked_out(result):
                yield f"{one.name}, run {k + 1} › {where}", stated, found
        plan = TABLES[one.name].plan(tables.preset, _Stated([result.spec for result in results]))
        asked = [(run.study.name, run.study.portable(run.spec)) for run in plan.asked]
        yield f"{one.name} › notes", one.notes, plan.notes
        stated = [(result.study, result.spec) for result in results]
        yield f"{one.name} › runs", [_named(*run) for run in stated], [_named(*run) for run in asked]


def _named(study: str, spec: Any) -> tuple[str, Any]:
    return study, msgspec.to_builtins(replace(spec, device=""))


class _Stated:
    """What the machine had that the page was made on, as its runs say: a plan on it must have asked for just them."""

    def __init__(self, specs: Sequence[Any]) -> None:
        self._data = [one for spec in specs for one in _data_of(asdict(spec))]
        self._selectors = {name for spec in specs for name in (*_names(spec, "methods"), *_names(spec, "columns"))}

    def has(self, data: str, options: Mapping[str, Any]) -> bool:
        """Whether a run is of these data's real rows."""
        return any(
            name == data and all(given.get(key, value) == value for key, value in options.items())
            for name, given in self._data
        )

    def installed(self, selector: str) -> bool:
        """Whether a run has the selector; one that needs no package is always there."""
        return selector in self._selectors or not _needs_package(selector)


def _names(spec: Any, entry: str) -> tuple[str, ...]:
    return tuple(getattr(spec, entry, ()))


def _data_of(spec: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The sources whose real rows a specification reads, with their options."""
    for domain in ("inside", "outside"):
        if domain in spec:
            yield from _data_of(asdict(spec[domain]))
    if spec.get("data") and not spec.get("twin"):
        yield spec["data"], spec.get("options", {})


def _needs_package(selector: str) -> bool:
    """Whether a selector is of a package that may be missing."""
    return selector in SELECTORS and bool(SELECTORS[selector].needs)
