"""The report: holds what a sceptic asks for, in one file that needs nothing else, whatever the result lacks."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.audit.engine import make_spec
from diffoci.report.build import build_report
from diffoci.report.document import document
from diffoci.report.embedded import read_embedded
from diffoci.report.summary import HARMED, NOT_JUDGED, answers
from diffoci.runs.store import Run

Result = dict[str, Any]
Change = Callable[[Result], None]


class Elements(HTMLParser):
    """Every element with its attributes, and the words outside scripts and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._silent = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._silent = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent = False

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_it_is_one_file_under_six_megabytes_that_fetches_nothing(report: str) -> None:
    assert len(report.encode()) < 6_000_000
    for tag, attributes in Elements(report).found:
        assert "src" not in attributes
        assert tag not in ("link", "img", "iframe", "object", "base")
        assert (attributes.get("href") or "#").startswith("#")
    assert "default-src 'none'" in report


def test_it_says_what_a_sceptic_asks(report: str, result: Result) -> None:
    words = " ".join(Elements(report).words)
    about = result["provenance"]
    for wanted in (
        "Who could be harmed?", "What was found?", "How sure is this?", "What was not judged?", about["sha256"],
        about["licence"], "SIMULATED DATA: nobody", "Group sizes", "Probe by probe", "Seed by seed", "Weight by weight",
        "Features dropped for each sensitive attribute", "By sex × address", "Local Law 144", "four-fifths", "Settings",
        about["versions"]["torch"], "Limits", "python -m diffoci audit --data student", "arXiv:2502.09445",
    ):  # fmt: skip
        assert wanted in words


def test_its_words_promise_nothing(report: str) -> None:
    words = " ".join(Elements(report).words)
    assert not re.findall(r"\b(fair|unbiased|debiased|removed)\b", words, flags=re.IGNORECASE)


def test_every_picture_has_words_and_a_table_and_reads_without_scripts(report: str) -> None:
    found = Elements(report)
    pictures = [attributes for attributes in found.named("div") if attributes.get("role") == "img"]
    figures = json.loads(re.search(r'id="diffoci-figures">(.*?)</script>', report)[1])  # type: ignore[index]
    assert [picture["id"] for picture in pictures] == list(figures)
    assert len(pictures) >= 10
    assert all(picture["aria-label"] and "hidden" in picture for picture in pictures)
    order = [tag for tag, _ in found.found if tag in ("figure", "table")]
    assert all(after == "table" for before, after in pairwise(order) if before == "figure")
    assert len(found.named("noscript")) == len(pictures)


def test_it_carries_the_whole_result_but_no_id_that_opens_the_audit(report: str, result: Result) -> None:
    carried = read_embedded(report)
    assert carried.intact
    assert carried.result["methods"] == result["methods"]
    assert result["id"] not in report


def test_the_folder_of_a_users_file_stays_at_home(result: Result) -> None:
    spec = {**result["spec"], "data": "csv:/home/someone/secret folder/people.csv", "twin": False}
    text = build_report({**result, "spec": spec})
    assert "secret folder" not in text
    assert read_embedded(text).result["spec"]["data"] == "csv:people.csv"


def no_methods(result: Result) -> None:
    result["methods"], result["curve"] = [], {}
    result["failures"] = {"standard.0": "Memory ran out."}


def no_decisions(result: Result) -> None:
    result["label"]["classes"] = ["a", "b", "c"]
    for one in result["methods"]:
        one["decisions"] = {}


def no_features(result: Result) -> None:
    result["features"] |= {"conditions": [], "exact": None}


def nothing_judged(result: Result) -> None:
    for one in result["methods"]:
        for places in one["leakage"]["by_attribute"].values():
            for found in places.values():
                found |= {"verdict": "insufficient evidence", "not_judged": ["F", "M", "urban", "rural"]}
                found |= {"null_auc_low": None, "null_auc_high": None}
                found["auc"] = {"mean": None, "low": None, "high": None, "values": []}


def one_seed(result: Result) -> None:
    for one in result["methods"]:
        one["y"]["accuracy"] |= {"low": None, "high": None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (no_methods, "No method finished"),
        (no_methods, "Memory ran out."),
        (no_decisions, "No decisions were measured: the label has more than two classes"),
        (no_features, "No feature weights in this audit"),
        (nothing_judged, "Too few people to say"),
        (one_seed, "How sure is this?"),
    ],
)
def test_what_a_result_lacks_is_said(result: Result, change: Change, said: str) -> None:
    lacking = copy.deepcopy(result)
    change(lacking)
    assert said in " ".join(Elements(build_report(lacking)).words)


def test_harm_is_not_said_to_be_unlikely_where_too_few_people_were_seen(result: Result) -> None:
    lacking = copy.deepcopy(result)
    nothing_judged(lacking)
    assert "neither be shown nor excluded" in answers(lacking)[HARMED][1]
    assert any("no verdict on: F and M" in sentence for sentence in answers(lacking)[NOT_JUDGED])


def test_real_data_are_said_to_be_real(result: Result) -> None:
    real = {**result, "provenance": {**result["provenance"], "real": True}}
    assert not document(real).simulated
    assert "REAL DATA" in build_report(real)


def test_a_run_without_result_is_refused_in_a_sentence(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Run.create(make_spec("student", sensitive=["sex"], twin=True, preset="quick"), folder=tmp_path / "run")
    for command in ("report", "card", "tables"):
        assert main([command, str(tmp_path / "run"), "--out", str(tmp_path / "out.html")]) == 2
        assert capsys.readouterr().err == "diffoci: This audit has no result: it is waiting.\n"
    assert not (tmp_path / "out.html").exists()


def test_hostile_names_stay_text(hostile: Result, report: str) -> None:
    text = build_report(hostile)
    found, ours = Elements(text), Elements(report)
    assert {tag for tag, _ in found.found} <= {tag for tag, _ in ours.found}
    assert len(found.named("script")) == len(ours.named("script"))
    assert not [name for _, attributes in found.found for name in attributes if name.startswith("on")]
    assert "<img src=x onerror=alert(1)>" in " ".join(found.words)
    assert read_embedded(text).result["provenance"] == hostile["provenance"]


def test_a_group_alone_is_compared_with_nobody(result: Result) -> None:
    words = " ".join(Elements(build_report(result)).words)
    assert "Only urban has enough people to be judged" in words
    assert "Nobody was selected" not in words


def test_without_notes_no_claim_is_made_about_rows_left_out(result: Result) -> None:
    silent = {**result, "provenance": {**result["provenance"], "notes": []}}
    words = " ".join(Elements(build_report(silent)).words)
    assert "cannot be seen from the result" in words
    assert "every row" not in words
