"""After training: worst groups, where networks look, what features know, lambda and beta, the paper's tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from diffoci.figures.labs import spurious as figures
from diffoci.figures.labs.saliency_gallery import coloured, gallery
from diffoci.labs.spurious.paper import BENCHMARKS, averages, worst_groups
from diffoci.labs.spurious.result import SpuriousResult, Stage
from diffoci.labs.spurious.words import feature_sentences, group_sentences, saliency_sentences, shortcut_sentence
from diffoci.runs.store import Run
from diffoci.ui.charts import offer_csv, show_drawing, show_table
from diffoci.ui.choices import in_address
from diffoci.ui.spurious.runs import arrays_of
from diffoci.ui.words import plain_markdown

_MAIN = ("ERM", "ERM+dF2", "DRO", "DRO+dF2")
_ACROSS = 6  # images of the gallery


def show_learnt_from(run: Run, result: SpuriousResult) -> None:
    """The groups that networks learnt from, some images of each, and the shortcut."""
    st.subheader("What they learnt from", anchor=False)
    shown = arrays_of(run, "examples")
    if "images" in shown:
        cell = shown["label"] * len({size.group for size in result.sizes}) + shown["group"]
        pictures = {
            f"{size.name} ({size.train:,})": shown["images"][cell == k][:_ACROSS]
            for k, size in enumerate(result.sizes)
            if (cell == k).any()
        }
        st.html(gallery(pictures, alt=f"Images of {'; '.join(size.name for size in result.sizes)}."))
    else:
        frame = pd.DataFrame([{"Group": size.name, "Training rows": size.train} for size in result.sizes])
        show_table(frame, key="spurious-learnt", alt="Training rows of every group")
    say([shortcut_sentence(result)])


def show_worst_groups(result: SpuriousResult) -> None:
    """Averages beside worst groups, then group by group."""
    st.subheader("What the average hides", anchor=False)
    show_drawing(figures.worst_groups(result), key="spurious-worst")
    say(group_sentences(result))
    titles = {one.name: one.title for one in result.methods}
    default = [name for name in ("oracle", "ERM", "ERM+dF2") if name in titles] or list(titles)[:3]
    chosen = st.multiselect(
        "Methods", list(titles), default=default, format_func=titles.__getitem__, key="spurious-shown"
    )
    show_drawing(figures.by_group(result, chosen), key="spurious-groups")


def show_gallery(run: Run, result: SpuriousResult) -> None:
    """Where networks look, on the same images, with a slider over lambda."""
    shown = arrays_of(run, "examples")
    if "images" not in shown:
        return
    st.subheader("Where the networks look", anchor=False)
    st.markdown(
        "Bright is where a small change of the image would change the network's top score most: the gradient of that "
        "score, its largest value over the three colours, from 0 to 1 in every image."
    )
    names = [size.name for size in result.sizes]
    which = st.radio("Images of", names, index=_rarest(result), horizontal=True, **in_address("images-of"))
    cell = shown["label"] * len({size.group for size in result.sizes}) + shown["group"]
    kept = np.flatnonzero(cell == names.index(which))
    numbers = _chosen(len(kept))
    rows = kept[[number - 1 for number in numbers]]
    seed = result.spec.seeds[0]
    cells = {one.title: f"{one.name}.{seed}" for one in result.methods if one.name in _MAIN}
    if result.spec.lambdas:
        weight = st.select_slider("ERM + dF2 with lambda", result.spec.lambdas, **in_address("lambda"))
        cells |= {f"dF2, lambda {weight:g}": f"lambda.{result.spec.lambdas.index(weight)}.{seed}"}
    lines, told = {"image": shown["images"][rows]}, []
    for title, name in cells.items():
        arrays = arrays_of(run, name)
        if "saliency" in arrays:
            lines[title] = coloured(arrays["saliency"][rows])
            right = arrays["predicted"][rows] == shown["label"][rows]
            told += [
                {"method": title, "image": number, "predicted right": bool(one)}
                for number, one in zip(numbers, right, strict=True)
            ]
    frame = pd.DataFrame(told, columns=["method", "image", "predicted right"])
    counts = frame.groupby("method", sort=False)["predicted right"].agg(["sum", "count"])
    alt = f"Images of “{which}”, and where networks look. Right: " + ", ".join(
        f"{row['sum']} of {row['count']} by {name}" for name, row in counts.iterrows()
    )
    st.html(gallery(lines, alt=alt, numbers=numbers))
    st.caption(plain_markdown(alt))
    offer_csv(frame, "spurious-gallery")
    if result.area.mean is None:
        st.caption("How much of the saliency lies on the object cannot be said: these data have no masks.")
        return
    show_drawing(figures.saliency_shares(result), key="spurious-saliency")
    say(saliency_sentences(result))


def show_features(result: SpuriousResult) -> None:
    """What the features know, and whether a method changed them or only the last layer."""
    st.subheader("Features or last layer?", anchor=False)
    st.markdown(
        "The two are easily confused. To the right: the group can be guessed from the features. Upwards: a new "
        "last layer, fitted on balanced validation rows, does well with these features even in its worst group. A "
        "method that moves neither has only moved the last layer."
    )
    show_drawing(figures.features_know(result), key="spurious-features")
    say(feature_sentences(result))


def show_studies(result: SpuriousResult) -> None:
    """Curves along lambda and beta, where they were trained."""
    stages: dict[Stage, str] = {"lambda": "How much penalty?", "beta": "How sharp?"}
    for stage, title in stages.items():
        if result.along(stage):
            st.subheader(title, anchor=False)
            show_drawing(figures.study(result, stage), key=f"spurious-{stage}")
            show_drawing(figures.average_against_worst(result, stage), key=f"spurious-{stage}-against")


def show_paper() -> None:
    """The paper's own figures on six benchmarks."""
    with st.expander("The paper's figures on six benchmarks"):
        st.markdown(
            "Worst group and average in per cent, as printed. Your own features of these data go through the same "
            "methods: see docs/spurious-lab.md."
        )
        frame = pd.DataFrame(
            [
                {"benchmark": name, "figure": what, **values}
                for name in BENCHMARKS
                for what, values in (
                    ("worst group", {method: one.value for method, one in worst_groups(name).items()}),
                    ("average", averages(name)),
                )
            ]
        )
        said = "Worst group and average of seven methods on six benchmarks"
        show_table(frame, key="spurious-paper", alt=said, placeholder="–")


def say(sentences: list[str]) -> None:
    """Sentences as points."""
    st.markdown("\n".join(f"- {plain_markdown(sentence)}" for sentence in sentences if sentence))


def _chosen(count: int) -> list[int]:
    """Numbers of the images to show: those that were chosen, or as many at random."""
    left, right = st.columns((1, 3))
    # A whole number would end the page where the address says 1e999: Streamlit asks infinity for its whole part.
    draw = left.number_input(
        "Random draw",
        1.0,
        99.0,
        step=1.0,
        format="%.0f",
        help="Another number shows other images.",
        **in_address("draw"),
    )
    chosen: list[int] = right.multiselect(
        "Or images of your choice",
        range(1, count + 1),
        max_selections=_ACROSS,
        placeholder="By their numbers",
        **in_address("chosen"),
    )
    drawn = np.random.default_rng(int(draw)).permutation(count)[:_ACROSS] + 1
    return sorted(chosen or drawn.tolist())


def _rarest(result: SpuriousResult) -> int:
    return int(np.argmin([size.train for size in result.sizes]))
