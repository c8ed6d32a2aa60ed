"""The access log: every removed, changed, moved or cut-off line is found, whoever writes at the same time."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from diffoci.__main__ import main
from diffoci.access_log import Entry, Mark, check_log, head_file, log_file, record, recording
from diffoci.access_log._chain import append
from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT as AUDITS
from diffoci.data.tables.uploads import keep_table
from diffoci.runs.store import Run
from diffoci.runs.uploads import uploads_folder
from tests.sample_audit import sample

AUDIT = "a" * 32
Change = Callable[[list[bytes]], object]


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("DIFFOCI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DIFFOCI_ACCESS_LOG", str(tmp_path / "access.jsonl"))
    monkeypatch.setattr("diffoci.access_log.recording._refusals", {})
    return tmp_path / "access.jsonl"


def write(lines: int) -> None:
    for k in range(lines):
        record("opened", what="audit", id=AUDIT, who="b" * 32, name=f"person {k}")


def problems(*, known: Mark | None = None) -> tuple[str, ...]:
    return check_log(log_file(), head_file(), known=known).problems


def changed(log: Path, change: Change) -> None:
    """Change the lines of the log, and nothing else."""
    lines = log.read_bytes().splitlines(keepends=True)
    change(lines)
    log.write_bytes(b"".join(lines))


def another_name(number: int) -> Change:
    def change(lines: list[bytes]) -> None:
        lines[number] = lines[number].replace(b"person", b"nobody")

    return change


def test_lines_that_nobody_touched_agree(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(5)
    assert problems() == ()
    assert main(["log", "verify"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("5 lines, from 20")
    assert "No line was removed, changed, moved or cut off" in said
    assert [json.loads(line)["n"] for line in log.read_bytes().splitlines()] == [1, 2, 3, 4, 5]
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(head_file().stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: lines.pop(2), "Line 3 is missing before line 4."),
        (lambda lines: lines.__delitem__(slice(1, 3)), "Lines 2 to 3 are missing before line 4."),
        (lambda lines: lines.pop(0), "Line 1 is missing before line 2."),
        (lambda lines: lines.pop(), "Line 5 is missing at the end."),
        (lambda lines: lines.clear(), "Lines 1 to 5 are missing at the end."),
        (another_name(1), "Line 2 was changed: line 3 follows another."),
        (another_name(0), "Line 1 was changed: line 2 follows another."),
        (another_name(4), "Line 5 was changed: it is not the one that was written last."),
        (lambda lines: lines.insert(1, lines.pop(2)), "Line 3 is missing before"),
        (lambda lines: lines.reverse(), "stands after line"),
        (lambda lines: lines.append(lines[1]), "Line 2 stands after line 5: lines were moved, or put in."),
        (lambda lines: lines.insert(2, b"\n"), "Line 3 of the file is no line of the log"),
        (lambda lines: lines.append(lines.pop().rstrip(b"\n")), "Line 5 of the file is no line of the log"),
        (lambda lines: lines.append(lines.pop()[:40]), "Line 5 of the file is no line of the log"),
        (lambda lines: lines.append(lines.pop().replace(b": ", b":")), "Line 5 of the file is no line of the log"),
    ],
)
def test_what_was_done_to_the_lines_is_found_and_named(
    log: Path, capsys: pytest.CaptureFixture[str], change: Change, sentence: str
) -> None:
    write(5)
    changed(log, change)
    assert main(["log", "verify"]) == 2
    printed = capsys.readouterr()
    assert sentence.removesuffix("before") in printed.out or sentence in printed.out
    assert printed.err.startswith(f"diffoci: The access log {log} is not as it was written: ")
    assert printed.err.count("\n") == 1


def test_a_gap_stays_to_be_seen_however_many_lines_follow(log: Path) -> None:
    write(5)
    changed(log, lambda lines: lines.__delitem__(slice(2, None)))
    write(3)
    assert problems() == ("Lines 3 to 5 are missing before line 6.",)


def test_a_log_that_was_taken_away_whole_leaves_a_gap_too(log: Path) -> None:
    write(3)
    log.unlink()
    with pytest.raises(ValueError, match=r"is gone: it had 3 lines\."):
        problems()
    write(1)
    assert problems() == ("Lines 1 to 3 are missing before line 4.",)


def test_a_last_line_that_was_changed_stays_to_be_seen(log: Path) -> None:
    write(3)
    changed(log, another_name(2))
    write(1)
    assert problems() == ("Line 3 was changed: line 4 follows another.",)


def test_without_its_head_a_log_is_not_said_to_be_whole(log: Path) -> None:
    write(3)
    head_file().unlink()
    (problem,) = problems()
    assert "nobody can tell whether lines were cut off the end" in problem


def test_a_log_and_a_head_written_anew_are_found_by_what_was_noted_elsewhere(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(4)
    assert main(["log", "verify"]) == 0
    noted = capsys.readouterr().out.split()[-1]
    write(2)
    assert main(["log", "verify", "--known", noted]) == 0
    log.unlink()
    head_file().unlink()
    write(6)
    assert problems() == ()  # nothing in the folder can tell: said in the documents, too
    assert main(["log", "verify", "--known", noted]) == 2
    assert "line 4, noted earlier, is missing or another one" in capsys.readouterr().err


def test_a_line_of_which_the_head_does_not_know_yet_is_that_of_a_killed_process(log: Path) -> None:
    write(2)
    before = head_file().read_bytes()
    write(1)
    head_file().write_bytes(before)  # killed between the two
    assert problems() == ()
    write(1)
    assert problems() == ()
    assert check_log(log, head_file()).lines == 4


def test_lines_added_by_another_program_are_found(log: Path) -> None:
    write(1)
    before = head_file().read_bytes()
    write(2)
    head_file().write_bytes(before)
    assert problems() == ("Lines 2 to 3 were added by something other than this program.",)


def test_a_line_that_was_never_finished_is_cleared_away_by_the_next(log: Path) -> None:
    write(2)
    with log.open("ab") as file:
        file.write(b'{"n": 3, "time": "20')
    write(1)
    assert problems() == ()
    assert check_log(log, head_file()).lines == 3


def write_from_a_process(log: str, head: str, number: int) -> None:
    for _ in range(25):
        append(Path(log), Path(head), event="opened", what="audit", name=f"process {number}")


def test_several_processes_write_lines_that_follow_one_another(log: Path) -> None:
    begin = multiprocessing.get_context("fork")
    processes = [
        begin.Process(target=write_from_a_process, args=(str(log), str(head_file()), number)) for number in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert problems() == ()
    assert check_log(log, head_file()).lines == 100


def test_only_entries_of_a_fixed_list_can_be_written() -> None:
    for fields in (
        {"event": "read"},
        {"what": "row 7: Ann, 34, divorced"},
        {"why": "income is above 50000"},
        {"id": "people.csv"},
        {"row": [1, 2]},
    ):
        with pytest.raises((msgspec.ValidationError, TypeError)):
            record(**{"event": "opened", "what": "audit", **fields})  # type: ignore[arg-type]
    assert not head_file().exists()


def test_what_cannot_be_written_down_is_not_done(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.mkdir()
    out = tmp_path / "report.html"
    assert main(["report", str(sample().folder), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "must be written down in the access log, and it cannot be written" in said
    assert "Traceback" not in said
    assert not out.exists()
    record("refused", what="page", why="not signed in")  # holds without being written down


def test_a_head_that_cannot_be_written_takes_the_line_back(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(2)
    before = log.read_bytes()
    monkeypatch.setenv("DIFFOCI_ACCESS_LOG_HEAD", str(log.parent / "nowhere" / "head"))
    with pytest.raises(OSError, match="must be written down"):
        write(1)
    assert log.read_bytes() == before


def test_a_refusal_that_repeats_is_written_once_a_minute_with_how_many_there_were(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("diffoci.access_log.recording.time.monotonic", lambda: clock[0])
    for _ in range(500):
        record("refused", what="upload", why="not signed in")
    record("refused", what="file", why="not signed in")
    clock[0] += 61
    record("refused", what="upload", why="not signed in")
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert [(line["what"], line["times"]) for line in lines] == [("upload", 1), ("file", 1), ("upload", 500)]


def test_where_nobody_asked_for_a_log_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DIFFOCI_ACCESS_LOG")
    write(3)
    assert not list(tmp_path.rglob("*"))
    assert main(["log", "show"]) == 2


def test_a_log_that_a_server_began_is_continued_by_commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DIFFOCI_ACCESS_LOG")
    record("opened", what="audit", begin=True)
    assert log_file() == tmp_path / "runs" / "access" / "log.jsonl"
    write(1)
    assert check_log(log_file(), head_file()).lines == 2
    assert stat.S_IMODE(log_file().parent.stat().st_mode) == 0o700


def test_commands_write_down_what_they_do_and_who_ran_them(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(sample().folder)
    for words in (
        ["report", run, "--out", str(tmp_path / "r.html")],
        ["card", run, "--out", str(tmp_path / "c.md")],
        ["tables", run, "--out", str(tmp_path / "t.zip")],
        ["share", run, "--out", str(tmp_path / "s.zip")],
        ["open", str(tmp_path / "s.zip")],
        ["runs", "show", run],
        ["two-audits", run, run],
        ["export", run, "--method", "dF3", "--out", str(tmp_path / "e")],
    ):
        assert main(words) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert main(["log", "show", "--json"]) == 0
    entries = [msgspec.json.decode(line, type=Entry) for line in capsys.readouterr().out.splitlines()]
    assert [f"{entry.event} {entry.what}" for entry in entries] == [
        "exported report",
        "exported card",
        "exported tables",
        "shared zip",
        "opened zip",
        "opened audit",
        "opened audit",
        "opened audit",
        "exported representation",
    ]
    assert {entry.id for entry in entries} == {sample().id}
    assert all("by a command" in entry.name for entry in entries)
    assert problems() == ()
    assert main(["log", "show", "--last", "2"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 2
    assert "exported  representation" in shown[1]


def test_a_name_cannot_steer_the_terminal_or_begin_a_line(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record("opened", what="audit", name='x\x1b[2J\n{"n": 2}' + "é" * 500)
    assert log.read_bytes().count(b"\n") == 1
    assert main(["log", "show"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert problems() == ()


def test_the_longest_line_is_read_back_whole(log: Path) -> None:
    for _ in range(2):
        record(
            "refused", what="representation", id="f" * 64, who="f" * 64, name="\U0001f600" * 500, why="not the owner"
        )
        recording._refusals.clear()
    assert problems() == ()
    assert os.stat(log).st_size / 2 < 4096


def test_commands_write_down_what_they_delete(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    upload = keep_table(b"age,sex,hired\n" + b"30,f,yes\n40,m,no\n" * 10, "people.csv", folder=uploads_folder())
    spec = make_spec(f"csv:{upload}", sensitive=["sex"], preset="quick", options={"label": "hired"})
    first, second, third = (Run.create(AUDITS, spec) for _ in range(3))
    assert main(["runs", "delete", first.id]) == 0
    os.utime(second.folder / "spec.json", (1e9, 1e9))
    assert main(["runs", "purge", "--older-than", "30d", "--dry-run"]) == 0
    assert main(["runs", "purge", "--older-than", "30d"]) == 0
    assert main(["data", "forget", "all", "--with-audits"]) == 0
    entries = [msgspec.json.decode(line, type=Entry) for line in log.read_bytes().splitlines()]
    assert {entry.event for entry in entries} == {"deleted"}
    digest = upload.parent.name
    assert [(entry.what, entry.id) for entry in entries] == [
        ("audit", first.id), ("audit", second.id), ("audit", third.id), ("upload", digest),
    ]  # fmt: skip
    assert problems() == ()
    assert not upload.exists()
