"""Set up an audit: preset, methods, seeds, device, single settings."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.engine import make_spec
from diffoci.audit.methods import METHODS
from diffoci.audit.presets import DEFAULT_METHODS, PRESETS, SEEDS
from diffoci.audit.spec import AuditSpec
from diffoci.ui.choices import lasting
from diffoci.ui.device import device_choices
from diffoci.ui.draft import Draft
from diffoci.ui.settings_form import choose_settings
from diffoci.ui.settings_words import MODELS

PRESET_WORDS = {"quick": "Quick look", "standard": "Standard", "paper": "As in the paper"}
_PRESET_HELP = {
    "quick": "Few epochs and three seeds: a first answer, with wide intervals.",
    "standard": "Penalties chosen on held-out rows, five seeds, and the trade-off curve.",
    "paper": "The paper's coding, networks and training, five seeds.",
}
OURS = ("dF1", "dF2", "dF3", "dF3+penalty")
_OBJECTIVES = {
    "dF1": "dF1: keep what tells of the label",
    "dF2": "dF2: a classifier that pays for leaking",
    "dF3": "dF3: keep what tells of the label beyond the attribute",
    "dF3+penalty": "dF3 with a penalty on leaking (our extension)",
}
_MODEL_HELP = {
    "nn": "A network mixes all features into new ones; what it learned is seen in its predictions only.",
    "vec-nn": "A network whose new features each have a weight, so that idle ones can fade out.",
    "vec": "Every feature is kept times its own weight, or dropped; nothing is mixed. It trains as set under "
    "Feature weights.",
}
_DEVICES = {"auto": "the fastest there is", "cpu": "CPU", "cuda": "GPU (CUDA)", "mps": "Apple GPU"}


def choose_audit(chosen: Draft) -> AuditSpec | None:
    """Show the form; return the specification it describes, or None while it describes none."""
    preset = str(st.segmented_control(
        "Preset", list(PRESET_WORDS), format_func=PRESET_WORDS.__getitem__, key=lasting("train-preset", "quick"),
        required=True,
    ))  # fmt: skip
    st.caption(_PRESET_HELP[preset])
    objectives = st.multiselect(
        "difFOCI objectives",
        OURS,
        format_func=_OBJECTIVES.__getitem__,
        key=lasting("train-objectives", [name for name in OURS if name in DEFAULT_METHODS]),
        help="What difFOCI is trained for. The weights of single features, which the Features page shows, are always "
        "trained beside them.",
    )
    model = str(st.segmented_control(
        "difFOCI's representation", list(MODELS), format_func=MODELS.__getitem__, required=True,
        key=lasting(f"train-model-{preset}", PRESETS[preset]["model"]),
        help="The paper's three parameterisations: it studies guessing with NN and lists dropped features with vec.",
    ))  # fmt: skip
    st.caption(_MODEL_HELP[model])
    others = [name for name in METHODS if name not in OURS]
    baselines = st.multiselect(
        "Compare with",
        others,
        format_func=_baseline,
        key=lasting("train-baselines", [name for name in others if name in DEFAULT_METHODS]),
        help="Standardised data are the point of comparison for everything else.",
    )
    methods = [name for name in METHODS if name in (*objectives, *baselines)]
    with st.container(horizontal=True):
        help_ = "Each seed is another split into training, validation and test rows, and another training."
        seeds = st.number_input(
            "Seeds", 1, 50, key=lasting(f"train-seeds-{preset}", SEEDS[preset]), help=help_, width=160
        )
        device = st.selectbox(
            "Compute on",
            device_choices(),
            format_func=_DEVICES.__getitem__,
            key=lasting("train-device", device_choices()[0]),
            width=230,
        )
    with st.expander("Every setting, with the paper's value", icon=":material/tune:"):
        settings = {**choose_settings(preset, chosen.data), "model": model}
    if not methods:
        st.info("Choose at least one method.")
        return None
    return make_spec(
        chosen.data, sensitive=chosen.sensitive, preset=preset, methods=methods, seeds=int(seeds), twin=chosen.twin,
        options=chosen.options, settings=settings, device=device,
    )  # fmt: skip


def _baseline(name: str) -> str:
    method = METHODS[name]
    return method.title + (" (needs the attribute at prediction)" if method.needs_sensitive_at_prediction else "")
