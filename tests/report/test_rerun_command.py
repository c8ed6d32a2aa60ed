"""The line in the report runs the very same specification."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from diffoci.__main__ import build_parser, main
from diffoci.audit.make_spec import make_spec
from diffoci.commands.audit import _spec
from diffoci.report._rerun_command import rerun_command
from tests.sample_audit import sample

CASES: list[tuple[str, dict[str, Any]]] = [
    ("student", {"sensitive": ["sex"], "preset": "quick", "seeds": 3}),
    ("acs-income", {"sensitive": ["sex", "race"], "options": {"state": "AL,GA", "year": 2017, "paper_ages": True}}),
    ("bank", {"preset": "paper", "twin": True, "options": {"duration": True, "drop": ["age", "a,b"]}}),
    ("truth", {"options": {"interaction": 0.9, "rows": 500}, "settings": {"curve": [0.0, 1.5], "vec": {"lr": 0.5}}}),
    ("csv:/people.csv", {"sensitive": ["-1+1"], "options": {"label": "y", "drop": ["-x", "z"]}}),
    ("csv:/people.csv", {"options": {"label": "5", "kinds": {"age": "nominal", "a,b": "ordered"}, "separator": '";"'}}),
    ("acs-income", {"options": {"state": ["AL", "GA"], "threshold": 60_000, "year": 2017}}),
    ("acs-income", {"options": {"threshold": 60_000.0, "horizon": "5-Year", "drop": "age"}}),
    ("truth", {"options": {"rows": 500, "seed": 3, "noise": 0.25}}),
    ("student", {"methods": ["standard", "dF3"], "device": "cpu", "options": {"subject": "por"}}),
]


def specified(command: str) -> Any:
    words = shlex.split(command)
    assert words[:3] == ["python", "-m", "diffoci"]
    return _spec(build_parser().parse_args(words[3:]))


@pytest.mark.parametrize(("data", "choices"), CASES)
def test_the_command_gives_the_same_digest(data: str, choices: dict[str, Any]) -> None:
    spec = make_spec(data, **choices)
    again = specified(rerun_command(spec) or "")
    assert again.digest() == spec.digest()
    assert again.device == spec.device


def test_an_option_left_open_on_purpose_has_no_line() -> None:
    assert rerun_command(make_spec("student", twin=True, options={"rows": None})) is None


def test_it_does_for_the_sample_with_its_many_changed_settings() -> None:
    spec = sample().spec
    assert specified(rerun_command(spec) or "").digest() == spec.digest()


def test_hostile_names_are_quoted_for_the_shell(tmp_path: Any) -> None:
    options = {"label": "$(rm -rf /)", "positive": "`x`", "drop": ['a","b', "-c"]}
    spec = make_spec(f"csv:{tmp_path}/x;y.csv", sensitive=['s"><svg onload=alert(1)>', "a,b"], options=options)
    assert specified(rerun_command(spec) or "").digest() == spec.digest()


@pytest.mark.parametrize("name", ["a\nb", "a\r\nb", "\r", 'a"\n,b', " a", '"', "a,b", "-\n"])
def test_names_with_line_breaks_come_back(name: str) -> None:
    options = {"label": name, "drop": ["x", name]}
    spec = make_spec("csv:/people.csv", sensitive=[name, "plain"], options=options)
    assert specified(rerun_command(spec) or "").digest() == spec.digest()


def test_a_list_of_names_that_cannot_be_read_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("a\nb", '"a'):
        assert main(["audit", "--data", "student", "--twin", "--sensitive", text]) == 2
        said = capsys.readouterr().err
        assert "is not a list of names: put names that hold a comma" in said
        assert said.count("\n") == 1


@pytest.mark.parametrize(
    "settings", [{"network": {"patience": None}}, {"probe_rows": None, "penalised": {"width": None, "lr": 0.01}}]
)
def test_a_setting_of_none_comes_back(settings: dict[str, Any]) -> None:
    spec = make_spec("student", settings=settings)
    assert specified(rerun_command(spec) or "").digest() == spec.digest()
