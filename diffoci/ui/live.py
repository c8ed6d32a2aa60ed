"""Watch an audit: one bar, one line for every method and seed, two small charts, the log."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pandas as pd
import streamlit as st

from diffoci.figures.drawing import Drawing
from diffoci.figures.training import History, coefficients, thetas
from diffoci.runs.files import read_lines
from diffoci.runs.progress import CellProgress, Progress, read_history, read_progress
from diffoci.runs.store import Run
from diffoci.ui.charts import show_drawing
from diffoci.ui.draft import dataset_of
from diffoci.ui.guard import guarded
from diffoci.ui.own_audits import own_audit
from diffoci.ui.queue import at_once, standing, waiting, withdraw
from diffoci.ui.starting import go_on
from diffoci.ui.words import audit_title, clock, duration, plain_markdown

EVERY = 1.0  # seconds between two looks at the bar
_CHARTS_EVERY = 2.5  # drawing them takes the browser as long as a method trains on small data
_CLOCKS_APART = 60.0  # seconds that a worker may take to start counting
_ORDER = ("running", "failed", "waiting", "done")
_UNTRAINED = ("exact", "standard", "correlation-remover", "leace", "prototypes")
_STAGES = {"data": "reading the data", "cells": "training and measuring", "result": "putting the result together"}


@st.fragment(run_every=EVERY)
def watch(identifier: str) -> None:
    """Redraw a waiting or running audit every second; when it ends, the whole page is drawn once more."""
    with guarded():
        run = own_audit(identifier)
        state = standing(run).state
        if state == "waiting" and run.id in waiting():
            _queue(run)
        elif state == "running":
            progress = read_progress(run.folder)
            _bar(run, progress)
            show_parts(progress)
            if run.is_cancelled():
                _await_end(run)
        else:
            st.rerun()


@st.fragment(run_every=_CHARTS_EVERY)
def watch_training(identifier: str) -> None:
    """Redraw what a running audit learns, and its log."""
    with guarded():
        run = own_audit(identifier)
        if run.is_running():
            _charts(run, read_progress(run.folder))
            _log(run)


def _await_end(run: Run) -> None:
    """Look more often than once a second while a run stops: whoever cancels waits for it."""
    deadline = time.monotonic() + EVERY
    while run.is_running() and time.monotonic() < deadline:
        time.sleep(0.1)
    if not run.is_running():
        st.rerun()


def show_parts(progress: Progress) -> None:
    """Show one line for every method and seed."""
    if progress.cells:
        st.dataframe(
            parts_table(progress),
            width="stretch",
            height=min(35 * (len(progress.cells) + 1) + 3, 353),
            hide_index=True,
            alt="State and progress of every method and seed",
            column_config={
                "Progress": st.column_config.ProgressColumn(min_value=0, max_value=100, format="%d %%"),
                "Seed": st.column_config.NumberColumn(width="small"),
            },
        )


def parts_table(progress: Progress) -> pd.DataFrame:
    """The parts of an audit as a table: what runs or failed on top, then the rest in the order they start."""
    cells = sorted(progress.cells, key=lambda cell: _ORDER.index(cell.state))
    return pd.DataFrame(
        {
            "Part": [part_title(cell) for cell in cells],
            "Seed": [cell.seed for cell in cells],
            "State": [cell.state for cell in cells],
            "Progress": [round(100 * cell.fraction) for cell in cells],
            "Remark": [cell.message for cell in cells],
        }
    )


def part_title(cell: CellProgress) -> str:
    """Name a part for a reader."""
    if cell.method == "exact":
        return "coefficients of single columns"
    if cell.stage == "curve":
        weight = cell.id.removeprefix(f"curve-{cell.method}-").rsplit(".", 1)[0]
        return f"{cell.method}, trade-off {weight}"
    return cell.method.replace("vec given", "feature weights given")


def _queue(run: Run) -> None:
    before = waiting().index(run.id)
    with st.container(border=True):
        st.subheader("Waiting for its turn", anchor=False)
        others = f" and {before} more" if before else ""
        room = at_once()
        running = "One audit runs" if room == 1 else f"Up to {room} audits run"
        st.markdown(f"{running} at a time; this one starts by itself after what runs now{others}.")
        _cancel(run)


def _bar(run: Run, progress: Progress) -> None:
    stopping = run.is_cancelled()
    left = "" if progress.eta is None else f", about {duration(progress.eta)} left"
    doing = "stopping" if stopping else _doing(progress)
    passed = clock(seconds_so_far(progress, now=time.time()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.progress(
            min(1.0, progress.fraction), text=f"{100 * progress.fraction:.0f} %, {doing}, {passed} so far{left}"
        )
        _cancel(run, disabled=stopping)


def seconds_so_far(progress: Progress, *, now: float) -> float:
    """Return the time since the audit was asked for; where the clock was changed since, what the worker counted."""
    passed = now - progress.since
    return passed if 0 <= passed <= progress.elapsed + _CLOCKS_APART else progress.elapsed


def _doing(progress: Progress) -> str:
    """Say what is being done; the methods' processes take seconds to start before the first one speaks."""
    if progress.stage == "cells" and all(cell.state == "waiting" for cell in progress.cells):
        return "starting the methods"
    return _STAGES.get(progress.stage, "starting")


