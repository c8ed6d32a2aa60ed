"""A run of the lab that takes seconds: few images, few epochs."""

from __future__ import annotations

from diffoci.labs.spurious.spec import SpuriousSpec, Training
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run

SMALL = Training(
    epochs=2, batch_size=32, width=8, penalty_rows=4, pretraining_images=64, pretraining_epochs=1, penalty=1.0
)


def small_spec(data="birds", methods=("oracle", "ERM", "ERM+dF2"), seeds=(0,), **more):
    rows = 200 if data in ("birds", "digits") else None
    return SpuriousSpec(data=data, methods=methods, seeds=seeds, training=SMALL, rows=rows, **more)


def finished(spec, folder=None):
    run = Run.create(SPURIOUS_LAB, spec, folder=folder)
    assert execute(run, Means(jobs=1)).state == "done"
    return run
