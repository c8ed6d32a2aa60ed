"""Ids, states and locks of run directories."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from diffoci.audit.make_spec import make_spec
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.runs.lock import AlreadyRunning
from diffoci.runs.progress import read_progress
from diffoci.runs.runner import execute
from diffoci.runs.store import Run, list_runs, run_with_id
from tests.runs.conftest import FAKE, HERE

NewRun = Callable[..., Run]


def test_a_new_run_waits_and_is_found_by_its_id(new_run: NewRun, root: Path) -> None:
    run = new_run()
    assert run.folder == root.resolve() / run.id
    assert run.status().state == "waiting"
    assert run_with_id(run.id) == run
    assert read_progress(run.folder).cells == ()


@pytest.mark.parametrize("name", ["..", "../etc", "0" * 31, "A" * 32, "0" * 32 + "\n", "g" * 32, "", "0" * 32 + "/.."])
def test_an_id_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the id of a run"):
        run_with_id(name)


def test_an_id_that_does_not_exist_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="There is no run"):
        run_with_id("0" * 32)


def test_runs_are_listed_newest_first_and_a_damaged_one_hides_no_other(new_run: NewRun, root: Path) -> None:
    first, second, broken = new_run(), new_run(), new_run()
    (broken.folder / "spec.json").write_text("{")
    (root / "stranger").mkdir()
    assert [run.id for run in list_runs()] == [second.id, first.id]


def test_a_run_of_another_version_is_a_sentence(new_run: NewRun) -> None:
    run = new_run()
    content = json.loads((run.folder / "spec.json").read_text())
    (run.folder / "spec.json").write_text(json.dumps({**content, "schema": 99}))
    with pytest.raises(ValueError, match="another version"):
        Run.open(run.folder)


def test_a_run_says_which_study_it_is_and_one_from_before_there_were_others_is_an_audit(
    new_run: NewRun, tmp_path: Path
) -> None:
    spec = make_spec("student", sensitive=["sex"], preset="quick", twin=True)
    audit = Run.create(AUDIT, spec, folder=tmp_path / "audit")
    content = json.loads((audit.folder / "spec.json").read_text())
    assert content.pop("study") == "audit"
    (audit.folder / "spec.json").write_text(json.dumps(content))
    assert (Run.open(audit.folder).study, Run.open(new_run().folder).study) == (AUDIT, FAKE)
    assert Run.open(audit.folder).spec.to_dict() == spec.to_dict()


def test_a_specification_has_the_digest_it_always_had() -> None:
    """Cells of earlier versions are found again by it; the numbers are those of the first of them.

    Settings are spelled out: a preset may change, and then means another audit.
    """
    student = AuditSpec(
        data="student",
        sensitive=("sex",),
        methods=("standard", "dF3"),
        seeds=(0, 1, 2),
        preset="quick",
        twin=True,
        settings={"width": 1, "curve": [], "weights": [0.3, 1.0]},
    )
    assert student.digest() == "9a44da73493573890c9db79006fed6b24e8c649d5ef8c1040750752826f40b35"
    assert replace(student, device="cuda").digest() == student.digest()
    file = AuditSpec(
        data="csv:/tmp/x.csv",
        sensitive=("a", "é"),
        methods=("standard",),
        seeds=(0,),
        preset="paper",
        options={"label": "y", "drop": ("q",)},
        settings={"fractions": (0.75, 0.15, 0.1), "device": None},
    )
    assert file.digest() == "3096c476295907d46be9296763fb0b4dd01fe17fbcb40a480ed14ade0dd89787"
    assert AuditSpec.from_dict(file.to_dict()).digest() == file.digest()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"run": "rm"}, "unknown field `run`"),
        ({"seeds": ["many"]}, r"at 'seeds\[0\]': expected `int`, got `str`"),
        ({"seeds": []}, "at 'seeds'"),
        ({"options": None}, "at 'options'"),
        ({"data": ...}, "missing required field `data`"),
    ],
)
def test_a_specification_of_another_shape_says_why(change: dict[str, Any], sentence: str) -> None:
    values = {**make_spec("student", preset="quick").to_dict(), **change}
    with pytest.raises(ValueError, match=rf"^The specification is damaged.*{sentence}\.?"):
        AuditSpec.from_dict({name: value for name, value in values.items() if value is not ...})


def test_running_on_disk_counts_only_while_the_lock_is_held(new_run: NewRun) -> None:
    run = new_run()
    with run.lock():
        run.record("running")
        assert run.status().state == "running"
    assert run.status().state == "interrupted"
    run.cancel()
    assert run.status().state == "cancelled"


def test_a_second_process_is_told_that_it_runs(new_run: NewRun) -> None:
    run = new_run()
    with run.lock(), pytest.raises(AlreadyRunning, match="already running"):
        execute(run, HERE)
    assert execute(run, HERE).state == "done"


def test_looking_at_a_run_does_not_keep_it_from_starting(new_run: NewRun) -> None:
    run = new_run()
    for _ in range(200):
        assert not run.is_running()
        run.lock().close()


def test_a_run_without_result_says_so(new_run: NewRun) -> None:
    with pytest.raises(ValueError, match="it is waiting"):
        new_run().result()
