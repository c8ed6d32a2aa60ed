"""The access log goes on in a new file: its first line follows the last of the old one, whoever writes meanwhile."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from diffoci.__main__ import main
from diffoci.access_log import check_log, head_file, log_file, read_log, record, set_aside
from diffoci.access_log._chain import append


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIFFOCI_ACCESS_LOG", str(tmp_path / "access.jsonl"))
    return tmp_path / "access.jsonl"


def write(lines: int) -> None:
    for _ in range(lines):
        record("opened", what="audit", id="a" * 32, who="b" * 32, name="ann@example.org")


def problems() -> tuple[str, ...]:
    return check_log(log_file(), head_file()).problems


def test_lines_of_both_files_are_one_chain(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(3)
    assert main(["log", "rotate"]) == 0
    assert log.read_bytes() == b""
    assert problems() == ()  # also before anything else is written
    write(2)
    assert main(["log", "verify"]) == 0
    assert "5 lines" in capsys.readouterr().out
    assert [entry.n for entry in read_log(log)] == [1, 2, 3, 4, 5]
    assert len(log.with_name("access.jsonl.3").read_bytes().splitlines()) == 3


def test_a_change_in_an_older_file_is_found_and_named(log: Path) -> None:
    write(3)
    set_aside(log, head_file())
    write(2)
    older = log.with_name("access.jsonl.3")
    whole = older.read_bytes()
    older.write_bytes(b"".join(whole.splitlines(keepends=True)[:2]))
    assert problems() == ("Line 3 is missing before line 4.",)
    older.write_bytes(whole.replace(b"ann@", b"bob@"))
    assert problems()[-1] == "Line 3 was changed: line 4 follows another."
    older.write_bytes(whole[:-1])
    assert problems()[0] == "Line 3 of access.jsonl.3 is no line of the log: it was changed, or is not whole."


def test_where_the_older_file_was_taken_away_its_last_line_must_be_named(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(3)
    main(["log", "rotate"])
    mark = capsys.readouterr().out.split()[-1]
    log.with_name("access.jsonl.3").unlink()
    assert main(["log", "verify"]) == 2
    write(2)
    assert problems() == ("Lines 1 to 3 are missing before line 4.",)
    assert main(["log", "verify", "--since", mark]) == 0
    assert main(["log", "verify", "--since", f"3:{'0' * 64}"]) == 2
    assert main(["log", "verify", "--since", mark.replace("3:", "2:", 1)]) == 2


def test_a_log_that_is_too_large_goes_on_in_a_new_file_by_itself(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffoci.access_log._chain.most_bytes", lambda: 1000)
    write(10)
    files = sorted(path.name for path in log.parent.iterdir())
    assert len(files) >= 4  # each of a thousand bytes, the one written to, and the head
    assert log.stat().st_size < 1500
    assert problems() == ()
    assert len(read_log(log)) == 10


def _write_and_rotate(log: Path, head: Path, person: int) -> None:
    for k in range(20):
        append(log, head, event="opened", what="audit", id="a" * 32, name=f"person {person}")
        if k % 5 == person:
            set_aside(log, head)


def test_processes_that_waited_for_the_old_file_write_to_the_new_one(log: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_and_rotate, args=(log, head_file(), k)) for k in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    checked = check_log(log, head_file())
    assert (checked.lines, checked.problems) == (80, ())


def test_a_log_without_a_line_is_not_set_aside(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "rotate"]) == 2
    assert "has no line yet" in capsys.readouterr().err
    assert not log.exists()
