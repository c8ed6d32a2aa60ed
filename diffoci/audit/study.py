"""The fairness audit, a study: what the run machinery asks of it. Nothing here loads torch before it computes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from diffoci.audit.presets import PRESETS
from diffoci.audit.result import AuditResult
from diffoci.audit.settings import check_settings
from diffoci.audit.spec import AuditSpec
from diffoci.data import sources
from diffoci.data.dataset import Dataset
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, ResultT, Study, Watch

AuditSpecT = TypeVar("AuditSpecT", bound=AuditSpec)


class OfDataset(Study[AuditSpecT, Dataset, ResultT]):
    """What studies of an audit's data have in common: where the data are, what they are called, whom they may reach."""

    def load(self, spec: AuditSpecT) -> Dataset:
        """The dataset of a specification, checked for what an audit needs."""
        if strange := {"name", "sensitive", "twin"} & set(spec.options):
            raise ValueError(f"{sorted(strange)[0]!r} is not an option of {spec.data}.")
        sources.source_of(spec.data).check_complete(spec.options)
        try:
            dataset = sources.load(spec.data, sensitive=list(spec.sensitive) or None, twin=spec.twin, **spec.options)
        except TypeError as problem:
            given = ", ".join(f"{name} = {value!r}" for name, value in spec.options.items())
            raise ValueError(f"An option of {spec.data} has a value of the wrong kind: {given}.") from problem
        if not len(dataset.sensitive.columns):
            raise ValueError(f"{dataset.title} has no sensitive attribute chosen; name at least one.")
        if not len(dataset.columns):
            raise ValueError(f"{dataset.title} has no features left; leave fewer columns out.")
        return dataset

    def device_name(self, spec: AuditSpecT) -> str:
        from diffoci.learning.devices import device_kind

        return device_kind(spec.device)

    def bytes_needed(self, spec: AuditSpecT, data: Dataset) -> float:
        from diffoci.audit.cost.memory import bytes_needed

        return bytes_needed(data, spec.settings)

    def describe(self, spec: AuditSpecT) -> str:
        """The data and the attributes it is about."""
        return data_title(spec) + (f": {', '.join(spec.sensitive)}" if spec.sensitive else "")

    def files_read(self, spec: AuditSpecT) -> tuple[Path, ...]:
        return sources.files_read(spec.data, spec.options, twin=spec.twin)

    def is_simulated(self, spec: AuditSpecT) -> bool:
        return sources.is_simulated(spec.data, twin=spec.twin)

    def portable(self, spec: AuditSpecT) -> AuditSpecT:
        """A file that was audited is named without its path."""
        return replace(spec, data=sources.portable(spec.data))

    def check_portable(self, spec: AuditSpecT) -> None:
        """A file is named without a path, a source is one we have, and what is asked of it can be had."""
        if spec.preset not in PRESETS:
            raise ValueError(f"The audit's preset is not one of {', '.join(PRESETS)}.")
        sources.check_portable(spec.data, spec.options, twin=spec.twin)
        check_settings(spec.settings)

    def check_local(self, spec: AuditSpecT) -> None:
        """An audit from another machine names its file without a folder: no file that lies here is taken for it.

        Settings are checked once more: a file may have been changed by hand.
        """
        sources.check_local(spec.data)
        check_settings(spec.settings)


class FairnessAudit(OfDataset[AuditSpec, AuditResult]):
    """What data give away about sensitive attributes, which representations give away less, and what that costs."""

    name = "audit"
    title = "Fairness audit"
    spec = AuditSpec
    result = AuditResult
    preload = ("diffoci.audit.cells",)

    def plan(self, spec: AuditSpec, data: Dataset) -> tuple[Cell, ...]:
        from diffoci.audit.plan import plan

        return plan(spec, data)

    def run_cell(self, spec: AuditSpec, data: Dataset, cell: Cell, watch: Watch) -> CellOutput:
        from diffoci.audit.cells import run_cell

        return run_cell(spec, data, cell, watch)

    def assemble(self, spec: AuditSpec, data: Dataset, outputs: Outputs, failures: Failures, made: Made) -> AuditResult:
        from diffoci.audit._assemble import assemble

        return assemble(spec, data, self.plan(spec, data), outputs, failures, made)

    def read_result(self, content: Mapping[str, Any], name: str) -> AuditResult:
        from diffoci.audit._result_file import read_result

        return read_result(content, name)

    def headline(self, result: AuditResult) -> str:
        from diffoci.audit.words.verdicts import summary

        return summary(result)

    def column_names(self, spec: AuditSpec, data: Dataset) -> tuple[str, ...]:
        return tuple(column.name for column in data.columns)

    def details(self, spec: AuditSpec) -> str:
        return f"{spec.preset}, {len(spec.seeds)} {'repetition' if len(spec.seeds) == 1 else 'repetitions'}"

    def asked(self, spec: AuditSpec) -> Mapping[str, str]:
        dropped = spec.options.get("drop", ())
        return {
            "outcome": sources.outcome_of(spec.data, spec.options, twin=spec.twin),
            "sensitive": ", ".join(spec.sensitive),
            "left out": dropped if isinstance(dropped, str) else ", ".join(map(str, dropped)),
        }


AUDIT = FairnessAudit()


def data_title(spec: AuditSpec) -> str:
    """Name the data of an audit without loading them.

    Examples
    --------
    >>> data_title(AuditSpec("student", ("sex",), (), (), options={"subject": "por"}))
    'Student Performance, Portuguese'
    """
    return sources.describe(spec.data, spec.options, twin=spec.twin)
