"""Two models on the same people: a gap is said to be smaller only where it is, among all that were looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from diffoci import audit_scores
from diffoci.model_audit.judging import judge_pairs
from diffoci.model_audit.pairs import paired_gaps
from diffoci.model_audit.people import Model, Outcome, People, decided
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.spec import ModelSettings
from diffoci.report.model_audit.build import build_model_report, result_html
from diffoci.report.model_audit.compared import compared_words, pair_frame

SETTINGS = ModelSettings(permutations=19)


def alike(seed: int, *, rows: int = 400, models: int = 3) -> People:
    """Models that treat sexes and races as each other do, each with luck of its own."""
    rng = np.random.default_rng(seed)
    sex, race = rng.integers(0, 2, rows), rng.choice(4, rows, p=[0.5, 0.25, 0.15, 0.1])
    label = (rng.random(rows) < 0.4).astype(np.int64)
    drawn = (label + 0.5 * sex + 0.5 * (race == 1) + rng.normal(size=rows) > 0.5 for _ in range(models))
    return People(
        models=tuple(Model(f"m{k}", decision=one.astype(np.int64)) for k, one in enumerate(drawn)),
        groups=pd.DataFrame({"sex": sex.astype(str), "race": race.astype(str)}).astype("category"),
        numbers=pd.DataFrame(index=range(rows)),
        outcome=Outcome("label", "classes", label.astype(np.float64), "1"),
    )


@pytest.fixture(scope="module")
def result() -> ModelAuditResult:
    """`harsh` asks more of women, `even` of nobody."""
    rng = np.random.default_rng(0)
    men, ability = rng.integers(0, 2, 900), rng.normal(size=900)
    decisions = {"harsh": ability + 0.8 * men > 0.5, "even": ability + 0.3 * rng.normal(size=900) > 0.5}
    found: ModelAuditResult = audit_scores(
        decision={name: one.astype(int) for name, one in decisions.items()},
        sensitive={"sex": np.where(men, "man", "woman"), "left_handed": rng.choice(["yes", "no"], 900)},
        permutations=99,
    )
    return found


def test_models_alike_are_told_apart_in_one_of_twenty_draws_at_most_however_many_gaps_are_compared(result):
    told = alone = 0
    for seed in range(100):
        people = alike(seed)
        gaps = paired_gaps(people, {one.name: decided(one, SETTINGS) for one in people.models}, SETTINGS)
        assert len(gaps) == 27  # three pairs of models by sex, race and both, three rates each
        answers = judge_pairs(replace(result, pairs=gaps, paired_criteria=())).gaps
        told += any(answer in ("smaller gap", "larger gap") for answer in answers)
        alone += any(gap.p_value < 0.05 for gap in gaps)
    assert told <= 10  # this or less is seen in 98 of 100 tries where the chance is 1 in 20
    assert alone > 20  # the same gaps, each judged as if it were the only one


def test_the_smaller_gap_is_named_on_page_report_and_in_a_notebook(result):
    pair, handed, *_ = result.pairs
    assert (pair.attributes, pair.rate, pair.first, pair.second) == (("sex",), "selection_rate", "harsh", "even")
    assert judge_pairs(result).gaps[:2] == ("smaller gap", "not told apart")
    assert handed.attributes == ("left_handed",)
    said = next(one for one in compared_words(result) if "gap" in one)
    assert said.startswith("By sex, even has a smaller gap than harsh (selected): ")
    assert list(pair_frame(result)["More than noise?"][:2]) == ["smaller gap", "not told apart"]
    assert said in result_html(result)
    assert said in build_model_report(result)


def test_a_gap_rarer_than_redraws_can_count_stays_more_than_noise_among_many(result):
    pair = result.pairs[0]
    assert pair.p_value < 1 / (1 + result.spec.settings.replicates)
    among = replace(result, pairs=(pair, *(replace(pair, p_value=1.0) for _ in range(400))))
    assert judge_pairs(among).gaps[0] == "smaller gap"


def test_a_gap_that_is_noise_among_many_is_perhaps_smaller(result):
    little = replace(result.pairs[0], p_value=0.03)
    found = replace(result, pairs=(little, replace(little, p_value=0.6)), paired_criteria=())
    assert judge_pairs(found).gaps == ("perhaps smaller", "not told apart")
    assert compared_words(found) == (
        "No model has a smaller gap than another by more than noise (differences looked at: 2).",
    )
