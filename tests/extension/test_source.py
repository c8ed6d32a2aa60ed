"""A source that another package adds is listed, asked for, checked, audited, reported and run again like ours."""

from __future__ import annotations

import json
import logging
import shlex
from pathlib import Path

import pytest

from diffoci import plugins
from diffoci.__main__ import main
from diffoci.audit.sweep import read_sweep
from diffoci.data.sources import list_sources, source_of
from diffoci.report._rerun_command import rerun_command
from diffoci.runs.store import Run
from diffoci.ui.runs.draft import Draft
from tests.extension.conftest import QUICKLY, Plug
from tests.pages.conftest import Open, assert_nothing_technical, shown

COINS = """
import numpy as np
import pandas as pd
from diffoci.data.dataset import Column, Dataset
from diffoci.data.source import Option, Source

def load_coins(sensitive, rows, bias, worn):
    rng = np.random.default_rng(0)
    side = rng.choice(["heads", "tails"], rows)
    weight = rng.normal(size=rows) + bias * (side == "heads") - worn
    return Dataset(
        name="coins", title="Coins", features=pd.DataFrame({"weight": weight, "shine": rng.normal(size=rows)}),
        columns=(Column("weight", "number", "weight in grams"), Column("shine", "number", "shine")),
        label=pd.Series((weight > 0).astype("int64")), label_name="heavy", label_classes=("no", "yes"),
        sensitive=pd.DataFrame({"side": pd.Categorical(side)}), real=False, source="", licence="CC0", citation="")

COINS = Source(
    name="coins", title="Coins", summary="coins that were thrown", load=load_coins, simulated=True,
    sensitive=("side",), default_sensitive=("side",), options=(
        Option("rows", "whole", "how many coins", 200, least=20, most=1000, flag=True),
        Option("bias", "number", "grams that heads weigh more", 1.0, least=0.0, most=5.0),
        Option("worn", "flag", "only worn coins", False)))
"""


@pytest.fixture(autouse=True)
def coins(plugged: Plug) -> None:
    plugged(plugins.SOURCES, "coins", COINS)


def test_it_takes_at_most_25_lines() -> None:
    assert len(COINS.strip().splitlines()) <= 25


def test_it_is_listed_after_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)[-1]
    assert (row["name"], row["title"], row["simulated"], row["at_hand"]) == ("coins", "Coins", True, True)
    assert row["options"]["rows"] == "how many coins, a whole number from 20 to 1000 (default 200)"


def test_the_form_asks_for_its_options_and_shows_its_people(open_at: Open) -> None:
    app = open_at("pages/data.py")
    app.button_group(key="data-source").set_value("coins").run()
    app.slider(key="data-rows-coins").set_value(300).run()
    app.toggle(key="data-worn-coins").set_value(True).run()
    assert_nothing_technical(app)
    assert "Coins: 300 people" in shown(app)
    assert "SIMULATED DATA" in shown(app)
    expected = Draft("coins", ("side",), False, {"rows": 300, "bias": 1.0, "worn": True})
    assert Draft(**app.session_state["draft"]) == expected


def test_numbers_of_two_sources_called_alike_are_not_mixed_up(open_at: Open) -> None:
    app = open_at("pages/data.py")
    app.button_group(key="data-source").set_value("truth").run()  # it begins with more rows than there are coins
    app.button_group(key="data-source").set_value("coins").run()
    assert_nothing_technical(app)
    assert "Coins: 200 people" in shown(app)


def test_an_audit_of_it_is_reported_verified_and_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], open_at: Open
) -> None:
    folder, report = tmp_path / "runs" / ("0" * 32), tmp_path / "report.html"
    command = ["audit", "--data", "coins", "--sensitive", "side", "--rows", "120", "--option", "bias=3"]
    assert main([*command, "--methods", "standard", *QUICKLY, "--out", str(folder)]) == 0
    spec = Run.open(folder).spec
    assert spec.options == {"rows": 120, "bias": 3}
    again = rerun_command(spec)
    assert again is not None
    assert "--data coins" in again
    assert "--rows 120 --option bias=3" in again
    assert main([*shlex.split(again)[3:], "--out", str(folder), "--jobs", "1"]) == 0  # the very audit that lies there
    assert main(["report", str(folder), "--out", str(report)]) == 0
    assert "Coins" in report.read_text()
    assert main(["verify", str(report)]) == 0
    assert "Every number agrees." in capsys.readouterr().out
    app = open_at("pages/data.py", audit=folder.name)
    assert_nothing_technical(app)
    assert "Coins: 120 people" in shown(app)
    assert "Coins: side" in shown(app)


def test_a_sweep_gives_it_its_options_and_ours_theirs(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('data = ["coins", "student"]\nbias = [1.0, 2.0]\nsubject = "por"')
    options = [audit.spec.options for audit in read_sweep(path)]
    assert options == [{"bias": 1.0}, {"bias": 2.0}, {"subject": "por"}]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rows", "5"], "The option 'rows' must be a whole number from 20 to 1000, not 5."),
        (["--option", "bias=heavy"], "The option 'bias' must be a number from 0 to 5, not 'heavy'."),
        (["--option", "colour=red"], "coins has no option 'colour'; its options are rows, bias, worn."),
        (["--twin"], "Coins has no simulated twin; there are twins of student,"),
    ],
)
def test_what_it_does_not_have_is_one_sentence(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--data", "coins", *words, *QUICKLY, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"diffoci: {sentence}")
    assert said.count("\n") == 1


def test_a_broken_one_costs_a_sentence_in_the_log_and_nothing_else(
    plugged: Plug, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        plugged(plugins.SOURCES, "broken", "raise RuntimeError('not today')")
        plugged(plugins.SOURCES, "odd", COINS.replace("COINS =", "ODD =").replace('"flag"', '"colour"'))
        plugged(plugins.SOURCES, "misnamed", COINS.replace("COINS =", "MISNAMED ="))
        names = [source.name for source in list_sources()]
    assert names[-1] == "coins"
    assert "'broken' (somebody_elses_broken:BROKEN) cannot be loaded and is left out: not today" in caplog.text
    assert (
        "'odd' (somebody_elses_odd:ODD) cannot be loaded and is left out: The option 'worn' must be one of"
        in caplog.text
    )
    assert "'misnamed' (somebody_elses_misnamed:MISNAMED) is left out: it is no Source of that name" in caplog.text


def test_none_can_take_the_name_of_ours(plugged: Plug) -> None:
    plugged(plugins.SOURCES, "student", COINS.replace("COINS =", "STUDENT =").replace('"coins"', '"student"'))
    assert source_of("student").title == "Student Performance"


def test_a_flag_that_the_command_has_itself_is_left_to_it(plugged: Plug, capsys: pytest.CaptureFixture[str]) -> None:
    code = COINS.replace("COINS =", "DICE =").replace('"coins"', '"dice"').replace('"rows"', '"seeds"')
    plugged(plugins.SOURCES, "dice", code.replace("sensitive, rows,", "sensitive, seeds,").replace("rows)", "seeds)"))
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    assert "--seeds N" in capsys.readouterr().out
