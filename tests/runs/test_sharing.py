"""A shared audit arrives whole, with the same numbers; whatever else a zip file holds is refused in a sentence."""

from __future__ import annotations

import errno
import io
import json
import os
import pickle
import shutil
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from diffoci.__main__ import main
from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.cell_files import Origin, load_cell
from diffoci.runs.runner import execute
from diffoci.runs.sharing import _unpacking as unpacking
from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run, list_runs, runs_root
from tests.runs.conftest import HERE
from tests.sample_audit import sample
from tests.shared_zip import HOSTILE, files_of, hostile, zipped


@pytest.fixture(scope="session")
def shared() -> bytes:
    return pack(sample())


def assert_refused(content: bytes, sentence: str) -> None:
    """Refused in a sentence, in little time, and nothing is left of it."""
    begun = time.monotonic()
    with pytest.raises(ValueError, match=sentence) as problem:
        open_shared(io.BytesIO(content))
    assert time.monotonic() - begun < 5
    assert str(problem.value).endswith(".")
    assert "\n" not in str(problem.value)
    assert not list_runs()
    assert not any(path.is_file() for path in runs_root().rglob("*"))


def test_histories_larger_than_any_audits_are_refused(shared: bytes) -> None:
    files = files_of(shared)
    name = next(name for name in files if name.endswith(".history.jsonl"))
    noise = np.random.default_rng(0).integers(0, 10, 6_000_000, dtype=np.uint8) + ord("0")  # shrinks as numbers do
    assert_refused(zipped({**files, name: noise.tobytes()}), "would unpack to 6 MB")


def test_a_result_that_would_read_as_half_written_is_refused(shared: bytes) -> None:
    files = files_of(shared)
    whole = files["result.json"].rstrip()
    assert_refused(
        zipped({**files, "result.json": whole[:-1].rstrip() + b" }"}), "does not end as this program ends it"
    )


def test_an_audit_opened_without_its_file_takes_no_file_that_lies_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secrets.csv").write_text("API_KEY,sex\nabc,F\ndef,M\n")
    monkeypatch.chdir(tmp_path)
    run = Run.create(AUDIT, make_spec("csv:secrets.csv", sensitive=["sex"], options={"label": "nope"}))
    with pytest.raises(ValueError, match="are not on this machine"):
        execute(run)
    assert "API_KEY" not in run.status().message


def test_an_audit_arrives_with_the_same_files_and_numbers(shared: bytes) -> None:
    run, there = sample(), open_shared(io.BytesIO(shared))
    assert there.id == run.id
    assert there.folder == runs_root() / run.id
    assert there.result() == run.result()
    assert there.status().state == "done"
    origin = Origin(run.spec.digest(), run.result().provenance.sha256)
    for seed in (0, 1):
        here, away = (load_cell(one.cells, origin, f"dF3.{seed}") for one in (run, there))
        assert here is not None
        assert away is not None
        assert np.array_equal(here.output.arrays["y"], away.output.arrays["y"])
    assert execute(there).state == "done"  # nothing is missing that would have to be computed again


def test_the_same_audit_is_found_again_and_another_of_the_same_id_gets_its_own(shared: bytes) -> None:
    first = open_shared(io.BytesIO(shared))
    assert open_shared(io.BytesIO(shared)).id == first.id
    assert len(list_runs()) == 1
    files = files_of(shared)
    state = json.loads(files["state.json"])
    other = open_shared(io.BytesIO(zipped({**files, "state.json": json.dumps({**state, "time": 1.0}).encode()})))
    assert other.id != first.id
    assert other.result().id == other.id
    assert {run.id for run in list_runs()} == {first.id, other.id}
    assert first.result() == sample().result()


def test_an_audit_of_somebody_else_is_not_handed_over(shared: bytes) -> None:
    hers, his = (open_shared(io.BytesIO(shared), owner=owner) for owner in ("her", "him"))
    assert hers.id != his.id
    assert (hers.owner, his.owner) == ("her", "him")
    assert "her" not in json.loads(files_of(pack(hers))["spec.json"]).values()


def test_strange_texts_are_only_texts(shared: bytes) -> None:
    there = open_shared(io.BytesIO(hostile(shared)))
    assert f"{HOSTILE}sex" in there.result().groups
    assert there.id != sample().id


