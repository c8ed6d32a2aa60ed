"""Training settings fitted to the size of the data: few rows need smaller steps, wider neighbourhoods, more epochs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SMALLEST_BATCH = 64
SMALL_DATA = 1000  # training rows


def fitted_to_size(own: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """Training settings for so many training rows; settings that say how are taken out.

    Batches are small enough that an epoch has `least_batches`: few steps learn little of small data. A neighbourhood
    is no sharper than 1 for every `rows_for_sharpness` rows of a batch: T of few neighbours is noise. Small data get
    `small_data_epochs` times as many epochs, since theirs have few steps. An audit begun before there was one of these
    settings goes on without it.
    """
    how = {"least_batches": 1, "rows_for_sharpness": 0, "small_data_epochs": 1}
    how |= {name: own[name] for name in how if name in own}
    size = min(own["batch_size"], max(SMALLEST_BATCH, rows // how["least_batches"]))
    sized = {name: value for name, value in own.items() if name not in how} | {"batch_size": size}
    if how["rows_for_sharpness"]:
        sharpest = max(1.0, size / how["rows_for_sharpness"])
        sized |= {name: min(own[name], sharpest) for name in ("beta", "penalty_beta") if name in own}
    if rows < SMALL_DATA:
        sized |= {name: own[name] and own[name] * how["small_data_epochs"] for name in ("max_epochs", "patience")}
    return sized
