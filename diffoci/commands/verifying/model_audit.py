"""``diffoci verify`` of a model audit's report: against itself, against the people, and computed again."""

from __future__ import annotations

from pathlib import Path, PurePath

from msgspec.structs import replace

from diffoci.commands.verifying.told import Asked, conclude, tell
from diffoci.data.sources import find_source, is_at_hand, source_of, takes_file
from diffoci.model_audit.compute import audit_people
from diffoci.model_audit.people import People
from diffoci.model_audit.spec import ModelAuditSpec
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.report.model_audit.verify import check_computed_again, check_model_report, check_people, read_model_audit


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
    for check in checks:
        tell(check)
    if people is None:
        print(f"data        not checked: {missing}")
    rows = "coefficients, bootstraps and what rows alone can show are computed again"
    conclude(asked, embedded, checks, only_rerun=rows)


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
