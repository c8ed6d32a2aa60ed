"""Topics about conditioning: what a column tells once the group is known, and what the three objectives ask for."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.teaching.objectives import OBJECTIVES, Candidate, candidates, coefficient_text, preferred
from diffoci.figures.teaching import groups as lessons
from diffoci.ui.charts import show_drawing
from diffoci.ui.lessons.predict import committed, knob, reveal, to_try

COLUMNS = (
    "Three columns could stand for a person: the *postcode* is a trace of the group and nothing else, the *skill* "
    "differs within each group and is the same in both, the *salary* is a mixture."
)


@st.cache_resource(max_entries=64, show_spinner=False)
def _candidates(direct: float, own: float) -> list[Candidate]:
    return candidates(direct, own)


def _knobs() -> list[Candidate]:
    one, other = st.columns(2)
    with one:
        direct = knob("y depends on the group", 0.0, 2.0, 1.0, 0.1, key="direct")
    with other:
        own = knob("y depends on the skill", 0.0, 2.0, 1.0, 0.1, key="own")
    return _candidates(direct, own)


@st.fragment
def given_the_group() -> None:
    st.markdown(
        f"{COLUMNS} T(y, z) asks how far y is a function of z. T(y, z | S) asks what z *adds* where the group S is "
        "known already: of what was left open, which share does z settle?"
    )
    st.latex(r"T(Y, Z \mid S) = \frac{T(Y, (Z, S)) - T(Y, S)}{1 - T(Y, S)}")
    st.caption("This holds for the true coefficients; in a sample, T uses nearest neighbours in (z, S) and in S.")
    found = _knobs()
    said = committed("given", "Which column tells least about y once the group is known?", [one.name for one in found])
    if said is None:
        return
    least = min(found, key=lambda one: one.T_y_given)
    why = f"T(y, z) is {coefficient_text(least.T_y)} and T(y, z | S) is {coefficient_text(least.T_y_given)}"
    why += (
        ": it says little about y either way."
        if least.T_y < 0.05
        else ": what it says about y, the group says as well."
    )
    reveal("given", said, least.name, why)
    show_drawing(lessons.told_given(found), key="told-given")
    to_try("let y depend on the group alone (skill at 0). What does any column add then? And with the group at 0?")


@st.fragment
def three_objectives() -> None:
    st.markdown(
        f"{COLUMNS} difFOCI learns a representation; here it may only choose one of the three columns, and you see "
        "which one each objective likes best."
    )
    st.latex(r"\textbf{dF1:}\ \max_f\; T(Y, f(X)) \qquad \textbf{dF3:}\ \max_f\; T(Y, f(X) \mid S)")
    st.latex(r"\textbf{dF2:}\ \min_f\; \text{log-loss}(Y, f(X)) + \lambda\,\max\{T(S, f(X)),\, 0\}")
    st.latex(r"\textbf{dF3 with penalty (ours):}\ \max_f\; T(Y, f(X) \mid S) - \lambda\,\max\{T(S, f(X)),\, 0\}")
    found = _knobs()
    weight = knob("Weight of the penalty (λ)", 0.0, 3.0, 1.0, 0.1, key="weight")
    names = [one.name for one in found]
    said = committed(
        "objectives", "dF3 asks for what says something about y given the group. Which column does it choose?", names
    )
    if said is None:
        return
    best = {name: preferred(found, name, weight) for name in OBJECTIVES}
    chosen = best["dF3"]
    why = (
        f"Its T(y, z | S) is {coefficient_text(chosen.T_y_given)}, and its T(S, z) is {coefficient_text(chosen.T_s)}. "
        "dF3 asks nothing about guessing the group from z; the penalty does, and with it the choice is: "
        f"{best['dF3 with penalty'].name}."
    )
    if chosen.T_y_given < 0.05:
        most = coefficient_text(chosen.T_y_given)
        why = f"Within groups, no column says anything about y (T at most {most}): the choice is down to chance."
    reveal("objectives", said, chosen.name, why)
    show_drawing(lessons.objectives(found, weight), key="objectives")
    to_try("which objectives change their mind when y depends on the group more, and which when the penalty grows?")