def test_the_commands_carry_it_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "audit.zip"
    assert main(["share", str(sample().folder), "--out", str(path)]) == 0
    assert main(["share", str(sample().folder), "--out", str(path)]) == 2
    assert main(["open", str(path)]) == 0
    assert main(["open", str(tmp_path / "none.zip")]) == 2
    said = capsys.readouterr()
    assert sample().id in said.out
    assert "dF3+penalty" in said.out
    assert "is there already" in said.err
    assert "There is no file" in said.err
    assert [run.id for run in list_runs()] == [sample().id]


def test_paths_and_traces_of_this_machine_stay_here(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(sample().folder, folder)
    spec = replace(sample().spec, data=f"csv:{tmp_path}/secret/people.csv", twin=False)
    for path in [*folder.glob("*.json"), *folder.glob("cells/*.json")]:
        content = json.loads(path.read_text())
        content |= {
            name: value for name, value in (("spec", spec.to_dict()), ("digest", spec.digest())) if name in content
        }
        path.write_text(json.dumps(content))
    (folder / "worker.log").write_text(f"{tmp_path}/secret")
    (folder / "cells" / "leace.1.failed.json").write_text(
        json.dumps({"schema": 1, "cell": "leace.1", "error": "It broke.", "trace": f"File {tmp_path}/x.py"})
    )
    content = pack(Run.open(folder))
    assert all(str(tmp_path).encode() not in part for part in files_of(content).values())
    there = open_shared(io.BytesIO(content))
    assert there.spec.data == "csv:people.csv"
    assert load_cell(there.cells, Origin(there.spec.digest(), there.result().provenance.sha256), "dF3.0")


def test_only_a_finished_audit_is_shared(new_run: Callable[..., Run]) -> None:
    with pytest.raises(ValueError, match="Only a finished run can be shared; this one is waiting"):
        pack(new_run())
    run = new_run()
    execute(run, HERE)
    assert pack(run) == pack(run)


@pytest.mark.parametrize("name", ["../x.json", "/etc/x", "cells/../../x.json", "cells\\..\\x.json", "C:/x", "run.py",
                                  "cells/x.pkl", "cells/x/y.json", "SPEC.json", "cells/.json", "x\x00.json",
                                  "<script>alert(1)</script>"])  # fmt: skip
def test_names_no_audit_has_are_refused(shared: bytes, name: str, tmp_path: Path) -> None:
    assert_refused(zipped({**files_of(shared), name: b"{}"}), "is no file of a run")
    assert {path.name for path in tmp_path.iterdir()} <= {"runs"}


def test_links_folders_and_passwords_are_refused(shared: bytes) -> None:
    def with_entry(change: Callable[[zipfile.ZipInfo], None]) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as file:
            for name, part in files_of(shared).items():
                entry = zipfile.ZipInfo(name)
                if name == "plan.json":
                    change(entry)
                file.writestr(entry, part)
        return buffer.getvalue()

    def link(entry: zipfile.ZipInfo) -> None:
        entry.external_attr = 0o120777 << 16

    def device(entry: zipfile.ZipInfo) -> None:
        entry.external_attr = 0o020644 << 16

    assert_refused(with_entry(link), "is a link or a folder")
    assert_refused(with_entry(device), "is a link or a folder")
    locked = bytearray(with_entry(lambda entry: None))
    at = locked.rindex(b"PK\x01\x02")
    locked[at + 8] |= 1
    assert_refused(bytes(locked), "encrypted")


def test_names_twice_are_refused(shared: bytes) -> None:
    buffer = io.BytesIO(shared)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(buffer, "a") as file:
        file.writestr("plan.json", b"{}")
    assert_refused(buffer.getvalue(), "twice")
    buffer = io.BytesIO(shared)
    with zipfile.ZipFile(buffer, "a") as file:
        file.writestr("cells/DF3.0.json", b"{}")  # the same file where letters' case does not count
    assert_refused(buffer.getvalue(), "twice")


def test_bombs_are_refused_by_what_they_say_and_by_what_they_are(shared: bytes) -> None:
    files = files_of(shared)
    assert_refused(zipped({**files, "progress.jsonl": b"0" * 20_000_000}), "would unpack to 20 MB")
    liar = bytearray(zipped({**files, "progress.jsonl": b"0" * 300_000}))
    for signature, size_at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = (
            liar.index(b"progress.jsonl", liar.index(signature))
            if signature == b"PK\x03\x04"
            else liar.rindex(b"progress.jsonl")
        )
        header = liar.rindex(signature, 0, at)
        struct.pack_into("<L", liar, header + size_at, 100)
    assert_refused(bytes(liar), "size of 'progress.jsonl' is not|larger than it says|not a whole zip")


def test_many_small_parts_of_a_bomb_are_refused_together(shared: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_BYTES", 1_000_000)
    extra = {f"cells/x{k}.history.jsonl": b"0" * 400_000 for k in range(5)}
    assert_refused(zipped({**files_of(shared), **extra}), "at most 1 are opened")


def test_a_million_entries_are_refused_without_listing_them() -> None:
    header = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"x"
    directory = header * 1_000_000
    for claimed in (0xFFFF, 5):  # the second lies
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, claimed, claimed, len(directory), 0, 0)
        content = io.BytesIO(directory + end)
        tracemalloc.start()
        with pytest.raises(ValueError, match="lists more than"):
            open_shared(content)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
        tracemalloc.stop()


def test_the_many_entries_of_an_array_file_are_refused_without_listing_them(shared: bytes) -> None:
    header = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"x"
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 5, 5, len(header) * 20_000, 0, 0)
    content = zipped({**files_of(shared), "cells/dF3.0.npz": header * 20_000 + end})
    assert_refused_in_little_memory(content, "plain arrays", most=6_000_000)


