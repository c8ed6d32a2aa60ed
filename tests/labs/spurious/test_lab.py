"""Claims about the study: every method trains, numbers stay, a damaged result is told."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from diffoci.__main__ import main
from diffoci.audit.result import Mean
from diffoci.labs.spurious.data.kinds import data_of
from diffoci.labs.spurious.means import by_training_groups, worst
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.result import CellSize, Repetition
from diffoci.labs.spurious.spec import SpuriousSpec
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.labs.spurious.words import group_sentences
from diffoci.runs.cell_files import Origin, load_cell
from diffoci.runs.run_files import PlanFile, read_file
from diffoci.runs.study import Watch
from tests.labs.spurious.small_run import finished, small_spec
from tests.labs.spurious.waterbirds_files import waterbirds_folder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spurious")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIFFOCI_CACHE", str(folder / "cache"))
        yield finished(small_spec(methods=tuple(METHODS), lambdas=(0.0,), betas=(1e7,)), folder / "run")


def test_every_method_has_a_result_and_the_groups_are_named(run):
    result = run.result()
    assert [one.name for one in result.methods] == list(METHODS)
    assert [size.name for size in result.sizes][2] == "waterbird, land"
    assert not result.failures


def test_repetitions_that_agree_exactly_are_said_to_be_no_proof(run):
    result = run.result()
    plain, *others = result.methods
    same = replace(plain, worst_group=Mean(0.0, 0.0, 0.0, (0.0, 0.0)))
    wide = [replace(one, worst_group=Mean(0.5, 0.4, 0.6, (0.45, 0.55))) for one in others]
    said = group_sentences(replace(result, outcomes=(same, *wide)))
    assert said[-1] == f"The worst group of {plain.title} came out equal in every repetition, which is no proof."


def test_averages_are_both_of_rows_as_they_are_and_by_training_groups():
    sizes = [CellSize(label="a", group=str(k), train=n, validation=1, test=1) for k, n in enumerate((90, 10))]
    assert by_training_groups([1.0, 0.5], sizes) == pytest.approx(0.95)
    assert by_training_groups([1.0, None], sizes) is None
    assert worst([1.0, None, 0.5]) == 0.5


def test_a_penalty_of_weight_zero_trains_what_erm_trains(run):
    result = run.result()
    (nothing,) = result.along("lambda")
    assert nothing.worst_group.values == result.find("ERM").worst_group.values


def test_dfr_changes_the_last_layer_and_not_the_features(run):
    result = run.result()
    plain, refitted = result.find("ERM"), result.find("DFR")
    assert refitted.group_guessed_from_features == plain.group_guessed_from_features
    assert refitted.T == plain.T
    assert refitted.worst_group == plain.worst_group_refitted


def test_images_and_saliency_maps_are_kept_for_pages(run):
    plan = read_file(run.plan_file, PlanFile)
    origin = Origin(plan.digest, plan.sha256)
    images, trained = (load_cell(run.cells, origin, name) for name in ("examples", "ERM.0"))
    assert images is not None
    assert trained is not None
    shown, maps = images.output.arrays, trained.output.arrays["saliency"]
    assert shown["images"].shape == (72, 48, 48, 3)
    assert maps.shape == (72, 48, 48)
    assert maps.reshape(72, -1).max(axis=1).tolist() == [255] * 72


def test_a_cell_computed_again_has_the_same_numbers(run):
    spec = run.spec
    data = SPURIOUS_LAB.load(spec)
    cell = next(cell for cell in SPURIOUS_LAB.plan(spec, data) if cell.id == "ERM+dF2.0")
    again = SPURIOUS_LAB.run_cell(spec, data, cell, Watch()).summary
    kept = run.result().find("ERM+dF2").repetitions[0]
    assert replace(msgspec.convert(again, Repetition), seconds=0.0) == replace(kept, seconds=0.0)


def test_a_changed_mean_is_told(run):
    content = json.loads(run.result_file.read_text())
    content["outcomes"][1]["worst_group"]["mean"] += 0.1
    with pytest.raises(ValueError, match="do not follow from its repetitions"):
        SPURIOUS_LAB.read_result(content, "result.json")


def features_file(folder):
    rng = np.random.default_rng(0)
    label, group = rng.integers(0, 2, 240), rng.integers(0, 2, 240)
    features = rng.normal(size=(240, 5)) + 2 * label[:, None]
    path = folder / "mine.npz"
    np.savez(path, features=features, y=label, group=group, split=np.repeat([0, 1, 2], 80))
    return path


def test_features_of_ones_own_go_through_every_method(tmp_path):
    methods = tuple(name for name in METHODS if name != "oracle")
    spec = small_spec("features", methods=methods, options={"path": str(features_file(tmp_path))})
    longer = replace(spec, training=replace(spec.training, epochs=10, lr=0.1))
    result = finished(longer, tmp_path / "run").result()
    assert len(result.methods) == len(methods)
    assert result.find("ERM").average.mean > 0.8


def test_the_command_puts_the_paper_s_benchmark_beside_features_of_ones_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    words = ["spurious", str(features_file(tmp_path)), "--paper", "CelebA", "--last-layer"]
    assert main([*words, "--methods", "ERM,JTT,DFR", "--seeds", "1", "--jobs", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["paper"] for row in rows] == [0.65, 0.703, None]


def test_a_waterbirds_folder_is_read_in_its_published_form(tmp_path):
    data = data_of(small_spec("waterbirds", options={"path": str(waterbirds_folder(tmp_path))}))
    examples = data.examples(0)
    assert examples.train.x.shape == (8, 48, 48, 3)
    assert examples.sizes(examples.test).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda frame: frame.drop(columns="place"), "no column 'place'"),
        (lambda frame: frame.assign(y=3), "0 or 1 as y"),
        (lambda frame: frame.assign(img_filename="../../secret.jpg"), "outside the folder"),
        (lambda frame: frame.assign(img_filename="gone.jpg"), "does not have"),
    ],
)
def test_a_spoilt_waterbirds_folder_is_a_sentence(tmp_path, spoil, told):
    folder = waterbirds_folder(tmp_path)
    spoil(pd.read_csv(folder / "metadata.csv")).to_csv(folder / "metadata.csv", index=False)
    with pytest.raises(ValueError, match=told):
        data_of(small_spec("waterbirds", options={"path": str(folder)})).examples(0)


def test_a_table_has_its_attribute_as_the_group():
    examples = data_of(small_spec("table", options={"source": "truth"})).examples(0)
    assert examples.train.x.ndim == 2
    assert len(examples.groups) >= 2


def test_an_unknown_option_is_a_sentence():
    with pytest.raises(ValueError, match="is not an option of Mini-birds"):
        data_of(small_spec(options={"colour": "red"}))


@pytest.mark.parametrize(
    "entry", ["epochs", "batch_size", "width", "hidden", "penalty_rows", "memory", "pretraining_images"]
)
def test_item_8_a_run_that_no_machine_could_hold_is_refused_when_it_is_read(entry):
    plain = msgspec.to_builtins(small_spec())
    plain["training"][entry] = 10**7
    with pytest.raises(msgspec.ValidationError, match=entry):
        msgspec.convert(plain, SpuriousSpec)
