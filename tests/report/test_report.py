"""The report: holds what a sceptic asks for, in one file that needs nothing else, whatever the result lacks."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.audit.make_spec import make_spec
from diffoci.audit.result import AuditResult
from diffoci.audit.study import AUDIT
from diffoci.report._document import document
from diffoci.report.build import build_report
from diffoci.report.sections.page_one import page_one
from diffoci.report.summary import HARMED, NOT_JUDGED, answers
from diffoci.report.verify import read_audit
from diffoci.report.writing._self_check import self_check_script
from diffoci.report.writing.blocks import Answer, Heading, Picture, Table, Words
from diffoci.runs.store import Run
from tests.plain_result import Content, changed
from tests.sample_audit import sample, three_attributes

Change = Callable[[Content], None]


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


def test_it_says_what_a_sceptic_asks(report: str, result: AuditResult) -> None:
    words = " ".join(Elements(report).words)
    about = result.provenance
    for wanted in (
        "Who can be told apart?", "Through which columns?", "What was tried?", "What does it cost?",
        "How sure is this?", "Who could be harmed?", "What was not judged?", about.sha256,
        about.licence, "SIMULATED DATA: nobody", "Group sizes", "Probe by probe", "Repetition by repetition",
        "Weight by weight",
        "Features dropped for each sensitive attribute", "By sex × address", "Local Law 144", "four-fifths", "Settings",
        about.versions["torch"], "Limits", "python -m diffoci audit --data student", "arXiv:2502.09445",
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


def test_page_one_answers_and_everything_else_is_folded_or_follows(report: str) -> None:
    first, rest = report.split('<section id="part-2">', 1)
    assert first.count('<div class="answer">') == 5
    assert first.count('class="chart"') == 1
    assert "<table" not in first.split("<body>")[1]
    body, appendix = rest.split("<h2>Appendix</h2>")
    assert "<details" not in body
    assert appendix.count("<details>") >= 6
    assert "Folded parts are not printed; to print some, open them first" in appendix


def test_attributes_with_the_same_answer_share_a_sentence_of_page_one() -> None:
    result = sample().result()
    blocks, attributes = page_one(result).blocks, result.attributes
    told = {answer.question: answer.sentences for answer in blocks if isinstance(answer, Answer)}
    tried = [one.text.split(":")[0].lower() for one in told["What was tried?"][1:]]
    costs = [one.text.split(":")[0] for one in told["What does it cost?"]]
    assert len(set(costs)) == len(costs)  # a method is spoken of once, whatever the number of attributes
    assert all(sum(name in one.text for one in told["What does it cost?"]) >= 1 for name in attributes)
    assert all(sum(name in words for words in tried) == 1 for name in attributes)


class Sources(HTMLParser):
    """Where marked texts say that they come from, and in which way they are written."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if "data-from" in known:
            self.found.append((known["data-from"] or "", known["data-as"] or ""))


def followed(content: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        content = content[int(name)] if isinstance(content, list) else content[name]
    return content


@pytest.mark.parametrize("names", ["report", "hostile"])
def test_every_marked_number_stands_in_the_result_it_carries(
    names: str, result: AuditResult, hostile: AuditResult
) -> None:
    text = build_report(result if names == "report" else hostile)
    carried = json.loads(re.search(r'id="diffoci-result">(.*?)</script>', text)[1])["result"]  # type: ignore[index]
    marked = Sources(text).found
    assert len(marked) > 500
    for pointer, _ in marked:
        followed(carried, pointer)
    ways = set(re.findall(r'^    "([^"]+)": ', self_check_script(), flags=re.MULTILINE))
    assert {way for _, way in marked} <= ways


def test_hardly_a_number_of_a_table_is_not_marked(report: str) -> None:
    results = report.split("<h2>How the numbers were made</h2>")[0]  # settings and versions are no results
    cells = re.findall(r"<td([^>]*)>(.*?)</td>", results)
    numbers = [marks for marks, text in cells if re.search(r"\d", re.sub("<[^>]+>", "", text))]
    unmarked = [marks for marks in numbers if "data-from" not in marks]
    assert len(unmarked) < 0.2 * len(numbers)


def test_it_carries_the_whole_result_but_no_id_that_opens_the_audit(report: str, result: AuditResult) -> None:
    carried = read_audit(report)
    assert carried.intact
    assert carried.result.methods == result.methods
    assert result.id not in report


def test_the_folder_of_a_users_file_stays_at_home(result: AuditResult) -> None:
    def change(content: Content) -> None:
        content["spec"] |= {"data": "csv:/home/someone/secret folder/people.csv", "twin": False}

    text = build_report(changed(result, change))
    assert "secret folder" not in text
    assert read_audit(text).result.spec.data == "csv:people.csv"


def no_methods(result: Content) -> None:
    result["methods"], result["curve"] = [], {}
    result["failures"] = {"standard.0": "Memory ran out."}


def no_decisions(result: Content) -> None:
    result["label"]["classes"] = ["a", "b", "c"]
    for one in result["methods"]:
        one["decisions"] = None


def no_features(result: Content) -> None:
    result["features"] |= {"conditions": [], "exact": None}


def nothing_judged(result: Content) -> None:
    for one in result["methods"]:
        for places in one["leakage"]["by_attribute"].values():
            for found in places.values():
                found |= {"verdict": "insufficient evidence", "not_judged": ["F", "M", "urban", "rural"]}
                found |= {"null_auc_low": None, "null_auc_high": None}
                found["auc"] = {"mean": None, "low": None, "high": None, "values": []}


def one_seed(result: Content) -> None:
    for one in result["methods"]:
        one["y"]["accuracy"] |= {"low": None, "high": None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (no_methods, "No method finished"),
        (no_methods, "Memory ran out."),
        (no_decisions, "No decisions were measured: the outcome has more than two classes"),
        (no_features, "No feature weights in this audit"),
        (nothing_judged, "Too few people to say"),
        (one_seed, "How sure is this?"),
    ],
)
def test_what_a_result_lacks_is_said(result: AuditResult, change: Change, said: str) -> None:
    assert said in " ".join(Elements(build_report(changed(result, change))).words)


