"""One cell: a method trained with one seed, and everything that is measured of it."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import numpy as np
import torch

from diffoci.audit.measuring.guessing import guess
from diffoci.audit.probes import QUICK
from diffoci.coefficients import T
from diffoci.data.splits import Split
from diffoci.inputs import Matrix
from diffoci.labs.spurious.data.examples import Examples, Rows
from diffoci.labs.spurious.gallery import halved, shown_rows
from diffoci.labs.spurious.last_layer import refit_last
from diffoci.labs.spurious.methods import METHODS, Method
from diffoci.labs.spurious.network import Network, as_inputs, feature_network, image_network
from diffoci.labs.spurious.pretraining import pretrained
from diffoci.labs.spurious.result import Repetition
from diffoci.labs.spurious.saliency import maps_through, saliency_maps, share_on_object
from diffoci.labs.spurious.spec import Training
from diffoci.labs.spurious.training import Fitted, fit, predicted
from diffoci.learning.training import few_threads
from diffoci.runs.study import CellOutput, Watch
from diffoci.threads import one_thread

# Test images that saliency is measured on.
MEASURED = 240


def repetition(
    examples: Examples, method: Method, training: Training, *, seed: int, shown: bool, watch: Watch
) -> CellOutput:
    """Train and measure; with `shown` the saliency of the images that pages show is kept."""
    start = time.perf_counter()
    with few_threads(training.batch_size, torch.device("cpu")), one_thread():
        fitted = _fitted(examples, method, training, seed=seed, watch=watch)
        network = refit_last(fitted.network, examples, seed=seed) if method.refitted else fitted.network
        watch.tell(fraction=0.92)
        found = _measured(network, examples, fitted, seed=seed)
        found["seconds"] = time.perf_counter() - start
        arrays = _gallery(network, examples) if shown else {}
    return CellOutput(msgspec.to_builtins(Repetition(**found)), arrays)


def _fitted(examples: Examples, method: Method, training: Training, *, seed: int, watch: Watch) -> Fitted:
    rows = _rows(examples, method, seed)
    weight = None
    if method.twice:
        half = msgspec.structs.replace(training, epochs=max(1, training.epochs // 2))
        first = fit(
            _network(examples, training, seed, watch), examples, rows, METHODS["ERM"], half, seed=seed, watch=watch
        )
        wrong = predicted(first.network, rows) != rows.label
        weight = torch.from_numpy(np.where(wrong, training.upweight, 1.0).astype(np.float32))
        weight /= weight.mean()
    network = _network(examples, training, seed, watch)
    return fit(network, examples, rows, method, training, seed=seed, watch=watch, weight=weight)


def _network(examples: Examples, training: Training, seed: int, watch: Watch) -> Network:
    classes = len(examples.labels)
    if not examples.are_images:
        columns = examples.train.x.shape[1]
        return feature_network(columns, training.width, classes, hidden=training.hidden, seed=seed)
    side = examples.train.x.shape[1]
    weights = pretrained(side, images=training.pretraining_images, epochs=training.pretraining_epochs, watch=watch)
    return image_network(weights, side, training.width, classes, seed=seed)


def _rows(examples: Examples, method: Method, seed: int) -> Rows:
    if method.uncorrelated:
        if examples.oracle is None:
            raise ValueError("These data have no rows without the correlation to train the oracle on; leave it out.")
        return examples.oracle
    if method.sampling == "subsample":
        cell = examples.cell(examples.train)
        least = min(np.count_nonzero(cell == k) for k in np.unique(cell))
        rng = np.random.default_rng((seed, 4))
        kept = [rng.permutation(np.flatnonzero(cell == k))[:least] for k in np.unique(cell)]
        return examples.train.take(np.sort(np.concatenate(kept)))
    return examples.train


def _measured(network: Network, examples: Examples, fitted: Fitted, *, seed: int) -> dict[str, Any]:
    held, test = examples.validation, examples.test
    z_held, z_test = (network.features(as_inputs(rows.x)) for rows in (held, test))
    right = network.logits(z_test).argmax(axis=1) == test.label
    again = refit_last(network, examples, seed=seed).logits(z_test).argmax(axis=1) == test.label
    found: dict[str, Any] = {
        "seed": seed,
        "epoch": fitted.epoch,
        "cells": _by_cell(examples, right),
        "refitted": _by_cell(examples, again),
        "held": fitted.history[fitted.epoch - 1]["worst"],
        "average": float(right.mean()),
        "rows": tuple(map(int, examples.sizes(test))),
        **_known(z_held, z_test, examples, seed),
    }
    if examples.are_images and test.mask is not None:
        some = test.take(np.random.default_rng((seed, 6)).permutation(len(test))[:MEASURED])
        assert some.mask is not None
        found["saliency"] = share_on_object(saliency_maps(network, some), some.mask)
        found["area"] = float(some.mask.mean())
    return found


def _known(z_held: Matrix, z_test: Matrix, examples: Examples, seed: int) -> dict[str, Any]:
    """What the features tell of the group: probes learn on validation rows and are scored on test rows."""
    held, test = examples.validation, examples.test
    z, group = np.concatenate([z_held, z_test]), np.concatenate([held.group, test.group])
    order = np.random.default_rng((seed, 7)).permutation(len(held))
    cut = round(0.75 * len(held))
    split = Split(np.sort(order[:cut]), np.sort(order[cut:]), np.arange(len(held), len(z)), seed)
    found = guess(z, group, split, classes=len(examples.groups), probes=QUICK, device="cpu", seed=seed)
    scaled = (z_test - z_test.mean(axis=0)) / np.maximum(z_test.std(axis=0), 1e-6)
    named = np.asarray(examples.groups)[test.group]  # names, so that T sees classes without an order
    return {
        "guessed": found.scores.auc,
        "probe": found.probe,
        "T": float(T(named, scaled, neighbours="auto")),
        "T_given_label": float(T(named, scaled, np.asarray(examples.labels)[test.label], neighbours="auto")),
    }


def _by_cell(examples: Examples, right: Any) -> list[float | None]:
    cell = examples.cell(examples.test)
    rows = [cell == k for k in range(len(examples.cells))]
    return [float(right[own].mean()) if own.any() else None for own in rows]


def _gallery(network: Network, examples: Examples) -> dict[str, Any]:
    """The saliency of the images that pages show, and what the network takes them for."""
    chosen = shown_rows(examples)
    rows = examples.test.take(chosen)
    if examples.behind is not None:
        maps = halved(maps_through(network, examples.behind, examples.behind.images(chosen)), np.max)
    elif examples.are_images:
        maps = saliency_maps(network, rows)
    else:
        return {}
    return {"saliency": (255 * maps).round().astype(np.uint8), "predicted": predicted(network, rows)}