def _cancel(run: Run, *, disabled: bool = False) -> None:
    st.button("Cancel", icon=":material/stop:", key="train-cancel", disabled=disabled, on_click=withdraw, args=(run,))


def _charts(run: Run, progress: Progress) -> None:
    left, right = st.columns(2)
    with left:
        if found := _latest(run, progress, "methods", "T"):
            show_drawing(training_chart(run, *found), key="live-T", offer=False)
    with right:
        if found := _latest(run, progress, "features", "theta"):
            show_drawing(training_chart(run, *found), key="live-theta", offer=False)


@st.fragment
def show_trainings(run: Run, progress: Progress) -> None:
    """Look back at the training of any part that has ended, epoch by epoch."""
    trained = [cell for cell in progress.cells if cell.state in ("done", "failed") and cell.method not in _UNTRAINED]
    with st.expander("Training, epoch by epoch", icon=":material/show_chart:"):
        names = {cell.id: f"{part_title(cell)}, seed {cell.seed}" for cell in trained}
        chosen = st.selectbox("Part", list(names), format_func=names.__getitem__, key="trained-part")
        for cell in trained:
            if cell.id == chosen:
                history = read_history(run.folder, cell.id)
                if any("epoch" in record for record in history):
                    show_drawing(training_chart(run, cell, history), key="trained")
                else:
                    st.markdown("Its training left no trace here.")


def training_chart(run: Run, cell: CellProgress, history: History) -> Drawing:
    """The weights of features by epoch, or T and loss of anything else."""
    named = f"{part_title(cell)}, seed {cell.seed}"
    if cell.stage == "features":
        return thetas(
            history, _names(run), cutoff=run.spec.settings["vec"]["cutoff"], title=f"Weights by epoch: {named}"
        )
    return coefficients(history, title=f"T and loss by epoch: {named}")


def _latest(run: Run, progress: Progress, stage: str, entry: str) -> tuple[CellProgress, History] | None:
    """The part that told this entry last, with its history; parts that run come before those that are done."""
    begun = [cell for cell in progress.cells if cell.stage == stage and cell.state in ("running", "done")]
    begun.sort(key=lambda cell: (cell.state == "running", float(cell.last.get("time") or 0.0)), reverse=True)
    for cell in begun[:8]:
        history = read_history(run.folder, cell.id)
        if any(entry in record for record in history):
            return cell, history
    return None


def _names(run: Run) -> list[str] | None:
    with contextlib.suppress(ValueError, OSError):
        return [column.name for column in dataset_of(run.spec).columns]
    return None


def _log(run: Run) -> None:
    with st.expander("Log", icon=":material/list:"):
        st.code("\n".join(log_lines(run)) or "Nothing yet.", language=None)


def log_lines(run: Run, *, most: int = 40) -> list[str]:
    """What happened last, newest first, in words."""
    records = read_lines(run.progress_file, last_bytes=65_536)
    told = [line for record in records if (line := _told(record))]
    return list(dict.fromkeys(reversed(told)))[:most]


def _told(record: dict[str, Any]) -> str | None:
    clock = time.strftime("%H:%M:%S", time.localtime(float(record.get("time") or 0.0)))
    if "cell" in record:
        state = record.get("state")
        if state not in ("running", "done", "failed"):
            return None
        message = f": {record['message']}" if record.get("message") else ""
        return f"{clock}  {record.get('method')}, seed {record.get('seed')}: {state}{message}"
    return f"{clock}  {_STAGES.get(str(record.get('stage')), str(record.get('stage')))}"


def offer_resume(run: Run) -> None:
    """Let the analyst go on with an audit that stopped; what is finished is kept."""
    if st.button("Resume", type="primary", icon=":material/play_arrow:", key="train-resume"):
        go_on(run)
        st.rerun()


def named(run: Run) -> str:
    """Name an audit for a title."""
    return plain_markdown(audit_title(run.spec))
