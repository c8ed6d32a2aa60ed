"""Results of audits and what is computed from data, each read or computed once."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.before_training.proxies import Proxies, before_training, foci_paths
from diffoci.audit.decisions.scores import Scores, read_scores
from diffoci.audit.result import AuditResult, Path
from diffoci.data.dataset import Dataset
from diffoci.runs.store import Run


def result_of(run: Run) -> AuditResult:
    """Return the result of a finished audit."""
    return _result(run.id, run.result_file.stat().st_mtime_ns, run)


def scores_of(run: Run, method: str) -> Scores:
    """Return everybody's score under one method."""
    return _scores(run.id, run.result_file.stat().st_mtime_ns, method, run)


def proxies_of(dataset: Dataset) -> Proxies:
    """Return what each column tells of y and of the attributes, before training."""
    return _proxies(dataset.sha256, dataset)


def paths_of(dataset: Dataset) -> dict[str, Path]:
    """Return FOCI's paths for y and the attributes, before training."""
    return _paths(dataset.sha256, dataset)


@st.cache_resource(max_entries=8, show_spinner=False)
def _result(identifier: str, written: int, _run: Run) -> AuditResult:
    result: AuditResult = _run.result()
    return result


@st.cache_resource(max_entries=16, show_spinner=False)
def _scores(identifier: str, written: int, method: str, _run: Run) -> Scores:
    return read_scores(_run, _result(identifier, written, _run), method)


@st.cache_resource(max_entries=8, show_spinner="Measuring what each column reveals …")
def _proxies(sha256: str, _dataset: Dataset) -> Proxies:
    return before_training(_dataset)


@st.cache_resource(max_entries=8, show_spinner="Following FOCI …")
def _paths(sha256: str, _dataset: Dataset) -> dict[str, Path]:
    return foci_paths(_dataset)
