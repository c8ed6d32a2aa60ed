"""Compare: what can still be guessed from each representation, and what that costs."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.methods import METHODS, curves
from diffoci.audit.presets import PRESETS
from diffoci.audit.result import AuditResult
from diffoci.audit.settings import BY_PATH
from diffoci.audit.words import PLACES, SCORES, listed, sentence_case
from diffoci.audit.words.verdicts import headline
from diffoci.figures import compare, known_truth, probes
from diffoci.figures.curve import curve
from diffoci.figures.view import View, paper_elsewhere, rows_of
from diffoci.plain_text import counted
from diffoci.ui import finished_audit, guarded, link, next_step, no_method_finished, open_page, show_wrapped
from diffoci.ui.charts import show_drawing
from diffoci.ui.choices import in_address
from diffoci.ui.known_truth import known_of, show_beside
from diffoci.ui.runs.results import result_of
from diffoci.ui.verdicts import show_verdicts
from diffoci.ui.words import plain_markdown

FIRST = "chosen by the audit"


def choose_view(result: AuditResult) -> tuple[View, str | None]:
    """The switches above the picture, which the address keeps: what is looked at, and which method closely."""
    place, score, attribute, method = st.columns([3, 2, 2, 3])
    view = View(
        attribute=attribute.selectbox(
            "Attribute", result.attributes, help="What the probes try to guess.", **in_address("attribute")
        ),
        place=place.selectbox(
            "Guessed from",
            result.places,
            format_func=lambda name: sentence_case(PLACES[name]),
            **in_address("place"),
            help="The representation itself, or the last hidden layer of a classifier trained on it to predict the "
            "outcome (the paper's protocol).",
        ),
        score=score.selectbox(
            "Score",
            list(SCORES),
            format_func=SCORES.__getitem__,
            **in_address("score"),
            help="AUC: how often a probe ranks a member of a group above a non-member; 0.5 is chance. "
            "Balanced accuracy: the mean of the groups' accuracies. Verdicts always follow the AUC.",
        ),
    )
    called = {row.name: row.called for row in rows_of(result, view)}
    chosen = method.selectbox(
        "Method",
        [FIRST, *called],
        format_func=lambda name: called.get(name, FIRST),
        **in_address("method"),
        help="Its interval is drawn, and it is put into words below. Chosen by the audit: of the methods where the "
        "attribute was not detected, the one that predicts the outcome best; if there is none, the one that is hardest "
        "to guess from.",
    )
    return view, compare.spoken_of(result, view, chosen)


def show_view(result: AuditResult, view: View, method: str | None) -> None:
    """The picture, what it says, the table behind it, and what stands behind that."""
    drawing, known = compare.plane(result, view, chosen=method), known_of(result.spec, view.attribute)
    show_drawing(drawing if known is None else known_truth.with_ceilings(drawing, known, view), key="compare")
    if view.score != "auc":
        st.caption("Shuffled labels were measured in AUC: switch the score to AUC to see the chance band.")
    if paper_elsewhere(result, view):
        st.caption("To see the paper's values, choose the classifier's last layer and the score Accuracy.")
    if (model := result.spec.settings.get("model", "nn")) != "nn":
        st.caption(f"difFOCI's representations in this audit: {BY_PATH['model'].said(model)}.")
    show_verdicts(result, view, method)
    if known is not None:
        table = known_truth.ceilings(known, result, view)
        show_beside(table, known_truth.ceilings_said(known, view), key="known-ceilings")
    st.subheader("The numbers", anchor=False)
    show_wrapped(compare.table(result, view), key="methods", alt="The numbers behind the picture")
    with st.expander("Repetition by repetition"):
        show_wrapped(compare.by_repetition(result, view), key="repetitions", alt="What every repetition gave")
    show_details(result, view)


def show_details(result: AuditResult, view: View) -> None:
    """Probe by probe, and the trade-off curve where the audit has one."""
    line = curve(result, view)
    left, right = st.columns(2) if line is not None else (st.container(), st.container())
    with left:
        st.subheader("What does each probe find?", anchor=False)
        show_drawing(probes.probes(result, view), key="probes")
        st.caption("A method can be at chance for a linear probe and still reveal the attribute to trees or a network.")
    with right:
        st.subheader("The trade-off", anchor=False)
        if line is not None:
            show_drawing(line, key="trade-off")
            drawn = [METHODS[name] for name in result.curve if name in METHODS]
            st.caption(" ".join(f"{one.called}: {one.description}." for one in drawn))
        else:
            preset = PRESETS["standard"]
            st.markdown(
                f"Not measured in this audit: the {preset.title} preset trains "
                f"{listed([METHODS[name].called for name in curves()])} with {len(preset.settings['curve'])} weights "
                "each and joins them with lines here."
            )


open_page("Compare", "📊")
with guarded():
    run = finished_audit()
    if run is not None:
        result = result_of(run)
        if not result.methods:
            no_method_finished()
        else:
            title = st.empty()
            view, method = choose_view(result)
            title.title(plain_markdown(headline(result, view.attribute, view.place)), anchor=False)
            if rows_of(result, view):
                show_view(result, view, method)
            if result.failures:
                count = len(result.failures)
                parts, are = counted(count, "part"), "is" if count == 1 else "are"
                st.warning(f"{parts} of this audit failed and {are} not in the picture.")
            st.divider()
            next_step(
                "pages/features.py",
                "Next: which features are dropped for which attribute",
                icon=":material/filter_list:",
            )
            link("pages/decisions.py", "Or: who do the decisions favour", icon=":material/groups:")
