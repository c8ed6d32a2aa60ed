"""Watch a run: one bar, one line for every part, two small charts, the log."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from diffoci.figures.drawing import Drawing
from diffoci.figures.training import History, coefficients, thetas
from diffoci.runs.progress import CellProgress, Progress, read_history, read_progress
from diffoci.runs.progress.records import read_records
from diffoci.runs.queue import at_once, standing, waiting, withdraw
from diffoci.runs.store import Run
from diffoci.ui.charts import show_drawing
from diffoci.ui.forms.naming import title_of
from diffoci.ui.guard import guarded
from diffoci.ui.runs.own_runs import own_run
from diffoci.ui.runs.starting import go_on
from diffoci.ui.words import clock, duration, plain_markdown

EVERY = 1.0  # seconds between two looks at the bar
_CHARTS_EVERY = 2.5  # drawing them takes the browser as long as a method trains on small data
_CLOCKS_APART = 60.0  # seconds that a worker may take to start counting
_LOOKED_AT = 16  # parts whose histories are read for a chart
_ORDER = ("running", "failed", "waiting", "done")
_STAGES = {"data": "reading the data", "cells": "training and measuring", "result": "putting the result together"}


@st.fragment(run_every=EVERY)
def watch(identifier: str) -> None:
    """Redraw a waiting or running one every second; when it ends, the whole page is drawn once more."""
    with guarded():
        run = own_run(identifier)
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
    """Redraw what a run learns, and its log."""
    with guarded():
        run = own_run(identifier)
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
    """Show one line for every part."""
    if progress.cells:
        st.dataframe(
            parts_table(progress),
            width="stretch",
            height=min(35 * (len(progress.cells) + 1) + 3, 353),
            hide_index=True,
            alt="State and progress of every part",
            column_config={
                "Progress": st.column_config.ProgressColumn(min_value=0, max_value=100, format="%d %%"),
                "Repetition": st.column_config.NumberColumn(width="small"),
            },
        )


def parts_table(progress: Progress) -> pd.DataFrame:
    """The parts of a run as a table: what runs or failed on top, then the rest in the order they start."""
    cells = sorted(progress.cells, key=lambda cell: _ORDER.index(cell.state))
    number = _repetitions(progress)
    return pd.DataFrame(
        {
            "Part": [cell.title for cell in cells],
            "Repetition": [number[cell.seed] for cell in cells],
            "State": [cell.state for cell in cells],
            "Progress": [round(100 * cell.fraction) for cell in cells],
            "Remark": [cell.message for cell in cells],
        }
    )


def _queue(run: Run) -> None:
    before = waiting().index(run.id)
    with st.container(border=True):
        st.subheader("Waiting for its turn", anchor=False)
        others = f" and {before} more" if before else ""
        room = at_once()
        running = "One run" if room == 1 else f"Up to {room} runs"
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
    """Return the time since the run was asked for; where the clock was changed since, what the worker counted."""
    passed = now - progress.since
    return passed if 0 <= passed <= progress.elapsed + _CLOCKS_APART else progress.elapsed


def _doing(progress: Progress) -> str:
    """Say what is being done; the processes of the parts take seconds to start before the first one speaks."""
    if progress.stage == "cells" and all(cell.state == "waiting" for cell in progress.cells):
        return "starting the parts"
    return _STAGES.get(progress.stage, "starting")


def _cancel(run: Run, *, disabled: bool = False) -> None:
    st.button("Cancel", icon=":material/stop:", key="train-cancel", disabled=disabled, on_click=withdraw, args=(run,))


def _charts(run: Run, progress: Progress) -> None:
    left, right = st.columns(2)
    with left:
        if found := _latest(run, progress, weights=False):
            show_drawing(training_chart(progress, *found), key="live-T", offer=False)
    with right:
        if found := _latest(run, progress, weights=True):
            show_drawing(training_chart(progress, *found), key="live-theta", offer=False)


@st.fragment
def show_trainings(run: Run, progress: Progress) -> None:
    """Look back at the training of any part that has ended, epoch by epoch."""
    trained = {cell.id: cell for cell in progress.cells if cell.state in ("done", "failed") and cell.has_epochs}
    if not trained:
        return
    with st.expander("Training, epoch by epoch", icon=":material/show_chart:"):
        chosen = st.selectbox(
            "Part", list(trained), format_func=lambda part: _named(progress, trained[part]), key="trained-part"
        )
        show_drawing(training_chart(progress, trained[chosen], read_history(run.folder, chosen)), key="trained")


def training_chart(progress: Progress, cell: CellProgress, history: History) -> Drawing:
    """The weights of features by epoch where a part tells of them with their cutoff, or T and loss."""
    if (cutoff := _cutoff(history)) is not None:
        title = f"Weights by epoch: {_named(progress, cell)}"
        return thetas(history, progress.columns or None, cutoff=cutoff, title=title)
    return coefficients(history, title=f"T and loss by epoch: {_named(progress, cell)}")


def _named(progress: Progress, cell: CellProgress) -> str:
    return f"{cell.title}, repetition {_repetitions(progress)[cell.seed]}"


def _repetitions(progress: Progress) -> dict[int, int]:
    """How people count: the seeds of a run, wherever they begin, are its repetitions from 1 on."""
    return {seed: k for k, seed in enumerate(sorted({cell.seed for cell in progress.cells}), start=1)}


def _cutoff(history: History) -> float | None:
    """Up to where weights count as dropped; None where the part's own subject is not its weights."""
    told = (record.get("cutoff") for record in history)
    return next((float(cutoff) for cutoff in told if isinstance(cutoff, (int, float))), None)