def test_harm_is_not_said_to_be_unlikely_where_too_few_people_were_seen(result: AuditResult) -> None:
    lacking = changed(result, nothing_judged)
    assert "neither be shown nor excluded" in answers(lacking)[HARMED][1]
    assert any("no verdict on: F and M" in sentence for sentence in answers(lacking)[NOT_JUDGED])


def test_real_data_are_said_to_be_real(result: AuditResult) -> None:
    real = changed(result, lambda content: content["provenance"].update(real=True))
    assert not document(real).simulated
    assert "REAL DATA" in build_report(real)


def test_a_run_without_result_is_refused_in_a_sentence(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Run.create(AUDIT, make_spec("student", sensitive=["sex"], twin=True, preset="quick"), folder=tmp_path / "run")
    for command in ("report", "card", "tables"):
        assert main([command, str(tmp_path / "run"), "--out", str(tmp_path / "out.html")]) == 2
        assert capsys.readouterr().err == "diffoci: This run has no result: it is waiting.\n"
    assert not (tmp_path / "out.html").exists()


@pytest.mark.parametrize("keep", [0, 1, 100, -2, -4])
def test_half_a_result_is_refused_in_a_sentence(tmp_path: Path, keep: int, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run.open(shutil.copytree(sample().folder, tmp_path / "run"))
    run.result_file.write_bytes(run.result_file.read_bytes()[:keep])
    assert main(["report", str(run.folder), "--out", str(tmp_path / "report.html")]) == 2
    said = capsys.readouterr().err.strip()
    assert said == f"diffoci: {run.status().message}"
    assert len(said.splitlines()) == 1


def test_hostile_names_stay_text(hostile: AuditResult, report: str) -> None:
    text = build_report(hostile)
    found, ours = Elements(text), Elements(report)
    assert {tag for tag, _ in found.found} <= {tag for tag, _ in ours.found}
    assert len(found.named("script")) == len(ours.named("script"))
    assert not [name for _, attributes in found.found for name in attributes if name.startswith("on")]
    assert "<img src=x onerror=alert(1)>" in " ".join(found.words)
    assert read_audit(text).result.provenance == hostile.provenance


def test_a_group_alone_is_compared_with_nobody(result: AuditResult) -> None:
    words = " ".join(Elements(build_report(result)).words)
    assert "Only urban has enough people to be judged" in words
    assert "no four-fifths ratio" not in words
    assert "a classifier trained here, not of your own model" in words


def test_without_notes_no_claim_is_made_about_rows_left_out(result: AuditResult) -> None:
    silent = changed(result, lambda content: content["provenance"].update(notes=[]))
    words = " ".join(Elements(build_report(silent)).words)
    assert "cannot be seen from the result" in words
    assert "every row" not in words


def test_further_attributes_are_in_the_appendix_with_the_same_numbers() -> None:
    result = three_attributes().result()
    sections = {section.title: section for section in document(result).sections}
    question = "How well the outcome is predicted, how well {} can be guessed"
    assert [sections[question.format(name)].folded for name in result.attributes] == [False, False, True]
    body, appendix = (
        sections["Decisions by group"].blocks,
        sections["Decisions by group and intersection in detail"].blocks,
    )
    assert Words("Rates and gaps by age stand in the appendix.") in body
    assert [Heading("By age") in blocks for blocks in (body, appendix)] == [False, True]
    assert sum(isinstance(block, Table | Picture) for block in appendix) > 6
