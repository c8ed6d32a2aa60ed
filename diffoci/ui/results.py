"""Results of audits and what is computed from data, each read or computed once."""

from __future__ import annotations

from typing import Any

import streamlit as st

from diffoci.audit.proxies import before_training
from diffoci.data.dataset import Dataset
from diffoci.runs.files import read_json
from diffoci.runs.scores import Scores, read_scores
from diffoci.runs.store import Run
from diffoci.ui.draft import dataset_of


def result_of(run: Run) -> dict[str, Any]:
    """Return the result of a finished audit; a caller must not change it."""
    return _result(run.id, run.result_file.stat().st_mtime_ns, run)


def scores_of(run: Run, method: str) -> Scores:
    """Return everybody's score under one method."""
    return _scores(run.id, run.result_file.stat().st_mtime_ns, method, run)


def dataset_of_run(run: Run) -> Dataset:
    """Return the data of an audit, or say that they are not the same any more."""
    dataset = dataset_of(run.spec)
    if run.plan_file.exists() and dataset.sha256 != read_json(run.plan_file).get("sha256"):
        raise ValueError("The data changed since this audit was made; put the old data back, or audit the new ones.")
    return dataset


def proxies_of(dataset: Dataset) -> dict[str, Any]:
    """Return what each feature tells of y and of the attributes, before training."""
    return _proxies(dataset.sha256, dataset)


@st.cache_resource(max_entries=8, show_spinner=False)
def _result(identifier: str, written: int, _run: Run) -> dict[str, Any]:
    return _run.result()


@st.cache_resource(max_entries=16, show_spinner=False)
def _scores(identifier: str, written: int, method: str, _run: Run) -> Scores:
    return read_scores(_run, _result(identifier, written, _run), method)


@st.cache_resource(max_entries=8, show_spinner="Measuring what each feature tells …")
def _proxies(sha256: str, _dataset: Dataset) -> dict[str, Any]:
    return before_training(_dataset)
