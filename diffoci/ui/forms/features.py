"""Ask what to choose features from, with which selectors and how often; the answer is a specification."""

from __future__ import annotations

from typing import Any

import streamlit as st

from diffoci.data.source import Option
from diffoci.data.sources import list_sources, load
from diffoci.labs.feature_selection.observations import OBSERVATIONS, ObservationSpec
from diffoci.labs.feature_selection.problem import Kind, Problem
from diffoci.labs.feature_selection.problems import PROBLEMS
from diffoci.labs.feature_selection.selectors import SELECTORS, selectors_for
from diffoci.labs.feature_selection.spec import BETA, BETAS, FIRST_TABLE, TABLE, LabSpec, reported_seeds
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.feature_selection.table import TableRows, load_rows
from diffoci.labs.reproducible import Asked
from diffoci.ui.choices import lasting
from diffoci.ui.forms.obtaining import at_hand, obtained
from diffoci.ui.forms.paper_runs import PAPER_STUDIES, choose_paper_run
from diffoci.ui.forms.uploads import keep_upload, kept_upload
from diffoci.ui.runs.draft import Draft
from diffoci.ui.words import plain_markdown

_FILE = "lab-file"
_QUICK = ("mean", "full", "FPR", "KBest", "L1", "FOCI", "vec-dF1", "NN-dF1")
_KINDS = {"auto": "as its values suggest", "class": "classes", "number": "a number"}


def choose_lab() -> Asked | None:
    """Ask for everything; None while something needed is missing."""
    generated = {name: problem.title for name, problem in PROBLEMS.items()}
    papers = {name: title for name, (_, title) in PAPER_STUDIES.items()}
    titles = {TABLE: "A table", **generated, OBSERVATIONS.name: OBSERVATIONS.title, **papers}
    first = lasting("lab-problem", "toy1")
    name = st.selectbox(
        "Study", list(titles), list(titles).index(first), format_func=titles.__getitem__, key="lab-problem"
    )
    if name in PAPER_STUDIES:
        return choose_paper_run(PAPER_STUDIES[name][0])
    if name == OBSERVATIONS.name:
        st.markdown("T of sines of three columns, and of the columns themselves, over draws of toy 1.")
        sigma = st.number_input("Standard deviation of X", 0.01, 10.0, lasting("lab-sigma", 1.0), key="lab-sigma")
        return Asked(OBSERVATIONS, ObservationSpec(sigma_x=sigma))
    spec = _choose_spec(name)
    return None if spec is None else Asked(FEATURE_LAB, spec)


def _choose_spec(name: str) -> LabSpec | None:
    if name != TABLE:
        problem = PROBLEMS[name]
        st.markdown(f"`{problem.formula}`")
        return _with_selectors({"problem": name, "knobs": _knobs(problem)}, problem.kind)
    found = _choose_table()
    if found is None:
        return None
    data, rows = found
    st.caption(plain_markdown(rows.about))
    asked = {"data": data, "outcome": rows.outcome, "outcome_kind": rows.kind}
    if rows.dataset.has_outcome and rows.outcome == rows.dataset.label_name:
        asked = {"data": data}  # as the source has it: the paper's figures belong to it
    return _with_selectors(asked, rows.kind)


def _knobs(problem: Problem) -> dict[str, Any]:
    """The options that differ from the usual ones."""
    with st.expander("Options of the data", icon=":material/tune:"), st.container(horizontal=True):
        answers = {option.name: _ask(option, f"lab-{problem.name}-{option.name}") for option in problem.options}
    usual = {option.name: option.default for option in problem.options}
    return {name: value for name, value in answers.items() if value != usual[name]}


def _ask(option: Option, key: str) -> Any:
    kind: Any = int if option.kind == "whole" else float
    low, high = (None if limit is None else kind(limit) for limit in (option.least, option.most))
    first = lasting(key, kind(option.default))
    form = None if kind is int else "%.3f"
    return st.number_input(f"{option.asked} ({option.name})", low, high, first, format=form, key=key, width=260)


def _choose_table() -> tuple[str, TableRows] | None:
    """The data and the column to predict; None while there are none."""
    sources = {source.name: source for source in list_sources()}
    first = lasting("lab-data", FIRST_TABLE)
    name = st.selectbox(
        "Table", list(sources), list(sources).index(first), format_func=lambda name: sources[name].title, key="lab-data"
    )
    source = sources[name]
    data = _brought_file(source.at) if source.takes_file else source.name
    if data is None or (not source.takes_file and not at_hand(name) and not obtained(Draft(name), twin_above=False)):
        return None
    columns, usual = _columns(data)
    place = columns.index(usual) if usual in columns else 0
    with st.container(horizontal=True):
        outcome = st.selectbox("Outcome: the column to predict", columns, place, key=f"lab-outcome-{data[-60:]}")
        kind = st.selectbox("It holds", list(_KINDS), format_func=_KINDS.__getitem__, key="lab-kind", width=240)
    return data, _rows(data, outcome, kind)


def _brought_file(at: Any) -> str | None:
    brought = st.file_uploader("CSV or Parquet file with a header", key="lab-upload", help="It stays on this machine.")
    if brought is not None:
        st.session_state[_FILE] = str(keep_upload(brought.getvalue(), brought.name).path)
    if _FILE not in st.session_state:
        st.info("Upload a table: any of its columns can be the outcome.")
        return None
    path = kept_upload(st.session_state[_FILE]).path
    if brought is None:
        st.caption(f"In use: {plain_markdown(path.name)}, uploaded before")
    return str(at(path))


@st.cache_data(max_entries=20, show_spinner="Reading the table …")
def _columns(data: str) -> tuple[list[str], str]:
    """The columns that can be predicted, the source's own outcome first, and that one."""
    dataset = load(data, sensitive=())
    names = [column.name for column in dataset.columns]
    return ([dataset.label_name, *names], dataset.label_name) if dataset.has_outcome else (names, "")


@st.cache_resource(max_entries=8, show_spinner="Reading the table …")
def _rows(data: str, outcome: str, kind: Any) -> TableRows:
    return load_rows(data, {}, outcome, kind)


def _with_selectors(asked: dict[str, Any], kind: Kind) -> LabSpec | None:
    """The same with selectors, repetitions and betas."""
    able = [one.name for one in selectors_for(kind)]
    titles = {name: SELECTORS[name].title for name in able}
    methods = st.pills(
        "Selectors", able, selection_mode="multi", format_func=titles.__getitem__, key=f"lab-methods-{kind}",
        default=lasting(f"lab-methods-{kind}", [name for name in _QUICK if name in able]),
    )  # fmt: skip
    with st.expander("What they do", icon=":material/help:"):
        lines = [f"{titles[name]}: {SELECTORS[name].description}" for name in able]
        st.markdown("\n".join(f"- {plain_markdown(line)}" for line in lines))
    for missing in filter(None, (selector.missing() for selector in SELECTORS.values())):
        st.caption(plain_markdown(missing))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input("Repetitions", 1, 100, lasting("lab-seeds", 3), key="lab-seeds", width=160)
        several = st.toggle(
            "difFOCI over beta from 1e-5 to 1e7", lasting("lab-betas", False), key="lab-betas",
            help="How sharp neighbours are; one training for each.",
        )  # fmt: skip
    if not methods:
        st.info("Choose at least one selector.")
        return None
    return LabSpec(
        **asked, methods=tuple(methods), seeds=reported_seeds(int(count)), betas=BETAS if several else (BETA,)
    )