def test_a_large_header_of_weights_is_refused_unparsed(shared: bytes) -> None:
    chance = np.random.default_rng(0)  # names that do not shrink
    names = (f"{one:x}" for one in chance.integers(0, 2**62, 200_000))
    parts = ",".join(f'"{name}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}' for name in names)
    header = ("{" + parts + "}").encode()
    part = struct.pack("<Q", len(header)) + header
    assert len(header) > 10_000_000
    content = zipped({**files_of(shared), "cells/dF3.0.safetensors": part})
    assert_refused_in_little_memory(content, "is not a safetensors", most=2 * len(part))


def assert_refused_in_little_memory(content: bytes, sentence: str, *, most: int) -> None:
    tracemalloc.start()
    assert_refused(content, sentence)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < most, used


def test_a_directory_of_more_than_four_gigabytes_is_refused(shared: bytes) -> None:
    end = shared[-22:]
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    assert_refused(shared[:-22] + locator + end, "lists more than")


def test_changed_files_and_manifests_are_refused(shared: bytes) -> None:
    files = files_of(shared)
    changed = files["result.json"].replace(b'"rows": 395', b'"rows": 396')
    assert len(changed) == len(files["result.json"])
    assert changed != files["result.json"]
    assert_refused(zipped({**files, "result.json": changed}, listed=False), "changed or damaged on the way")
    assert_refused(zipped({**files, "plan.json": b"{}"}, listed=False), "size of 'plan.json' is not")
    assert_refused(zipped({k: v for k, v in files.items() if k != unpacking.MANIFEST}), "has no manifest.json")
    assert_refused(zipped({k: v for k, v in files.items() if k != "plan.json"}, listed=False), "lacks 'plan.json'")
    assert_refused(zipped({**files, "cells/more.0.json": b"{}"}, listed=False), "manifest does not list")
    assert_refused(zipped({**files, unpacking.MANIFEST: b"[" * 100_000}, listed=False), "manifest.json is damaged")
    assert_refused(zipped({**files, unpacking.MANIFEST: b"{}"}, listed=False), "not that of a run")


@pytest.mark.parametrize("keep", [0, 10, 5_000, -1, -30])
def test_half_a_zip_is_refused(shared: bytes, keep: int) -> None:
    assert_refused(shared[:keep] if keep >= 0 else shared[: len(shared) + keep], "whole")


def test_a_full_disk_leaves_nothing_behind(shared: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("diffoci.runs.sharing._zip_files.check_run", full)
    with pytest.raises(OSError, match="The run could not be kept: the disk is full"):
        open_shared(io.BytesIO(shared))
    assert not list(runs_root().iterdir())


def test_what_a_killed_server_had_half_opened_is_cleared_away_after_an_hour(shared: bytes) -> None:
    old, young = (runs_root() / f".opening-{name}" for name in ("old", "young"))
    for folder in (old, young):
        (folder / "cells").mkdir(parents=True)
    os.utime(old, (time.time() - 4000,) * 2)
    open_shared(io.BytesIO(shared))
    assert not old.exists()
    assert young.exists()


def test_anything_that_is_no_zip_is_refused() -> None:
    assert_refused(b"<html>" * 100, "not a zip file of a run")
    assert_refused(pickle.dumps({"a": 1}) * 10, "not a zip file of a run")


class _Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path("/nonexistent").write_text, ("pwned",))


