"""Learn: try the ideas on data whose truth is known."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.teaching import probe_areas
from diffoci.data.truth import PAIR, Truth, make_truth
from diffoci.figures import Drawing, learn
from diffoci.figures.words import listed
from diffoci.ui import guarded, open_page
from diffoci.ui.charts import show_drawing

ROWS = 4000
SHOWN = {"The pair that leaks only together": PAIR, "Mean and spread": ("linear", "variance")}


@st.cache_resource(max_entries=64, show_spinner=False)
def generated(linear: float, variance: float, interaction: float, direct: float) -> tuple[Truth, dict[str, float]]:
    """Known-truth data for these knobs, and how well probes guess the group from them."""
    truth = make_truth(rows=ROWS, linear=linear, variance=variance, interaction=interaction, direct=direct)
    return truth, probe_areas(truth)


@st.cache_resource(max_entries=64, show_spinner=False)
def soft_curve(name: str, noise: float) -> Drawing:
    """T and its soft twin; kept, since it takes a second."""
    return learn.soft_and_exact(name, noise=noise)


def question(text: str) -> None:
    """One thing to try."""
    st.info(f"**Try:** {text}", icon=":material/edit:")


@st.fragment
def known_truth() -> None:
    st.markdown(
        "These data are generated, so the truth is known: which features carry traces of the group, in which way, and "
        "how well the best possible method could guess it. Turn the knobs and see what each way of leaking looks like."
    )
    one, other = st.columns(2)
    linear = one.slider("Mean differs by group", 0.0, 2.0, 1.0, 0.1, help="Every method sees this.")
    variance = one.slider("Spread differs by group", 0.0, 2.0, 1.0, 0.1, help="The mean is the same in both groups.")
    interaction = other.slider("Two features together differ", 0.0, 0.95, 0.9, 0.05, help="Neither does alone.")
    direct = other.slider("y depends on the group", 0.0, 2.0, 1.0, 0.1, help="The price of losing the traces.")
    truth, areas = generated(linear, variance, interaction, direct)
    numbers = st.columns(3)
    numbers[0].metric("Best guess of the group", f"{100 * truth.bayes_s_accuracy:.1f} %")
    numbers[1].metric("Best prediction of y", f"{100 * truth.bayes_y_accuracy:.1f} %")
    numbers[2].metric("Features that leak", len(truth.leaking), help=listed(list(truth.leaking)))
    left, right = st.columns(2)
    with left:
        pair = SHOWN[st.selectbox("Show", list(SHOWN))]
        data = truth.dataset
        show_drawing(learn.pair_by_group(data.features, data.sensitive["group"], *pair), key="pair")
    with right:
        show_drawing(learn.probe_bars(areas), key="truth-probes")
    question("set all three ways of leaking to 0. What is left to guess from, and do the probes notice?")


@st.fragment
def five_clouds() -> None:
    st.markdown(
        "Correlation asks whether points lie along a line. Chatterjee's ξ and T ask whether y is a *function* of x, of "
        "any shape: 0 for nothing, 1 for a function without noise. A circle has two values of y for most x: no "
        "function, and both stay small."
    )
    noise = st.slider("Noise", 0.0, 1.0, 0.1, 0.05)
    show_drawing(learn.clouds(noise=noise), key="clouds")
    question("how much noise does it take until T cannot tell the wave from nothing?")


@st.fragment
def soft_neighbour() -> None:
    st.markdown(
        "T looks at each point's nearest neighbour. Which point is nearest jumps as points move, so small steps learn "
        "nothing from it. difFOCI lets every point count a little, by softmax of −β times its distance. A large β is "
        "nearly the nearest point alone; a small β is nearly everybody."
    )
    beta = st.select_slider("β", [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 200.0], value=5.0)
    point = st.slider("Point that looks for its neighbour", 1, 25, 13)
    show_drawing(learn.neighbour_weights(beta, point=point - 1), key="neighbour")
    question("at β = 5, how much does the nearest point count? Find a point whose nearest counts more than 70 %.")


@st.fragment
def soft_and_exact() -> None:
    st.markdown(
        "As β grows, T with soft neighbours becomes the exact T. With a small β it is smooth and easy to train, but "
        "blurs what is fine-grained: a fast wave needs a larger β than a line."
    )
    one, other = st.columns(2)
    name = one.selectbox("Cloud", list(learn.CLOUDS), index=2)
    noise = other.slider("Noise of the cloud", 0.0, 1.0, 0.1, 0.1)
    show_drawing(soft_curve(name, noise), key="soft")
    question("compare the line with the wave: at which β does each come close to its exact T?")


@st.fragment
def linear_probe() -> None:
    st.markdown(
        "Two features, each the same in both groups; only their *correlation* differs. A linear probe must stay at "
        "chance, whatever the strength, and a method that satisfies only linear probes would pass. Trees see it. "
        "So an audit here always takes the strongest of several probes."
    )
    strength = st.slider("Strength of the hidden trace", 0.0, 0.95, 0.9, 0.05)
    truth, areas = generated(0.0, 0.0, strength, 0.0)
    left, right = st.columns(2)
    with left:
        show_drawing(learn.pair_by_group(truth.dataset.features, truth.dataset.sensitive["group"], *PAIR), key="hidden")
    with right:
        show_drawing(learn.probe_bars(areas), key="hidden-probes")
    question("how weak must the trace be before the trees are at chance too, while the best possible guess is not?")


SECTIONS = {
    "Known truth": known_truth,
    "What correlation misses": five_clouds,
    "The soft neighbour": soft_neighbour,
    "T and its soft twin": soft_and_exact,
    "Why a linear probe is not enough": linear_probe,
}

open_page("Learn", "🎓")
st.title("Try the ideas on data whose truth is known", anchor=False)
section = st.segmented_control("Topic", list(SECTIONS), default="Known truth", required=True)
with guarded():
    st.header(section, anchor=False)
    SECTIONS[section]()
