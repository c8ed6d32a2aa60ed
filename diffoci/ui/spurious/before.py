"""Before training: the groups and some images, the shortcut, and what to train."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from msgspec.structs import replace

from diffoci.figures.labs.saliency_gallery import gallery
from diffoci.labs.spurious.data.kinds import KINDS
from diffoci.labs.spurious.data.waterbirds import BACKBONES, CELLS
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.presets import BETAS, LAMBDAS, QUICK_METHODS, lab_spec
from diffoci.labs.spurious.spec import SpuriousSpec
from diffoci.ui.charts import show_table
from diffoci.ui.choices import in_address
from diffoci.ui.spurious.runs import drawn_images, waterbirds_at_hand, waterbirds_images
from diffoci.ui.words import plain_markdown

_DRAWN = tuple(name for name, kind in KINDS.items() if kind.drawn is not None)


def show_groups(data: str, *, rows: int | None = None) -> None:
    """How many training rows every group has, and what they look like."""
    folder = waterbirds_at_hand()
    if data == "waterbirds" and folder is not None:
        names = CELLS
        images, cell, sizes = waterbirds_images(str(folder))
    else:
        images, cell, names = drawn_images(data)
        drawn = KINDS[data].drawn
        assert drawn is not None
        sizes = drawn.training(rows)
    st.subheader("1. Four groups", anchor=False)
    kind = KINDS[data]
    st.markdown(
        f"{kind.title}: {plain_markdown(kind.about)}. Two of the four groups are rare where the network learns."
    )
    pictures = {
        f"{name} ({size:,})": images[cell == k] for k, (name, size) in enumerate(zip(names, sizes, strict=True))
    }
    st.html(gallery(pictures, alt=f"Images of {'; '.join(names)}."))
    show_shortcut(names, sizes, kind.group)


def show_shortcut(names: tuple[str, ...], sizes: np.ndarray, group: str) -> None:
    """What a rule that only looks at the background would reach."""
    st.subheader("2. The shortcut", anchor=False)
    majority = int(sizes[0] + sizes[3])
    st.markdown(
        f"A rule that looks at the {group} and nothing else is right in **{100 * majority / sizes.sum():.1f} %** of "
        f"these training rows: “{names[0]}” and “{names[3]}” are nearly all of them. In the other two groups, "
        f"“{names[1]}” and “{names[2]}”, it is always wrong. A network that finds this rule first has little reason to "
        "look further, and its average accuracy does not show it. So look at the **worst group**."
    )
    show_table(
        pd.DataFrame({"Group": names, "Training rows": sizes, "The shortcut is right": ["yes", "no", "no", "yes"]}),
        key="spurious-sizes",
        alt="Training rows of every group, and whether the shortcut is right there",
    )


def choose_data() -> str:
    """Which of the data that come along, or Waterbirds where this machine has it."""
    names = [*_DRAWN, *(["waterbirds"] if waterbirds_at_hand() is not None else [])]
    titles = {name: KINDS[name].title for name in names}
    return st.radio(
        "Data",
        names,
        format_func=titles.__getitem__,
        horizontal=True,
        help="The published Waterbirds are offered where the folder that DIFFOCI_DATA names has them.",
        **in_address("images"),
    )


def choose_training(data: str) -> SpuriousSpec | None:
    """Methods, repetitions, and the weight of the penalty; None while no method is chosen."""
    st.subheader("3. Train", anchor=False)
    options = choose_backbone() if data == "waterbirds" else {}
    begins = "has learnt ImageNet" if "backbone" in options else "has seen shapes on neutral backgrounds"
    st.markdown(
        f"Every method starts from the same network, which {begins}. **ERM** minimises the mean loss. **dF2** adds a "
        "penalty on T: how far the background can be read off the features. The **oracle**, where it is offered, "
        "learns from images without the correlation and shows what the task allows."
    )
    spec = replace(lab_spec(data), options=options)
    titles = {name: one.title for name, one in METHODS.items() if data in _DRAWN or not one.uncorrelated}
    default = [name for name in QUICK_METHODS[:5] if name in titles]
    methods = st.multiselect(
        "Methods", list(titles), default=default, format_func=titles.__getitem__, key="spurious-methods"
    )
    left, right = st.columns(2)
    seeds = left.slider("Repetitions", 1, 10, 1, key="spurious-seeds", help="Each draws or splits the images anew.")
    penalty = right.select_slider(
        "Weight of the penalty (lambda)", LAMBDAS, value=spec.training.penalty, key="spurious-lambda"
    )
    balanced = st.toggle(
        "Group DRO draws every group equally often",
        spec.training.balanced,
        key="spurious-balanced",
        help="That alone moves results. RWG does it, too, and nothing else.",
    )
    along = st.multiselect(
        "Also train ERM + dF2 along",
        ["lambda", "beta"],
        default=["lambda"],
        key="spurious-studies",
        help="Lambda is the penalty's weight, beta the sharpness of its neighbours.",
    )
    if not methods:
        st.info("Choose at least one method.")
        return None
    return replace(
        spec,
        methods=tuple(name for name in titles if name in methods),
        seeds=tuple(range(seeds)),
        training=replace(spec.training, penalty=float(penalty), balanced=balanced),
        lambdas=LAMBDAS if "lambda" in along else (),
        betas=BETAS if "beta" in along else (),
    )


def choose_backbone() -> dict[str, str]:
    """What networks learn from where the data are Waterbirds: small images, or features of a frozen backbone."""
    said = {"": "images of 48 by 48 pixels", **{name: f"features of a frozen {name}" for name in BACKBONES}}
    backbone = st.selectbox("Learn from", list(said), format_func=said.__getitem__, **in_address("backbone"))
    if backbone:
        st.caption(
            "Needs torchvision (`pip install 'diffoci[vision]'`) and its weights in torch's hub folder. Features are "
            "computed once, which takes some minutes, and kept."
        )
    options = {"path": str(waterbirds_at_hand())}
    return {**options, "backbone": backbone} if backbone else options