def _npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "part", "sentence"),
    [
        ("cells/dF3.0.npz", _npz(y=np.array([{"a": 1}], dtype=object)), "pickles are not read"),
        ("cells/dF3.0.npz", pickle.dumps(_Evil()), "pickles are not read"),
        ("cells/dF3.0.npz", _npz(y=np.array(["text"])), "plain arrays"),
        ("cells/dF3.0.npz", _npz(y=np.zeros(3))[:-40], "plain arrays"),
        ("cells/dF3.0.safetensors", pickle.dumps(_Evil()), "pickles above all, are not read"),
        ("cells/dF3.0.safetensors", struct.pack("<Q", 2**62) + b"{}", "is not a safetensors file"),
        ("cells/dF3.0.safetensors", b"", "is not a safetensors file"),
        ("cells/dF3.0.json", b'{"schema": 1}', "missing required field `cell`"),
        ("state.json", b'{"schema": 1, "state": "running", "message": ""}', "says that this one is running"),
        ("plan.json", b"[]", "plan.json is damaged"),
        ("cells/dF3.0.npz", _npz(y=np.arange(1000.0)).replace(b"\x93", b"\x00", 1)[:-1], "plain arrays"),
    ],
)
def test_files_of_another_kind_are_refused(shared: bytes, name: str, part: bytes, sentence: str) -> None:
    assert_refused(zipped({**files_of(shared), name: part}), sentence)


def test_a_bomb_inside_an_array_file_is_refused(shared: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffoci.runs.sharing._checking.MOST_BYTES_OF_ONE", 1_000_000)
    part = _npz(y=np.zeros(1_000_000))
    assert len(part) < 100_000
    assert_refused(zipped({**files_of(shared), "cells/dF3.0.npz": part}), "more than a run has")


def test_array_files_are_bounded_together_and_by_how_much_they_shrank(shared: bytes) -> None:
    part = _npz(y=np.zeros(3_000_000))  # 24 MB in 24 kB
    assert_refused(zipped({**files_of(shared), "cells/dF3.0.npz": part}), "more than a run has")
    stored = io.BytesIO()
    np.savez(stored, y=np.zeros(30_000))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("diffoci.runs.sharing._checking.MOST_BYTES", 600_000)
        many = {f"cells/x{k}.npz": stored.getvalue() for k in range(4)}
        assert_refused(zipped({**files_of(shared), **many}), "more than a run has")


def test_json_that_would_fill_the_memory_is_refused_unread(shared: bytes) -> None:
    part = b'{"x": [' + b",".join(f"[{k}]".encode() for k in range(3_000_000)) + b"]}"
    assert_refused(zipped({**files_of(shared), "result.json": part}), "would unpack to 2. MB")


def test_an_audit_without_parts_is_still_answered_in_words(shared: bytes) -> None:
    there = open_shared(
        io.BytesIO(zipped({name: part for name, part in files_of(shared).items() if not name.startswith("cells/")}))
    )
    assert there.result()


def changed(shared: bytes, name: str, change: Callable[[dict[str, Any]], None]) -> bytes:
    files = files_of(shared)
    content = json.loads(files[name])
    change(content)
    return zipped({**files, name: json.dumps(content).encode()})


def _set(*keys: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: Any) -> None:
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


def _nested(levels: int) -> Any:
    return [_nested(levels - 1)] if levels else []


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("spec.json", _set("schema", value=99), "newer one"),
        ("result.json", _set("schema", value=0), "not read any more"),
        ("spec.json", _set("id", value="../../x"), "it has no id"),
        ("spec.json", _set("spec", "data", value="csv:/etc/passwd"), "its digest is not right"),
        ("spec.json", _set("spec", "seeds", value=["many"]), r"damaged at 'seeds\[0\]'"),
        ("spec.json", _set("spec", "run", value="rm"), "unknown field `run`"),
        ("result.json", _set("groups", "sex", "F", "rows", value=0), "damaged at 'groups"),
        ("result.json", _set("methods", 0, "y", "auc", "mean", value="high"), "damaged at 'methods.0..y.auc.mean'"),
        (
            "result.json",
            _set("methods", 0, "leakage", "by_attribute", "<b>", value={}),
            "does not measure the attributes whose groups it names",
        ),
        ("result.json", _set("methods", 0, "title", value="x" * 10_000), "title is not a text that can be shown"),
        ("result.json", _set("provenance", "rows", value=float("nan")), "result.json is damaged"),
        ("result.json", _set("provenance", "sha256", value="0" * 64), "does not belong to its specification"),
        ("result.json", _set("features", "conditions", 0, "theta", value=[1.0]), "do not belong to its features"),
        ("result.json", lambda content: content.pop("groups"), "missing required field `groups`"),
        ("spec.json", _set("created", value=1e20), "damaged at 'created'"),
        ("spec.json", _set("created", value=-1), "damaged at 'created'"),
        ("result.json", _set("label", "name", value="\ud800"), "label.name is not a text that can be shown"),
        ("result.json", _set("label", "name", value="\x1b[2J"), "label.name is not a text that can be shown"),
        ("result.json", _set("methods", 0, "decisions", "x", value=["\x9b2J"]), "is not a text that can be shown"),
        ("result.json", _set("paper", "x", value=_nested(500)), "nested too deeply"),
    ],
)
def test_results_of_another_shape_or_version_say_why(
    shared: bytes, name: str, change: Callable[[dict[str, Any]], None], sentence: str
) -> None:
    assert_refused(changed(shared, name, change), sentence)


