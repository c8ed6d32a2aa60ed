"""Tables and model cards: complete, readable by other programs, harmless in a spreadsheet and in Markdown."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from diffoci.__main__ import main
from diffoci.audit.methods import list_methods, method_named
from diffoci.audit.result import AuditResult
from diffoci.report._document import document
from diffoci.report._tables import tables
from diffoci.report.model_card import model_card
from diffoci.report.table_files import packed, zipped
from diffoci.report.writing.blocks import Words
from diffoci.report.writing.markdown import markdown
from diffoci.report.writing.page import page
from tests.plain_result import Content, changed
from tests.sample_audit import METHODS, sample

SECTIONS = [
    "Model details", "Intended use", "Factors", "Metrics", "Evaluation data", "Training data", "Quantitative analyses",
    "Ethical considerations", "Caveats and recommendations",
]  # fmt: skip


def test_tables_do_not_say_where_the_file_lies(result: AuditResult) -> None:
    def change(content: Content) -> None:
        content["spec"]["data"] = "csv:/srv/somebody/runs/uploads/abc/people.csv"

    own = changed(result, change)
    for name, content in packed(own, "csv").items():
        assert b"somebody" not in content, name


def test_tables_hold_the_numbers_of_the_result(result: AuditResult) -> None:
    found = tables(result)
    assert {"groups", "y", "guessed", "probes", "features", "decisions", "local_law_144", "trade_off"} <= set(found)
    y = found["y"].query("method == 'dF3' and score == 'accuracy'")
    assert y["mean"].tolist() == [result.methods[1].y.accuracy.mean]
    assert len(found["guessed"]) == len(METHODS) * 2 * 2
    assert found["groups"]["rows"].sum() == 2 * result.provenance.rows


# Every table of the report by how its caption begins, and the file that has its numbers.
FILES = {
    "Where the data come from": "provenance",
    "Group sizes": "groups",
    "What each feature reveals": "proxies",
    "The 12 features that reveal most": "proxies",
    "Features that FOCI needs": "foci_paths",
    "The numbers behind the picture": "guessed",
    "Repetition by repetition": "seeds",
    "From the last layer": "guessed",
    "AUC of each probe": "probes",
    "The exact coefficient": "guessed",
    "Weight by weight": "trade_off",
    "Weight of every feature": "features",
    "The 16 features with the largest weights": "features",
    "Rates of every group": "decisions",
    "Largest gaps between groups": "gaps",
    "Selection rate against the highest": "four_fifths",
    "Does a score mean the same": "calibration",
    "Gap in being predicted yes": "gaps",
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


def test_every_table_of_the_report_has_a_file(result: AuditResult) -> None:
    result = changed(result, lambda content: content.update(failures={"a part": "It broke."}))
    found = tables(result)
    shown = [table for section in document(result).sections for table in section.tables()]
    assert {file_of(table.caption) for table in shown} <= set(found)
    for name in ("groups", "foci_paths", "four_fifths", "failures"):  # one row for each that is shown
        assert len(found[name]) >= sum(len(table.frame) for table in shown if file_of(table.caption) == name)


def test_every_number_of_the_result_about_y_and_choices_has_a_row(result: AuditResult) -> None:
    found, dF3 = tables(result), result.methods[1]
    told = found["y_probes"].query("method == 'dF3' and probe == 'logistic' and score == 'auc'")
    assert told["mean"].tolist() == [dF3.y.probes["logistic"].auc.mean]
    epochs = found["chosen"].query("method == 'dF3' and choice == 'epochs'")
    assert epochs["value"].astype(int).tolist() == [one["epochs"] for one in dF3.chosen]
    assert tuple(epochs["seed"]) == dF3.seeds
    assert dF3.decisions is not None
    group = dF3.decisions.by("sex").groups[0]
    assert group.calibration is not None
    error = found["calibration_errors"].query(f"method == 'dF3' and by == 'sex' and group == '{group.label}'")
    assert error["expected_calibration_error"].tolist() == [group.calibration.expected_calibration_error]


def test_parquet_keeps_every_table_as_it_is(result: AuditResult) -> None:
    for name, content in packed(result, "parquet").items():
        read = pd.read_parquet(io.BytesIO(content))
        pd.testing.assert_frame_equal(read, tables(result)[name.removesuffix(".parquet")], check_dtype=False)


def test_no_cell_of_a_csv_is_a_formula_and_negative_numbers_stay_numbers(hostile: AuditResult) -> None:
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


def test_a_card_has_the_established_sections_in_order(result: AuditResult) -> None:
    card = model_card(result, "dF3")
    assert [section.title for section in card.sections] == SECTIONS
    assert re.findall(r"^## (.*)$", markdown(card), flags=re.MULTILINE) == SECTIONS
    assert card.title.startswith("Model card: dF3, ")
    assert "<script" not in page(card)


def test_a_card_names_the_paper_of_its_own_method(result: AuditResult) -> None:
    for one in result.methods:
        texts = [block.text for block in model_card(result, one.name).sections[0].blocks if isinstance(block, Words)]
        declared = method_named(one.name).citation
        assert [text for text in texts if text.startswith("Method")] == ([f"Method: {declared}"] if declared else [])


def test_every_method_but_the_data_themselves_names_a_paper_of_its_own() -> None:
    papers = {method.name: method.citation for method in list_methods()}
    assert [name for name, paper in papers.items() if not paper] == ["standard"]
    assert "Ganin" in papers["adversary"]
    assert "Zemel" in papers["prototypes"]
    assert "Belrose" in papers["leace"]
    assert "Fairlearn" in papers["correlation-remover"]
    assert papers["dF1"] == papers["dF2"] == papers["dF3"] != papers["dF3+penalty"]
    assert papers["dF3+penalty"].startswith("An extension made here")


def test_hostile_names_are_no_markup_in_a_card(hostile: AuditResult) -> None:
    text = markdown(model_card(hostile))
    assert not re.search(r"<\w|</", text)
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(re.search(r"(?<!\\)\|$", row) for row in rows)


def test_addresses_are_no_links_in_a_card(result: AuditResult) -> None:
    notes = ["https://stranger.example/a", "see WWW.stranger.example", "ftp://stranger.example", "ann@stranger.example"]
    text = markdown(model_card(changed(result, lambda content: content["provenance"].update(notes=notes))))
    assert text.count("stranger.example") == len(notes)
    assert not re.search(r"(?i)(https?|ftp)://|www\.|\w@\w", text)


def test_a_card_of_a_method_that_was_not_audited_is_refused(result: AuditResult) -> None:
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