def _latest(run: Run, progress: Progress, *, weights: bool) -> tuple[CellProgress, History] | None:
    """The part that told of weights, or of T, last, with its history; parts that run come before those done.

    A part is drawn from its second epoch on: until then there is no line, and the part before it says more.
    """
    begun = [cell for cell in progress.cells if cell.has_epochs and cell.state in ("running", "done")]
    begun.sort(key=lambda cell: (cell.state == "running", float(cell.last.get("time") or 0.0)), reverse=True)
    for cell in begun[:_LOOKED_AT]:
        history = read_history(run.folder, cell.id)
        about_weights = _cutoff(history) is not None
        told = sum(("theta" if weights else "T") in record for record in history)
        if told > 1 and about_weights == weights:
            return cell, history
    return None


def _log(run: Run) -> None:
    with st.expander("Log", icon=":material/list:"):
        st.code("\n".join(log_lines(run)) or "Nothing yet.", language=None)


def log_lines(run: Run, *, most: int = 40) -> list[str]:
    """What happened last, newest first, in words."""
    records = read_records(run.progress_file, last_bytes=65_536)
    number = _repetitions(read_progress(run.folder))
    told = [line for record in records if (line := _told(record, number))]
    return list(dict.fromkeys(reversed(told)))[:most]


def _told(record: dict[str, Any], number: Mapping[int, int]) -> str | None:
    clock = time.strftime("%H:%M:%S", time.localtime(float(record.get("time") or 0.0)))
    if "cell" in record:
        state = record.get("state")
        if state not in ("running", "done", "failed"):
            return None
        message = f": {record['message']}" if record.get("message") else ""
        seed = record.get("seed")
        repetition = number.get(seed, seed) if isinstance(seed, int) else seed
        return f"{clock}  {record.get('method')}, repetition {repetition}: {state}{message}"
    return f"{clock}  {_STAGES.get(str(record.get('stage')), str(record.get('stage')))}"


def offer_resume(run: Run, *, comes_next: bool = True) -> None:
    """Let the analyst go on with a run that stopped; what is finished is kept."""
    if st.button(
        "Resume", type="primary" if comes_next else "secondary", icon=":material/play_arrow:", key="train-resume"
    ):
        go_on(run)
        st.rerun()


def show_stopped(run: Run) -> None:
    """A run of a lab that does not go on: why, and the way on."""
    status = standing(run)
    st.title(named(run), anchor=False)
    st.subheader(_STOPPED.get(status.state, "It was not started yet."), anchor=False)
    st.markdown(plain_markdown(status.message or "What was finished is kept."))
    offer_resume(run)


_STOPPED = {"failed": "It failed.", "cancelled": "It was cancelled.", "interrupted": "It was interrupted."}


def named(run: Run) -> str:
    """Name a run for a title."""
    return plain_markdown(title_of(run))
