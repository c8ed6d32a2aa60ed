"""Files of strangers: features, image folders and weights are bounded before they are opened; each fault a sentence."""

from __future__ import annotations

import io
import pickle
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from diffoci.labs import npz_files
from diffoci.labs.spurious.data import backbone, pictures, waterbirds
from diffoci.labs.spurious.data.own_data import features_file
from diffoci.labs.spurious.data.waterbirds import read_metadata, waterbirds_folder
from tests.labs.spurious import waterbirds_files

ROWS = 60
X = np.random.default_rng(0).normal(size=(ROWS, 3)).astype(np.float32)
SOUND = {
    "features": X,
    "y": np.arange(ROWS) % 2,
    "group": np.array(["land", "water", "shore"] * 20),
    "split": np.arange(ROWS) // 20,
}


@pytest.fixture(autouse=True)
def anew():
    features_file.cache_clear()
    waterbirds_folder.cache_clear()


def saved(folder, **changed):
    path = folder / "mine.npz"
    np.savez(path, **{**SOUND, **changed})
    return str(path)


def test_a_sound_file_is_read_as_it_is(tmp_path):
    found = features_file(0, path=saved(tmp_path))
    assert found.labels == ("0", "1")
    assert found.groups == ("land", "shore", "water")
    assert len(found.train) == len(found.test) == 20


class Trap:
    def __reduce__(self):
        return (print, ("it ran",))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"features": np.array([[Trap()]] * ROWS, dtype=object)}, "features is no plain array of numbers; pickled"),
        ({"group": np.array([Trap()] * ROWS, dtype=object)}, "group is no plain array of numbers or texts; pickled"),
        ({"features": np.where(X > 2, np.nan, X)}, "must be a table of finite numbers"),
        ({"features": X.astype(np.float64) * 1e300}, "must be a table of finite numbers"),
        ({"features": X[:, :0]}, "must be a table of finite numbers"),
        ({"features": np.zeros((ROWS, 2, 2))}, "must be a table of finite numbers"),
        ({"y": np.zeros((ROWS, 2))}, "different numbers of rows"),
        ({"y": np.array(1)}, "different numbers of rows"),
        ({"y": np.full(ROWS, np.nan)}, "y has missing or infinite values"),
        ({"y": np.arange(ROWS)}, "y has 60 values; 50 are the most"),
        ({"group": np.array(["a\x1b[2J", "b"] * 30)}, "group is no short text"),
        ({"group": np.array(["a" * 300, "b"] * 30)}, "group is no short text"),
        ({"group": np.array(["", "b"] * 30)}, "group is no short text"),
        ({"split": np.arange(ROWS)}, "A split is 0"),
        ({"split": np.array(["train"] * ROWS)}, "No row belongs to the validation split"),
        ({"y": np.zeros(ROWS)}, "at least two values each"),
    ],
)
def test_item_7_features_that_cannot_be_used_get_one_sentence(changed, sentence, tmp_path, capsys):
    with pytest.raises(ValueError, match=r"\.$") as problem:
        features_file(0, path=saved(tmp_path, **changed))
    assert sentence in str(problem.value)
    assert "it ran" not in capsys.readouterr().out


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb.npz"
    arrays: dict[str, Any] = {**SOUND, "features": np.zeros((ROWS, 20_000), dtype=np.float32)}
    np.savez_compressed(path, **arrays)
    assert path.stat().st_size < 50_000
    monkeypatch.setattr(npz_files, "MOST_BYTES", 10**6)
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match=r"bomb\.npz is larger than"):
        features_file(0, path=str(path))


def test_a_header_that_promises_more_than_there_is_takes_no_memory(tmp_path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 1000)})
    path = tmp_path / "vast.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name in SOUND:
            archive.writestr(f"{name}.npy", head.getvalue())
    with pytest.raises(ValueError, match=r"vast\.npz: features is cut short or damaged"):
        features_file(0, path=str(path))


def test_damaged_bytes_and_other_files_are_said(tmp_path):
    path = tmp_path / "mine.npz"
    for content in (b"", b"PK\x03\x04", b"x,y\n1,2\n", pickle.dumps(Trap())):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"mine\.npz is not a whole \.npz file"):
            features_file(0, path=str(path))


# A folder in the form of Waterbirds.


@pytest.fixture
def birds(tmp_path):
    return waterbirds_files.waterbirds_folder(tmp_path / "birds", rows=12)


def first_name(folder):
    return pd.read_csv(folder / "metadata.csv")["img_filename"][0]


def replace_first(folder, content):
    (folder / first_name(folder)).write_bytes(content)


