"""The model of difFOCI's representation is chosen: one weight a feature, a network, or a network with weights."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from diffoci.audit.make_spec import make_spec
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS
from diffoci.audit.study import AUDIT
from diffoci.learning.models import Network, Vec
from diffoci.runs.cell_files import Origin, Outcome, load_cell, save_cell
from diffoci.runs.provenance import versions
from diffoci.runs.study import CellOutput, Watch

SHORT: dict[str, Any] = {
    "network": {"max_epochs": 3, "hidden": (16,), "width": 3},
    "penalised": {"max_epochs": 3, "hidden": (16,), "width": 3},
    "vec": {"max_epochs": 8},
    "probe": {"max_epochs": 2, "hidden": (16,)},
    "permutations": 19,
}


def settings_of(model: str, **more: Any) -> Mapping[str, Any]:
    spec = make_spec("truth", preset="quick", settings={**SHORT, "model": model, **more})
    return {**spec.settings, "device": "cpu"}


@pytest.fixture(scope="module")
def prepared() -> PreparedSplit:
    dataset = AUDIT.load(make_spec("truth", options={"rows": 400}))
    return PreparedSplit.of(dataset, seed=0, coding="onehot", fractions=(0.75, 0.15, 0.10))


@pytest.mark.parametrize("method", ["dF1", "dF2", "dF3", "dF3+penalty"])
def test_each_model_gives_its_own_representation(prepared: PreparedSplit, method: str) -> None:
    made = {model: METHODS[method].build(prepared, settings_of(model), 0, Watch()) for model in ("vec", "nn", "vec-nn")}
    assert {model: one.chosen["model"] for model, one in made.items()} == {model: model for model in made}
    assert made["nn"].z.shape == made["vec-nn"].z.shape == (400, 3)
    assert not np.allclose(made["nn"].z, made["vec-nn"].z)
    assert "theta" not in made["nn"].history[0]
    assert len(made["vec-nn"].history[0]["theta"]) == 3
    assert len(made["vec"].history[0]["theta"]) == prepared.features
    assert 1 <= made["vec"].z.shape[1] <= prepared.standard.shape[1]


def test_vec_takes_its_own_training_and_no_width(prepared: PreparedSplit) -> None:
    def build(**more: Any) -> Any:
        return METHODS["dF3"].build(prepared, settings_of("vec", **more), 0, Watch())

    usual = build()
    assert len(usual.history) == 4 * 8  # 300 training rows are few
    assert np.array_equal(usual.z, build(network={"width": 1, "max_epochs": 1}).z)
    assert not np.array_equal(usual.z, build(vec={"max_epochs": 3}).z)


def test_where_every_feature_is_dropped_everybody_looks_the_same(prepared: PreparedSplit) -> None:
    made = METHODS["dF3"].build(prepared, settings_of("vec", vec={"cutoff": 100.0}), 0, Watch())
    assert made.z.shape == (400, 1)
    assert not made.z.any()


@pytest.mark.parametrize("model", ["vec", "vec-nn"])
def test_weights_on_disk_give_the_representation_again(tmp_path: Path, model: str) -> None:
    spec = make_spec("truth", preset="quick", seeds=1, methods=["dF3"], options={"rows": 400},
                     settings={**SHORT, "model": model}, device="cpu")  # fmt: skip
    dataset = AUDIT.load(spec)
    (cell,) = [cell for cell in AUDIT.plan(spec, dataset) if cell.id == "dF3.0"]
    prepared = PreparedSplit.of(
        dataset,
        seed=0,
        coding="onehot",
        fractions=spec.settings["fractions"],
        pieces=spec.settings["pieces"],
        fold_rows=spec.settings["fold_rows"],
    )
    output = AUDIT.run_cell(spec, dataset, cell, Watch())
    origin = Origin(spec.digest(), dataset.sha256)
    save_cell(tmp_path, origin, Outcome(cell.id, output=output, versions=versions()))
    kept = load_cell(tmp_path, origin, cell.id)
    assert kept is not None
    built = METHODS["dF3"].build(prepared, {**spec.settings, "device": "cpu"}, 0, Watch())
    assert np.allclose(apply_weights(kept.output, prepared, model), built.z, atol=1e-6)


def apply_weights(output: CellOutput, prepared: PreparedSplit, model: str) -> np.ndarray:
    state = {name: torch.from_numpy(value) for name, value in output.weights.items()}
    start = torch.Generator().manual_seed(99)
    network: Vec | Network
    if model == "vec":
        network, inputs = Vec(torch.tensor(prepared.feature_of_column()), start), prepared.standard
    else:
        network, inputs = Network(prepared.inputs.shape[1], (16,), 3, start, weighted=True), prepared.inputs
    network.load_state_dict(state)
    with torch.no_grad():
        z = network.eval()(torch.from_numpy(inputs)).numpy()
    if isinstance(network, Vec):
        z = z[:, (network.theta.abs() > 0.1).numpy()[network.feature_of_column.numpy()]]
    return np.asarray(z)


def test_an_audit_without_the_setting_is_one_of_networks(prepared: PreparedSplit) -> None:
    old = {name: value for name, value in settings_of("nn").items() if name != "model"}
    build = METHODS["dF3"].build
    assert np.array_equal(build(prepared, old, 0, Watch()).z, build(prepared, settings_of("nn"), 0, Watch()).z)


def test_a_model_that_does_not_exist_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="must be one of nn, vec-nn, vec, not 'forest'"):
        make_spec("student", settings={"model": "forest"})
