"""LabReport: what the report of one lab shows, and what verify works out again of it; written and checked alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from diffoci.report._document import Document
from diffoci.report.checks.agreement import Pair, compare_pairs
from diffoci.report.checks.check import Check, check_again, check_digest, check_shown
from diffoci.report.writing.embedded import Embedded, embed, public, read_embedded
from diffoci.report.writing.page import page
from diffoci.runs.study import AnyStudy, Cell, Result
from diffoci.signing.keys import PublicKey

# What two runs of one specification may differ in, wherever it stands.
_CIRCUMSTANCES = ("id", "seconds", "versions", "device")
# A data source, its options, and whether its twin stands for it.
Asked = tuple[str, Mapping[str, Any], bool]


def _nothing(*_: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True, eq=False)
class LabReport:
    """The report of one study.

    Parameters
    ----------
    study
        Whose results it is of.
    document : callable
        Gets a result, when it was made and who signs; returns everything the report says.
    worked_out : callable
        Gets a result; gives what it states beside what follows from its specification and its repetitions.
    of_data : callable
        Gets a result and the data; gives what it states of them beside what they are.
    sources : callable
        Gets a specification; gives the data sources that it reads.
    """

    study: AnyStudy
    document: Callable[[Any, float | None, PublicKey | None], Document]
    worked_out: Callable[[Any], Iterable[Pair]]
    of_data: Callable[[Any, Any], Iterable[Pair]] = _nothing
    sources: Callable[[Any], Sequence[Asked]] = _nothing

    def build(self, result: Result, *, created: float | None = None, signer: PublicKey | None = None) -> str:
        """Write the report of a result, which it carries without the folders of this machine."""
        shared: Any = public(result, self.study.portable(result.spec))  # type: ignore[attr-defined]
        return page(self.document(shared, created, signer), embedded=embed(shared, created=created))

    def read(self, report: str) -> Embedded[Any]:
        """Read the result of a run from its report, or say in a sentence what is wrong with it."""
        embedded = read_embedded(report, self.study.read_result)
        self.study.check_portable(embedded.result.spec)
        return embedded

    def check(self, text: str, embedded: Embedded[Any], *, signer: PublicKey | None = None) -> list[Check]:
        """Whether what a reader sees follows from the result, and the result from its repetitions."""
        try:
            rebuilt = self.build(embedded.result, created=embedded.created, signer=signer)
            arithmetic = self.check_arithmetic(embedded.result)
        except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError):
            raise ValueError(
                "The result in this report is damaged: parts of it are missing or make no sense."
            ) from None
        return [check_shown(text, rebuilt, embedded), arithmetic, check_digest(embedded)]

    def check_arithmetic(self, result: Any) -> Check:
        """Whether a result follows from its specification and its repetitions."""
        found = compare_pairs(self.worked_out(result))
        return Check("arithmetic", found, f"{found.compared:,} numbers and words worked out from repetitions")

    def check_data(self, result: Any, data: Any) -> Check:
        """Whether these are the data of the report."""
        found = compare_pairs(self.of_data(result, data))
        return Check("data", found, "sha256 of the data, rows, features, real or simulated")

    def check_again(self, result: Any, again: Any) -> Check:
        """Whether the same run, computed again, gives the same numbers."""
        return check_again(self._in_common(result), self._in_common(again))

    def _in_common(self, result: Any) -> Any:
        """A result without what two runs of the same may differ in, and without names of folders."""
        return _without(msgspec.to_builtins(replace(result, spec=self.study.portable(result.spec))))


def _without(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _without(entry) for name, entry in part.items() if name not in _CIRCUMSTANCES}
    return [_without(entry) for entry in part] if isinstance(part, (list, tuple)) else part


def missing_cells(
    result: Any, plan: Iterable[Cell], is_there: Callable[[Cell], bool], *, others: Iterable[str] = ()
) -> Iterator[Pair]:
    """Cells of a plan that are neither there nor said to have failed, and failures of what was not asked for."""
    names = set(others)
    for cell in plan:
        names.add(cell.id)
        failed = cell.id in result.failures
        if failed == is_there(cell):
            yield cell.title or cell.id, "there" if failed else "not there", "either computed or said to have failed"
    for name in result.failures:
        yield f"failure of {name}", name in names, True
