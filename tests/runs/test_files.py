"""Files of a run are whole or absent, and hold nothing that could be executed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from diffoci.runs import cell_files, files
from diffoci.runs.cell_files import Origin, Outcome, are_of_other_versions, file_stem, load_cell, save_cell
from diffoci.runs.files import append_lines, read_json, remove_parts, write_atomically, write_json
from diffoci.runs.progress.records import read_records
from diffoci.runs.provenance import versions
from diffoci.runs.study import CellOutput

ORIGIN = Origin("digest", "sha")


def saved(folder: Path, cell: str = "methods-dF3-0") -> CellOutput:
    output = CellOutput(
        {"accuracy": 0.1 + 0.2, "undefined": float("nan"), "probe": "mlp"},
        {"scores": np.linspace(0, 1, 7), "codes": np.arange(3, dtype=np.int8), "text": np.array(["é", "b"])},
        {"theta": np.array([1.5, 0.1], dtype=np.float32)},
    )
    save_cell(folder, ORIGIN, Outcome(cell, output=output, seconds=1.0, device="cpu", versions=versions()))
    return output


def test_a_cell_is_read_back_as_it_was(tmp_path: Path) -> None:
    output = saved(tmp_path)
    kept = load_cell(tmp_path, ORIGIN, "methods-dF3-0")
    assert kept is not None
    assert kept.output.summary["accuracy"] == 0.1 + 0.2
    assert np.isnan(kept.output.summary["undefined"])
    for name, array in output.arrays.items():
        np.testing.assert_array_equal(kept.output.arrays[name], array)
        assert kept.output.arrays[name].dtype == array.dtype
    np.testing.assert_array_equal(kept.output.weights["theta"], output.weights["theta"])


@pytest.mark.parametrize("suffix", ["json", "npz", "safetensors"])
def test_a_damaged_cell_is_computed_again(tmp_path: Path, suffix: str) -> None:
    saved(tmp_path)
    path = tmp_path / f"methods-dF3-0.{suffix}"
    path.write_bytes(path.read_bytes()[:-10])
    assert load_cell(tmp_path, ORIGIN, "methods-dF3-0") is None
    path.unlink()
    assert load_cell(tmp_path, ORIGIN, "methods-dF3-0") is None


def test_a_cell_of_another_audit_other_data_or_another_version_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path)
    assert load_cell(tmp_path, Origin("other", "sha"), "methods-dF3-0") is None
    assert load_cell(tmp_path, Origin("digest", "other"), "methods-dF3-0") is None
    (tmp_path / "methods-dF3-0.json").rename(tmp_path / "methods-dF3-1.json")
    assert load_cell(tmp_path, ORIGIN, "methods-dF3-1") is None
    (tmp_path / "methods-dF3-1.json").rename(tmp_path / "methods-dF3-0.json")
    monkeypatch.setattr(cell_files, "versions", lambda: {**versions(), "torch": "0.1"})
    assert load_cell(tmp_path, ORIGIN, "methods-dF3-0") is None


def test_cells_of_other_versions_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not are_of_other_versions(tmp_path)
    saved(tmp_path)
    assert not are_of_other_versions(tmp_path)
    monkeypatch.setattr(cell_files, "versions", lambda: {**versions(), "torch": "0.1"})
    assert are_of_other_versions(tmp_path)


def test_an_array_of_python_objects_is_neither_written_nor_read(tmp_path: Path) -> None:
    output = CellOutput({}, {"objects": np.array([{}], dtype=object)})
    with pytest.raises(ValueError, match="allow_pickle"):
        save_cell(tmp_path, ORIGIN, Outcome("c", output=output, versions=versions()))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../x", "a/b", "", ".", "..", ".hidden", "x" * 300, "a\0b", "=cmd()", "<script>"])
def test_no_cell_is_called_so_that_its_file_lies_elsewhere(tmp_path: Path, name: str) -> None:
    stem = file_stem(name)
    assert (tmp_path / f"{stem}.json").resolve().parent == tmp_path.resolve()
    assert not stem.startswith(".")
    assert len(stem) < 120


def test_a_full_disk_is_a_sentence_and_leaves_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.json"
    write_json(path, {"state": "running"})

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="The disk is full"):
        write_json(path, {"state": "done"})
    assert read_json(path) == {"state": "running"}
    assert os.listdir(tmp_path) == ["state.json"]


def test_a_process_killed_while_writing_leaves_whole_files(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    script = (
        "import runpy, sys; from pathlib import Path; write = runpy.run_path(sys.argv[2])['write_atomically']\n"
        "while True:\n    for byte in (b'a', b'b'): write(Path(sys.argv[1]), byte * 3_000_000)"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(path), files.__file__])
    while not path.exists():
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    content = path.read_bytes()
    assert len(content) == 3_000_000
    assert len(set(content)) == 1
    remove_parts(tmp_path)
    assert os.listdir(tmp_path) == ["big.json"]


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    append_lines(path, [{"a": 1}, {"a": float("nan")}])
    with path.open("ab") as file:
        file.write(b'{"a": 3, "b": "tor')
    assert read_records(path) == [{"a": 1}, {"a": None}]
    assert read_records(tmp_path / "none.jsonl") == []


def test_reading_the_end_of_lines_begins_with_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    append_lines(path, [{"k": k} for k in range(1000)])
    assert [record["k"] for record in read_records(path, last_bytes=40)] == [997, 998, 999]


def test_numbers_json_does_not_know_become_null(tmp_path: Path) -> None:
    write_json(tmp_path / "r.json", {"a": np.float64("inf"), "b": np.int64(3), "c": (np.bool_(True),)})
    assert read_json(tmp_path / "r.json") == {"a": None, "b": 3, "c": [True]}


def test_something_else_than_an_object_is_a_sentence(tmp_path: Path) -> None:
    write_atomically(tmp_path / "x.json", b"[1]")
    with pytest.raises(ValueError, match="is damaged"):
        read_json(tmp_path / "x.json")
