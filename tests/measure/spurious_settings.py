"""``python -m tests.measure.spurious_settings DATA TRIAL …``: settings of the spurious lab by validation rows alone.

A trial is a method, after a colon with settings of `Training`: ``ERM+dF2:penalty=4,beta=2``. Each is trained on data
drawn with seeds that no table reports, and no test row is looked at: accuracies and saliency are those of validation
rows, in the epoch that they chose.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
import torch
from msgspec import convert, to_builtins

from diffoci.labs.spurious.compute import _fitted
from diffoci.labs.spurious.data.kinds import data_of
from diffoci.labs.spurious.methods import method_named
from diffoci.labs.spurious.saliency import saliency_maps, share_on_object
from diffoci.labs.spurious.spec import SpuriousSpec, Training
from diffoci.labs.spurious.training import predicted
from diffoci.runs.study import Watch

SEEDS = (100, 101, 102)


def settings(text: str) -> tuple[str, Training]:
    """The method and the training that a trial names."""
    name, _, rest = text.partition(":")
    changed = dict(part.split("=") for part in rest.split(",") if part)
    return name, convert(to_builtins(Training()) | changed, Training, strict=False)


def reached(data: str, name: str, training: Training, seed: int) -> dict[str, float]:
    """What a trial reaches on validation rows of one draw."""
    examples = data_of(SpuriousSpec(data=data, methods=(name,), seeds=(seed,))).examples(seed)
    fitted = _fitted(examples, method_named(name), training, seed=seed, watch=Watch())
    held = examples.validation
    right, cell = predicted(fitted.network, held) == held.label, examples.cell(held)
    each = np.array([right[cell == k].mean() for k in range(len(examples.cells))])
    assert held.mask is not None
    return {
        "worst": float(each.min()),
        "average": float(right.mean()),
        "as training": float(each @ examples.sizes(examples.train) / len(examples.train)),
        "saliency": share_on_object(saliency_maps(fitted.network, held), held.mask),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.spurious_settings")
    parser.add_argument("data", choices=("birds", "digits"))
    parser.add_argument("trials", nargs="+", metavar="TRIAL")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for trial in asked.trials:
        found = [reached(asked.data, *settings(trial), seed) for seed in asked.seeds]
        means = {name: round(100 * float(np.mean([one[name] for one in found])), 1) for name in found[0]}
        worst = [round(100 * one["worst"], 1) for one in found]
        print(json.dumps({"data": asked.data, "trial": trial, **means, "worst of each": worst}), flush=True)


if __name__ == "__main__":
    main()