def test_a_shared_audit_cannot_point_at_files_of_this_machine(shared: bytes) -> None:
    spec = replace(sample().spec, data="csv:/etc/passwd", twin=False)

    def change(content: dict[str, Any]) -> None:
        content |= {"spec": spec.to_dict(), "digest": spec.digest()}

    assert_refused(changed(shared, "spec.json", change), "names a file of this machine by its path")


def respecified(shared: bytes, **changes: Any) -> bytes:
    """The same audit as if it had been asked for otherwise: a valid archive but for what was asked."""
    files = files_of(shared)
    spec = replace(sample().spec, **changes)
    for name, part in files.items():
        if name.endswith(".json"):
            content = json.loads(part)
            new = {"spec": spec.to_dict(), "digest": spec.digest()}
            content |= {entry: value for entry, value in new.items() if entry in content}
            files[name] = json.dumps(content).encode()
    return zipped(files)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"data": "truth", "twin": False, "options": {"rows": 200_000_000}}, "from 2 to 1,000,000"),
        ({"data": "truth", "twin": False, "options": {"useful": 10**6}}, "from 1 to 100"),
        ({"data": "truth", "twin": False, "options": {"rows": "many"}}, "'rows' must be a whole number"),
        ({"preset": "![x](http://e.org/p.png)"}, "preset is not one of quick, standard"),
        ({"options": {"rows": 2**40}}, "from 1 to 1,000,000"),
        ({"options": {"subject": "x" * 900_000}}, "options.subject is not a text"),
        ({"data": "acs-income", "options": {"year": "../../2018"}}, "'year' must be a whole number"),
        ({"data": "csv:a.csv", "twin": False, "options": {"label": "x" * 900_000}}, "options.label is not a text"),
        ({"data": "csv:a.csv", "twin": False, "options": {"drop": ["x"] * 100_000}}, "a list of at most 1,000"),
        ({"data": "breast-cancer", "twin": False, "options": {"rows": 5}}, "breast-cancer has no option 'rows'"),
        ({"settings": {**sample().spec.settings, "fractions": [0, 0, 0]}}, "must be three numbers above 0"),
        ({"settings": {**sample().spec.settings, "fractions": None}}, "must be three numbers above 0"),
    ],
)  # fmt: skip
def test_a_shared_audit_cannot_ask_for_what_would_exhaust_the_server(
    shared: bytes, changes: dict[str, Any], sentence: str
) -> None:
    assert_refused(respecified(shared, **changes), sentence)


def test_options_that_sources_have_are_taken(shared: bytes) -> None:
    kept = {"drop": ["age"], "state": ["AL", "GA"], "year": 2018, "race": "recorded", "rows": None}
    assert open_shared(io.BytesIO(respecified(shared, data="acs-income", options=kept)))
