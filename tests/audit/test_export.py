"""A representation taken away gives the audit's own numbers, in a pipeline, from JSON and safetensors alone."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from diffoci import load_representation
from diffoci.__main__ import main
from diffoci.audit.make_spec import make_spec
from diffoci.audit.measuring.measure import measure
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS
from diffoci.audit.study import AUDIT
from diffoci.audit.taking_away.export import export
from diffoci.data.dataset import Dataset
from diffoci.runs.cell_files import Origin, Outcome, save_cell
from diffoci.runs.files import write_json
from diffoci.runs.store import Run
from diffoci.runs.study import Made, Watch
from tests.sample_audit import sample

SHORT: dict[str, Any] = {"max_epochs": 2, "patience": 2, "hidden": (8,)}


@pytest.fixture(scope="session")
def people() -> Dataset:
    return AUDIT.load(sample().spec)


@pytest.fixture(scope="session")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """dF3 of the sample audit, its second seed."""
    return export(sample(), "dF3", tmp_path_factory.mktemp("taken") / "dF3", seed=1).folder


def prepared_of(run: Run, dataset: Dataset, seed: int) -> PreparedSplit:
    settings = run.spec.settings
    names = ("coding", "fractions", "pieces", "fold_rows")
    return PreparedSplit.of(dataset, seed=seed, **{name: settings[name] for name in names})


@pytest.mark.parametrize("method", ["standard", "leace", "dF3", "dF3+penalty"])
def test_the_audits_rows_give_the_audits_representation(method: str, people: Dataset, tmp_path: Path) -> None:
    run = sample()
    prepared = prepared_of(run, people, 0)
    made = METHODS[method].build(prepared, {**run.spec.settings, "device": "cpu"}, 0, Watch())
    done = export(run, method, tmp_path / "out")
    found = done.representation.transform(people.features)
    assert found.shape == made.z.shape
    assert np.abs(found - made.z).max() < 1e-6
    assert "agrees with torch" in done.onnx
    assert len(done.representation.get_feature_names_out()) == found.shape[1]


@pytest.mark.parametrize(
    ("method", "model", "cutoff"),
    [("dF3", "vec", 0.1), ("dF1", "vec", 99.0), ("dF3", "vec-nn", 0.1), ("adversary", "nn", 0.1)],
)
def test_every_model_with_weights_can_be_taken_away(method: str, model: str, cutoff: float, tmp_path: Path) -> None:
    vec = {"max_epochs": 2, "patience": 2, "cutoff": cutoff}
    narrow = {**SHORT, "width": 2}
    settings = {"network": narrow, "adversary": narrow, "model": model, "vec": vec, "probe": SHORT, "permutations": 9}
    spec = make_spec("truth", preset="quick", methods=[method], seeds=1, options={"rows": 300}, settings=settings,
                     device="cpu")  # fmt: skip
    dataset = AUDIT.load(spec)
    run = Run.create(AUDIT, spec, folder=tmp_path / "run")
    prepared = prepared_of(run, dataset, 0)
    made = METHODS[method].build(prepared, {**spec.settings, "device": "cpu"}, 0, Watch())
    output = measure(made, prepared, {**spec.settings, "device": "cpu", "probes": ("logistic",)}, 0, Watch())
    save_cell(run.cells, Origin(spec.digest(), dataset.sha256), Outcome(f"{method}.0", output=output))
    result = AUDIT.assemble(spec, dataset, {f"{method}.0": output}, {}, Made({}, "cpu", 1.0))
    write_json(run.result_file, msgspec.to_builtins(result))
    found = export(run, method, tmp_path / "out").representation.transform(dataset.features)
    assert np.abs(found - made.z).max() < 1e-6
    assert found.shape[1] == made.z.shape[1] >= 1


def test_numbers_of_the_preprocessing_are_exact(taken: Path, people: Dataset) -> None:
    kept = json.loads((taken / "preprocessing.json").read_text())
    assert kept == json.loads(json.dumps(prepared_of(sample(), people, 1).input_encoder.to_dict()))
    model = json.loads((taken / "model.json").read_text())
    assert model["provenance"]["sha256"] == people.sha256
    assert model["provenance"]["real"] is False
    assert (model["method"], model["seed"], model["provenance"]["audit"]) == ("dF3", 1, sample().id[:8])
    assert all(sample().id.encode() not in path.read_bytes() for path in taken.iterdir())


def test_rows_of_a_csv_file_count_as_in_training(taken: Path, people: Dataset, tmp_path: Path) -> None:
    representation = load_representation(taken)
    people.features.to_csv(tmp_path / "rows.csv", index=False)
    plain = pd.read_csv(tmp_path / "rows.csv", keep_default_na=False, na_values=[""])
    assert np.array_equal(representation.transform(plain), representation.transform(people.features))
    array = people.features.astype(object).to_numpy()
    assert np.array_equal(representation.transform(array), representation.transform(people.features))


def test_unseen_levels_and_missing_values_count_as_in_training(taken: Path, people: Dataset) -> None:
    representation = load_representation(taken)
    encoder = prepared_of(sample(), people, 1).input_encoder
    odd = people.features.head(3).astype(object)
    odd.loc[0, "Mjob"], odd.loc[1, "Mjob"], odd.loc[2, "age"] = "astronaut", None, None
    expected = odd.copy()
    for name, column in people.features.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            levels = [*column.cat.categories, "astronaut"]
            expected[name] = pd.Categorical(odd[name], categories=levels)
        else:
            expected[name] = odd[name].astype(float)
    assert np.array_equal(representation.encode(odd), encoder.transform(expected))
    assert np.isfinite(representation.transform(odd)).all()


def test_it_works_in_a_pipeline_and_clones(taken: Path, people: Dataset) -> None:
    representation = load_representation(taken).set_output(transform="pandas")
    z = representation.transform(people.features)
    assert list(z.columns) == list(representation.get_feature_names_out())
    assert z.index.equals(people.features.index)
    model = make_pipeline(clone(representation), LogisticRegression(max_iter=500))
    proba = model.fit(people.features, people.label).predict_proba(people.features)
    assert proba.shape == (len(people), 2)


def test_the_example_runs_as_it_stands(taken: Path, people: Dataset, tmp_path: Path) -> None:
    lines = [line for line in (taken / "example.py").read_text().splitlines() if line.strip()]
    assert len(lines) <= 10
    people.features.assign(passed=people.label).to_csv(tmp_path / "rows.csv", index=False)
    done = subprocess.run(
        [sys.executable, str(taken / "example.py"), str(tmp_path / "rows.csv"), "passed"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )
    assert "passed predicted right: " in done.stdout
    assert not list(taken.rglob("*.pkl"))


def test_a_pickle_in_place_of_weights_is_refused_in_a_sentence(taken: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(taken, folder)
    weights = folder / "weights.safetensors"
    weights.write_bytes(pickle.dumps({"theta": [1.0]}))
    with pytest.raises(ValueError, match="not the file that was exported"):
        load_representation(folder)
    _declare(folder, "weights.safetensors")
    with pytest.raises(ValueError, match="not a safetensors file; other formats, pickles above all, are not read"):
        load_representation(folder)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda folder: (folder / "model.json").write_text("{"), "damaged"),
        (lambda folder: (folder / "model.json").write_text('{"schema": 9}'), "another version"),
        (lambda folder: (folder / "preprocessing.json").unlink(), "is missing"),
        (lambda folder: _change_map(folder, sizes=[10**9, 10**9]), "do not fit"),
        (lambda folder: _change_map(folder, kind="import os"), "is not known"),
        (lambda folder: _change_encoding(folder, lambda state: state.pop("columns")), "encoding is damaged"),
        (lambda folder: _change_encoding(folder, lambda state: state.pop("coding")), "encoding is damaged"),
        (lambda folder: _change_encoding(folder, lambda state: state.update(columns=[7])), "encoding is damaged"),
        (lambda folder: _change_encoding(folder, lambda state: state["columns"][0].pop("fill")), "encoding is damaged"),
        (
            lambda folder: _change_encoding(folder, lambda state: state["columns"][0].update(scale="x")),
            "encoding is damaged",
        ),
        (lambda folder: _change_encoding(folder, lambda state: state.update(format=9)), "saved in format 9"),
        (lambda folder: (folder / "model.json").write_text('{"schema": 1, "files": []}'), "parts of it are missing"),
    ],
)
def test_a_damaged_folder_is_a_sentence(
    taken: Path, tmp_path: Path, spoil: Callable[[Path], object], sentence: str
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(taken, folder)
    spoil(folder)
    with pytest.raises(ValueError, match=sentence) as problem:
        load_representation(folder)
    assert str(problem.value).endswith(".")
    assert "\n" not in str(problem.value)


def _change_encoding(folder: Path, change: Callable[[Any], object]) -> None:
    path = folder / "preprocessing.json"
    state = json.loads(path.read_text())
    change(state)
    path.write_text(json.dumps(state))
    _declare(folder, path.name)


def _declare(folder: Path, name: str) -> None:
    import hashlib

    model = json.loads((folder / "model.json").read_text())
    model["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "model.json").write_text(json.dumps(model))


def _change_map(folder: Path, **changes: Any) -> None:
    model = json.loads((folder / "model.json").read_text())
    model["map"] |= changes
    (folder / "model.json").write_text(json.dumps(model))


def test_wrong_rows_are_a_sentence(taken: Path, people: Dataset) -> None:
    representation = load_representation(taken)
    with pytest.raises(ValueError, match="The rows lack Mjob"):
        representation.transform(people.features.drop(columns="Mjob"))
    with pytest.raises(ValueError, match="'age' must hold finite numbers, but row 1 has 'old'"):
        representation.transform(people.features.head(2).assign(age=["old", 17]))
    with pytest.raises(ValueError, match="columns in this order"):
        representation.transform(np.zeros((2, 3)))


def test_what_cannot_be_taken_away_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(sample().folder)
    assert main(["export", run, "--method", "adversary", "--out", str(tmp_path / "x")]) == 2
    assert main(["export", run, "--method", "dF3", "--seed", "7", "--out", str(tmp_path / "x")]) == 2
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note").touch()
    assert main(["export", run, "--method", "dF3", "--out", str(tmp_path / "full")]) == 2
    said = capsys.readouterr().err
    for words in ("has no method 'adversary'", "seeds are 0, 1", "not an empty folder"):
        assert words in said
    assert not (tmp_path / "x").exists()


def test_an_audit_that_kept_no_preprocessing_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(sample().folder, folder)
    path = folder / "cells" / "dF3.0.json"
    content = json.loads(path.read_text())
    del content["summary"]["kept"]
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="before representations could be taken away"):
        export(Run.open(folder), "dF3", tmp_path / "out")


def test_without_the_onnx_package_the_folder_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = export(replace(sample()), "dF3", tmp_path / "out")
    assert "not installed" in done.onnx
    assert not (done.folder / "model.onnx").exists()
    assert {path.name for path in done.folder.iterdir()} == {
        "model.json", "preprocessing.json", "weights.safetensors", "example.py"
    }  # fmt: skip


@pytest.mark.parametrize("method", ["dF3", "dF3+penalty"])
def test_cells_taken_away_are_those_that_were_certified(method: str, people: Dataset, tmp_path: Path) -> None:
    done = export(sample(), method, tmp_path / "out", cells=True)
    cell = done.representation.transform(people.features).argmax(axis=1)
    counts = sample().result().method(method).certificate.by_attribute["sex"]
    split = prepared_of(sample(), people, 0).split
    sex = people.sensitive["sex"].to_numpy()[split.certification]
    found = [
        np.bincount(cell[split.certification][sex == group], minlength=len(counts.counts[0])) for group in counts.groups
    ]
    assert [tuple(row) for row in found] == list(counts.counts)
    assert done.representation.model_["cells"]["certificate"]["people"] == counts.people


def test_a_cell_is_given_as_indicators_or_as_its_mean(people: Dataset, tmp_path: Path) -> None:
    export(sample(), "dF3+penalty", tmp_path / "out", cells=True)
    one, mean = (load_representation(tmp_path / "out", cells=how) for how in ("indicators", "mean"))
    indicators, means = one.transform(people.features), mean.transform(people.features)
    assert (indicators.sum(axis=1) == 1).all()
    assert len(np.unique(means, axis=0)) == len(np.unique(indicators, axis=0))
    assert list(one.get_feature_names_out()) == [f"cell {k + 1}" for k in range(indicators.shape[1])]
    with pytest.raises(ValueError, match="indicators or mean"):
        load_representation(tmp_path / "out", cells="both")  # type: ignore[arg-type]
