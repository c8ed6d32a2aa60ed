"""Topics about coefficients: what correlation misses, the soft neighbour, and the T that can be trained."""

from __future__ import annotations

import numpy as np
import streamlit as st

from diffoci.audit.teaching import coefficients as teaching
from diffoci.figures.teaching import coefficients as learn
from diffoci.ui.charts import show_drawing
from diffoci.ui.lessons.predict import committed, knob, reveal, to_try

BETAS = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 200.0]
CLOSE = 0.05


@st.cache_resource(max_entries=64, show_spinner=False)
def _soft_curve(name: str, noise: float) -> teaching.SoftCurve:
    """T and its soft twin; kept, since it takes a second."""
    return teaching.soft_curve(name, noise=noise)


@st.fragment
def five_clouds() -> None:
    st.markdown(
        "Correlation asks whether points lie along a line. Chatterjee's ξ and T ask whether y is a *function* of x, "
        "of any shape: 0 for nothing, 1 for a function without noise. A circle has two values of y for most x: no "
        "function, and both stay small."
    )
    st.latex(
        r"T_n = \frac{\sum_i \left(n \min\{r_i, r_{N(i)}\} - \ell_i^2\right)}{\sum_i \ell_i\,(n - \ell_i)}, \qquad "
        r"N(i):\ \text{the nearest neighbour of } x_i"
    )
    st.caption("r: how many y are at most this one; ℓ: how many are at least this one.")
    noise = knob("Noise", 0.0, 1.0, 0.1, 0.05, key="noise")
    found = teaching.clouds(noise=noise)
    said = committed(
        "clouds", "In which of five clouds does T see most of what correlation misses?", [one.name for one in found]
    )
    if said is None:
        return
    most = max(found, key=lambda one: one.T - abs(one.correlation))
    reveal("clouds", said, most.name, f"There the correlation is {most.correlation:.2f} and T is {most.T:.2f}.")
    show_drawing(learn.clouds(found), key="clouds")
    to_try("how much noise does it take until T cannot tell the wave from nothing?")


@st.fragment
def soft_neighbour() -> None:
    st.markdown(
        "T looks at each point's nearest neighbour. Which point is nearest jumps as points move, so small steps learn "
        "nothing from it. difFOCI lets every point count a little. A large β is nearly the nearest point alone; a "
        "small β is nearly everybody."
    )
    st.latex(r"w_{ij} = \frac{e^{-\beta\,\lVert x_i - x_j \rVert}}{\sum_{k \ne i} e^{-\beta\,\lVert x_i - x_k \rVert}}")
    beta = st.select_slider("β", BETAS, value=5.0, key="beta", bind="query-params")
    point = int(knob("Point that looks for its neighbour", 1, 25, 13, 1, key="point"))
    found = teaching.soft_neighbours(beta, point=point - 1)
    options = ("less than a quarter", "a quarter to a half", "a half to three quarters", "more than three quarters")
    said = committed("neighbour", f"At β = {beta:g}: what share of the neighbour is the nearest point?", options)
    if said is None:
        return
    counts = float(found.weight[found.nearest])
    right = options[min(int(4 * counts), 3)]
    reveal("neighbour", said, right, f"The nearest point counts {100 * counts:.0f} %.")
    show_drawing(learn.neighbour_weights(found), key="neighbour")
    to_try("at β = 5, find a point whose nearest neighbour counts more than 70 %.")


@st.fragment
def soft_and_exact() -> None:
    st.markdown(
        "As β grows, T with soft neighbours becomes the exact T. With a small β it is smooth and easy to train, but "
        "blurs what is fine-grained: a fast wave needs a larger β than a line."
    )
    st.latex(
        r"T_{n,\beta} = \frac{\sum_i \left(n \min\{r_i, \textstyle\sum_{j} w_{ij}\, r_j\} - \ell_i^2\right)}"
        r"{\sum_i \ell_i\,(n - \ell_i)} \;\longrightarrow\; T_n \quad (\beta \to \infty)"
    )
    one, other = st.columns(2)
    name = one.selectbox("Cloud", list(teaching.CLOUDS), index=2, key="cloud", bind="query-params")
    with other:
        noise = knob("Noise of the cloud", 0.0, 1.0, 0.1, 0.1, key="cloud-noise")
    found = _soft_curve(name, noise)
    options = ("below 3", "from 3 to 10", "from 10 to 50", "above 50")
    said = committed("twin", f"From which β on is the soft T of the {name} within {CLOSE} of the exact one?", options)
    if said is None:
        return
    close = first_close(found)
    limits = (3, 10, 50)
    right = options[int(np.searchsorted(limits, close, side="right"))]
    reveal("twin", said, right, f"It stays that close from β = {close:.3g} on. The exact T is {found.exact:.2f}.")
    show_drawing(learn.soft_and_exact(found), key="soft")
    to_try("compare the line with the wave: at which β does each come close to its exact T?")


def first_close(found: teaching.SoftCurve) -> float:
    """The smallest β on the curve from which on the soft T stays close to the exact one; the last where none is."""
    far = np.flatnonzero(np.abs(found.soft - found.exact) > CLOSE)
    first = 0 if not len(far) else min(int(far[-1]) + 1, len(found.betas) - 1)
    return float(found.betas[first])
