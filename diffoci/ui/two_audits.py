"""The two audits a page compares: chosen from the finished ones, kept in the address so that the link can be shared."""

from __future__ import annotations

import streamlit as st

from diffoci.runs.store import Run
from diffoci.ui.links import audit_id, link
from diffoci.ui.own_audits import own_audits
from diffoci.ui.words import ago, audit_title, counted, is_simulated, plain_markdown

PARAMETERS = ("first", "second")
_LABELS = ("First audit", "Second audit")


def chosen_pair() -> tuple[Run, Run] | None:
    """The two switches on top; where there are fewer than two finished audits, what to do instead."""
    finished = {run.id: run for run in own_audits() if run.result_file.exists()}
    if len(finished) < 2:
        st.title("Two finished audits are needed", anchor=False)
        have = "There is one so far." if finished else "There is none yet."
        st.markdown(f"{have} Run another, of another state, year or attribute, or open one from another machine.")
        link("app.py", "Start or open an audit", icon=":material/home:")
        return None
    _note_unknown(finished)
    columns = st.columns(2)
    chosen: list[str] = []
    for column, parameter, label in zip(columns, PARAMETERS, _LABELS, strict=True):
        options = [identifier for identifier in finished if identifier not in chosen]
        wanted = _wanted(parameter, chosen, options)
        chosen.append(
            column.selectbox(
                label, options, index=options.index(wanted), format_func=lambda identifier: _label(finished[identifier])
            )
        )
    for parameter, identifier in zip(PARAMETERS, chosen, strict=True):
        st.query_params[parameter] = identifier
    return finished[chosen[0]], finished[chosen[1]]


def _wanted(parameter: str, taken: list[str], options: list[str]) -> str:
    """The audit of the address; else the one now open, and beside it the newest of the others."""
    asked = [st.query_params.get(parameter, "")]
    if not taken:
        others = [identifier for identifier in options if identifier != st.query_params.get("second")]
        asked += [audit_id() or "", *others[1:2]]
    return next((identifier for identifier in asked if identifier in options), options[0])


def _note_unknown(finished: dict[str, Run]) -> None:
    for parameter, label in zip(PARAMETERS, _LABELS, strict=True):
        if st.query_params.get(parameter, "") not in ("", *finished):
            st.warning(f"{label}: the one in the address is not among the finished audits here; choose another.")


def _label(run: Run) -> str:
    simulated = ", simulated" if is_simulated(run.spec) else ""
    seeds = counted(len(run.spec.seeds), "seed")
    return f"{audit_title(run.spec)}, {run.spec.preset}, {seeds}{simulated}, {ago(run.created)} ({run.id[:6]})"


def simulated_words(first: Run, second: Run) -> str | None:
    """What the bar across the page says of two audits, one or both of generated people."""
    marks = [is_simulated(run.spec) for run in (first, second)]
    if all(marks):
        return "SIMULATED DATA in both audits: nobody in these rows is real."
    if any(marks):
        which = "first" if marks[0] else "second"
        return f"SIMULATED DATA in the {which} audit: nobody in its rows is real; the other is of real people."
    return None


def plain_lines(lines: list[str]) -> str:
    """A list in Markdown, letter by letter."""
    return "\n".join(f"- {plain_markdown(line)}" for line in lines)
