"""The result is a type: what is written is read back, an older file is read too, and a wrong entry is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from diffoci.audit._result_file import read_result
from diffoci.audit.result import AuditResult
from tests.plain_result import Content, leak, plain
from tests.sample_audit import sample

Change = Callable[[Content], Any]
WORDS = ("short", "family", "marker", "description", "citation")


@pytest.fixture(scope="session")
def result() -> AuditResult:
    return sample().result()


@pytest.fixture
def content(result: AuditResult) -> Content:
    return plain(result)


def as_before_findings(content: Content) -> Content:
    """The same as an earlier version wrote it: no findings, no words of methods, empty objects for nothing."""
    del content["study"], content["findings"]
    for one in content["methods"]:
        for word in WORDS:
            del one[word]
        one["decisions"]["local_law_144"] = one["decisions"]["local_law_144"] or {}
    return content


def test_what_is_written_is_read_back(result: AuditResult, content: Content) -> None:
    assert read_result(content) == result
    assert plain(read_result(content)) == content


def test_it_is_json_without_nan(result: AuditResult) -> None:
    assert json.dumps(msgspec.to_builtins(result), allow_nan=False)


def test_an_older_file_is_read_as_if_written_today(result: AuditResult, content: Content) -> None:
    assert read_result(as_before_findings(content)) == result


def test_findings_of_earlier_rules_are_worked_out_anew(result: AuditResult, content: Content) -> None:
    del content["findings"]["rules"]
    for gap in content["findings"]["selection"].values():
        del gap["answer"]
    content["findings"]["guessed"]["sex"]["representation"]["methods"]["dF3"]["y"] = "better"
    assert read_result(content) == result


def test_an_older_file_without_decisions_has_none(content: Content) -> None:
    as_before_findings(content)
    content["label"]["classes"] = ["a", "b", "c"]
    for one in content["methods"]:
        one |= {"decisions": {}, "certificate": None}  # of a time before there were any
    found = read_result(content)
    assert [one.decisions for one in found.methods] == [None] * len(content["methods"])
    assert found.findings.selection == {}


def test_a_method_that_is_not_installed_here_is_called_by_its_name(content: Content) -> None:
    as_before_findings(content)
    content["methods"][1]["name"] = "of another package"
    assert read_result(content).methods[1].called == "of another package"


def wrong(*path: Any, value: Any) -> Change:
    """Put a value where the path leads."""

    def change(content: Content) -> None:
        part: Any = content
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value

    return change


def missing(*path: Any) -> Change:
    """Leave out the entry that the path leads to."""

    def change(content: Content) -> None:
        part: Any = content
        for key in path[:-1]:
            part = part[key]
        del part[path[-1]]

    return change


METHOD = ("methods", 0)
SEX = (*METHOD, "leakage", "by_attribute", "sex", "representation")
BY_SEX = (*METHOD, "decisions", "by", 0)
CONDITION = ("features", "conditions", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (wrong("extra", value=1), "unknown field `extra`"),
        (wrong(*METHOD, "extra", value=1), "at 'methods[0]': object contains unknown field `extra`"),
        (missing("label"), "missing required field `label`"),
        (missing(*METHOD, "title"), "at 'methods[0]': object missing required field `title`"),
        (wrong("label", "classes", value=["one"]), "at 'label.classes'"),
        (wrong("groups", value={}), "at 'groups'"),
        (wrong("groups", "sex", "F", "rows", value=0), "at 'groups[...][...].rows'"),
        (wrong("groups", "sex", "F", "label_rate", value=1.5), "at 'groups[...][...].label_rate'"),
        (wrong(*METHOD, "seeds", value=[]), "at 'methods[0].seeds'"),
        (wrong(*METHOD, "seeds", value=[-1, 0]), "at 'methods[0].seeds[0]'"),
        (wrong(*METHOD, "y", "accuracy", "mean", value="high"), "at 'methods[0].y.accuracy.mean'"),
        (wrong(*METHOD, "y", "accuracy", "mean", value=1e301), "at 'methods[0].y.accuracy.mean'"),
        (wrong(*METHOD, "y", "accuracy", "values", value=[0.5] * 1001), "at 'methods[0].y.accuracy.values'"),
        (wrong(*SEX, "verdict", value="harmless"), "at 'methods[0].leakage.by_attribute[...][...].verdict'"),
        (wrong(*SEX, "null_auc_high", value=1.5), "by_attribute[...][...].null_auc_high'"),
        (wrong(*SEX, "below_chance", value=0), "by_attribute[...][...].below_chance'"),
        (wrong(*BY_SEX, "groups", 0, "n", value=-1), "at 'methods[0].decisions.by[0].groups[0].n'"),
        (wrong(*BY_SEX, "four_fifths", 0, "verdict", value="fine"), "at 'methods[0].decisions.by[0].four_fifths[0]"),
        (wrong(*CONDITION, "frequency", 0, value=2.0), "at 'features.conditions[0].frequency[0]'"),
        (wrong("features", "exact", "rows", value=1.5), "at 'features.exact.rows'"),
        (wrong("features", "names", value=["x"] * 10_001), "at 'features.names'"),
        (wrong("provenance", "real", value="yes"), "at 'provenance.real'"),
        (wrong("provenance", "title", value="x" * 5001), "at 'provenance.title': it is no text that can be shown"),
        (wrong("provenance", "title", value="\x1b[2J"), "at 'provenance.title': it is no text that can be shown"),
        (wrong("failures", value={"\x00": "why"}), "at 'failures': it is no text that can be shown"),
        (wrong(*METHOD, "chosen", 0, value={"a": "\ud800"}), "at 'methods[0].chosen[0].a': it is no text"),
        (wrong("findings", "guessed", "sex", "representation", "answer", value="fair"), "at 'findings.guessed"),
        (wrong("spec", "settings", "fractions", value=[0.5, 0.5]), "its setting 'fractions' is not three shares"),
        (wrong("spec", "settings", "fractions", value=[0, 0, 1]), "its setting 'fractions' is not three shares"),
        (missing("spec", "data"), "at 'spec': object missing required field `data`"),
    ],
)
def test_a_wrong_entry_is_named_in_a_sentence(content: Content, change: Change, said: str) -> None:
    change(content)
    with pytest.raises(ValueError, match=r"^result\.json is damaged.*\.$") as problem:
        read_result(content)
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (missing(*METHOD, "leakage", "by_attribute", "address"), "does not measure the attributes whose groups"),
        (missing(*SEX), "does not say what can be guessed from a representation"),
        (wrong(*METHOD, "y", "auc", "values", value=[0.5] * 3), "more scores than seeds"),
        (wrong("methods", 1, "name", value="standard"), "two of its methods have the same name"),
        (wrong("features", "labels", value=["one"]), "does not say what each of its features means"),
        (wrong(*CONDITION, "theta", value=[0.5]), "weights that do not belong to its features"),
        (wrong("features", "exact", "paths", "y", "T", value=[]), "has no coefficient for each of them"),
        (wrong("features", "exact", "columns", "age", "sensitive", value={}), "not told of the same attributes"),
        (missing(*BY_SEX, "between", "equalized_odds_ratio"), "not compared in every way"),
        (wrong("findings", "reference", value="no such method"), "findings speak of what it has not measured"),
        (wrong("findings", "reference", value=None), "findings speak of what it has not measured"),
        (wrong("findings", "guessed", value={}), "findings speak of what it has not measured"),
        (missing("findings", "guessed", "sex", "representation", "methods", "dF3"), "has not measured"),
        (wrong("findings", "guessed", "sex", "representation", "best", value="x"), "has not measured"),
        (wrong("findings", "sureness", value=None), "has not measured"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(content: Content, change: Change, said: str) -> None:
    change(content)
    with pytest.raises(ValueError, match=r"^result\.json is damaged: .*\.$") as problem:
        read_result(content)
    assert said in str(problem.value)


@pytest.mark.parametrize("schema", [0, 2, "1", None, True])
def test_another_schema_is_said_to_be_of_another_version(content: Content, schema: object) -> None:
    content["schema"] = schema
    with pytest.raises(ValueError, match="was written by another version"):
        read_result(content)


def test_values_nested_without_end_are_refused(content: Content) -> None:
    nested: Any = "deep"
    for _ in range(100):
        nested = [nested]
    content["spec"]["options"] = {"x": nested}
    with pytest.raises(ValueError, match="its entries are nested too deeply"):
        read_result(content)


def test_numbers_written_as_whole_ones_are_numbers(content: Content) -> None:
    leak(content)["majority"] = 1
    found = read_result(content).methods[0].leakage.by_attribute["sex"]["representation"].majority
    assert (found, type(found)) == (1.0, float)


def test_people_whose_prediction_changed_make_the_difference_in_accuracy(result: AuditResult, content: Content) -> None:
    """The sample's splits are folds: whoever only one method is right about was counted."""
    before = result.method("standard").y.accuracy.mean or 0.0
    for one in result.methods[1:]:
        assert one.changed is not None
        counted = (one.changed.gained - one.changed.lost) / one.changed.people
        assert (one.y.accuracy.mean or 0.0) - before == pytest.approx(counted, abs=0.01)
    content["methods"][1]["changed"]["gained"] += 20
    with pytest.raises(ValueError, match="not the difference in accuracy"):
        read_result(content)
    content["methods"][1]["changed"]["lost"] = 10_000
    with pytest.raises(ValueError, match="more people whose prediction changed than there are"):
        read_result(content)
