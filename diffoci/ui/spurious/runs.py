"""Runs of the spurious lab on pages: the result and the images of one, each read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from diffoci.labs.spurious.data.kinds import LabData, kind_named
from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.runs.cell_files import Origin, load_cell
from diffoci.runs.run_files import PlanFile, read_file
from diffoci.runs.store import Run

Arrays = Mapping[str, NDArray[Any]]


def is_lab_run(run: Run | None) -> bool:
    """Say whether a run is one of this lab."""
    return run is not None and run.study.name == SPURIOUS_LAB.name


def lab_result_of(run: Run) -> SpuriousResult:
    """Return the result of a finished run."""
    return _result(run.id, run.result_file.stat().st_mtime_ns, run)


def arrays_of(run: Run, cell: str) -> Arrays:
    """Return the images or saliency maps that a cell kept; nothing where it kept none, or is not here."""
    return _arrays(run.id, run.result_file.stat().st_mtime_ns, cell, run)


@st.cache_resource(max_entries=8, show_spinner="Drawing images …")
def some_images(data: str) -> tuple[NDArray[np.uint8], NDArray[Any], tuple[str, ...]]:
    """Return a few images of every group of data that come along, the group of each, and the groups' names."""
    examples = LabData(kind_named(data), {"rows": 400}).examples(0)
    cell = examples.cell(examples.test)
    rows = np.concatenate([np.flatnonzero(cell == k)[:8] for k in range(len(examples.cells))])
    return (255 * examples.test.x[rows]).astype(np.uint8), cell[rows], examples.cells


@st.cache_resource(max_entries=8, show_spinner=False)
def _result(identifier: str, written: int, _run: Run) -> SpuriousResult:
    result: SpuriousResult = _run.result()
    return result


@st.cache_resource(max_entries=64, show_spinner=False)
def _arrays(identifier: str, written: int, cell: str, _run: Run) -> Arrays:
    if not _run.plan_file.exists():
        return {}
    plan = read_file(_run.plan_file, PlanFile)
    kept = load_cell(_run.cells, Origin(plan.digest, plan.sha256), cell, any_versions=True)
    return {} if kept is None else kept.output.arrays
