"""Item 2, model audits of every kind: honest ones agree, and a warning or a part that was taken away is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from diffoci import audit_scores
from diffoci.model_audit.result import ModelAuditResult
from diffoci.report.checks.agreement import compare_pairs
from diffoci.report.checks.model_arithmetic import model_pairs

ROWS = 400
_DRAW = np.random.default_rng(0)
SEX = np.repeat(["f", "m"], ROWS // 2)
SCORE = _DRAW.random(ROWS) * 0.8 + 0.2 * (SEX == "m")
AGE = _DRAW.normal(40, 10, ROWS)
YES = (SCORE + _DRAW.normal(0, 0.3, ROWS) > 0.5).astype(int)
QUICK: Mapping[str, Any] = {"permutations": 19, "rows": 100}
# The decision that follows sex, and the outcome that is sex, leave some questions without an answer.
KINDS: Mapping[str, Callable[[], Any]] = {
    "no outcome": lambda: audit_scores(SCORE, sensitive={"sex": SEX}, **QUICK),
    "a quantity": lambda: audit_scores(SCORE, sensitive={"sex": SEX, "age": AGE}, label=AGE / 40 + SCORE, **QUICK),
    "decisions alone": lambda: audit_scores(decision=YES, sensitive={"sex": SEX, "age": AGE}, label=YES[::-1], **QUICK),
    "decided by sex": lambda: audit_scores(decision=(SEX == "m") * 1, sensitive={"sex": SEX}, label=YES, **QUICK),
    "outcome is sex": lambda: audit_scores(SCORE, sensitive={"sex": SEX}, label=(SEX == "m") * 1, **QUICK),
    "plain scores": lambda: audit_scores(
        {"a": 100 * SCORE, "b": AGE}, sensitive={"sex": SEX}, label=YES, factors={"team": YES[::-1]}, **QUICK
    ),
    "small groups": lambda: audit_scores(
        SCORE, sensitive={"sex": np.where(np.arange(ROWS) < 395, SEX, "x"), "age": AGE}, label=YES, **QUICK
    ),
    "all rows": lambda: audit_scores(SCORE, sensitive={"sex": SEX, "age": AGE}, label=YES, permutations=19),
}


@pytest.fixture(scope="module")
def results() -> dict[str, ModelAuditResult]:
    return {name: make() for name, make in KINDS.items()}


@pytest.mark.parametrize("name", KINDS)
def test_an_honest_audit_agrees(results: dict[str, ModelAuditResult], name: str) -> None:
    assert compare_pairs(model_pairs(results[name])).differences == ()


@pytest.mark.parametrize("name", ["no outcome", "a quantity", "decisions alone", "plain scores", "outcome is sex"])
def test_item_2_a_warning_that_was_removed_is_found(results: dict[str, ModelAuditResult], name: str) -> None:
    content = json.loads(msgspec.json.encode(results[name]))
    assert content["cannot"]
    del content["cannot"][0]
    assert compare_pairs(model_pairs(msgspec.convert(content, ModelAuditResult))).differences


def test_item_2_a_criterion_of_the_only_model_cannot_be_taken_away(results: dict[str, ModelAuditResult]) -> None:
    for name in ("independence", "separation"):
        content = json.loads(msgspec.json.encode(results["all rows"]))
        del content["models"][0]["attributes"]["sex"]["criteria"][name]
        assert compare_pairs(model_pairs(msgspec.convert(content, ModelAuditResult))).differences
