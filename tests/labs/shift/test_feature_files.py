"""Files of features from strangers: what is wrong is said in a sentence, and nothing is unpickled."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from diffoci.labs.shift.feature_files import read_features

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.arange(60) % 2


def test_a_sound_file_is_read_as_it_is(tmp_path) -> None:
    np.savez_compressed(tmp_path / "good.npz", x=X, y=Y.astype(float))
    found = read_features(tmp_path / "good.npz")
    assert found.x == pytest.approx(X, abs=1e-6)
    assert found.y.tolist() == Y.tolist()


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"x": X}, "has no array 'y'; it needs x"),
        ({"x": X[0], "y": Y}, "x must be a table of 1 to 20,000 features"),
        ({"x": X, "y": Y[:-1]}, "y must have one class per row of x, 60 in all"),
        ({"x": X[:10], "y": Y[:10]}, "has 10 rows; at least 40 are needed"),
        ({"x": np.where(X > 2, np.nan, X), "y": Y}, "x has missing or infinite values"),
        ({"x": X, "y": X[:, 0]}, "y must hold 2 to 1,000 classes as whole numbers"),
        ({"x": X, "y": np.zeros(60)}, "y must hold 2 to 1,000 classes as whole numbers"),
        ({"x": X, "y": np.full(60, np.nan)}, "y must hold 2 to 1,000 classes as whole numbers"),
        ({"x": X, "y": np.array(["a", "b"] * 30)}, "y is no plain array of numbers"),
        ({"x": X.astype(object), "y": Y}, "x is no plain array of numbers; pickled objects are not read"),
    ],
)
def test_what_cannot_be_used_gets_one_sentence(arrays, sentence, tmp_path) -> None:
    np.savez(tmp_path / "odd.npz", **arrays)
    with pytest.raises(ValueError, match=r"^odd\.npz") as problem:
        read_features(tmp_path / "odd.npz")
    assert sentence in str(problem.value)


def test_no_file_and_no_zip_are_said(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"There is no file gone\.npz"):
        read_features(tmp_path / "gone.npz")
    (tmp_path / "text.npz").write_text("x,y")
    with pytest.raises(ValueError, match=r"text\.npz is not a whole \.npz file"):
        read_features(tmp_path / "text.npz")


def test_a_header_that_promises_more_than_there_is_takes_no_memory(tmp_path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 1000)})
    with zipfile.ZipFile(tmp_path / "vast.npz", "w") as archive:
        archive.writestr("x.npy", head.getvalue())
        archive.writestr("y.npy", head.getvalue())
    with pytest.raises(ValueError, match=r"vast\.npz: x is cut short or damaged"):
        read_features(tmp_path / "vast.npz")


def test_damaged_bytes_are_said(tmp_path) -> None:
    np.savez_compressed(tmp_path / "bad.npz", x=X, y=Y)
    content = bytearray((tmp_path / "bad.npz").read_bytes())
    content[300:330] = bytes(30)
    (tmp_path / "bad.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.npz"):
        read_features(tmp_path / "bad.npz")
