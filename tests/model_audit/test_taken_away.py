"""What a model audit hands out: a signed report, a card of the model, every table."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from diffoci.__main__ import main
from diffoci.signing.keys import make_key


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lender")
    few = ["--option", "rows=300", "--setting", "permutations=19", "--setting", "rows=100", "--jobs", "1"]
    assert main(["audit-scores", "--data", "lender", *few, "--answer", "label=no", "--out", str(folder / "run")]) == 0
    make_key(folder / "ann.key", "Ann of the audit office")
    return folder / "run"


def test_a_signed_report_says_who_signed_it_and_a_changed_one_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, key = tmp_path / "report.html", run.parent / "ann.key"
    assert main(["report", str(run), "--out", str(path), "--sign", str(key)]) == 0
    assert "Ann of the audit office" in path.read_text()
    assert main(["verify", str(path)]) == 0
    said = capsys.readouterr().out
    assert "signature   agrees" in said
    assert "Every number agrees. Nothing was changed since it was signed." in said
    path.write_text(path.read_text().replace("Every threshold at once", "Every threshold at last"))
    assert main(["verify", str(path)]) == 2


@pytest.mark.parametrize("kind", ["md", "html"])
def test_the_card_has_what_was_found_and_leaves_open_what_only_the_owner_knows(
    run: Path, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / f"card.{kind}"
    assert main(["card", str(run), "--method", "score_b", "--out", str(path)]) == 0
    text = path.read_text().replace("\\", "")
    assert "Model card: score_b" in text
    assert "to be filled in by the owner of the model" in text
    assert "SIMULATED DATA" in text
    for title in ("Intended use", "Evaluation data", "Training data", "Quantitative analyses", "Caveats"):
        assert title in text
    assert "Criteria that use the outcome repeat its errors" in text


def test_a_card_of_a_model_that_is_not_there_is_a_sentence(run: Path, tmp_path: Path, capsys) -> None:
    assert main(["card", str(run), "--method", "score_c", "--out", str(tmp_path / "card.md")]) == 2
    assert "This audit has no model 'score_c'; choose from score_a, score_b." in capsys.readouterr().err


def test_every_table_is_in_the_zip_unrounded(run: Path, tmp_path: Path) -> None:
    assert main(["tables", str(run), "--out", str(tmp_path / "tables.zip"), "--format", "parquet"]) == 0
    with zipfile.ZipFile(tmp_path / "tables.zip") as archive:
        names = {Path(name).stem for name in archive.namelist()}
        ceilings = pd.read_parquet(io.BytesIO(archive.read("ceilings.parquet")))
    assert {"rates", "criteria", "gaps", "against_reference", "calibration", "what_if", "models_compared"} <= names
    assert (ceilings["most"] == (ceilings["found"] + ceilings["slack"]).clip(upper=1)).all()
