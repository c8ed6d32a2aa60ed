"""Findings follow from the numbers of a result, at the edges too, and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from diffoci.audit.dropping import only_together
from diffoci.audit.findings import conclude, difference_of_y, judge_difference
from diffoci.audit.noise import Difference
from diffoci.audit.result import AuditResult, Findings
from diffoci.audit.words.verdicts import NO_METHOD, headline, sentence, summary
from diffoci.report.summary import HARMED, answers
from tests.plain_result import Content, changed, leak, plain, typed
from tests.sample_audit import SEEDS, sample

QUIET: dict[str, Any] = {"verdict": "not detected", "below_chance": False, "null_auc_low": 0.4, "null_auc_high": 0.6}


@pytest.fixture(scope="session")
def result() -> AuditResult:
    return sample().result()


def in_sex(result: AuditResult) -> Any:
    return result.findings.guessed["sex"]["representation"]


def with_areas(result: AuditResult, areas: Sequence[float | None], *, verdict: str = "not detected") -> AuditResult:
    """The result with these AUCs of guessing sex from its four methods, all judged alike."""

    def change(content: Content) -> None:
        for k, area in enumerate(areas):
            below = area is not None and area < QUIET["null_auc_low"]
            leak(content, k).update(QUIET, verdict=verdict, below_chance=below)
            leak(content, k)["auc"]["mean"] = area

    return changed(result, change)


def with_y(result: AuditResult, *, before: Sequence[float], after: Sequence[float], majority: float) -> AuditResult:
    """The result with these accuracies of y by seed, for the data as they are and for every other method."""

    def change(content: Content) -> None:
        for k, method in enumerate(content["methods"]):
            values = list(after if k else before)
            method["seeds"], method["changed"] = list(range(len(values))), None
            method["y"]["majority"] = majority
            method["y"]["accuracy"] = {"mean": sum(values) / len(values), "low": None, "high": None, "values": values}
            leak(content, k)["test_rows"] = 100_000

    return changed(result, change)


def test_they_are_stored_and_follow_from_the_rest(result: AuditResult) -> None:
    assert result.findings == conclude(result)
    assert result.findings.reference == "standard"
    assert set(result.findings.guessed) == {"sex", "address"}
    assert set(in_sex(result).methods) == {one.name for one in result.methods}


def test_the_data_as_they_are_stand_for_themselves(result: AuditResult) -> None:
    finding = in_sex(result)
    assert finding.reference == "standard"
    assert (finding.methods["standard"].y, finding.methods["standard"].difference) == ("reference", None)


def test_without_them_the_first_method_stands_for_them_and_nothing_is_compared(result: AuditResult) -> None:
    better = with_y(result, before=[0.8, 0.8], after=[0.8, 0.8], majority=0.6)
    other = changed(better, lambda content: content.update(methods=content["methods"][1:]))
    assert other.findings.reference == in_sex(other).reference == "dF3"
    assert {finding.y for finding in in_sex(other).methods.values()} == {"nothing to compare with"}
    assert "predicted right for" in sentence(other, other.methods[0], "sex")
    assert headline(other, "sex").count(other.methods[0].title) == 1


def test_where_no_method_finished_there_is_nothing_to_find(result: AuditResult) -> None:
    other = changed(result, lambda content: content.update(methods=[], curve={}))
    assert other.findings == Findings()
    assert summary(other) == NO_METHOD


def test_of_quiet_methods_the_one_that_predicts_y_best_is_spoken_of(result: AuditResult) -> None:
    other = with_areas(result, [0.5, 0.5, 0.5, 0.5])
    accuracy = {one.name: one.y.accuracy.mean or 0.0 for one in other.methods if one.name != "standard"}
    assert in_sex(other).best == other.findings.chosen == max(accuracy, key=lambda name: accuracy[name])


def test_where_none_is_quiet_the_hardest_to_guess_from_is_spoken_of(result: AuditResult) -> None:
    assert in_sex(with_areas(result, [0.6, 0.9, 0.7, 0.8], verdict="detected")).best == "dF3+penalty"


def test_a_method_that_needs_the_attribute_at_prediction_comes_last(result: AuditResult) -> None:
    content = plain(with_areas(result, [0.5, 0.5, 0.5, 0.5]))
    best = in_sex(typed(content)).best
    for one in content["methods"]:
        one["needs_sensitive_at_prediction"] = one["name"] == best
    assert in_sex(typed(content)).best != best


def test_worse_than_chance_is_an_alarm_and_not_the_method_to_speak_of(result: AuditResult) -> None:
    other = with_areas(result, [0.7, 0.3, 0.51, 0.52])
    assert in_sex(other).best not in (None, other.methods[1].name)
    alarm = with_areas(result, [0.3, 0.51, 0.51, 0.52])
    assert in_sex(alarm).answer == "worse than chance"
    assert "an alarm" in headline(alarm, "sex")


def test_with_too_few_people_no_method_is_the_best(result: AuditResult) -> None:
    other = with_areas(result, [None] * 4, verdict="insufficient evidence")
    assert (in_sex(other).best, in_sex(other).answer) == (None, "too few people")
    assert "Too few people" in summary(other)


@pytest.mark.parametrize(
    ("before", "after", "majority", "kind"),
    [
        ([0.7995, 0.8005], [0.7991, 0.8008], 0.69, "as well"),
        ([0.7995, 0.8005], [0.7975, 0.7985], 0.69, "less well"),  # a small loss is a loss
        ([0.7995, 0.8005], [0.7995, 0.8005], 0.69, "no clear difference"),  # equal twice: no proof
        ([0.7995, 0.8005], [0.7695, 0.7705], 0.69, "less well"),
        ([0.7695, 0.7705], [0.7995, 0.8005], 0.69, "better"),
        ([0.79, 0.81], [0.76, 0.83], 0.69, "no clear difference"),
        ([0.9005, 0.9015], [0.8865, 0.8875], 0.887, "no better than the commonest class"),
        ([0.9005, 0.9015], [0.8905, 0.8915], 0.887, "less well"),  # most of what was gained
        ([0.80], [0.79], 0.69, "one seed"),
    ],
)
def test_what_y_costs_is_judged_against_what_there_was_to_lose(
    result: AuditResult, before: list[float], after: list[float], majority: float, kind: str
) -> None:
    found = in_sex(with_y(result, before=before, after=after, majority=majority)).methods["dF3"]
    assert found.y == kind
    assert found.difference.value == pytest.approx(sum(after) / len(after) - sum(before) / len(before))
    assert (found.difference.low is None) == (kind == "one seed")


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [
        (-0.017, -0.008, "less well"),
        (-0.002, -0.001, "less well"),  # wholly below zero and inside the margin
        (0.001, 0.002, "better"),
        (-0.009, 0.005, "as well"),
        (-0.01, 0.01, "as well"),
        (-0.009, 0.0, "as well"),
        (-0.011, 0.005, "no clear difference"),
        (-0.005, 0.011, "no clear difference"),
        (None, None, "one seed"),
    ],
)
def test_one_rule_says_what_a_difference_amounts_to(low: float | None, high: float | None, kind: str) -> None:
    assert judge_difference(Difference(-0.001, low, high), margin=0.01) == kind


@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_repetitions_that_agree_exactly_are_not_said_to_predict_as_well(margin: float) -> None:
    assert judge_difference(Difference(0.0, 0.0, 0.0), margin=margin) == "no clear difference"


def test_without_a_margin_no_interval_is_narrow_enough() -> None:
    assert judge_difference(Difference(0.0, -0.001, 0.001), margin=0.0) == "no clear difference"


@pytest.mark.parametrize(
    ("mean", "low", "no_better"),
    [(0.592, 0.57, True), (0.58, 0.57, True), (0.592, 0.591, False), (0.62, 0.57, False), (0.592, None, False)],
)
def test_data_at_the_rate_of_the_commonest_class_get_the_same_words_as_methods_there(
    result: AuditResult, mean: float, low: float | None, no_better: bool
) -> None:
    def change(content: Content) -> None:
        for one in content["methods"]:
            one["y"]["majority"] = 0.59
            high = None if low is None else 2 * mean - low
            one["y"]["accuracy"] = {"mean": mean, "low": low, "high": high, "values": [mean, mean]}

    other = changed(result, change)
    for one in other.methods:
        assert (in_sex(other).methods[one.name].y == "no better than the commonest class") is no_better
        assert ("no better than by always naming" in sentence(other, one, "sex")) is no_better


def test_the_difference_of_y_is_taken_seed_by_seed(result: AuditResult) -> None:
    before, after = result.methods[:2]
    found = difference_of_y(before, after, test_share=result.test_share, tested=100)
    pairs = zip(after.y.accuracy.values, before.y.accuracy.values, strict=True)
    assert found.value == pytest.approx(sum((a or 0) - (b or 0) for a, b in pairs) / SEEDS)


def test_where_everybody_was_tested_once_people_tell_the_noise_of_the_difference(result: AuditResult) -> None:
    """20 of 200 lost and 30 gained: the square root of (21/202 + 31/202 - (10/202)^2) / 202, widened for two folds."""

    def change(content: Content) -> None:
        content["methods"][1]["changed"] = {"people": 200, "lost": 20, "gained": 30}

    folds = with_y(result, before=[0.6, 0.7], after=[0.65, 0.75], majority=0.5)
    found = difference_of_y(folds.methods[0], changed(folds, change).methods[1], test_share=0.02, tested=80)
    error = ((21 / 202 + 31 / 202 - (10 / 202) ** 2) / 202 * (1 + 2 * 0.02)) ** 0.5
    assert found.value == pytest.approx(0.05)
    assert found.low == pytest.approx(0.05 - 1.959964 * error, abs=1e-6)
    assert found.high == pytest.approx(0.05 + 1.959964 * error, abs=1e-6)


def test_seeds_that_lose_the_same_by_chance_are_not_certainty(result: AuditResult) -> None:
    before, after = with_y(result, before=[0.6, 0.7], after=[0.5, 0.6], majority=0.5).methods[:2]
    found = difference_of_y(before, after, test_share=result.test_share, tested=80)
    assert found.low is not None
    assert found.high is not None
    assert found.low < -0.12 < -0.08 < found.high


def test_repetitions_that_agree_exactly_are_not_said_to_be_certain(result: AuditResult) -> None:
    same = with_y(result, before=[0.7, 0.8], after=[0.7, 0.8], majority=0.5)
    said = sentence(same, same.methods[1], "sex")
    assert "(accuracy 0.0 points, equal in every repetition: no proof)" in said
    assert "neither clearly better nor clearly worse" in said
    assert "interval" not in said


def test_only_seeds_that_both_have_are_compared(result: AuditResult) -> None:
    before, after = with_y(result, before=[0.6, 0.7, 0.8], after=[0.5, 0.6, 0.9], majority=0.5).methods[:2]
    whole, part = (
        difference_of_y(before, one, test_share=result.test_share, tested=80)
        for one in (after, typed_with_values(result, after.name, [0.5, 0.6, None]))
    )
    assert whole.value == pytest.approx(-0.1 / 3)
    assert part.value == pytest.approx(-0.1)


def typed_with_values(result: AuditResult, name: str, values: list[float | None]) -> Any:
    def change(content: Content) -> None:
        one = next(one for one in content["methods"] if one["name"] == name)
        one["seeds"], one["y"]["accuracy"]["values"], one["changed"] = list(range(len(values))), values, None

    return changed(result, change).method(name)


@pytest.mark.parametrize(
    ("areas", "quiet"),
    [
        ({"logistic": 0.5, "boosting": 0.8}, True),
        ({"logistic": 0.8, "boosting": 0.8}, False),
        ({"logistic": 0.5, "boosting": 0.55}, False),
        ({"boosting": 0.8}, False),
        ({"logistic": None, "boosting": 0.8}, False),
    ],
)
def test_a_success_of_the_linear_probe_alone_is_found(
    result: AuditResult, areas: dict[str, float | None], quiet: bool
) -> None:
    def change(content: Content) -> None:
        means: Content = {name: {"mean": area, "low": None, "high": None, "values": []} for name, area in areas.items()}
        rates = {name: dict.fromkeys(("accuracy", "balanced_accuracy", "auc"), mean) for name, mean in means.items()}
        leak(content, 1).update(probes=rates, null_auc_high=0.6)

    assert in_sex(changed(result, change)).methods["dF3"].only_linear_is_quiet is quiet


def test_a_gap_in_being_selected_is_one_only_beyond_chance(result: AuditResult) -> None:
    def change(content: Content, value: float | None) -> None:
        gap = content["methods"][0]["decisions"]["by"][0]["between"]["demographic_parity_difference"]
        gap |= {"value": value, "chance": {"median": 0.1, "limit": 0.2, "p_value": 0.5}}

    found = [changed(result, lambda c, v=v: change(c, v)).findings.selection["sex"] for v in (0.2, 0.21, None)]  # type: ignore[misc]
    assert [gap.beyond_chance for gap in found] == [False, True, None]
    assert [gap.answer for gap in found] == ["within chance", "beyond chance", "too few people"]
    assert list(result.findings.selection) == ["sex", "address"]


@pytest.mark.parametrize(
    ("everyone", "answer", "said"),
    [(True, "everybody selected", "predicts yes for everybody"), (False, "nobody selected", "predicts yes for nobody")],
)
def test_where_everybody_or_nobody_is_selected_there_is_no_verdict(
    result: AuditResult, everyone: bool, answer: str, said: str
) -> None:
    def change(content: Content) -> None:
        by = content["methods"][0]["decisions"]["by"][0]
        for group in by["groups"]:
            group["selected"] = group["n"] if everyone else 0
        level = by["groups"][0]["label"]
        gap = {"value": 0.0, "low": 0.0, "high": 0.1, "highest": level, "lowest": level}
        by["between"]["demographic_parity_difference"] |= gap | {"chance": {"median": 0, "limit": 0, "p_value": 1}}

    other = changed(result, change)
    gap = other.findings.selection["sex"]
    assert (gap.answer, gap.beyond_chance, gap.highest, gap.lowest) == (answer, None, None, None)
    (harm,) = [words for words in answers(other)[HARMED] if "classifier" in words and "by sex" in words]
    assert said in harm
    assert "points" not in harm
    assert "not your own model" in harm


def test_groups_selected_equally_often_have_no_higher_one(result: AuditResult) -> None:
    def change(content: Content) -> None:
        by = content["methods"][0]["decisions"]["by"][0]
        gap = {"value": 0.0, "low": 0.0, "high": 0.1, "highest": "F", "lowest": "F"}
        by["between"]["demographic_parity_difference"] |= gap | {"chance": {"median": 0, "limit": 0.1, "p_value": 1}}

    other = changed(result, change)
    assert (other.findings.selection["sex"].answer, other.findings.selection["sex"].highest) == ("within chance", None)
    assert any("equally often for all groups by sex" in words for words in answers(other)[HARMED])


def test_without_decisions_there_is_no_gap(result: AuditResult) -> None:
    def change(content: Content) -> None:
        for one in content["methods"]:
            one["decisions"] = None

    assert changed(result, change).findings.selection == {}


def test_how_sure_it_is_counts_verdicts_and_false_alarms(result: AuditResult) -> None:
    sure = result.findings.sureness
    assert sure is not None
    judged = [found for *_, found in result.measured() if found.verdict != "insufficient evidence"]
    assert sure.verdicts == len(judged)
    assert sure.false_alarms == pytest.approx(len(judged) / 100)
    assert sure.seeds == SEEDS
    quiet = [found.null_auc_high or 0.0 for found in judged if found.verdict == "not detected"]
    assert sure.noticed_from == max(quiet, default=None)


def test_only_together_needs_two_attributes() -> None:
    assert only_together({(): ["a"], ("sex",): ["a", "b"]}) == ()
    assert only_together({}) == ()
    assert only_together({(): [], ("s",): ["a"], ("r",): [], ("s", "r"): ["b", "a"]}) == ("b",)