def rename_first(folder, name):
    table = pd.read_csv(folder / "metadata.csv")
    table.loc[0, "img_filename"] = name
    table.to_csv(folder / "metadata.csv", index=False)


def as_format(kind):
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, kind)
    return buffer.getvalue()


POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\nquit\n"


@pytest.mark.parametrize("content", [b"", b"no image", as_format("PNG")[:40], POSTSCRIPT, as_format("PDF")])
def test_item_7_a_file_that_is_no_photograph_is_a_sentence_and_starts_no_program(birds, content):
    replace_first(birds, content)
    with pytest.raises(ValueError, match="cannot be read as an image"):
        waterbirds_folder(0, path=str(birds))


@pytest.mark.parametrize("most", [60, 10])  # ours alone; and so far below that the library speaks first
def test_item_7_an_image_of_too_many_pixels_is_refused_before_it_is_unpacked(birds, most, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_PIXELS", 60)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", most)
    monkeypatch.setattr(Image.Image, "convert", lambda *_, **__: pytest.fail("it was unpacked"))
    replace_first(birds, as_format("PNG"))
    with pytest.raises(ValueError, match=r"has more than 60 pixels\.$"):
        waterbirds_folder(0, path=str(birds))


@pytest.mark.parametrize("name", ["../../outside.jpg", "/etc/passwd", "a\0b.jpg", "gone.jpg", "."])
def test_item_7_a_name_that_leads_elsewhere_is_a_sentence(birds, name):
    table = read_metadata(str(birds)).astype({"img_filename": object})
    table.loc[0, "img_filename"] = name
    with pytest.raises(ValueError, match=r"metadata\.csv names .*\.$"):
        waterbirds._files(str(birds), table)


def test_a_link_out_of_the_folder_is_not_followed(birds, tmp_path):
    (tmp_path / "private.jpg").write_bytes(as_format("JPEG"))
    (birds / "link.jpg").symlink_to(tmp_path / "private.jpg")
    rename_first(birds, "link.jpg")
    with pytest.raises(ValueError, match="lies outside the folder"):
        waterbirds_folder(0, path=str(birds))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\xd8", b'img_filename,y\n"a', b"a,b\n1,2\n3,4,5,6\n"])
def test_item_7_a_table_of_labels_that_is_none_is_a_sentence(birds, content):
    (birds / "metadata.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"^metadata\.csv .*\.$"):
        read_metadata(str(birds))


def test_item_7_a_table_of_labels_is_bounded(birds, monkeypatch):
    monkeypatch.setattr(waterbirds, "MOST_IMAGES", 11)
    with pytest.raises(ValueError, match="names 12 images; 11 are the most"):
        read_metadata(str(birds))
    monkeypatch.setattr(waterbirds, "MOST_BYTES", 10)
    with pytest.raises(ValueError, match=r"metadata\.csv is larger than"):
        read_metadata(str(birds))


# Weights of a backbone.


def test_weights_that_would_run_something_are_refused(tmp_path, capsys):
    path = tmp_path / "weights.pth"
    torch.save({"conv1.weight": Trap()}, path)
    with pytest.raises(ValueError, match=r"weights\.pth cannot be read as a file of weights"):
        backbone._state(path)
    path.write_bytes(pickle.dumps(Trap(), protocol=2))
    with pytest.raises(ValueError, match=r"weights\.pth cannot be read as a file of weights"):
        backbone._state(path)
    assert "it ran" not in capsys.readouterr().out


@pytest.mark.parametrize("value", [[1, 2], torch.zeros(3), {1: torch.zeros(3)}, {"conv1.weight": 7}])
def test_weights_that_are_none_are_a_sentence(value, tmp_path):
    path = tmp_path / "weights.pth"
    torch.save(value, path)
    with pytest.raises(ValueError, match=r"^weights\.pth .*\.$"):
        backbone.backbone_network("resnet18", path)


def test_weights_that_unpack_to_more_than_any_backbone_are_refused_before_they_are_read(tmp_path, monkeypatch):
    path = tmp_path / "weights.pth"
    torch.save({"conv1.weight": torch.zeros(10**6)}, path)
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(tmp_path / "bomb.pth", "w", zipfile.ZIP_DEFLATED) as packed:
        for entry in whole.infolist():
            packed.writestr(entry.filename, whole.read(entry))
    assert (tmp_path / "bomb.pth").stat().st_size < 10**5
    monkeypatch.setattr(backbone, "MOST_BYTES_OF_WEIGHTS", 10**6)
    monkeypatch.setattr(torch, "load", lambda *_, **__: pytest.fail("it was read"))
    for name in ("weights.pth", "bomb.pth"):
        with pytest.raises(ValueError, match="is larger than"):
            backbone._state(tmp_path / name)
