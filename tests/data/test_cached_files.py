"""Files kept of what publishers have: deleted by hand or by age, with the copies made of them, and nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.data.cached_files import cached_files, forget_old_cached
from diffoci.data.fetching.files import sha256_of
from diffoci.data.sources import load
from diffoci.runs.retention import CACHES
from tests.data.test_acs import persons, put
from tests.traces import traces

DAY = 86_400
MARK = 98_765.0  # dollars that nobody else earns


@pytest.fixture
def raw(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_data: None) -> Path:
    """A census file in the cache, read once, so that there is a copy of it, beside somebody else's folder."""
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    path = put(cache, persons(PINCP=MARK))
    load("acs-income", state="AL", year=2018)
    (cache / "photos").mkdir()
    (cache / "photos" / "mine.jpg").write_bytes(b"mine")
    assert len(traces([cache], "98765", MARK)) == 2
    return path


def test_a_cached_file_is_forgotten_with_its_copies(raw: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for which in (raw.name, str(raw), sha256_of(raw)[:16]):
        content = raw.read_bytes()
        assert main(["data", "forget", which]) == 0
        assert f"Deleted: {raw}" in capsys.readouterr().out
        assert traces([cache], "98765", MARK) == []
        assert [path.name for path in cache.rglob("*") if path.is_file()] == ["mine.jpg"]
        raw.parent.mkdir(parents=True)
        raw.write_bytes(content)
        load("acs-income", state="AL", year=2018)
        assert len(traces([cache], "98765", MARK)) == 2
    assert main(["data", "forget", "all"]) == 0
    assert traces([cache], "98765", MARK) == []
    capsys.readouterr()
    assert main(["data", "forget", "all"]) == 0
    assert capsys.readouterr().out == "Nothing is kept here.\n"


def test_a_file_of_one_s_own_stays_while_its_copies_go(
    raw: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own" / raw.relative_to(cache)
    own.parent.mkdir(parents=True)
    raw.rename(own)
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path / "own"))
    assert main(["data", "forget", str(own)]) == 0
    said = capsys.readouterr().out
    assert "Deleted: 1 copy" in said
    assert f"{own} itself is yours and stays." in said
    assert traces([cache], "98765", MARK) == []
    assert own.is_file()


def test_what_is_not_kept_here_gets_one_sentence(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for which in ("nothing.csv", "../../etc/passwd", "0" * 64, "*"):
        assert main(["data", "forget", which]) == 2
        said = capsys.readouterr()
        assert said.err.startswith(f"diffoci: Nothing is kept here of '{which}'")
        assert said.out == ""
    assert raw.is_file()


def test_old_files_go_but_for_those_that_are_needed_and_those_of_others(raw: Path, cache: Path) -> None:
    for path in cache.rglob("*"):
        os.utime(path, (time.time() - 181 * DAY,) * 2)
    needed = {raw.resolve()}
    assert forget_old_cached(CACHES.is_over, needed=lambda: needed) == 1  # the copy: it is made again where needed
    assert cached_files() == (raw,)
    assert forget_old_cached(CACHES.is_over, needed=set) == 1
    assert [path.name for path in cache.rglob("*") if path.is_file()] == ["mine.jpg"]
