"""The two audits a page compares: chosen from the finished ones, kept in the address so that the link can be shared."""

from __future__ import annotations

import streamlit as st

from diffoci.runs.store import Run
from diffoci.ui.access import note_opened
from diffoci.ui.forms.naming import title_of
from diffoci.ui.links import audit_id, next_step
from diffoci.ui.runs.own_runs import AUDITS, own_runs
from diffoci.ui.words import ago, plain_markdown

PARAMETERS = ("first", "second")
_LABELS = ("First audit", "Second audit")


def chosen_pair() -> tuple[Run, Run] | None:
    """The two switches on top; where there are fewer than two finished audits, what to do instead."""
    finished = {run.id: run for run in own_runs() if run.study.name in AUDITS and run.result_file.exists()}
    if len(finished) < 2:
        st.title("Two finished audits are needed", anchor=False)
        have = "There is one so far." if finished else "There is none yet."
        st.markdown(f"{have} Run another, of another state, year or attribute, or open one from another machine.")
        next_step("app.py", "Start or open an audit", icon=":material/home:")
        return None
    _note_unknown(finished)
    columns = st.columns(2)
    chosen: list[str] = []
    for column, parameter, label in zip(columns, PARAMETERS, _LABELS, strict=True):
        options = [identifier for identifier in finished if identifier not in chosen]
        wanted = _wanted(parameter, [finished[identifier] for identifier in chosen], options, finished)
        chosen.append(
            column.selectbox(
                label, options, index=options.index(wanted), format_func=lambda identifier: _label(finished[identifier])
            )
        )
    for parameter, identifier in zip(PARAMETERS, chosen, strict=True):
        st.query_params[parameter] = identifier
    first, second = (finished[identifier] for identifier in chosen)
    for run in (first, second):
        note_opened(run)
    return first, second


def _wanted(parameter: str, taken: list[Run], options: list[str], finished: dict[str, Run]) -> str:
    """The audit of the address; else the one now open, and beside it the newest that was asked the same, or any."""
    asked = [st.query_params.get(parameter, "")]
    if not taken:
        others = [identifier for identifier in options if identifier != st.query_params.get("second")]
        asked += [audit_id() or "", *others[1:2]]
    else:
        alike = [identifier for identifier in options if finished[identifier].study.name == taken[0].study.name]
        asked += sorted(alike, key=lambda identifier: _question(finished[identifier]) != _question(taken[0]))
    return next((identifier for identifier in asked if identifier in options), options[0])


def _question(run: Run) -> tuple[str | None, ...]:
    """The outcome and the attributes: what two audits share whose results mean the same."""
    asked = run.study.asked(run.spec)
    return asked.get("outcome"), asked.get("sensitive")


def _note_unknown(finished: dict[str, Run]) -> None:
    for parameter, label in zip(PARAMETERS, _LABELS, strict=True):
        if st.query_params.get(parameter, "") not in ("", *finished):
            st.warning(f"{label}: the one in the address is not among the finished audits here; choose another.")


def _label(run: Run) -> str:
    simulated = ", simulated" if run.study.is_simulated(run.spec) else ""
    about = ", ".join(filter(None, (title_of(run), run.study.details(run.spec))))
    return f"{ago(run.created)}: {about}{simulated} ({run.id[:6]})"  # the time first: a list cuts what is long


def simulated_words(first: Run, second: Run) -> str | None:
    """What the bar across the page says of two audits, one or both of generated people."""
    marks = [run.study.is_simulated(run.spec) for run in (first, second)]
    if all(marks):
        return "SIMULATED DATA in both audits: nobody in these rows is real."
    if any(marks):
        which = "first" if marks[0] else "second"
        return f"SIMULATED DATA in the {which} audit: nobody in its rows is real; the other is of real people."
    return None


def plain_lines(lines: list[str]) -> str:
    """A list in Markdown, letter by letter."""
    return "\n".join(f"- {plain_markdown(line)}" for line in lines)
