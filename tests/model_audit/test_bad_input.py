"""Columns that cannot have their role are refused in a sentence that says which, why and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from diffoci import audit_model, audit_scores
from diffoci.__main__ import main
from diffoci.model_audit.words import criteria_headline, headline, power_words
from diffoci.report.model_audit.build import build_model_report

RNG = np.random.default_rng(0)
N = 120
SCORE, SEX, LABEL = RNG.random(N), RNG.choice(["f", "m"], N), RNG.integers(0, 2, N)
FEW: dict[str, Any] = {"permutations": 19, "rows": 100, "minimum": 10}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"score": np.full(N, 0.5)}, "The score 'score' is 0.5 in every row; a constant score decides nothing."),
        ({"score": ["low"] * N}, "The score 'score' is not a number in every row"),
        ({"score": [*map(str, SCORE[1:]), "n.k."]}, "is not a number in every row .it holds 'n.k.'."),
        ({"score": np.where(SCORE > 0.9, np.inf, SCORE)}, "infinite values"),
        ({"score": None}, "Name at least one column of scores or of decisions."),
        ({"score": RNG.integers(0, 9, N) + 0.0, "label": "score"}, "is the outcome 'label' in every row"),
        (
            {"score": None, "decision": RNG.choice(["yes", "no", "maybe"], N)},
            "has 3 values .maybe, no, yes.; say which",
        ),
        (
            {"score": None, "decision": RNG.choice(["a", "b"], N), "selected": ["c"]},
            "No row of the decision 'decision' is c",
        ),
        ({"weights": np.full(N, -1.0)}, "are negative, first in row 1"),
        ({"weights": np.zeros(N)}, "are 0 in every row"),
        ({"sensitive": {"sex": ["f"] * N}}, "has only one value"),
        ({"sensitive": {"id": [f"p{k}" for k in range(N)]}}, "has 120 different values; at most 50 groups"),
        (
            {"sensitive": {"id": [f"p{k}" for k in range(10_000)]}, "score": RNG.random(10_000)},
            "has 10,000 different values; at most 50 groups",
        ),
        ({"weights": np.where(SCORE > 0.5, -1.0, 1.0)}, "are negative, first in row"),
        ({"weights": ["heavy"] * N}, "The column of weights 'weights' is not a number in every row"),
        ({"decision": RNG.choice(["a"], N)}, "is 'a' in every row; nothing was decided"),
        ({"decision": RNG.choice(["a", "b"], N), "selected": ["a", "b"]}, "Every value of the decision"),
        ({"decision": SCORE}, "has 120 different values; is it a score"),
        ({"score": SCORE[:5], "sensitive": {"sex": SEX[:5]}}, "has 5 complete rows; at least 10 are needed"),
        ({"factors": {"name": [f"p{k}" for k in range(N)]}}, "has a value of its own for nearly every person"),
        ({"label": RNG.choice(["a", "b", "c"], N)}, "has more than two values; say which of them counts as yes"),
        ({"label": np.ones(N)}, "has only one class"),
        ({"reference": "women"}, "There is no group 'women' to compare with; choose largest, overall, f, m."),
        ({"label": LABEL[:50]}, "has 50 rows but score has 120"),
    ],
)
def test_a_column_that_cannot_have_its_role_is_a_sentence(given, sentence):
    asked = {"score": SCORE, "sensitive": {"sex": SEX}, **FEW, **given}
    if isinstance(asked.get("label"), str):
        asked["label"] = asked["score"]
    with pytest.raises(ValueError, match=sentence):
        audit_scores(asked.pop("score"), **asked)


def test_what_was_assumed_of_columns_is_said_on_the_command_line(tmp_path, capsys):
    pd.DataFrame({"score": 3 * SCORE - 1, "sex": SEX, "outcome": LABEL}).to_csv(tmp_path / "own.csv", index=False)
    few = ["--setting", "permutations=19", "--setting", "rows=100", "--jobs", "1", "--out", str(tmp_path / "run")]
    assert main(["audit-scores", "--data", f"csv:{tmp_path / 'own.csv'}", "--label", "outcome", *few]) == 0
    assert "not from 0 to 1: it is taken as a plain score, which has no threshold" in capsys.readouterr().out


def test_a_column_cannot_be_score_and_outcome_at_once(tmp_path, capsys):
    columns = {"score": SCORE, "sex": SEX, "outcome": LABEL}
    pd.DataFrame(columns).to_csv(tmp_path / "own.csv", index=False)
    own, out = f"csv:{tmp_path / 'own.csv'}", str(tmp_path / "run")
    asked = ["audit-scores", "--data", own, "--sensitive", "sex", "--out", out]
    for words, sentence in (
        (["--score", "score,outcome", "--label", "outcome"], "'outcome' is the outcome and cannot be a score"),
        (["--score", "sex"], "'sex' is a sensitive attribute and cannot be a score"),
        (["--score", "score", "--weights", "score"], "'score' has the weights and cannot have another role"),
        (["--score", "score", "--factors", "sex"], "'sex' is a factor and cannot have another role"),
        (["--score", "nothing"], "'nothing' is not a column of the table"),
        (["--score", "score", "--label", "none", "--join", "x.csv"], "A second file needs its keys"),
    ):
        assert main([*asked, *words]) == 2
        assert sentence in capsys.readouterr().err


def test_which_value_of_a_decision_was_taken_as_selected_is_said_unless_it_was_told():
    decision = np.where(SCORE > 0.5, "grant", "decline")
    found = audit_scores(decision=decision, sensitive={"sex": SEX}, **FEW)
    assert any("grant counts as selected" in note for note in found.provenance.notes)
    told = audit_scores(decision=decision, selected=["decline"], sensitive={"sex": SEX}, **FEW)
    assert not any("counts as selected" in note for note in told.provenance.notes)


@pytest.mark.parametrize(("threshold", "who"), [(2.0, "Nobody"), (-1.0, "Everybody")])
def test_where_nobody_or_everybody_is_selected_no_sentence_speaks_of_a_gap(threshold, who):
    found = audit_scores(SCORE, label=LABEL, sensitive={"sex": SEX}, threshold=threshold, **FEW)
    assert headline(found) == f"{who} by sex is selected under score, so there is no gap to judge."
    assert "more often" not in criteria_headline(found)
    text = build_model_report(found).split("<main")[1].split("</main>")[0]
    assert f"{who} by sex is selected" in text
    assert "not below four fifths" not in text


def test_too_few_people_are_said_to_be_too_few_everywhere():
    found = audit_scores(SCORE[:24], label=LABEL[:24], sensitive={"sex": SEX[:24]}, permutations=19)
    assert headline(found) == "Too few people to compare groups by sex."
    assert criteria_headline(found) == "Too few people to say whether a criterion holds by sex"
    assert not found.model().attributes["sex"].what_if
    build_model_report(found)


def test_one_group_of_few_people_is_no_reason_to_say_that_nothing_was_found():
    found = audit_scores(SCORE, label=LABEL, sensitive={"sex": ["f"] * 8 + ["m"] * (N - 8)}, **FEW)
    assert {one.answer for one in found.model().attributes["sex"].criteria.values()} == {"too few people"}
    assert criteria_headline(found) == "Too few people to say whether a criterion holds by sex"


def test_a_score_that_decides_the_outcome_leaves_nothing_for_sufficiency_and_that_is_said():
    found = audit_scores(LABEL + 0.0, label=LABEL, sensitive={"sex": SEX}, **FEW)
    assert "sufficiency" not in found.model().attributes["sex"].criteria
    assert any("sufficiency has nothing to explain" in sentence for sentence in found.cannot)


def test_a_weak_test_that_finds_nothing_says_what_it_could_not_have_seen():
    found = audit_scores(SCORE, label=LABEL, sensitive={"sex": SEX}, **FEW)
    assert {one.answer for one in found.model().attributes["sex"].criteria.values()} == {"not found"}
    assert "can go unseen" in power_words(found)
    assert "on 100 of 120 people" in power_words(found)


def test_a_probability_outside_0_to_1_is_taken_as_a_plain_score_and_said():
    found = audit_scores(100 * SCORE, sensitive={"sex": SEX}, **FEW)
    assert (found.model().scale, found.model().basis) == ("plain", "half")
    assert any("taken as a plain score" in note for note in found.provenance.notes)
    assert any("upper half" in sentence for sentence in found.cannot)


def test_a_group_without_positives_has_no_rate_among_them_and_that_is_said():
    found = audit_scores(SCORE, label=np.where(SEX == "f", 0, LABEL), sensitive={"sex": SEX}, **FEW)
    women = next(group for group in found.model().by("sex").groups if group.label == "f")
    assert "true_positive_rate" not in women.rates
    assert any("Nobody in the group f has the outcome" in sentence for sentence in found.cannot)


def test_rows_without_a_score_are_left_out_and_counted():
    found = audit_scores(np.where(SCORE < 0.1, np.nan, SCORE), sensitive={"sex": SEX}, **FEW)
    missing = int((SCORE < 0.1).sum())
    assert found.provenance.rows == N - missing
    assert f"{missing} rows without a value of 'score' are left out." in found.provenance.notes


def test_an_estimator_that_predicts_nothing_is_a_sentence():
    with pytest.raises(ValueError, match="has neither predict_proba nor decision_function nor predict"):
        audit_model(object(), SCORE[:, None], sensitive={"sex": SEX})
