"""Tables and model cards: complete, readable by other programs, harmless in a spreadsheet and in Markdown."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from diffoci.__main__ import main
from diffoci.report.document import document
from diffoci.report.markdown import markdown
from diffoci.report.model_card import model_card
from diffoci.report.page import page
from diffoci.report.table_files import packed, zipped
from diffoci.report.tables import tables
from tests.sample_audit import METHODS, sample

SECTIONS = [
    "Model details", "Intended use", "Factors", "Metrics", "Evaluation data", "Training data", "Quantitative analyses",
    "Ethical considerations", "Caveats and recommendations",
]  # fmt: skip


def test_tables_do_not_say_where_the_file_lies(result: dict[str, Any]) -> None:
    own = {**result, "spec": {**result["spec"], "data": "csv:/srv/somebody/runs/uploads/abc/people.csv"}}
    for name, content in packed(own, "csv").items():
        assert b"somebody" not in content, name


def test_tables_hold_the_numbers_of_the_result(result: dict[str, Any]) -> None:
    found = tables(result)
    assert {"groups", "y", "guessed", "probes", "features", "decisions", "local_law_144", "trade_off"} <= set(found)
    y = found["y"].query("method == 'dF3' and score == 'accuracy'")
    assert y["mean"].tolist() == [result["methods"][1]["y"]["accuracy"]["mean"]]
    assert len(found["guessed"]) == len(METHODS) * 2 * 2
    assert found["groups"]["rows"].sum() == 2 * result["provenance"]["rows"]


# Every table of the report by how its caption begins, and the file that has its numbers.
FILES = {
    "Where the data come from": "provenance",
    "Group sizes": "groups",
    "What each feature gives away": "proxies",
    "Features that FOCI needs": "foci_paths",
    "The numbers behind the picture": "guessed",
    "Seed by seed": "seeds",
    "From the last layer": "guessed",
    "AUC of each probe": "probes",
    "The exact coefficient": "guessed",
    "Weight by weight": "trade_off",
    "Weight of every feature": "features",
    "Rates of every group": "decisions",
    "Largest gaps between groups": "gaps",
    "Selection rate against the highest": "four_fifths",
    "Does a score mean the same": "calibration",
    "Gap in being selected": "gaps",
    "How it was run": "settings",
    "Versions": "provenance",
    "Settings": "settings",
    "Chosen on validation rows": "chosen",
    "Parts that failed": "failures",
}


def file_of(caption: str) -> str:
    named = [name for begin, name in FILES.items() if caption.startswith(begin)]
    named += ["local_law_144"] if ": impact by " in caption else []
    assert len(named) == 1, caption
    return named[0]


def test_every_table_of_the_report_has_a_file(result: dict[str, Any]) -> None:
    result = {**result, "failures": {"a part": "It broke."}}
    found = tables(result)
    shown = [table for section in document(result).sections for table in section.tables()]
    assert {file_of(table.caption) for table in shown} <= set(found)
    for name in ("groups", "foci_paths", "four_fifths", "failures"):  # one row for each that is shown
        assert len(found[name]) >= sum(len(table.frame) for table in shown if file_of(table.caption) == name)


def test_every_number_of_the_result_about_y_and_choices_has_a_row(result: dict[str, Any]) -> None:
    found, dF3 = tables(result), result["methods"][1]
    told = found["y_probes"].query("method == 'dF3' and probe == 'logistic' and score == 'auc'")
    assert told["mean"].tolist() == [dF3["y"]["probes"]["logistic"]["auc"]["mean"]]
    epochs = found["chosen"].query("method == 'dF3' and choice == 'epochs'")
    assert epochs["value"].astype(int).tolist() == [one["epochs"] for one in dF3["chosen"]]
    assert epochs["seed"].tolist() == dF3["seeds"]
    group = dF3["decisions"]["by"][0]["groups"][0]
    error = found["calibration_errors"].query(f"method == 'dF3' and by == 'sex' and group == '{group['label']}'")
    assert error["expected_calibration_error"].tolist() == [group["calibration"]["expected_calibration_error"]]


def test_parquet_keeps_every_table_as_it_is(result: dict[str, Any]) -> None:
    for name, content in packed(result, "parquet").items():
        read = pd.read_parquet(io.BytesIO(content))
        pd.testing.assert_frame_equal(read, tables(result)[name.removesuffix(".parquet")], check_dtype=False)


def test_no_cell_of_a_csv_is_a_formula_and_negative_numbers_stay_numbers(hostile: dict[str, Any]) -> None:
    with zipfile.ZipFile(io.BytesIO(zipped(hostile, "csv"))) as archive:
        for name in archive.namelist():
            frame = pd.read_csv(archive.open(name), encoding="utf-8-sig", keep_default_na=False)
            for column in frame.columns:
                if not pd.api.types.is_numeric_dtype(frame[column]):
                    texts = frame[column].astype(str)
                    formula = texts[texts.str.match(r"[=+\-@\t\r]")]
                    assert pd.to_numeric(formula, errors="coerce").notna().all(), (name, column)
        proxies = pd.read_csv(archive.open("proxies.csv"))
    assert pd.api.types.is_numeric_dtype(proxies["T_s"])
    assert (proxies["T_s"] < 0).any()
    assert "'@SUM(A1)" in set(proxies["feature"])


def test_a_card_has_the_established_sections_in_order(result: dict[str, Any]) -> None:
    card = model_card(result, "dF3")
    assert [section.title for section in card.sections] == SECTIONS
    assert re.findall(r"^## (.*)$", markdown(card), flags=re.MULTILINE) == SECTIONS
    assert "difFOCI given the attribute (dF3)" in card.title
    assert "<script" not in page(card)


def test_hostile_names_are_no_markup_in_a_card(hostile: dict[str, Any]) -> None:
    text = markdown(model_card(hostile))
    assert not re.search(r"<\w|</", text)
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(re.search(r"(?<!\\)\|$", row) for row in rows)


def test_addresses_are_no_links_in_a_card(result: dict[str, Any]) -> None:
    notes = ["https://stranger.example/a", "see WWW.stranger.example", "ftp://stranger.example", "ann@stranger.example"]
    changed = {**result, "provenance": {**result["provenance"], "notes": notes}}
    text = markdown(model_card(changed))
    assert text.count("stranger.example") == len(notes)
    assert not re.search(r"(?i)(https?|ftp)://|www\.|\w@\w", text)


def test_a_card_of_a_method_that_was_not_audited_is_refused(result: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="has no method 'adversary'; choose from standard, dF3"):
        model_card(result, "adversary")


def test_the_commands_write_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(sample().folder)
    for words in (
        ["card", run, "--method", "leace", "--out", str(tmp_path / "card.md")],
        ["card", run, "--out", str(tmp_path / "card.html")],
        ["tables", run, "--out", str(tmp_path / "csv")],
        ["tables", run, "--format", "parquet", "--out", str(tmp_path / "tables.zip")],
        ["report", run, "--out", str(tmp_path / "report.html")],
    ):
        assert main(words) == 0, capsys.readouterr().err
    assert (tmp_path / "card.md").read_text().startswith("# Model card: LEACE")
    assert (tmp_path / "csv" / "guessed.csv").exists()
    assert zipfile.is_zipfile(tmp_path / "tables.zip")
    assert main(["card", run, "--out", str(tmp_path / "card.pdf")]) == 2
    assert main(["report", run, "--out", str(tmp_path / "nowhere" / "report.html")]) == 2
    assert "There is no folder" in capsys.readouterr().err
