"""``diffoci data`` lists, fetches and shows sources, as text or as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.data.sources import list_sources
from tests.data.conftest import Server
from tests.data.test_fetch import zipped


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["data", "show", *arguments, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["data", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.strip()


def test_student_is_shown_as_json(with_real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = shown(capsys, "student")
    assert result["rows"] == 395
    assert result["features"] == 29
    assert result["label_rate"] == 0.4101
    assert result["sensitive"] == {"sex": {"F": 208, "M": 187}}
    assert result["real"] is True
    assert len(result["sha256"]) == 64


@pytest.mark.parametrize(
    ("arguments", "rows", "rate"),
    [
        (["bank"], 41_188, 0.1127),
        (["acs-income", "--state", "AL", "--year", "2017"], 2321, 0.3059),
        (["acs-employment", "--state", "AL", "--year", "2017"], 5000, 0.4052),
        (["acs-employment", "--year", "2017", "--paper-ages", "--sensitive", "sex,disability"], 4081, 0.4964),
        (["student", "--subject", "por", "--grades", "--drop", "age", "school"], 649, 0.5362),
    ],
)
def test_sources_are_shown_with_their_options(
    with_real_data: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], rows: int, rate: float
) -> None:
    result = shown(capsys, *arguments)
    assert (result["rows"], result["label_rate"]) == (rows, rate)


def test_a_file_of_one_s_own_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str], without_data: None) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("x,sex,y\n" + "1,F,no\n2,M,yes\n3,M,no\n" * 10)
    result = shown(capsys, f"csv:{path}", "--label", "y", "--sensitive", "sex")
    assert result["rows"] == 30
    assert result["sensitive"] == {"sex": {"F": 10, "M": 20}}
    assert result["label_rate_by_group"] == {"sex": {"F": 0.0, "M": 0.5}}


def test_show_as_text_names_groups_and_rates(with_real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "show", "student"]) == 0
    text = capsys.readouterr().out
    assert "Student Performance, mathematics (real data)" in text
    assert "208 rows, outcome 35.6 %" in text


def test_generated_data_are_marked_as_such(capsys: pytest.CaptureFixture[str], without_data: None) -> None:
    assert shown(capsys, "truth", "--rows", "100")["real"] is False
    assert main(["data", "show", "truth", "--rows", "100"]) == 0
    assert "(SIMULATED data)" in capsys.readouterr().out


def test_the_list_names_every_source(capsys: pytest.CaptureFixture[str], without_data: None) -> None:
    assert main(["data", "list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == [source.at("PATH") if source.takes_file else source.name for source in list_sources()]
    assert main(["data", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == {source.name for source in list_sources()}
    assert rows["student"]["options"]["subject"] == "the subject, mat or por (default mat)"
    assert rows["bank"]["licence"] == "CC BY 4.0"
    assert rows["truth"]["simulated"]


def test_fetch_says_where_the_file_is(
    server: Server, real_data: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spam = (real_data / "uci" / "spambase.data").read_bytes()
    server.serve("/static/public/94/spambase.zip", zipped({"spambase.data": spam}))
    assert main(["data", "fetch", "spambase"]) == 0
    captured = capsys.readouterr()
    assert captured.out.strip() == str(cache / "uci" / "spambase.data")
    assert "spambase.zip [##############################]" in captured.err


def test_fetch_of_an_acs_file_is_by_state_and_year(
    server: Server, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = "/programs-surveys/acs/data/pums/2016/5-Year/csv_pga.zip"
    server.serve(path, zipped({"ss16pga.csv": b"AGEP\n1\n"}))
    assert main(["data", "fetch", "acs-income", "--state", "GA", "--year", "2016", "--horizon", "5-Year"]) == 0
    assert capsys.readouterr().out.strip() == str(cache / "acs" / "2016" / "5-Year" / "csv_pga.zip")


def test_a_source_without_files_needs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "fetch", "breast-cancer"]) == 0
    assert capsys.readouterr().out == "breast-cancer needs no file.\n"


def test_without_data_and_network_it_says_where_data_come_from(
    server: Server, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "show", "acs-income", "--state", "AL", "--year", "2017")
    assert said == (
        "diffoci: Could not get psam_p01.csv from"
        " https://www2.census.gov/programs-surveys/acs/data/pums/2017/1-Year/csv_pal.zip: the server answered"
        " 404 Not Found. Download csv_pal.zip from that address by other means and put it, as it is or"
        f" unpacked, in the folder {cache / 'acs' / '2017' / '1-Year'}. Or use its simulated twin: twin=True,"
        " on the command line --twin."
    )


def test_a_wrong_name_gets_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "show", "nothing").startswith("diffoci: 'nothing' is not a data source; choose from")
    assert refused(capsys, "fetch", "nothing").startswith("diffoci: 'nothing' is not a data source")
    assert refused(capsys, "show", "bank", "--state", "AL").startswith("diffoci: bank has no option 'state'")
    assert refused(capsys, "fetch", "bank", "--state", "AL").startswith("diffoci: bank has no option 'state'")
    assert refused(capsys, "show", "truth", "--rows", "many") == (
        "diffoci: The option 'rows' must be a whole number from 2 to 1,000,000, not 'many'."
    )


def test_kinds_of_columns_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], without_data: None) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("code,sex,y\n" + "".join(f"{row % 20},{'FM'[row % 2]},{row % 3 % 2}\n" for row in range(60)))
    command = [f"csv:{path}", "--label", "y", "--sensitive", "code"]
    assert set(shown(capsys, *command)["sensitive"]["code"]) == {
        "under 4.75",
        "4.75 up to 9.5",
        "9.5 up to 14.25",
        "14.25 and over",
    }
    assert len(shown(capsys, *command, "--option", 'kinds={code="nominal"}')["sensitive"]["code"]) == 20
    said = refused(capsys, "show", *command, "--option", 'kinds={code="many"}')
    assert said.startswith("diffoci: The option 'kinds' must be a table that says for columns which of number")


@pytest.mark.parametrize("name", ["student", "bank", "acs-income --state AL --year 2017", "acs-employment --year 2017"])
def test_the_twin_is_shown_with_no_file_and_no_network(
    name: str, capsys: pytest.CaptureFixture[str], without_data: None
) -> None:
    result = shown(capsys, *name.split(), "--twin")
    assert result["real"] is False
    assert result["rows"] > 300


def test_twins_are_fitted_from_a_folder(
    with_real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "diffoci.data.twins.fit.fit_twins", lambda origins, folder, out: [out / f"{one.name}.json" for one in origins]
    )
    assert main(["data", "fit-twins", "--from", str(with_real_data), "--to", str(tmp_path)]) == 0
    names = ("student", "student-por", "bank", "acs-income", "acs-employment")
    assert capsys.readouterr().out.split() == [str(tmp_path / f"{name}.json") for name in names]
