"""Forged reports: whoever changes what pictures or tables say, and mends every digest, is still found out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from diffoci.__main__ import main
from diffoci.audit.result import AuditResult
from diffoci.report._shortening import _PARTS
from diffoci.report.build import build_report
from diffoci.report.checks.agreement import compare_trees
from diffoci.report.writing.embedded import ELEMENT, digest, safe_json
from diffoci.report.writing.page import FIGURES
from tests.plain_result import changed, plain

Change = Callable[[Any], Any]


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Verify a text and return what is said of it; it must not agree."""

    def run(text: str) -> str:
        path = tmp_path / "report.html"
        path.write_bytes(text.encode())
        assert main(["verify", str(path)]) == 2
        printed = capsys.readouterr()
        assert "Every number agrees" not in printed.out
        return printed.out + printed.err

    return run


def redrawn(report: str, change: Change) -> str:
    """The report with other pictures."""
    pattern = re.compile(rf'(id="{FIGURES}">)(.*?)(</script>)', re.DOTALL)
    figures = json.loads(pattern.search(report)[2])  # type: ignore[index]
    figures = change(figures) or figures
    return pattern.sub(lambda found: found[1] + safe_json(figures) + found[3], report, count=1)


def re_embedded(report: str, change: Change) -> str:
    """The report with another result inside, its digest mended."""
    pattern = re.compile(rf'(id="{ELEMENT}">)(.*?)(</script>)', re.DOTALL)
    content = json.loads(pattern.search(report)[2])  # type: ignore[index]
    change(content["result"])
    content["sha256"] = digest(content["result"], content["created"], content["written_by"])
    return pattern.sub(lambda found: found[1] + safe_json(content) + found[3], report, count=1)


def first(figures: dict[str, Any]) -> dict[str, Any]:
    return next(iter(figures.values()))


def imitate_a_path(figures: dict[str, Any]) -> None:
    """A key that looks like the way to a number, placed after it."""
    trace = first(figures)["data"][0]
    first(figures)["data › 0 › x › 0"] = trace["x"][0]
    trace["x"] = [0.5, *trace["x"][1:]]


def list_to_object(figures: dict[str, Any]) -> None:
    trace = first(figures)["data"][0]
    trace["x"] = {str(k): value for k, value in enumerate(trace["x"])}


def remove_a_chart(figures: dict[str, Any]) -> dict[str, Any]:
    return dict(list(figures.items())[1:])


def rename_a_chart(figures: dict[str, Any]) -> dict[str, Any]:
    return {("chart-99" if k == 0 else name): chart for k, (name, chart) in enumerate(figures.items())}


def reorder_traces(figures: dict[str, Any]) -> None:
    first(figures)["data"].reverse()


def say_nothing(figures: dict[str, Any]) -> None:
    """An entry that only the forgery has, with the word that once stood for absence."""
    first(figures)["layout"]["datarevision"] = "nothing"


def move_a_mark(figures: dict[str, Any]) -> None:
    traces = [trace for chart in figures.values() for trace in chart["data"]]
    trace = next(trace for trace in traces if trace.get("x") and isinstance(trace["x"][0], float))
    trace["x"][0] += 0.01


def two_keys_in_one(figures: dict[str, Any]) -> dict[str, Any]:
    """Keys that read alike when they are listed; then anything could stand below them."""
    names = list(figures)
    return {f"{names[0]}, {names[1]}": {}, **{name: {"data": [], "layout": {}} for name in names[2:]}}


def too_large_for_a_number(figures: dict[str, Any]) -> None:
    """An integer that no float can hold."""
    traces = [trace for chart in figures.values() for trace in chart["data"]]
    trace = next(trace for trace in traces if trace.get("x") and isinstance(trace["x"][0], float))
    trace["x"][0] = 10**400


@pytest.mark.parametrize(
    "change",
    [imitate_a_path, list_to_object, remove_a_chart, rename_a_chart, reorder_traces, say_nothing, move_a_mark,
     two_keys_in_one, too_large_for_a_number],
)  # fmt: skip
def test_item_1_a_picture_that_says_something_else_is_found(
    report: str, refused: Callable[[str], str], change: Change
) -> None:
    assert re.search("^ +picture", refused(redrawn(report, change)), re.MULTILINE)


@pytest.mark.parametrize(
    ("stated", "found"),
    [({"a, b": 1}, {"a": 1, "b": 2}), (dict.fromkeys(range(100)), dict.fromkeys([*range(99), "other"]))],
)
def test_item_1_objects_that_are_told_in_the_same_words_still_differ(stated: Any, found: Any) -> None:
    assert compare_trees(stated, found).differences


def more_selected(result: Any) -> None:
    result["methods"][0]["decisions"]["overall"]["selected"] += 5


def fewer_people(result: Any) -> None:
    result["methods"][0]["decisions"]["people"] -= 1


def another_paper(result: Any) -> None:
    result["paper"] = {"dropped": [{"given": ["sex"], "count": 30, "of": 30}]}


def softer_p_value(result: Any) -> None:
    column = next(iter(result["features"]["exact"]["columns"].values()))
    next(iter(column["sensitive"].values()))["p_value"] = 0.123456


def quieter_feature(result: Any) -> None:
    name = result["features"]["exact"]["paths"]["sex"]["names"][0]
    result["features"]["exact"]["columns"][name]["sensitive"]["sex"]["T"] = 0.0


def nothing_dropped(result: Any) -> None:
    result["features"]["conditions"][0]["dropped"] = []
    result["features"]["conditions"][0]["frequency"] = [0.0] * len(result["features"]["names"])


def only_together(result: Any) -> None:
    result["features"]["only_together"] = [result["features"]["names"][0]]


def another_best(result: Any) -> None:
    finding = result["findings"]["guessed"]["sex"]["representation"]
    others = [one["name"] for one in result["methods"] if one["name"] not in (finding["best"], "standard")]
    finding["best"] = others[0]


@pytest.mark.parametrize(
    "change",
    [more_selected, fewer_people, another_paper, softer_p_value, quieter_feature, nothing_dropped, only_together,
     another_best],
)  # fmt: skip
def test_item_2_a_result_that_contradicts_itself_is_found_though_the_whole_report_follows_it(
    result: Any, refused: Callable[[str], str], change: Change
) -> None:
    """The forger builds the whole report anew from the changed result."""
    content = plain(changed(result, change))
    if change is another_best:  # which `changed` works out again
        change(content)
    assert "DIFFER" in refused(build_report(msgspec.convert(content, AuditResult), created=1.7e9))


def test_item_2_one_more_key_beside_a_mean_is_refused(report: str, refused: Callable[[str], str]) -> None:
    def add(result: Any) -> None:
        result["methods"][0]["y"]["accuracy"]["note"] = "trust me"

    assert "unknown field `note`" in refused(re_embedded(report, add))


def test_item_2_a_small_report_cannot_claim_to_be_too_large_for_its_numbers(
    result: Any, refused: Callable[[str], str]
) -> None:
    part = next(iter(_PARTS))
    short = _PARTS[part](result)
    forged = changed(short, lambda content: content.update(left_out=[part]))
    assert "what no report of this size leaves out" in refused(build_report(forged, created=1.7e9))
