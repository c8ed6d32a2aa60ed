"""A run of the paper's later tables on a page: a picture and a table for every measure, agreement, likely reasons."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from diffoci.figures.labs.paper_tables import measured, paper_figure, paper_frame, studies_of
from diffoci.labs.fairness.beside_paper import beside_paper
from diffoci.labs.fairness.result import FairnessResult
from diffoci.labs.reproducible import Row
from diffoci.labs.shift.paper_tables import SHIFT
from diffoci.labs.shift.study import ShiftResult
from diffoci.plain_text import counted
from diffoci.runs.study import AnyStudy
from diffoci.ui.charts import show_drawing, show_table
from diffoci.ui.words import plain_markdown

# Rows that were learnt from or chosen by: to compare with the paper, not to conclude from.
_FITTED = ("train", "validation")


def show_beside_paper(study: AnyStudy, result: FairnessResult | ShiftResult) -> None:
    """What was found, beside the paper's figures."""
    st.title(plain_markdown(study.headline(result).removesuffix(".")), anchor=False)
    about = f"{study.describe(result.spec)}; {counted(len(result.spec.seeds), 'repetition')}, 95 % intervals"
    st.caption(plain_markdown(about))
    rows = SHIFT.rows([result]) if isinstance(result, ShiftResult) else beside_paper(result)
    run = [row for row in rows if row.value.mean is not None]
    fitted = [row for row in run if any(part in row.measure for part in _FITTED)]
    _show([row for row in run if row not in fitted])
    if fitted:
        with st.expander("Training and validation rows", icon=":material/table:"):
            _show(fitted)
    if others := [row for row in rows if row.value.mean is None]:
        st.subheader("The paper's figures, of pictures that are not at hand", anchor=False)
        frame = paper_frame(others)[["method", "paper"]]
        frame.insert(0, "data", [row.study for row in others])
        frame.insert(2, "measure", [measured(row.measure) for row in others])
        show_table(frame, key="lab-papers", alt="The paper's figures")
    for failure in result.failures.values():
        st.caption(plain_markdown(failure))


def _show(rows: Sequence[Row]) -> None:
    for (_, measure), some in studies_of(rows).items():
        if "paper_names" in some[0].more:
            frame = _names(some)
        else:
            show_drawing(paper_figure(some), key=f"lab-{measure}", offer=False)
            known = any(row.paper is not None for row in some)
            frame = paper_frame(some).drop(columns=["reason", *(() if known else ("paper", "agreement"))]).round(3)
        show_table(frame, key=f"lab-{measure}-table", alt=measured(measure), placeholder="–")
        _show_reasons(some)


def _names(rows: Sequence[Row]) -> pd.DataFrame:
    """Which features are dropped, where the paper names its own."""
    return pd.DataFrame(
        {
            "condition": [row.method for row in rows],
            "dropped here": [", ".join(row.more["names"]) or "none" for row in rows],
            "in the paper": [", ".join(row.more["paper_names"]) or "none" for row in rows],
            "agreement": [row.agreement for row in rows],
        }
    )


def _show_reasons(rows: Sequence[Row]) -> None:
    """The likely reasons of figures that differ, once each."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.agreement == "differs":
            reasons.setdefault(row.reason or "not known", []).append(row.method)
    if reasons:
        lines = [f"{', '.join(methods)}: {reason}" for reason, methods in reasons.items()]
        st.markdown("Where ours differ, the likely reason:\n" + "\n".join(f"- {plain_markdown(one)}" for one in lines))
