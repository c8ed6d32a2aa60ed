"""``diffoci verify`` of a model audit's report: against itself, against the people, and computed again."""

from __future__ import annotations

from pathlib import Path, PurePath

from msgspec.structs import replace

from diffoci.commands.verifying.told import Asked, conclude, tell
from diffoci.data.sources import find_source, is_at_hand, source_of, takes_file
from diffoci.model_audit.compute import audit_people, audit_unshuffled
from diffoci.model_audit.people import People
from diffoci.model_audit.spec import ModelAuditSpec
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.model_audit.verify import (
    check_computed_again,
    check_model_report,
    check_people,
    check_rows,
    read_model_audit,
)

# What stands before "only by --rerun".
_SHUFFLES = "what shuffling gives coefficients (limits, p-values) is believed here and computed again"
_BELIEVED = (
    "believed without the rows: counts of people, coefficients and what shuffling gives them, worst thresholds, AUC, "
    "mean scores and errors, curves and their worst stretches, columns that carry it, what could be done, weighted "
    "rates, bootstraps; with the rows at hand all are computed again, shuffles"
)


def verify_model_audit(text: str, asked: Asked) -> None:
    """Say what agrees; a number that does not is an error."""
    embedded = read_model_audit(text)
    checks = check_model_report(text, embedded, signer=asked.signer)
    people, missing = _people(embedded.result.spec, report=asked.report, file=asked.file)
    if people is None and asked.rerun:
        raise ValueError(missing)
    if people is not None:
        checks.append(check_people(embedded.result, people))
        if asked.rerun:
            checks.append(check_computed_again(embedded.result, audit_people(embedded.result.spec, people)))
        elif not checks[-1].agreement.differences:
            checks.append(check_rows(embedded.result, audit_unshuffled(embedded.result, people)))
    for check in checks:
        tell(check)
    if people is None:
        print(f"data        not checked: {missing}")
    conclude(asked, embedded, checks, only_rerun=_BELIEVED if people is None else _SHUFFLES)


def _people(spec: ModelAuditSpec, *, report: Path, file: Path | None) -> tuple[People | None, str]:
    """The people where their rows are at hand, and else a sentence."""
    if find_source(spec.data) is None:
        return None, "The scores were handed over as arrays; nobody else has them."
    beside = report.parent if file is None else file.parent
    for name in (None if spec.joined is None else spec.joined.file, spec.model_file):
        if name is not None and _here(name, beside) is None:
            return None, f"There is no file '{PurePath(name).name}' here; put it beside the report or the data."
    if spec.joined is not None:
        spec = replace(spec, joined=replace(spec.joined, file=str(_here(spec.joined.file, beside))))
    if spec.model_file is not None:
        spec = replace(spec, model_file=str(_here(spec.model_file, beside)))
    if not takes_file(spec.data):
        here = is_at_hand(spec.data, **spec.options)
        return (MODEL_AUDIT.load(spec), "") if here else (None, f"{spec.data} is not on this machine; fetch it first.")
    path = file if file is not None else _here(spec.data.partition(":")[2], beside)
    if path is None or not path.is_file():
        missing = file or PurePath(spec.data.partition(":")[2]).name
        return None, f"There is no file '{missing}' here; say with --file where it lies."
    return MODEL_AUDIT.load(replace(spec, data=source_of(spec.data).at(path.resolve()))), ""


def _here(named: str, beside: Path) -> Path | None:
    """A file of this name in this folder or beside another; no other path: a report is a stranger's word."""
    name = PurePath(named).name
    return next((path.resolve() for path in (Path(name), beside / name) if path.is_file()), None)
