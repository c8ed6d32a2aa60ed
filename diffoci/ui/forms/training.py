"""Set up an audit: preset, methods, repetitions, device, single settings."""

from __future__ import annotations

import streamlit as st

from diffoci.audit.make_spec import make_spec
from diffoci.audit.methods import Method, default_methods, list_methods, method_named
from diffoci.audit.methods.families import OURS
from diffoci.audit.presets import PRESETS, repetitions, value_in
from diffoci.audit.setting_kinds import Choice
from diffoci.audit.settings import BY_PATH
from diffoci.audit.spec import AuditSpec
from diffoci.audit.splitting import FOLD_ROWS, FOLDS
from diffoci.ui.choices import lasting
from diffoci.ui.forms.settings import choose_settings
from diffoci.ui.runs.device import device_choices
from diffoci.ui.runs.draft import Draft

_DEVICES = {"auto": "the fastest available", "cpu": "CPU", "cuda": "GPU (CUDA)", "mps": "Apple GPU"}


def choose_audit(chosen: Draft, rows: int) -> AuditSpec | None:
    """Show the form for so many rows; return the specification it describes, or None while it describes none."""
    preset = _choose_preset()
    ours = _choose_methods(
        "difFOCI objectives",
        [method for method in list_methods() if method.family == OURS],
        key="train-objectives",
        help="What difFOCI is trained for. The weights of single features on the Features page are always trained as "
        "well.",
    )
    model = _choose_model(preset, chosen.data)
    others = _choose_methods(
        "Compare with",
        [method for method in list_methods() if method.family != OURS],
        key="train-baselines",
        help="Everything else is compared with the standard data.",
    )
    methods = [method.name for method in list_methods() if method.name in (*ours, *others)]
    with st.container(horizontal=True):
        seeds = _choose_seeds(preset, rows)
        device = _choose_device()
    with st.expander("Every setting, with the paper's value", icon=":material/tune:"):
        settings = {**choose_settings(preset, chosen.data), "model": model}
    if not methods:
        st.info("Choose at least one method.")
        return None
    return make_spec(
        chosen.data, sensitive=chosen.sensitive, preset=preset, methods=methods, seeds=seeds, twin=chosen.twin,
        options=chosen.options, settings=settings, device=device,
    )  # fmt: skip


def _choose_preset() -> str:
    titles = {preset.name: preset.title for preset in PRESETS.values()}
    name = str(st.segmented_control(
        "Preset", list(titles), format_func=titles.__getitem__, required=True,
        key="train-preset", default=lasting("train-preset", "quick"),
    ))  # fmt: skip
    st.caption(PRESETS[name].help)
    return name


def _choose_methods(title: str, methods: list[Method], *, key: str, help: str) -> list[str]:
    names = [method.name for method in methods]
    usual = [name for name in names if name in default_methods()]
    return st.multiselect(title, names, format_func=_words, key=key, default=lasting(key, usual), help=help)


def _words(name: str) -> str:
    method = method_named(name)
    words = method.objective or method.title
    return f"{words} (needs the attribute at prediction)" if method.needs_sensitive_at_prediction else words


def _choose_model(preset: str, data: str) -> str:
    setting = BY_PATH["model"]
    assert isinstance(setting.kind, Choice)
    titles, usual, key = setting.kind.titles, value_in(preset, setting, data), f"train-model-{preset}"
    model = str(st.segmented_control(
        setting.title, list(titles), format_func=titles.__getitem__, required=True,
        key=key, default=lasting(key, usual), help=setting.help,
    ))  # fmt: skip
    st.caption(setting.kind.explained[model])
    return model


def _choose_seeds(preset: str, rows: int) -> int:
    words = (
        "Each repetition is another split into training, validation and test rows, and another training. With fewer "
        f"than {FOLD_ROWS:,} people each repetition tests different people, and {FOLDS} of them test everybody once."
    )
    usual = repetitions(preset, PRESETS[preset].settings, rows)
    key = f"train-seeds-{preset}" if rows < FOLD_ROWS else f"train-seeds-{preset}-large"
    return int(st.number_input("Repetitions", 1, 50, lasting(key, usual), key=key, help=words, width=160))


def _choose_device() -> str:
    devices, key = device_choices(), "train-device"
    first = devices.index(lasting(key, devices[0]))
    return str(st.selectbox("Compute on", devices, first, format_func=_DEVICES.__getitem__, key=key, width=230))
