"""The model audit, a study: what the run machinery asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import msgspec
from msgspec.structs import replace

from diffoci.data import sources
from diffoci.model_audit.guide import check_answers
from diffoci.model_audit.people import People
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.spec import ModelAuditSpec
from diffoci.runs.study import Cell, CellOutput, Failures, Made, Outputs, Study, Watch

_RATES, _ATTRIBUTE, _PAIRS = "rates", "attribute", "pairs"


class ModelAudit(Study[ModelAuditSpec, People, ModelAuditResult]):
    """What the scores and decisions of a model, whoever made it, do to groups of people."""

    name = "model-audit"
    title = "Model audit"
    spec = ModelAuditSpec
    result = ModelAuditResult
    preload = ("diffoci.model_audit.compute",)

    def load(self, spec: ModelAuditSpec) -> People:
        """The people of a specification, every column checked for its role."""
        from diffoci.model_audit.load import load_people

        return load_people(spec)

    def plan(self, spec: ModelAuditSpec, data: People) -> tuple[Cell, ...]:
        """A part for the rates of every model, one for every model and attribute, and one for comparing models."""
        cells = []
        for k, model in enumerate(data.models):
            cells.append(_cell(f"{_RATES}.{k}", _RATES, model.name, title=f"{model.name}: rates by group"))
            for j, attribute in enumerate(data.attributes):
                title = f"{model.name}: {attribute}"
                settings = {"attribute": attribute}
                cells.append(_cell(f"{_ATTRIBUTE}.{k}.{j}", _ATTRIBUTE, model.name, title=title, settings=settings))
        if len(data.models) > 1:
            cells.append(_cell(_PAIRS, _PAIRS, _PAIRS, title="models compared"))
        return tuple(cells)

    def run_cell(self, spec: ModelAuditSpec, data: People, cell: Cell, watch: Watch) -> CellOutput:
        from diffoci.model_audit import compute

        watch.tell(fraction=0.0)
        part: Any
        if cell.stage == _PAIRS:
            part = {_PAIRS: compute.pairs_of(data, spec.settings)}
        elif cell.stage == _RATES:
            part = compute.rates_of(data, data.model(cell.method), spec.settings)
        else:
            part = compute.of_attribute(data, data.model(cell.method), cell.settings["attribute"], spec.settings)
        return CellOutput(msgspec.to_builtins(part))

    def assemble(
        self, spec: ModelAuditSpec, data: People, outputs: Outputs, failures: Failures, made: Made
    ) -> ModelAuditResult:
        from diffoci.model_audit.compute import put_together
        from diffoci.model_audit.result import OfAttribute, OneModel, PairedGap

        models = []
        for k, model in enumerate(data.models):
            if (rates := outputs.get(f"{_RATES}.{k}")) is None:
                continue
            found = {
                attribute: msgspec.convert(output.summary, OfAttribute)
                for j, attribute in enumerate(data.attributes)
                if (output := outputs.get(f"{_ATTRIBUTE}.{k}.{j}")) is not None
            }
            models.append(replace(msgspec.convert(rates.summary, OneModel), name=model.name, attributes=found))
        pairs = outputs.get(_PAIRS)
        compared = () if pairs is None else msgspec.convert(pairs.summary[_PAIRS], tuple[PairedGap, ...])
        return put_together(spec, data, models, compared, failures, made)

    def read_result(self, content: Mapping[str, Any], name: str) -> ModelAuditResult:
        from diffoci.model_audit.result_file import read_result

        return read_result(content, name)

    def headline(self, result: ModelAuditResult) -> str:
        from diffoci.model_audit.words import headline

        return headline(result)

    def bytes_needed(self, spec: ModelAuditSpec, data: People) -> float:
        columns = 10 + 4 * len(data.models) + 2 * len(data.attributes) + len(data.features.columns)
        return 4e8 + 40.0 * len(data) * columns

    def describe(self, spec: ModelAuditSpec) -> str:
        """The data, the models and the attributes."""
        scored = (PurePath(spec.model_file).stem,) if spec.model_file is not None else ()
        models = ", ".join((*scored, *spec.roles.scores, *spec.roles.decisions[len(spec.roles.scores) :]))
        return f"{sources.describe(spec.data, spec.options, twin=False)}: {models} by {', '.join(spec.roles.sensitive)}"

    def files_read(self, spec: ModelAuditSpec) -> tuple[Path, ...]:
        return (*sources.files_read(spec.data, spec.options, twin=False), *map(Path, _files(spec)))

    def asked(self, spec: ModelAuditSpec) -> Mapping[str, str]:
        return {"outcome": spec.roles.label or "", "sensitive": ", ".join(spec.roles.sensitive)}

    def is_simulated(self, spec: ModelAuditSpec) -> bool:
        return sources.is_simulated(spec.data, twin=False)

    def portable(self, spec: ModelAuditSpec) -> ModelAuditSpec:
        """A file that was audited is named without its path."""
        joined = None if spec.joined is None else replace(spec.joined, file=PurePath(spec.joined.file).name)
        model = None if spec.model_file is None else PurePath(spec.model_file).name
        return replace(spec, data=sources.portable(spec.data), joined=joined, model_file=model)

    def check_portable(self, spec: ModelAuditSpec) -> None:
        """A file is named without a path, and a source is one we have."""
        sources.check_portable(spec.data, {}, twin=False)
        for name in _files(spec):
            if PurePath(name).name != name:
                raise ValueError("The audit names a file of this machine by its path; a shared audit names it without.")
        check_answers(spec.answers)

    def check_local(self, spec: ModelAuditSpec) -> None:
        """No file that happens to lie here is taken for one that was audited elsewhere."""
        sources.check_local(spec.data)
        if any(not PurePath(name).is_absolute() for name in _files(spec)):
            raise ValueError("The data of this audit are not on this machine; it was opened without them.")


def _files(spec: ModelAuditSpec) -> tuple[str, ...]:
    """Files that it names beside its data."""
    return tuple(filter(None, (None if spec.joined is None else spec.joined.file, spec.model_file)))


def _cell(id: str, stage: str, method: str, *, title: str, settings: Mapping[str, Any] | None = None) -> Cell:
    return Cell(id, stage, method, 0, settings or {}, title=title, needed=stage == _RATES, kin=method)


MODEL_AUDIT = ModelAudit()
