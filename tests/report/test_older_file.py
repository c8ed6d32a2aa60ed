"""A file of an older encoding goes the whole way: what was accepted once is accepted everywhere."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from diffoci.__main__ import main

SHORT = ["--preset", "quick", "--seeds", "1", "--methods", "standard,leace", "--device", "cpu", "--jobs", "1"]
for setting in ("probe={max_epochs=1,hidden=[4]}", "vec={max_epochs=1}", "null_draws=100", "permutations=1"):
    SHORT += ["--setting", setting]


def write_older_file(folder: Path) -> Path:
    """Two hundred people as a database of the nineties exports them, with a sign that means nothing among them."""
    draw = random.Random(0)
    lines = ["Größe;Straße;Geschlecht;gewährt"]
    for k in range(200):
        street = draw.choice(["Königsallee", "Mühlweg", "Ärztehaus\x01"])
        lines.append(
            f"{draw.gauss(170, 9):.1f};{street};{('männlich', 'weiblich')[k % 2]};{draw.choice(['ja', 'nein'])}"
        )
    path = folder / "bürger.csv"
    path.write_bytes("\r\n".join(lines).encode("cp850"))
    return path


def test_item_6_a_cp850_file_is_audited_reported_verified_shared_and_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    file, run, report = write_older_file(tmp_path), tmp_path / "run", tmp_path / "report.html"
    zipped = tmp_path / "audit.zip"
    roles = ["--sensitive", "Geschlecht", "--label", "gewährt", "--positive", "ja"]
    assert main(["audit", "--data", f"csv:{file}", *roles, *SHORT, "--out", str(run)]) == 0
    assert "note: The text was read as cp850, not UTF-8" in capsys.readouterr().out
    assert main(["report", str(run), "--out", str(report)]) == 0
    assert "männlich" in report.read_text("utf-8")
    assert main(["verify", str(report)]) == 0
    assert main(["tables", str(run), "--out", str(tmp_path / "tables.zip")]) == 0
    assert main(["card", str(run), "--out", str(tmp_path / "card.md")]) == 0
    assert main(["share", str(run), "--out", str(zipped)]) == 0
    capsys.readouterr()
    assert main(["open", str(zipped)]) == 0
    opened = re.search(r"^[0-9a-f]{32}", capsys.readouterr().out)
    assert opened is not None
    again = tmp_path / "again.html"
    assert main(["report", opened[0], "--out", str(again)]) == 0
    assert main(["verify", str(again), "--file", str(file)]) == 0
