"""Item 7, model audits: whatever one entry of an opened one is, reading works or is refused in one sentence."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest

from diffoci.__main__ import main
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.result_file import read_result
from diffoci.model_audit.words import headline
from diffoci.report.model_audit.build import build_model_report
from diffoci.report.table_files import zipped
from diffoci.report.taken_away import card_file
from diffoci.runs.sentences import sentence_of
from diffoci.runs.store import Run
from tests.hostile_values import Path, mutations, with_entry

READ, TAKEN = 300, 3  # of all ways to be wrong, which take minutes


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ModelAuditResult:
    folder = tmp_path_factory.mktemp("hostile") / "run"
    few = ["--option", "rows=300", "--setting", "permutations=19", "--setting", "rows=100", "--jobs", "1"]
    assert main(["audit-scores", "--data", "lender", *few, "--out", str(folder)]) == 0
    found: ModelAuditResult = Run.open(folder).result()
    return found


@pytest.fixture(scope="module")
def content(result: ModelAuditResult) -> dict[str, Any]:
    return {**json.loads(msgspec.json.encode(result)), "schema": 1}


def test_item_7_a_wrong_entry_of_a_model_audit_is_a_sentence_or_does_no_harm(
    result: ModelAuditResult, content: dict[str, Any]
) -> None:
    taken, unsaid = [], []
    for path, value, changed in random.Random(0).sample(list(mutations(result, content)), READ):
        try:
            taken.append(read_result(changed))
        except ValueError as problem:
            if not (sentence_of(problem) or "").startswith(("result.json ", "Unknown", "There is no")):
                unsaid.append((path, value, problem))
    assert unsaid == []
    for one in taken:
        headline(one)
    for one in random.Random(1).sample(taken, TAKEN):
        build_model_report(one, created=1.7e9)
        zipped(one, "csv")
        card_file(one, None, kind="md")


_BY_SEX: Path = ("models", 0, "comparisons", 0)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*_BY_SEX, "groups"), []),
        ((*_BY_SEX, "attributes"), []),
        ((*_BY_SEX, "groups", 0, "label"), "nobody"),
        ((*_BY_SEX, "groups", 0, "rates"), {}),
        ((*_BY_SEX, "groups", 0, "counts"), None),
        ((*_BY_SEX, "between", "demographic_parity_difference", "lowest"), None),
        (("models", 0, "overall", "n"), 1),
    ],
)
def test_item_7_groups_that_do_not_belong_together_are_refused(content: dict[str, Any], path: Path, value: Any) -> None:
    """Each of these once ended in a traceback of report, card or page."""
    with pytest.raises(ValueError, match=r"^result\.json is damaged.*\.$"):
        read_result(with_entry(content, path, value))
