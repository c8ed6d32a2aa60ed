"""Ask for a table with a model's scores, what its columns are, and what a decision means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from msgspec.structs import asdict

from diffoci.data.source import Source
from diffoci.data.sources import list_sources, load_table
from diffoci.model_audit.guess_roles import guess_roles
from diffoci.model_audit.guide import QUESTIONS, advice
from diffoci.model_audit.onnx_model import WHY_NO_PICKLE, inputs_of
from diffoci.model_audit.spec import ModelAuditSpec, ModelSettings, Roles, SecondFile
from diffoci.model_audit.words import CRITERIA
from diffoci.ui.choices import lasting
from diffoci.ui.forms.obtaining import at_hand
from diffoci.ui.forms.uploads import classes_of, keep_brought, keep_model, kept_upload
from diffoci.ui.words import plain_markdown

_FILE = "scores-file"


def choose_scores() -> ModelAuditSpec | None:
    """Ask for everything a model audit needs; None while something needed is missing."""
    offered = [source for source in list_sources() if source.table and (source.takes_file or at_hand(source.name))]
    titles = {source.name: source.title for source in offered}
    first = lasting("scores-data", offered[0].name)
    name = st.selectbox(
        "Table", list(titles), list(titles).index(first) if first in titles else 0, key="scores-data",
        format_func=titles.__getitem__,
    )  # fmt: skip
    source = next(one for one in offered if one.name == name)
    found = _table(source)
    if found is None:
        return None
    data, columns, usual = found
    joined = _second_file(columns) if source.takes_file else None
    if joined is not None:
        added = [name for name in kept_upload(joined.file).columns if name not in columns]
        columns = [*columns, *added]
        usual = asdict(guess_roles(columns))
    model = _model_file(columns)
    if model is not None:  # it stands alone, unless a column of scores is named beside it
        usual = {**usual, "scores": (), "decisions": (), "selected": (), "features": _taken(model, columns, usual)}
    roles = _roles(data, columns, usual, joined, model)
    if roles is None:
        return None
    return ModelAuditSpec(
        data=data,
        roles=roles,
        joined=joined,
        model_file=None if model is None else str(model),
        settings=_settings(scored=bool(roles.scores or model)),
        answers=_guide(),
    )


def _model_file(columns: list[str]) -> Path | None:
    """A model that scores the rows; what it takes is said, and what of it the table lacks."""
    with st.expander("A model's file (ONNX) instead of a column of scores", icon=":material/deployed_code:"):
        brought = st.file_uploader("ONNX file", key="scores-model", help="It stays on this machine.")
        if brought is None:
            st.caption(f"It scores the rows of the table. Not a pickle: {WHY_NO_PICKLE}")
            return None
        path = keep_model(brought)
        inputs = inputs_of(path)
        if set(inputs) <= set(columns):
            st.caption(plain_markdown(f"{path.name} takes the columns {', '.join(inputs)}."))
        elif len(inputs) == 1:
            said = f"{path.name} takes one matrix, called {inputs[0]}: name its columns, in its order, below."
            st.info(plain_markdown(said))
        else:
            missing = ", ".join(name for name in inputs if name not in columns)
            said = f"{path.name} takes the columns {', '.join(inputs)}, and the table has no {missing}: rename them."
            st.warning(plain_markdown(said))
            return None
        return path


def _taken(model: Path, columns: list[str], usual: dict[str, Any]) -> tuple[str, ...]:
    """The columns that the model takes, where its inputs name them."""
    inputs = inputs_of(model)
    return inputs if set(inputs) <= set(columns) else tuple(usual.get("features", ()))


def _second_file(columns: list[str]) -> SecondFile | None:
    """A file with further columns, attributes for example, and the keys that say which row belongs to whom."""
    with st.expander("Attributes in a second file", icon=":material/join_inner:"):
        brought = st.file_uploader("CSV or Parquet file with a key that both files have", key="scores-second")
        if brought is None:
            return None
        upload = keep_brought(brought)
        shared = [name for name in upload.columns if name in columns]
        if not shared:
            st.warning(
                "The two files have no column in common, so no row can be matched; rename the key in one of them."
            )
            return None
        keys = st.multiselect("Key columns", shared, shared[:1], key=f"scores-keys-{upload.digest}")
        if not keys:
            st.info("Name the columns that say which row belongs to whom.")
            return None
        return SecondFile(file=str(upload.path), keys=tuple(keys))


def _table(source: Source) -> tuple[str, list[str], dict[str, Any]] | None:
    """What the data are called, their columns, and the roles to begin with."""
    if not source.takes_file:
        return source.name, _columns_of(source.name), dict(source.roles)
    brought = st.file_uploader(
        "CSV or Parquet file, one row per person, with a header", key="scores-upload",
        help="It stays on this machine. Separator, decimal sign and encoding are detected.",
    )  # fmt: skip
    if brought is not None:
        st.session_state[_FILE] = str(keep_brought(brought).path)
    if _FILE not in st.session_state:
        st.info("Upload a table with the scores or decisions of a model: one row per person.")
        return None
    upload = kept_upload(st.session_state[_FILE])
    if brought is None:
        st.caption(f"In use: {plain_markdown(upload.path.name)}, uploaded before")
    columns = list(upload.columns)
    return source.at(upload.path), columns, asdict(guess_roles(columns))


@st.cache_data(max_entries=20, show_spinner=False)
def _columns_of(data: str) -> list[str]:
    return list(load_table(data).table.column_names)


def _roles(
    data: str, columns: list[str], usual: dict[str, Any], joined: SecondFile | None, model: Path | None
) -> Roles | None:
    mark = data[-60:] if joined is None else f"{data[-60:]}-{joined.file[-60:]}"
    mark = mark if model is None else f"{mark}-{model.parent.name[:12]}"
    left, right = st.columns(2)
    with left:
        scores = _several("Scores, one column for each model", columns, usual.get("scores", ()), f"scores-score-{mark}")
        decisions = _several(
            "Recorded decisions", columns, usual.get("decisions", ()), f"scores-decision-{mark}",
            help="In the order of the scores; without one, scores are cut at a threshold.",
        )  # fmt: skip
        values = _values(data, decisions, joined)
        selected = _several(
            "Values that count as selected", values, usual.get("selected", ()), f"scores-selected-{mark}-{decisions}",
            disabled=not values, placeholder="detected from the values",
        )  # fmt: skip
        sensitive = _several(
            "Sensitive attributes", columns, usual.get("sensitive", ()), f"scores-sensitive-{mark}",
            help="Groups, or numbers such as an age, which are not cut into bands.",
        )  # fmt: skip
    with right:
        label = _one("Outcome: what happened", columns, usual.get("label"), f"scores-label-{mark}")
        classes = _values(data, [label] if label else [], joined)
        positive = None
        if label is not None and classes:
            known = usual.get("positive") if usual.get("label") == label else None
            positive = _one("Value that counts as yes", classes, known, f"scores-positive-{mark}-{label}")
        factors = _several(
            "Factors that may justify a difference", columns, usual.get("factors", ()), f"scores-factors-{mark}"
        )
        features = _several(
            "Columns the model looked at", columns, usual.get("features", ()), f"scores-features-{mark}",
            help="To find those that carry an attribute into the score. A model's file is given these, in this order.",
        )  # fmt: skip
        weights = _one("Weights", columns, usual.get("weights"), f"scores-weights-{mark}")
    if not (scores or decisions or model) or not sensitive:
        st.info("Name at least one column of scores or decisions, and one sensitive attribute.")
        return None
    if model is not None and not features:
        st.info("Name the columns that the model takes: those it looked at, in its order.")
        return None
    return Roles(
        scores=tuple(scores),
        decisions=tuple(decisions),
        selected=tuple(selected),
        label=label,
        positive=positive,
        sensitive=tuple(sensitive),
        weights=weights,
        factors=tuple(factors),
        features=tuple(features),
    )


def _values(data: str, names: list[str], joined: SecondFile | None) -> list[str]:
    """The values of the first of some columns, where they are few."""
    if not names:
        return []
    location = data.partition(":")[2]
    if location and joined is not None and names[0] not in kept_upload(location).columns:
        location = joined.file
    if location:
        return list(classes_of(location, names[0]))
    return _values_of(data, names[0])


@st.cache_data(max_entries=50, show_spinner=False)
def _values_of(data: str, column: str) -> list[str]:
    from diffoci.data.tables.columns import as_levels, normalise

    levels = list(as_levels(normalise(load_table(data).table[column])).cat.categories)
    return [str(level) for level in levels] if len(levels) <= 20 else []


def _several(title: str, names: list[str], first: Any, key: str, **look: Any) -> list[str]:
    begin = [name for name in lasting(key, list(first or ())) if name in names]
    return st.multiselect(title, names, begin, key=key, **{"placeholder": "none", **look})


def _one(title: str, names: list[str], first: str | None, key: str) -> str | None:
    begin = lasting(key, first)
    return st.selectbox(title, names, names.index(begin) if begin in names else None, key=key, placeholder="none")


def _settings(*, scored: bool) -> ModelSettings:
    with st.expander("Threshold and reference", icon=":material/tune:"):
        threshold = st.number_input(
            "Selected: people with a score of at least", value=None, key="scores-threshold", disabled=not scored,
            placeholder="the recorded decision, else 0.5, else the median",
        )  # fmt: skip
        reference = st.text_input(
            "Groups are compared with",
            "largest",
            key="scores-reference",
            help="largest, overall, or the name of a group",
        )
    return ModelSettings(threshold=threshold, reference=reference.strip() or "largest")


def _guide() -> dict[str, str]:
    answers = {}
    with st.expander("Which criteria matter? A short guide", icon=":material/quiz:"):
        for question in QUESTIONS:
            texts = {name: choice.text for name, choice in question.choices.items()}
            answer = st.radio(
                question.text, list(texts), index=None, key=f"scores-guide-{question.name}",
                format_func=texts.__getitem__,
            )  # fmt: skip
            if answer is not None:
                answers[question.name] = answer
        for one in advice(answers):
            st.markdown(f"- **{CRITERIA[one.criterion].partition(':')[0]}**: {one.why}")
        st.caption("The answers are kept with the audit and printed in its report.")
    return answers
