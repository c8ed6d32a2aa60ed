"""``diffoci verify`` of a lab's report: against itself, against the data, and computed again."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

from msgspec.structs import replace

from diffoci.commands.verifying.told import Asked, conclude, run_again, tell
from diffoci.data.sources import is_at_hand, location_of, source_of, takes_file
from diffoci.report.labs.known import LAB_REPORTS
from diffoci.report.labs.lab_report import LabReport
from diffoci.report.labs.paper_tables import check_paper_tables, read_paper_tables, runs_of
from diffoci.report.writing.embedded import study_in


def verify_lab_run(text: str, asked: Asked) -> None:
    """Say what agrees; a number that does not is an error."""
    lab = LAB_REPORTS[study_in(text)]
    embedded = lab.read(text)
    checks = lab.check(text, embedded, signer=asked.signer)
    spec, missing = _at_hand(lab, embedded.result.spec, asked)
    if not missing:
        checks.append(lab.check_data(embedded.result, lab.study.load(spec)))
    if asked.rerun:
        lab.study.check_local(spec)
        checks.append(lab.check_again(embedded.result, run_again(lab.study, spec, "run")))
    for check in checks:
        tell(check)
    if missing:
        print(f"data        not checked: {missing}")
    conclude(asked, embedded, checks, only_rerun="what each repetition gave, and how long it took, is computed again")


def verify_paper_tables(text: str, asked: Asked) -> None:
    """Say what agrees of a page that ``reproduce --out`` wrote; a number that does not is an error."""
    embedded = read_paper_tables(text)
    checks = check_paper_tables(text, embedded)
    for result in runs_of(embedded.result) if asked.rerun else ():
        lab = LAB_REPORTS[result.study]
        lab.study.check_local(result.spec)
        checks.append(lab.check_again(result, run_again(lab.study, result.spec, "run")))
    for check in checks:
        tell(check)
    conclude(asked, embedded, checks, only_rerun="what each repetition gave, and how long it took, is computed again")


def _at_hand(lab: LabReport, spec: Any, asked: Asked) -> tuple[Any, str]:
    """The specification with its file as it lies here, and a sentence where data are missing."""
    for data, options, twin in lab.sources(spec):
        if takes_file(data):
            name = PurePath(location_of(data)).name  # a stranger's report must not name files all over this machine
            paths = [asked.file] if asked.file else [Path(name), asked.report.parent / name]
            path = next((path for path in paths if path.is_file()), None)
            if path is None:
                return spec, f"There is no file '{paths[0]}' here; say with --file where it lies."
            at = source_of(data).at(str(path.resolve()))
            own = "data" in spec.__struct_fields__ and spec.data == data
            spec = replace(spec, data=at) if own else replace(spec, options={**spec.options, "source": at})
        elif not is_at_hand(data, twin=twin, **options):
            return spec, f"{data} is not on this machine; --rerun fetches it."
    try:
        lab.study.check_local(spec)
    except ValueError as problem:
        return spec, str(problem)
    return spec, ""
