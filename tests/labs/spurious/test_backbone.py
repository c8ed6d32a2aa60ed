"""Claims about a frozen backbone: its features are torchvision's, computed once, and nothing is downloaded."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from diffoci.__main__ import main
from diffoci.labs.spurious.data import backbone, waterbirds
from diffoci.labs.spurious.data.kinds import data_of
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.network import feature_network
from diffoci.labs.spurious.saliency import maps_through
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.runs.cell_files import Origin, load_cell
from diffoci.runs.run_files import PlanFile, read_file
from tests.labs.spurious.small_run import finished, small_spec
from tests.labs.spurious.waterbirds_files import untrained_weights, waterbirds_folder


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch, tmp_path):
    monkeypatch.setenv("DIFFOCI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "hub"))
    waterbirds.waterbirds_folder.cache_clear()
    backbone.backbone_network.cache_clear()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("birds")
    return waterbirds_folder(folder), untrained_weights(tmp_path_factory.mktemp("weights"))


def options(files, **more):
    folder, weights = files
    return {"path": str(folder), "backbone": "resnet18", "weights": str(weights), **more}


def spec_of(files, **more):
    return small_spec("waterbirds", methods=("ERM", "ERM+dF2"), options=options(files), **more)


def features(files):
    names = pd.read_csv(files[0] / "metadata.csv")["img_filename"]
    return backbone.frozen_features([files[0] / name for name in names], "resnet18", files[1])


def test_resnet_50_makes_2048_features_of_every_image(tmp_path):
    (tmp_path / "birds").mkdir()
    folder = waterbirds_folder(tmp_path / "birds", rows=12)
    chosen = options((folder, untrained_weights(tmp_path, "resnet50")), backbone="resnet50")
    examples = data_of(small_spec("waterbirds", options=chosen)).examples(0)
    assert examples.train.x.shape == (4, 2048)
    assert examples.behind is not None
    assert len(examples.behind.files) == 4


def test_features_are_those_of_the_whole_network_before_its_last_layer(files):
    whole = backbone.torchvision_models().get_model("resnet18", weights=None).eval()
    whole.load_state_dict(torch.load(files[1], weights_only=True))
    name = pd.read_csv(files[0] / "metadata.csv")["img_filename"][0]
    with Image.open(files[0] / name) as picture:
        square = np.asarray(picture.convert("RGB").resize((256, 256), Image.Resampling.BILINEAR))
    centre = square[16:-16, 16:-16].astype(np.float32) / 255
    seen = (centre - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    with torch.no_grad():
        logits = whole(torch.from_numpy(seen).float().permute(2, 0, 1)[None]).numpy()
    last = whole.fc.weight.detach().numpy(), whole.fc.bias.detach().numpy()
    assert features(files)[:1] @ last[0].T + last[1] == pytest.approx(logits, rel=1e-3, abs=1e-3)


def test_features_are_computed_once_and_anew_where_an_image_changed(files, tmp_path, monkeypatch):
    first = features(files)
    monkeypatch.setattr(backbone, "_computed", lambda files, body, watch: np.zeros((len(files), 512), dtype=np.float32))
    assert (features(files) == first).all()
    names = pd.read_csv(files[0] / "metadata.csv")["img_filename"]
    folder = tmp_path / "changed"
    folder.mkdir()
    waterbirds_folder(folder)
    Image.new("RGB", (30, 40)).save(folder / names[0])
    assert not features((folder, files[1])).any()


def test_every_method_that_needs_no_other_rows_runs_on_frozen_features(files, tmp_path):
    methods = tuple(name for name in METHODS if name != "oracle")
    result = finished(small_spec("waterbirds", methods=methods, options=options(files)), tmp_path / "run").result()
    assert [one.name for one in result.methods] == list(methods)
    assert not result.failures


def test_saliency_goes_through_the_backbone_to_the_pixels(files, tmp_path):
    run = finished(spec_of(files), tmp_path / "run")
    plan = read_file(run.plan_file, PlanFile)
    images, trained = (load_cell(run.cells, Origin(plan.digest, plan.sha256), one) for one in ("examples", "ERM.0"))
    assert images is not None
    assert trained is not None
    assert images.output.arrays["images"].shape == (8, 112, 112, 3)
    assert trained.output.arrays["saliency"].shape == (8, 112, 112)
    assert trained.output.arrays["saliency"].reshape(8, -1).max(axis=1).tolist() == [255] * 8


def test_saliency_is_where_a_small_change_moves_the_top_score_most(files):
    examples = data_of(spec_of(files)).examples(0)
    network = feature_network(512, 8, 2, hidden=0, seed=0)
    behind = examples.behind
    assert behind is not None
    image = behind.images(np.array([0]))
    (seen,) = maps_through(network, behind, image)

    def score(pixels):
        with torch.no_grad():
            return network(behind.features(torch.from_numpy(pixels).permute(0, 3, 1, 2))).max().item()

    def change(place):
        moved = np.repeat(image, 6, axis=0)
        for k in range(6):  # up and down in each of the three colours
            moved[(k, *place, k // 2)] += (-1) ** k * 1e-2
        return max(abs(score(moved[[2 * c]]) - score(moved[[2 * c + 1]])) for c in range(3))

    most, least = (np.unravel_index(order, seen.shape) for order in (seen.argmax(), seen.argmin()))
    assert change(most) > 5 * change(least)


def test_weights_that_torch_has_kept_are_found(files, tmp_path):
    folder = tmp_path / "hub" / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "resnet18-f37072fd.pth").write_bytes(files[1].read_bytes())
    chosen = options(files)
    del chosen["weights"]
    assert data_of(small_spec("waterbirds", options=chosen)).examples(0).train.x.shape == (8, 512)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"weights": ""}, "No weights of resnet18 are on this machine"),
        ({"weights": "gone.pth"}, "no file of weights called gone.pth"),
        ({"backbone": "vgg16"}, "no backbone 'vgg16' here; choose from resnet50, resnet18"),
        ({"backbone": ""}, "Weights are those of a backbone"),
    ],
)
def test_what_is_missing_is_a_sentence_before_anything_is_trained(files, changed, told):
    with pytest.raises(ValueError, match=told):
        SPURIOUS_LAB.load(small_spec("waterbirds", options=options(files, **changed)))


def test_without_torchvision_a_sentence_says_how_to_install_it(files, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'diffoci\[vision\]'"):
        SPURIOUS_LAB.load(spec_of(files))


@pytest.mark.parametrize("content", [b"no weights", b""])
def test_a_file_that_holds_no_weights_is_a_sentence(files, tmp_path, content):
    path = tmp_path / "strange.pth"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"strange\.pth cannot be read"):
        data_of(small_spec("waterbirds", options=options((files[0], path)))).examples(0)


def test_weights_of_another_network_are_a_sentence(files):
    with pytest.raises(ValueError, match=r"resnet18\.pth does not hold weights of resnet50"):
        data_of(small_spec("waterbirds", options=options(files, backbone="resnet50"))).examples(0)


def test_a_shared_run_names_weights_without_their_folder(files):
    shared = SPURIOUS_LAB.portable(spec_of(files))
    assert str(files[1].parent) not in json.dumps(shared.to_dict())
    SPURIOUS_LAB.check_portable(shared)
    with pytest.raises(ValueError, match="by its path"):
        SPURIOUS_LAB.check_portable(spec_of(files))
    with pytest.raises(ValueError, match="not on this machine"):
        SPURIOUS_LAB.check_local(shared)


def test_the_command_trains_on_a_folder_beside_the_paper(files, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    words = ["spurious", str(files[0]), "--backbone", "resnet18", "--weights", str(files[1])]
    assert main([*words, "--methods", "ERM,DRO+dF2", "--seeds", "1", "--jobs", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["method"], row["paper"]) for row in rows] == [("ERM", 0.6), ("DRO+dF2", 0.872)]


def test_the_command_says_that_a_file_has_no_images_for_a_backbone(files, capsys):
    assert main(["spurious", str(files[1]), "--backbone", "resnet18"]) == 2
    assert "name a Waterbirds folder, not a file" in capsys.readouterr().err
