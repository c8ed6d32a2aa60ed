"""Runs of the spurious lab on pages: the result and the images of one, each read once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from diffoci.data.fetching.files import data_folder
from diffoci.labs.spurious.data.kinds import LabData, kind_named
from diffoci.labs.spurious.data.pictures import inside, read_picture
from diffoci.labs.spurious.data.waterbirds import read_metadata
from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.runs.cell_files import Origin, load_cell
from diffoci.runs.run_files import PlanFile, read_file
from diffoci.runs.store import Run

_WATERBIRDS_FOLDERS = ("waterbirds", "waterbird_complete95_forest2water2")
_SHOWN = 112  # pixels of a side

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
def drawn_images(data: str) -> tuple[NDArray[np.uint8], NDArray[Any], tuple[str, ...]]:
    """Return a few images of every group of data that come along, the group of each, and the groups' names."""
    examples = LabData(kind_named(data), {"rows": 400}).examples(0)
    cell = examples.cell(examples.test)
    rows = np.concatenate([np.flatnonzero(cell == k)[:8] for k in range(len(examples.cells))])
    return (255 * examples.test.x[rows]).astype(np.uint8), cell[rows], examples.cells


def waterbirds_at_hand() -> Path | None:
    """Return the Waterbirds folder in the folder of data, under our name for it or the published one."""
    root = data_folder()
    found = [root / name for name in _WATERBIRDS_FOLDERS if (root / name / "metadata.csv").is_file()] if root else []
    return found[0] if found else None


@st.cache_resource(max_entries=2, show_spinner="Reading images …")
def waterbirds_images(folder: str) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[Any]]:
    """Return a few training images of every group of Waterbirds, the group of each, and the training groups' sizes."""
    metadata = read_metadata(folder)
    learnt = metadata[metadata["split"] == 0]
    cell = (2 * learnt["y"] + learnt["place"]).to_numpy()
    rows = np.concatenate([np.flatnonzero(cell == k)[:8] for k in range(4)])
    files = [inside(Path(folder), str(name)) for name in learnt["img_filename"].to_numpy()[rows]]
    images = np.stack([read_picture(file, _SHOWN) for file in files])
    return (255 * images).astype(np.uint8), cell[rows], np.bincount(cell, minlength=4)


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
