"""Two model audits side by side: what changed is told from what may be noise, and kinds are not mixed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from diffoci import audit_scores
from diffoci.__main__ import main
from diffoci.data import lender
from diffoci.figures.two_audits import model_words as words
from diffoci.figures.two_audits.model_picture import gap_moves
from diffoci.model_audit.two_audits import compare_model_audits
from tests.sample_audit import sample

FEW: dict[str, Any] = {"permutations": 19, "rows": 100}
NAMES = ("the first audit", "the second audit")


def audited(women: float, men: float, *, people: int = 1000, name: str = "score", **more: Any) -> Any:
    """Exactly these shares of women and men are selected."""
    share = {"f": women, "m": men}
    sex = np.repeat(list(share), people)
    decision = np.concatenate([np.arange(people) < round(part * people) for part in share.values()])
    return audit_scores(decision={name: decision.astype(int)}, sensitive={"sex": sex}, **{**FEW, **more})


def test_a_gap_that_closed_by_more_than_noise_is_the_answer() -> None:
    found = compare_model_audits(audited(0.30, 0.50), audited(0.45, 0.50))
    (gap,) = found.gaps
    assert (gap.group, gap.reference, gap.change.judgement) == ("m", "f", "more than noise")
    assert (gap.change.first, gap.change.second) == pytest.approx((0.2, 0.05))
    said = words.headline(found, NAMES)
    assert said.startswith("“m” minus “f”, selected: +5.0 points in the second audit, +20.0 points in the first audit")
    assert "more than noise" in gap_moves(found, NAMES).alt


def test_the_same_audit_twice_has_changed_by_nothing_and_says_so() -> None:
    one = audited(0.3, 0.5)
    found = compare_model_audits(one, one)
    assert found.same_rows
    assert words.headline(found, NAMES).startswith("No more than noise: ")
    assert "the very same people and scores" in words.method_note(found)
    assert words.asked_differently(one, one) == []


@pytest.mark.parametrize("selected", [0.0, 1.0])
def test_nobody_or_everybody_selected_is_no_change(selected: float) -> None:
    one = audit_scores(np.linspace(0, 1, 200), sensitive={"sex": ["f", "m"] * 100}, threshold=2 - 3 * selected, **FEW)
    found = compare_model_audits(one, one)
    assert {entry.change.judgement for entry in (*found.gaps, *found.groups)} == {"no more than noise"}


def test_few_people_are_not_compared_and_that_is_the_answer() -> None:
    found = compare_model_audits(audited(0.3, 0.5, people=20), audited(0.3, 0.5, people=20))
    assert not found.gaps
    assert found.not_shared == ("f", "m")
    assert words.headline(replace(found, criteria=()), NAMES).startswith("Too few people")


def test_models_of_other_names_are_compared_by_rank_and_other_attributes_not_at_all() -> None:
    found = compare_model_audits(audited(0.3, 0.5, name="old"), audited(0.3, 0.5, name="new"))
    assert found.models == (("old", "new"),)
    other = audit_scores(np.linspace(0, 1, 90), sensitive={"race": ["a", "b"] * 45}, **FEW)
    with pytest.raises(ValueError, match="no attribute in common"):
        compare_model_audits(audited(0.3, 0.5), other)


def test_differences_of_chance_alone_are_hardly_ever_called_more_than_noise() -> None:
    rng = np.random.default_rng(0)
    called = 0
    for _ in range(40):
        pair = [audited(*rng.binomial(300, 0.4, 2) / 300, people=300) for _ in range(2)]
        found = compare_model_audits(*pair)
        changes = [entry.change for entry in (*found.gaps, *found.groups)] + [entry.change for entry in found.criteria]
        called += any(change.judgement == "more than noise" for change in changes)
    assert called <= 6  # of 40, where two are to be expected


def scored(shift: float, seed: int, people: int = 400) -> Any:
    """Women score lower by `shift` standard deviations."""
    rng = np.random.default_rng(seed)
    sex = np.resize(["f", "m"], people)
    score = rng.normal(size=people) - shift * (sex == "f")
    return audit_scores(score, sensitive={"sex": sex}, permutations=19, rows=people, threshold=9)


def test_a_change_of_what_the_score_tells_is_judged_and_is_the_answer_where_no_rate_changed() -> None:
    found = compare_model_audits(scored(0.0, 0), scored(2.0, 1))
    (told,) = found.criteria
    assert told.change.judgement == "more than noise"
    assert (told.change.difference.low or 0) > 0
    said = words.headline(found, NAMES)
    assert said.startswith("Departure from independence by sex: T 0.")
    assert words.criteria_table(found)[words.JUDGED].tolist() == ["more than noise"]


def test_the_error_of_a_coefficient_is_how_far_it_varies_and_chance_is_no_change() -> None:
    draws = [scored(0.7, seed).model().attributes["sex"].criteria["independence"] for seed in range(30)]
    spread = np.std([one.T for one in draws])
    assert 0.8 < np.mean([one.error for one in draws]) / spread < 1.6
    few, many = ([scored(0.7, seed, people) for seed in range(100, 112)] for people in (200, 500))
    judged = [compare_model_audits(*pair).criteria[0].change.judgement for pair in zip(few, many, strict=True)]
    assert judged.count("more than noise") <= 2  # of 12, where one in twenty is to be expected


def test_a_predicted_quantity_is_compared_by_its_errors() -> None:
    rng = np.random.default_rng(0)
    y, sex = rng.normal(10, 2, 400), rng.choice(["f", "m"], 400)

    def predicted(low: float) -> Any:
        score = y - low * (sex == "f") + rng.normal(size=400)
        return audit_scores(score, label=y, sensitive={"sex": sex}, **FEW)

    found = compare_model_audits(predicted(0.0), predicted(3.0))
    women = next(entry for entry in found.groups if (entry.group, entry.measure) == ("f", "mean_error"))
    assert women.change.second == pytest.approx(-3, abs=0.2)
    assert women.change.judgement == "more than noise"


def test_audits_of_different_outcomes_are_not_compared_under_one_heading() -> None:
    drawn = lender.applicants(rows=400)
    with_outcome = audit_scores(drawn["score_a"], label=drawn["repaid"], sensitive=drawn[["sex"]], **FEW)
    without = audit_scores(drawn["score_a"], sensitive=drawn[["sex"]], **FEW)
    found = compare_model_audits(with_outcome, without)
    said = words.headline(found, ("spring", "autumn"))
    assert said.startswith("These audits ask different things: the outcome is repaid")
    assert said.endswith(" in spring, none in autumn")


def test_the_command_compares_two_and_refuses_two_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--setting", "permutations=19", "--setting", "rows=100", "--jobs", "1"]
    for name, threshold in (("a", "0.5"), ("b", "0.8")):
        asked = ["--data", "lender", "--option", "rows=400", "--threshold", threshold, *few]
        assert main(["audit-scores", *asked, "--out", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert main(["two-audits", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    said = capsys.readouterr().out
    assert "Setting threshold: 0.5 → 0.8" in said
    assert "Female minus Male, score_a, selected" in said
    assert main(["two-audits", str(tmp_path / "a"), str(tmp_path / "b"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same_rows"] is True
    assert main(["two-audits", str(tmp_path / "a"), str(sample().folder)]) == 2
    assert "The first is a model audit, the second a fairness audit" in capsys.readouterr().err
