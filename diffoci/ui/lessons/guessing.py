"""Topics about guessing a group: many weak columns, known truth, a probe that misses something, base rates."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.teaching import coefficients as teaching
from diffoci.audit.teaching.groups import BaseRates, ManyColumns, base_rates, many_columns
from diffoci.audit.words import listed
from diffoci.data.truth.source import PAIR, Truth, make_truth
from diffoci.figures.teaching import coefficients as learn
from diffoci.figures.teaching import groups as lessons
from diffoci.ui.charts import show_drawing
from diffoci.ui.lessons.predict import committed, knob, reveal, to_try

ROWS = 4000
AT_CHANCE = 0.53  # an AUC below this is not worth speaking of with so many rows
SHOWN = {"The pair that tells only together": PAIR, "Mean and spread": ("linear", "variance")}
LINEAR, TREES = "linear probe", "boosted trees"


@st.cache_resource(max_entries=64, show_spinner=False)
def _generated(linear: float, variance: float, interaction: float, direct: float) -> tuple[Truth, dict[str, float]]:
    """Known-truth data for these knobs, and how well probes guess the group from them."""
    truth = make_truth(rows=ROWS, linear=linear, variance=variance, interaction=interaction, direct=direct)
    return truth, teaching.probe_areas(truth)


@st.cache_resource(max_entries=64, show_spinner=False)
def _many(columns: int, strength: float) -> ManyColumns:
    return many_columns(columns, strength)


@st.cache_resource(max_entries=64, show_spinner=False)
def _rates(strength: float) -> BaseRates:
    return base_rates(strength)


@st.fragment
def dropping_the_column() -> None:
    st.markdown(
        "The column *group* is deleted. The other columns stay, and each of them tells a little about the group: its "
        "mean is a bit higher in group B. What many weak columns tell adds up."
    )
    st.latex(r"\text{best possible AUC from } k \text{ columns} = \Phi\!\left(d\,\sqrt{k/2}\right)")
    st.caption("d: by how many standard deviations the mean of each column differs; Φ: the normal distribution.")
    one, other = st.columns(2)
    with one:
        columns = int(knob("Columns that are left", 1, 30, 12, 1, key="columns"))
    with other:
        strength = knob("How much each differs by group", 0.0, 1.0, 0.3, 0.05, key="strength")
    found = _many(columns, strength)
    best, together = float(found.alone.max()), float(found.together[-1])
    options = ("no further than the best of them", "a little further: up to 0.05 more", "much further")
    said = committed(
        "dropping",
        f"Alone, the most telling of these {columns} columns has an AUC of {best:.2f} (0.50 is chance). How far do "
        "all of them get together?",
        options,
    )
    if said is None:
        return
    gain = together - best
    right = options[0] if gain <= 0.01 else options[1] if gain <= 0.05 else options[2]
    reveal("dropping", said, right, f"Alone {best:.2f}, together {together:.2f}, at most {found.possible[-1]:.2f}.")
    show_drawing(lessons.many_columns(found), key="many-columns")
    rates = st.columns(2)
    for place, (group, rate) in zip(rates, found.selected.items(), strict=True):
        place.metric(f"Group {group} selected", f"{100 * rate:.1f} %")
    st.markdown(
        "These are the decisions of a classifier of an outcome that depends on the group. It never saw the column "
        "*group*."
    )
    to_try(
        "how many columns of strength 0.2 does it take to reach an AUC of 0.75? Set the strength to 0: what is left?"
    )


@st.fragment
def known_truth() -> None:
    st.markdown(
        "These data are generated, so the truth is known: which columns carry traces of the group, in which way, and "
        "how well the best possible method could guess it. Turn the knobs and see what each way looks like."
    )
    st.latex(
        r"x_1 \mid S \sim N(\pm\tfrac{a}{2},\,1) \qquad x_2 \mid S \sim N(0,\,e^{\pm b}) \qquad "
        r"\operatorname{corr}(x_3, x_4 \mid S) = \pm c"
    )
    one, other = st.columns(2)
    with one:
        linear = knob("Mean differs by group (a)", 0.0, 2.0, 1.0, 0.1, key="mean", help="Every method sees this.")
        variance = knob("Spread differs by group (b)", 0.0, 2.0, 1.0, 0.1, key="spread", help="The mean is the same.")
    with other:
        pair = knob("Two columns together differ (c)", 0.0, 0.95, 0.9, 0.05, key="pair", help="Neither does alone.")
        direct = knob(
            "y depends on the group", 0.0, 2.0, 1.0, 0.1, key="direct", help="The price of losing the traces."
        )
    truth, areas = _generated(linear, variance, pair, direct)
    options = ("the linear probe", "the trees", "both the same, within 0.02")
    said = committed("known", "With the knobs as they stand: who comes closer to the best possible guess?", options)
    if said is None:
        return
    ahead = areas[TREES] - areas[LINEAR]
    right = options[2] if abs(ahead) <= 0.02 else options[1] if ahead > 0 else options[0]
    told = f"AUC of the linear probe {areas[LINEAR]:.2f}, of the trees {areas[TREES]:.2f}, best possible "
    reveal("known", said, right, f"{told}{areas['best possible']:.2f}.")
    numbers = st.columns(3)
    numbers[0].metric("Best guess of the group", f"{100 * truth.bayes_s_accuracy:.1f} %")
    numbers[1].metric("Best prediction of the outcome", f"{100 * truth.bayes_y_accuracy:.1f} %")
    numbers[2].metric("Columns that tell", len(truth.leaking), help=listed(list(truth.leaking)))
    left, right_half = st.columns(2)
    with left:
        shown = SHOWN[st.selectbox("Show", list(SHOWN), key="show", bind="query-params")]
        data = truth.dataset
        show_drawing(learn.pair_by_group(data.features, data.sensitive["group"], *shown), key="known-pair")
    with right_half:
        show_drawing(learn.probe_bars(areas), key="known-probes")
    to_try("set all three ways to 0. What is left to guess from, and do the probes notice?")


@st.fragment
def linear_probe() -> None:
    st.markdown(
        "Two columns, each the same in both groups; only their *correlation* differs. A linear probe adds up columns "
        "with weights, and every such sum has the same mean in both groups; at most its spread differs, which a "
        "linear probe cannot use. An audit here always takes the strongest of several probes."
    )
    st.latex(r"w_1 x_1 + w_2 x_2 \mid S \;\sim\; N\!\left(0,\; w_1^2 + w_2^2 \pm 2\,c\,w_1 w_2\right)")
    strength = knob("Strength of the hidden trace (c)", 0.0, 0.95, 0.9, 0.05, key="hidden")
    truth, areas = _generated(0.0, 0.0, strength, 0.0)
    options = ("both see it", "only the trees see it", "only the linear probe sees it", "both are at chance")
    said = committed("linear", f"The trace has strength {strength:.2f}. Which of the two probes sees it?", options)
    if said is None:
        return
    seen = (areas[LINEAR] >= AT_CHANCE, areas[TREES] >= AT_CHANCE)
    right = {(True, True): options[0], (False, True): options[1], (True, False): options[2]}.get(seen, options[3])
    told = (
        f"AUC of the linear probe {areas[LINEAR]:.2f}, of the trees {areas[TREES]:.2f}; an AUC below {AT_CHANCE} counts"
    )
    reveal("linear", said, right, f"{told} as chance here. The best possible guess has {areas['best possible']:.2f}.")
    left, right_half = st.columns(2)
    with left:
        show_drawing(
            learn.pair_by_group(truth.dataset.features, truth.dataset.sensitive["group"], *PAIR), key="hidden-pair"
        )
    with right_half:
        show_drawing(learn.probe_bars(areas), key="hidden-probes")
    to_try("how weak must the trace be before the trees are at chance too, while the best possible guess is not?")


@st.fragment
def base_rate() -> None:
    st.markdown(
        "“The group was guessed right for 90 % of the people” says nothing by itself: where 90 % of them are in one "
        "group, always naming that one is right just as often. The AUC compares people of both groups two by two, "
        "whatever the groups' sizes."
    )
    st.latex(
        r"\text{accuracy of naming the largest group} = \max(\pi,\, 1 - \pi) \qquad "
        r"\text{AUC} = P(\text{score of a B} > \text{score of an A})"
    )
    one, other = st.columns(2)
    with one:
        share = knob("Share of the largest group (π)", 0.5, 0.95, 0.8, 0.05, key="share")
    with other:
        strength = knob("How much the groups differ", 0.0, 2.0, 1.0, 0.1, key="differ")
    found = _rates(strength)
    options = ("less than 1 point", "1 to 10 points", "more than 10 points")
    said = committed(
        "base-rate",
        f"One group has {share:.0%} of the people, and the means differ by {strength:.1f} standard deviations. By how "
        "much does a good guess beat always naming the largest group?",
        options,
    )
    if said is None:
        return
    k, gain = found.at(share), 100 * found.gain(share)
    right = options[0] if gain < 1 else options[1] if gain <= 10 else options[2]
    why = (
        f"Right for {100 * found.accuracy[k]:.1f} %, against {100 * found.largest[k]:.1f} % by naming the largest "
        f"group: {gain:.1f} points. The AUC is {found.auc[k]:.2f} all the same."
    )
    reveal("base-rate", said, right, why)
    show_drawing(lessons.base_rates(found, share), key="base-rates")
    to_try(
        "move the share to 95 %: the accuracy goes up and the gain goes away. Which line stays where it is, and why?"
    )
