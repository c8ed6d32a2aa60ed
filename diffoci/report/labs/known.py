"""The report of every lab, by the name of its study."""

from __future__ import annotations

from diffoci.labs.fairness.spec import FairnessSpec
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.feature_selection.observations import OBSERVATIONS
from diffoci.labs.feature_selection.spec import TABLE, LabSpec
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.shift.spec import ShiftSpec
from diffoci.labs.shift.study import DOMAIN_SHIFT
from diffoci.labs.spurious.spec import SpuriousSpec
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.labs.beside_paper import fairness_document, shift_document
from diffoci.report.labs.feature_lab import feature_lab_document, observations_document
from diffoci.report.labs.feature_lab_arithmetic import lab_of_data, lab_worked_out, observations_worked_out
from diffoci.report.labs.lab_report import Asked, LabReport
from diffoci.report.labs.paper_arithmetic import fairness_of_data, fairness_worked_out, shift_of_data, shift_worked_out
from diffoci.report.labs.spurious_arithmetic import spurious_of_data, spurious_worked_out
from diffoci.report.labs.spurious_lab import spurious_document
from diffoci.runs.study import Result


def _of_table(spec: LabSpec) -> tuple[Asked, ...]:
    return ((spec.data, spec.options, False),) if spec.problem == TABLE else ()


def _of_dataset(spec: FairnessSpec) -> tuple[Asked, ...]:
    return ((spec.data, spec.options, spec.twin),)


def _of_domains(spec: ShiftSpec) -> tuple[Asked, ...]:
    return tuple((one.data, one.options, one.twin) for one in (spec.inside, spec.outside) if one.data)


def _of_groups(spec: SpuriousSpec) -> tuple[Asked, ...]:
    given = spec.options
    if "source" not in given:
        return ()
    return ((given["source"], given.get("of_source", {}), bool(given.get("twin", False))),)


LAB_REPORTS = {
    one.study.name: one
    for one in (
        LabReport(SPURIOUS_LAB, spurious_document, spurious_worked_out, spurious_of_data, _of_groups),
        LabReport(FEATURE_LAB, feature_lab_document, lab_worked_out, lab_of_data, _of_table),
        LabReport(OBSERVATIONS, observations_document, observations_worked_out),
        LabReport(FAIRNESS_TABLES, fairness_document, fairness_worked_out, fairness_of_data, _of_dataset),
        LabReport(DOMAIN_SHIFT, shift_document, shift_worked_out, shift_of_data, _of_domains),
    )
}


def lab_report_of(result: Result) -> LabReport | None:
    """The report of a result; None where it is no lab's."""
    return next((one for one in LAB_REPORTS.values() if isinstance(result, one.study.result)), None)
