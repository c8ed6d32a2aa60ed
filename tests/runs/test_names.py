"""Names and notes of runs: kept beside them, bounded, plain text, and no part of what is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from diffoci.runs.deletion import delete_run
from diffoci.runs.names import LONGEST_NAME, LONGEST_NOTE, give_name, named
from diffoci.runs.store import NAME_FILE, Run

NewRun = Callable[..., Run]


def test_a_run_keeps_its_name_and_note_and_asks_for_the_same(new_run: NewRun) -> None:
    run = new_run()
    before = (run.folder / "spec.json").read_bytes()
    give_name(run, " First quarter ", note="asked by the board\nsecond line")
    found = named(Run.open(run.folder))
    assert (found.name, found.note) == ("First quarter", "asked by the board\nsecond line")
    assert (run.folder / "spec.json").read_bytes() == before
    give_name(run, "Second name")
    assert named(run).note == "asked by the board\nsecond line"
    give_name(run, "", note="")
    assert (named(run).name, named(run).note) == ("", "")


def test_what_is_too_long_is_refused_and_the_name_before_it_stays(new_run: NewRun) -> None:
    run = new_run()
    give_name(run, "x" * LONGEST_NAME, note="y" * LONGEST_NOTE)
    with pytest.raises(ValueError, match=r"The name has 81 letters; at most 80 are kept\. Shorten it\."):
        give_name(run, "x" * (LONGEST_NAME + 1))
    with pytest.raises(ValueError, match=r"The note has 1,001 letters"):
        give_name(run, "short", note="y" * (LONGEST_NOTE + 1))
    assert named(run).name == "x" * LONGEST_NAME


def test_signs_that_steer_a_terminal_are_not_kept(new_run: NewRun) -> None:
    given = give_name(new_run(), "a\x1b[2J\u202eb\nc\ud800", note="one\x00\ntwo")
    assert (given.name, given.note) == ("a[2Jb c", "one\ntwo")


@pytest.mark.parametrize("content", ["{", "[]", '{"schema": 1, "name": 3}', '{"schema": 1, "name": "%s"}' % ("x" * 99)])
def test_a_damaged_name_is_no_name(new_run: NewRun, content: str) -> None:
    run = new_run()
    (run.folder / NAME_FILE).write_text(content)
    assert named(run).name == ""
    assert give_name(run, "mended").name == named(run).name == "mended"


def test_a_name_is_deleted_with_its_run(new_run: NewRun, tmp_path: Path) -> None:
    run = new_run(folder=tmp_path / "own")
    give_name(run, "First quarter", note="names a person")
    delete_run(run.folder)
    assert not run.folder.exists()
