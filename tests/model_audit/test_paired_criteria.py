"""Two models on the same people: one is said to depart less from a criterion only where that is more than noise."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from diffoci import audit_scores
from diffoci.model_audit.judging import judge_pairs
from diffoci.model_audit.paired_criteria import paired_criteria
from diffoci.model_audit.result import Criterion, ModelAuditResult
from diffoci.report.model_audit.build import build_model_report
from diffoci.report.model_audit.compared import compared_words, criterion_pair_frame
from diffoci.report.model_audit.tables import model_tables


@pytest.fixture(scope="module")
def result() -> ModelAuditResult:
    """`lopsided` adds a point for men to what `even` scores; `twin` is `lopsided` under another name."""
    rng = np.random.default_rng(0)
    men, label, luck = rng.integers(0, 2, 500), rng.integers(0, 2, 500), rng.normal(size=500)
    scores = {"lopsided": label + 1.5 * men + luck, "even": label + luck, "twin": label + 1.5 * men + luck}
    found: ModelAuditResult = audit_scores(
        scores, label=label, sensitive={"sex": np.where(men, "man", "woman")}, permutations=99
    )
    return found


def judged(result: ModelAuditResult) -> dict[tuple[str, str, str], str]:
    pairs = zip(result.paired_criteria, judge_pairs(result).criteria, strict=True)
    return {(pair.first, pair.second, pair.criterion): answer for pair, answer in pairs}


def test_a_model_that_departs_less_by_more_than_noise_is_named_with_its_interval(result):
    assert judged(result)["lopsided", "even", "separation"] == "departs less"
    assert judged(result)["even", "twin", "separation"] == "departs more"
    pair = result.paired_criteria[1]
    assert (pair.criterion, pair.T_first) == ("separation", result.model().attributes["sex"].criteria["separation"].T)
    assert pair.difference.low < pair.difference.value == pair.T_second - pair.T_first < pair.difference.high < 0
    said = [one for one in compared_words(result) if "separation" in one]
    assert [one.split(": T")[0] for one in said] == [
        "By sex, even departs less from separation than lopsided",
        "By sex, even departs less from separation than twin",
    ]


def test_the_same_scores_under_two_names_do_not_differ_at_all(result):
    same = [pair for pair in result.paired_criteria if (pair.first, pair.second) == ("lopsided", "twin")]
    assert {(pair.difference.low, pair.difference.high, pair.p_value) for pair in same} == {(0.0, 0.0, 1.0)}
    assert judged(result)["lopsided", "twin", "separation"] == "not told apart"


def test_what_both_models_share_cancels(result):
    by = result.model("lopsided").attributes["sex"].criteria["separation"]
    assert by.error is not None
    pair = result.paired_criteria[1]
    apart = (pair.difference.high - pair.difference.low) / 2
    unpaired = np.hypot(by.error, result.model("even").attributes["sex"].criteria["separation"].error or 0)
    assert apart < 2.306 * 1.1 * unpaired  # of eight degrees of freedom, and of the error's own error


def test_report_and_tables_have_the_differences(result):
    page = build_model_report(result)
    assert "Coefficients of two models" in page
    assert "even departs less from separation than lopsided" in page
    assert len(criterion_pair_frame(result)) == len(model_tables(result)["criteria_compared"]) == 9


def halved(T: float, apart: float) -> Criterion:
    halves = tuple((T + apart * sign, T - apart * sign) for sign in (1, -1) * 5)
    return Criterion(
        T=T, rows=500, neighbours=20, strata=1, median=0.0, limit=0.01, p_value=0.01, answer="found", error=apart,
        halves=halves,
    )  # fmt: skip


def with_criteria(result: ModelAuditResult, **by_model: Criterion) -> ModelAuditResult:
    models = tuple(
        replace(
            result.model(name),
            attributes={"sex": replace(result.model(name).attributes["sex"], criteria={"independence": found})},
        )
        for name, found in by_model.items()
    )
    return replace(result, models=models, pairs=(), paired_criteria=paired_criteria(models, result.spec.settings))


def test_below_what_chance_gives_a_smaller_coefficient_is_no_smaller_departure(result):
    little = replace(halved(0.005, 0.0001), answer="not found")
    less = replace(halved(-0.03, 0.0002), answer="not found")
    found = with_criteria(result, lopsided=little, even=less)
    assert found.paired_criteria[0].p_value < 1e-6
    assert judge_pairs(found).criteria == ("not told apart",)
    assert compared_words(found) == (
        "No model has a smaller gap or departs less from a criterion than another by more than noise (differences "
        "looked at: 1).",
    )


def test_a_difference_that_is_noise_is_not_told_apart_and_models_without_halves_are_not_compared(result):
    noisy = with_criteria(result, lopsided=halved(0.10, 0.05), even=halved(0.12, 0.01))
    assert judge_pairs(noisy).criteria == ("not told apart",)
    few = with_criteria(result, lopsided=replace(halved(0.1, 0.1), halves=(), error=None), even=halved(0.1, 0.2))
    assert few.paired_criteria == ()


def test_models_that_depart_alike_are_hardly_ever_told_apart():
    rng, called = np.random.default_rng(1), 0
    for _ in range(12):
        men, label = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
        alike = {name: label + men + rng.normal(size=200) for name in "ab"}
        found = audit_scores(alike, label=label, sensitive={"sex": np.where(men, "m", "f")}, permutations=19)
        called += any("departs" in answer for answer in judge_pairs(found).criteria)
    assert called <= 2  # of 12 with a chance of 1 in 20 each, this or less is seen in 98 of 100 tries
