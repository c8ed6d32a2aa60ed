"""Words of the command line that cannot be: one sentence and exit code 2, and no number of the system in it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from diffoci.__main__ import main
from tests.sample_audit import sample


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("diffoci: ")
    assert said.count("\n") == 1
    assert "Errno" not in said
    return said.removeprefix("diffoci: ").strip()


@pytest.mark.parametrize("flag", ["--methods", "--sensitive"])
@pytest.mark.parametrize("value", ["", ",", " , "])
def test_item_10_names_that_name_nothing_are_no_default(
    capsys: pytest.CaptureFixture[str], flag: str, value: str
) -> None:
    said = refused(capsys, "audit", "--data", "truth", flag, value)
    assert said == f"{flag} names nothing; give at least one name, or leave the flag out."


def test_item_10_errors_of_the_system_are_sentences(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, folder, run = tmp_path / "file", tmp_path / "folder", sample().folder
    file.write_text("a,b\n1,2\n")
    folder.mkdir()
    long = tmp_path / ("x" * 300)
    for words in (
        ["report", run, "--out", folder],
        ["tables", run, "--out", file],
        ["share", run, "--out", file / "x.zip"],
        ["export", run, "--method", "dF3", "--out", file],
        ["open", folder],
        ["open", long],
        ["verify", folder],
        ["verify", file / "x"],
        ["verify", long],
        ["audit", "--sweep", folder, "--out", tmp_path / "sweep"],
        ["audit", "--sweep", tmp_path / "none.toml", "--out", tmp_path / "sweep"],
        ["audit", "--data", "truth", "--rows", "50", "--out", file],
        ["audit", "--data", f"csv:{folder}", "--label", "a"],
        ["coef", folder, "--y", "a", "--z", "b"],
        ["runs", "list", file],
        ["runs", "show", long],
        ["data", "show", f"csv:{long}", "--label", "a"],
        ["data", "fit-twins", "--from", file],
    ):
        refused(capsys, *words)


def write_people(folder: Path) -> Path:
    draw = random.Random(0)
    lines = ["zip,a=b,grade,born,sex,hired"]
    for k in range(60):
        row = [
            36600 + k % 4,
            k % 3,
            draw.choice("123"),
            f"19{60 + k % 40}-01-02",
            "FM"[k % 2],
            draw.choice(["yes", "no"]),
        ]
        lines.append(",".join(map(str, row)))
    path = folder / "people.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    "kinds", ["zip=nominal,a=b=nominal,grade=ordered", '{zip = "nominal", "a=b" = "nominal", grade = "ordered"}']
)
def test_item_10_kinds_are_said_on_the_command_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kinds: str
) -> None:
    """And a column of dates is left out with a note, as on the page."""
    words = ["data", "show", f"csv:{write_people(tmp_path)}", "--label", "hired", "--sensitive", "sex"]
    assert main([*words, "--option", f"kinds={kinds}"]) == 0
    said = capsys.readouterr().out
    assert "3 features" in said
    assert "note: Left out: 'born' holds dates or times." in said
    refused(capsys, *words, "--no-leave-out-unusable")


KINDS = ("zip", "zip=", "=nominal", "zip=text", "{zip = nominal}", "[1]", "7", "{zip = [1]}", "none=nominal")


@pytest.mark.parametrize("kinds", [*KINDS, "[" * 100_000, '"zip=nominal'], ids=lambda kinds: kinds[:12])
def test_item_10_kinds_that_cannot_be_are_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kinds: str
) -> None:
    words = ["--label", "hired", "--sensitive", "sex", "--option", f"kinds={kinds}"]
    refused(capsys, "data", "show", f"csv:{write_people(tmp_path)}", *words)
    refused(capsys, "audit", "--data", f"csv:{write_people(tmp_path)}", *words)
