"""Runs of the feature lab on a page: which they are, and their result, read once."""

from __future__ import annotations

import streamlit as st

from diffoci.labs.fairness.result import FairnessResult
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.feature_selection.observations import OBSERVATIONS, ObservationResult
from diffoci.labs.feature_selection.result import LabResult
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.shift.study import DOMAIN_SHIFT, ShiftResult
from diffoci.runs.store import Run

LabRunResult = LabResult | ObservationResult | FairnessResult | ShiftResult
_STUDIES = {study.name for study in (FEATURE_LAB, OBSERVATIONS, FAIRNESS_TABLES, DOMAIN_SHIFT)}


def is_of_feature_lab(run: Run) -> bool:
    """Say whether the page of the feature lab shows a run."""
    return run.study.name in _STUDIES


def lab_result_of(run: Run) -> LabRunResult:
    """Return the result of a finished run."""
    return _result(run.id, run.result_file.stat().st_mtime_ns, run)


@st.cache_resource(max_entries=8, show_spinner=False)
def _result(identifier: str, written: int, _run: Run) -> LabRunResult:
    result: LabRunResult = _run.result()
    return result
