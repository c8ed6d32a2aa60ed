"""Presets: every number an audit depends on, for a first look, for an audit, and as the paper has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diffoci.audit.certificates.ceiling import CONFIDENCE
from diffoci.audit.settings import VEC_BY_OBJECTIVE, Setting
from diffoci.audit.splitting import FOLD_ROWS, FOLDS, are_folds

# Small data are those of fewer training rows; their batches are no smaller than this.
_SMALL_DATA, _SMALLEST_BATCH = 1000, 64

# Three hidden layers of 128 and Adam, as in the paper. The rest was settled on validation rows of nine problems that no
# reported figure comes from, and on simulated twins (tests/measure/choose_defaults.py): half of the hidden values left
# out of a step, beta 2 and not the paper's 5, at least eight batches per epoch, numbers also as 24 pieces; with a
# penalty also width 1, which leaves least room to hide S in, sharper neighbours for S than for y, and larger batches,
# in which a penalty is less noise: their size costs nothing where T goes by sorting.
_NETWORK: dict[str, Any] = {
    "beta": 2.0,
    "width": None,
    "hidden": (128, 128, 128),
    "dropout": 0.5,
    "lr": 1e-3,
    "weight_decay": 1e-3,
    "batch_size": 1024,
    "least_batches": 8,
    "rows_for_sharpness": 64,
    "small_data_epochs": 5,
    "max_epochs": 40,
    "patience": 8,
}
_PENALISED: dict[str, Any] = {
    **_NETWORK,
    "penalty_beta": 5.0,
    "measure": "T-ranks",
    "neighbours": "same",
    "width": 1,
    "batch_size": 2048,
    "least_batches": 4,
    "rows_for_sharpness": 192,
    "small_data_epochs": 1,
    "max_epochs": 40,
    "patience": 8,
}
_OF_COEFFICIENTS = ("beta", "penalty_beta", "rows_for_sharpness", "measure", "neighbours")
_ADVERSARY: dict[str, Any] = {
    **{name: value for name, value in _NETWORK.items() if name not in _OF_COEFFICIENTS},
    "width": 1,
    "max_epochs": 60,
    "patience": 12,
}
_PROBE: dict[str, Any] = {"hidden": (128, 128, 128), "batch_size": 512, "max_epochs": 30, "patience": 5, "lr": 1e-3}
# The weights of features are those of the last epoch, as in the paper: they need time to reach zero.
_VEC: dict[str, Any] = {
    "beta": 5.0,
    "lr": 0.05,
    "weight_decay": 5e-3,
    "batch_size": 256,
    "max_epochs": 50,
    "patience": None,
    "cutoff": 0.1,
}

# On a few hundred rows an epoch of 256 rows a step is one step, and no weight would come to rest.
_VEC_FITTED: dict[str, Any] = {**_VEC, "least_batches": 8, "small_data_epochs": 4}

STANDARD: dict[str, Any] = {
    "coding": "onehot",
    "pieces": 24,
    "fractions": (0.75, 0.15, 0.10),
    "fold_rows": FOLD_ROWS,
    "cells": (4, 8, 16),
    "confidence": CONFIDENCE,
    "model": "nn",
    "network": _NETWORK,
    "penalised": _PENALISED,
    "adversary": _ADVERSARY,
    "penalties": (0.3, 1.0, 3.0),
    "adversary_weights": (0.3, 1.0, 3.0),
    "dF2_penalties": (0.3, 1.0, 3.0),
    "hsic_penalties": (0.3, 1.0, 3.0),
    "probe": _PROBE,
    "probe_rows": 20_000,
    "null_draws": 2000,
    "permutations": 199,
    "exact_rows": 10_000,
    "coefficient_rows": 2000,
    "vec": _VEC_FITTED,
    "vec_rows": None,
    "curve": (0.0, 0.03, 0.1, 0.3, 1.0, 3.0),
    "prototypes": 10,
    "prototype_iterations": 200,
}

QUICK: dict[str, Any] = {
    **STANDARD,
    "network": {**_NETWORK, "max_epochs": 15, "patience": 4, "small_data_epochs": 4},
    "penalised": {**_PENALISED, "max_epochs": 20, "patience": 6, "small_data_epochs": 2},
    "adversary": {**_ADVERSARY, "max_epochs": 20, "patience": 6, "small_data_epochs": 4},
    "penalties": (1.0,),
    "dF2_penalties": (1.0,),
    "hsic_penalties": (1.0,),
    "adversary_weights": (1.0,),
    "probe": {**_PROBE, "max_epochs": 12, "patience": 3},
    "probe_rows": 6000,
    "permutations": 99,
    "exact_rows": 3000,
    "coefficient_rows": 1000,
    "vec": {**_VEC_FITTED, "max_epochs": 25},
    "vec_rows": 6000,
    "curve": (),
}

# The paper says beta, the hidden layers and that the rest was chosen from a grid on validation rows.
_PAPER_NETWORK: dict[str, Any] = {
    **_NETWORK,
    "beta": 5.0,
    "dropout": 0.0,
    "weight_decay": 1e-4,
    "least_batches": 1,
    "rows_for_sharpness": 0,
    "small_data_epochs": 1,
}
PAPER: dict[str, Any] = {
    **STANDARD,
    "coding": "integer",
    "pieces": 0,
    "network": _PAPER_NETWORK,
    "penalised": {
        **_PAPER_NETWORK,
        "penalty_beta": 5.0,
        "measure": "T-codes",
        "neighbours": "all",
        "max_epochs": 60,
        "patience": 12,
    },
    "adversary": {
        **{name: value for name, value in _PAPER_NETWORK.items() if name not in _OF_COEFFICIENTS},
        "max_epochs": 60,
        "patience": 12,
    },
    "penalties": (0.3,),
    "dF2_penalties": (0.3,),
    "hsic_penalties": (1.0,),
    "adversary_weights": (1.0,),
    "vec": _VEC,
    "probe": {**_PROBE, "max_epochs": 60, "patience": 10},
    "probe_rows": None,
    "curve": (),
}


@dataclass(frozen=True)
class Preset:
    """A name for a whole set of values, with how many seeds go with them."""

    name: str
    title: str
    help: str
    seeds: int
    settings: Mapping[str, Any]


PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "quick",
            "Quick look",
            f"Few epochs, three repetitions ({FOLDS} with small data): a first answer, with wide intervals.",
            3,
            QUICK,
        ),
        Preset(
            "standard",
            "Standard",
            f"Penalties chosen on validation rows, five repetitions ({FOLDS} with small data), the trade-off curve.",
            5,
            STANDARD,
        ),
        Preset(
            "paper",
            "As in the paper",
            f"The paper's coding, networks and training, five repetitions ({FOLDS} with small data).",
            5,
            PAPER,
        ),
    )
}


def repetitions(preset: str, settings: Mapping[str, Any], rows: int) -> int:
    """How many splits an audit of so many rows has, where nobody asks for another number.

    >>> [repetitions("quick", QUICK, rows) for rows in (395, 22_000)]
    [10, 3]
    """
    return FOLDS if are_folds(settings, rows) else PRESETS[preset].seeds


# The paper's settings of vec-dF1 and vec-dF3 for its data sets [tab:exp_hyperparameters].
PAPER_VEC: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "student": {
        "dF1": {"batch_size": 64, "lr": 0.1, "max_epochs": 100, "weight_decay": 5e-4},
        "dF3": {"batch_size": 256, "lr": 0.05, "max_epochs": 50, "weight_decay": 5e-3},
    },
    "bank": {
        "dF1": {"batch_size": 2048, "lr": 5e-3, "max_epochs": 50, "weight_decay": 1e-5},
        "dF3": {"batch_size": 256, "lr": 5e-3, "max_epochs": 50, "weight_decay": 5e-4},
    },
    "acs-employment": {
        "dF1": {"batch_size": 64, "lr": 0.05, "max_epochs": 50, "weight_decay": 5e-3},
        "dF3": {"batch_size": 256, "lr": 5e-3, "max_epochs": 50, "weight_decay": 1e-5},
    },
    "acs-income": {
        "dF1": {"batch_size": 1024, "lr": 0.01, "max_epochs": 10, "weight_decay": 1e-4},
        "dF3": {"batch_size": 256, "lr": 0.05, "max_epochs": 100, "weight_decay": 5e-3},
    },
}


def value_in(preset: str, setting: Setting, data: str) -> Any:
    """Return a setting's value in a preset; where the paper's differ by objective, that of dF3."""
    papers = PAPER_VEC.get(data, {}).get("dF3", {})
    if preset == "paper" and setting.group == "vec" and setting.name in papers:
        return papers[setting.name]
    settings = PRESETS[preset].settings
    return settings[setting.group][setting.name] if setting.group else settings[setting.name]


def paper_says(setting: Setting, data: str) -> str:
    """What the paper says of a setting for these data; its weights of features have numbers of their own for each."""
    papers = PAPER_VEC.get(data, {})
    if setting.group == "vec" and setting.name in papers.get("dF3", {}):
        alone, given = (f"{papers[objective][setting.name]:g}" for objective in ("dF1", "dF3"))
        return alone if alone == given else f"{alone} without, {given} accounting for the attribute"
    return setting.paper


def fitted_to_size(own: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """Training settings for so many training rows; settings that say how are taken out.

    Batches are small enough that an epoch has `least_batches`: few steps learn little of small data. A neighbourhood
    is no sharper than 1 for every `rows_for_sharpness` rows of a batch: T of few neighbours is noise. Small data get
    `small_data_epochs` times as many epochs, since theirs have few steps. An audit begun before there was one of these
    settings goes on without it.
    """
    how = {"least_batches": 1, "rows_for_sharpness": 0, "small_data_epochs": 1}
    how |= {name: own[name] for name in how if name in own}
    size = min(own["batch_size"], max(_SMALLEST_BATCH, rows // how["least_batches"]))
    sized = {name: value for name, value in own.items() if name not in how} | {"batch_size": size}
    if how["rows_for_sharpness"]:
        sharpest = max(1.0, size / how["rows_for_sharpness"])
        sized |= {name: min(own[name], sharpest) for name in ("beta", "penalty_beta") if name in own}
    if rows < _SMALL_DATA:
        sized |= {name: own[name] and own[name] * how["small_data_epochs"] for name in ("max_epochs", "patience")}
    return sized


def vec_settings(settings: Mapping[str, Any], objective: str, rows: int) -> dict[str, Any]:
    """How weights of single features are trained; the paper has its own numbers by data set and objective."""
    return fitted_to_size({**settings["vec"], **settings.get(VEC_BY_OBJECTIVE, {}).get(objective, {})}, rows)
