"""Compare: what can still be guessed from each representation, and what that costs."""

from __future__ import annotations

import streamlit as st

from diffoci.figures import compare, probes, verdict_words
from diffoci.figures.curve import curve
from diffoci.figures.reading import Result, View, attributes, entries, paper_elsewhere, places, scores
from diffoci.figures.words import PLACES, SCORES, sentence_case
from diffoci.ui import finished_audit, guarded, link, no_method_finished, open_page, show_table
from diffoci.ui.charts import show_drawing
from diffoci.ui.results import result_of
from diffoci.ui.settings_words import MODELS
from diffoci.ui.words import plain_markdown

# Pixels of the table's columns, the last ones counted from the end: all fit beside the sidebar of an ordinary window.
WIDTHS, LAST_WIDTHS = (128, 146), (118, 84, 114, 82, 178)
DRAWN_WIDTH = 58


def choose_view(result: Result) -> View:
    """The three switches above the picture."""
    place, score, attribute = st.columns([2, 1, 1])
    return View(
        attribute=attribute.selectbox("Attribute", attributes(result), help="Whose traces are looked for."),
        place=place.selectbox(
            "Guessed from",
            places(result),
            format_func=lambda name: sentence_case(PLACES[name]),
            help="The representation itself, or the last hidden layer of a classifier trained on it to predict y "
            "(the paper's protocol).",
        ),
        score=score.selectbox(
            "Score",
            scores(),
            format_func=SCORES.__getitem__,
            help="AUC: how often a probe ranks a member of a group above a non-member; 0.5 is chance. "
            "Balanced accuracy: the mean of the groups' accuracies. Verdicts always follow the AUC.",
        ),
    )


def show_view(result: Result, view: View) -> None:
    """The picture, what it says, the table behind it, and what stands behind that."""
    show_drawing(compare.plane(result, view), key="compare")
    if view.score != "auc":
        st.caption("Shuffled labels were measured in AUC: switch the score to AUC to see the chance band.")
    if paper_elsewhere(result, view):
        st.caption("The paper's values are hollow marks: choose the classifier's last layer and the score Accuracy.")
    if (model := result["spec"]["settings"].get("model", "nn")) != "nn":
        st.caption(f"difFOCI's representations in this audit: {MODELS[model]}.")
    show_verdicts(result, view)
    st.subheader("The numbers", anchor=False)
    table = verdict_words.table(result, view)
    drawn = [DRAWN_WIDTH] * (len(table.columns) - len(WIDTHS) - len(LAST_WIDTHS))
    widths = dict(zip(table, (*WIDTHS, *drawn, *LAST_WIDTHS), strict=True))
    configured = {name: st.column_config.TextColumn(width=width) for name, width in widths.items()}
    show_table(table, key="methods", alt="The numbers behind the picture", column_config=configured)
    show_details(result, view)


def show_verdicts(result: Result, view: View) -> None:
    """The method to speak of first, and why its verdict is what it is; the others on demand."""
    found = entries(result, view)
    first = verdict_words.best(result, view)
    alarms = [entry.short for entry in found if entry.found["below_chance"]]
    if alarms:
        names = plain_markdown(", ".join(alarms))
        st.warning(
            f"Guessing is clearly worse than chance for {names}: an alarm, check the run.", icon=":material/warning:"
        )
    if first is not None:
        st.info(plain_markdown(verdict_words.sentence(result, view, first)), icon=":material/balance:")
        st.caption(plain_markdown(verdict_words.reason(view, first)))
    with st.expander("Every method in words"):
        for entry in found:
            why = verdict_words.reason(view, entry)
            st.markdown(f"- {plain_markdown(verdict_words.sentence(result, view, entry))} {plain_markdown(why)}")


def show_details(result: Result, view: View) -> None:
    """Probe by probe, and the trade-off curve where the audit has one."""
    line = curve(result, view)
    left, right = st.columns(2) if line is not None else (st.container(), st.container())
    with left:
        st.subheader("Is it quiet for every probe?", anchor=False)
        show_drawing(probes.probes(result, view), key="probes")
        st.caption(
            "A method can be at chance for a linear probe and still give the attribute away to trees or a network."
        )
    with right:
        st.subheader("The trade-off", anchor=False)
        if line is not None:
            show_drawing(line, key="trade-off")
            st.caption("dF3 with leakage penalty is our extension of the paper's dF3.")
        else:
            st.markdown(
                "Not measured in this audit: the Standard preset trains dF2, dF3 with penalty and the adversary with "
                "six weights each, and joins them by lines here."
            )


open_page("Compare", "📊")
with guarded():
    run = finished_audit()
    if run is not None:
        result = result_of(run)
        if not result["methods"]:
            no_method_finished()
        else:
            title = st.empty()
            view = choose_view(result)
            title.title(plain_markdown(verdict_words.headline(result, view)), anchor=False)
            if entries(result, view):
                show_view(result, view)
            if result["failures"]:
                st.warning(f"{len(result['failures'])} parts of this audit failed and are not in the picture.")
            st.divider()
            link(
                "pages/features.py",
                "Next: which features are dropped for which attribute",
                icon=":material/filter_list:",
            )
            link("pages/decisions.py", "Or: whom would decisions favour", icon=":material/groups:")
