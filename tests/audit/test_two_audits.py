"""Two audits compared: noise is called noise, real changes are found, and the words say which is which."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from diffoci.__main__ import main
from diffoci.audit.noise import (
    auc_variance,
    estimate,
    paired_difference,
    share_difference,
    share_variance,
    unpaired_difference,
)
from diffoci.audit.result import AuditResult
from diffoci.audit.two_audits.changes import attribute_pairs, compare_audits
from diffoci.figures.two_audits import words
from diffoci.figures.two_audits.picture import TOO_FEW, moves
from tests.plain_result import Content, changed, leak, plain, typed
from tests.sample_audit import sample

SHARE = 0.10 / 0.75


@pytest.fixture(scope="session")
def first() -> AuditResult:
    return sample().result()


@pytest.fixture
def content(first: AuditResult) -> Content:
    """The same audit of other people, as if in another year, to be changed."""
    other = plain(first)
    other["provenance"] |= {"sha256": "0" * 64, "title": "Student Performance, another year"}
    return other


@pytest.fixture
def second(content: Content) -> AuditResult:
    """The same audit of other people, as if in another year."""
    return typed(content)


def area(group: np.ndarray, score: np.ndarray) -> float:
    """AUC by ranks: scikit-learn's checks its input for longer than these tests may take."""
    ones = int(group.sum())
    return float((stats.rankdata(score)[group == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(group) - ones)))


def audit_of_people(rng: np.random.Generator, *, rows: int, splits: int, signal: float) -> tuple[list[float], float]:
    """AUCs of one audit: one sample of people, a direction learnt on each split, and scored on its test rows."""
    group = rng.integers(0, 2, rows)
    x = rng.normal(size=(rows, 4)) + signal * group[:, None] / 2
    areas, tested = [], set()
    for _ in range(splits):
        order = rng.permutation(rows)
        test, train = order[: rows // 10], order[rows // 4 :]
        direction = x[train][group[train] == 1].mean(0) - x[train][group[train] == 0].mean(0)
        areas.append(area(group[test], x[test] @ direction))
        tested |= set(test.tolist())
    return areas, auc_variance(float(np.mean(areas)), len(tested) / 2, len(tested) / 2)


@pytest.mark.parametrize(("rows", "splits"), [(300, 3), (1000, 5)])
def test_audits_of_the_same_truth_differ_by_noise_in_nineteen_of_twenty(rows: int, splits: int) -> None:
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(200):
        sides = [audit_of_people(rng, rows=rows, splits=splits, signal=0.8) for _ in range(2)]
        one, two = (estimate(values, test_share=SHARE, of_rows=of_rows) for values, of_rows in sides)
        assert one is not None
        assert two is not None
        found = unpaired_difference(one, two)
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= 0 <= found.high
    assert missed <= 10


def test_a_change_worth_talking_about_is_found() -> None:
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(40):
        sides = [audit_of_people(rng, rows=4000, splits=5, signal=signal) for signal in (0.5, 1.2)]
        one, two = (estimate(values, test_share=SHARE, of_rows=of_rows) for values, of_rows in sides)
        assert one is not None
        assert two is not None
        found += (unpaired_difference(one, two).low or 0) > 0
    assert found >= 38


def test_errors_of_rows_are_those_of_simulated_rows() -> None:
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1], [60, 40])
    areas = [area(group, rng.normal(size=100) + group) for _ in range(2000)]
    assert np.sqrt(auc_variance(float(np.mean(areas)), 40, 60)) == pytest.approx(np.std(areas), rel=0.1)
    assert auc_variance(0.5, 30, 30) == auc_variance(0.5, 30.0, 30.0) > auc_variance(0.9, 30, 30) > 0
    assert auc_variance(1.0, 30, 30) > 0
    assert share_variance(1.0, 50) > 0


def test_two_equal_gaps_are_no_proof() -> None:
    found = paired_difference([0.60, 0.62], [0.63, 0.65], test_share=SHARE, of_rows=share_variance(0.6, 70))
    assert found.p_value is not None
    assert found.p_value > 0.05
    same = paired_difference([0.6, 0.7], [0.6, 0.7], test_share=SHARE, of_rows=0.01)
    assert (same.value, same.p_value) == (0.0, 1.0)


def test_an_audit_against_itself_is_paired_and_unchanged(first: AuditResult) -> None:
    found = compare_audits(first, first)
    assert found.paired
    assert not found.dropped
    assert {row.method for row in found.methods} == {"standard", "dF3", "dF3+penalty", "leace"}
    assert {row.y.judgement for row in found.methods} == {"no more than noise"}
    assert words.asked_differently(first, first) == []
    assert "No more than noise" in words.headline(found, words.names_of(first, first))


def test_other_people_are_not_paired_and_wider(first: AuditResult, second: AuditResult) -> None:
    found = compare_audits(first, second)
    assert not found.paired
    row = found.main
    assert row.guessed is not None
    assert row.guessed.difference.low is not None
    assert row.guessed.difference.low < -0.1
    assert "different rows or splits" in words.method_note(found)
    assert found.comparisons == 4 + 8 + len(found.rates)


def test_a_large_change_is_said_in_the_title(first: AuditResult, second: AuditResult) -> None:
    def of(mean: float) -> Callable[[Content], None]:
        def change(content: Content) -> None:
            for k in range(len(content["methods"])):
                leak(content, k)["auc"] |= {"mean": mean, "values": [mean - 0.001, mean + 0.001]}
                leak(content, k)["test_rows"] = 5000

        return change

    first, second = changed(first, of(0.6)), changed(second, of(0.9))
    found = compare_audits(first, second)
    said = words.headline(found, words.names_of(first, second))
    assert said.startswith(
        "Sex is easier to guess in Student Performance, another year than in mathematics (simulated): "
    )
    assert "0.90 against 0.60 (difference 0.30, interval 0.2" in said
    back = words.headline(compare_audits(second, first), words.names_of(second, first))
    assert "is harder to guess" in back
    assert "difference −0.30" in back


def test_among_many_comparisons_a_small_p_value_is_only_perhaps(first: AuditResult, second: AuditResult) -> None:
    def alike(content: Content) -> None:
        for k in range(len(content["methods"])):
            for attribute in ("sex", "address"):
                leak(content, k, attribute)["auc"] |= {"mean": 0.7, "values": [0.7, 0.7]}
                leak(content, k, attribute)["test_rows"] = 400

    first, second = changed(first, alike), changed(second, alike)
    leace = [one.name for one in second.methods].index("leace")
    second = changed(second, lambda content: leak(content, leace)["auc"].update(mean=0.78, values=[0.78, 0.78]))
    found = {row.method: row.guessed for row in compare_audits(first, second).methods if row.attributes[0] == "sex"}
    assert found["leace"] is not None
    assert found["leace"].judgement == "perhaps"
    assert found["dF3"] is not None
    assert found["dF3"].judgement == "no more than noise"


def test_one_split_leaves_the_noise_unknown(first: AuditResult, content: Content) -> None:
    for one in content["methods"]:
        one["y"]["accuracy"]["values"] = one["y"]["accuracy"]["values"][:1]
    row = compare_audits(first, typed(content)).main
    assert (row.y.judgement, row.y.difference.low) == ("not known", None)


def test_other_attributes_are_compared_by_rank(first: AuditResult, content: Content) -> None:
    content["groups"] = {"race" if name == "sex" else "region": group for name, group in content["groups"].items()}
    for one in content["methods"]:
        by = one["leakage"]["by_attribute"]
        one["leakage"]["by_attribute"] = {"race": by["sex"], "region": by["address"]}
    second = typed(content)
    assert attribute_pairs(first, second) == [("sex", "race"), ("address", "region")]
    said = words.headline(compare_audits(first, second), words.names_of(first, second))
    assert said.startswith("These audits ask different things: sex is guessed in ")
    assert ", race in " in said
    assert not compare_audits(first, second).rates
    assert any("Sensitive attributes: sex and address → race and region" in line
               for line in words.asked_differently(first, second))  # fmt: skip


def test_other_outcomes_are_said_first_and_their_rates_not_compared(first: AuditResult, content: Content) -> None:
    content["label"]["name"] = "hired"
    found = compare_audits(first, typed(content))
    said = words.headline(found, ("last year", "this year"))
    assert (
        said == f"These audits ask different things: {first.label.name} is predicted in last year, hired in this year"
    )
    assert not found.rates
    content["label"] = {"name": first.label.name, "classes": ["no", "perhaps"]}
    said = words.headline(compare_audits(first, typed(content)), ("last year", "this year"))
    assert "as no or perhaps in this year" in said


def with_people(content: Content, *, outcome: tuple[float, float], selected: tuple[float, float]) -> None:
    """A thousand people of each sex who have the outcome, and are predicted to, at these rates."""
    for group, rate in zip(content["groups"]["sex"].values(), outcome, strict=True):
        group |= {"rows": 1000, "label_rate": rate}
    for one in content["methods"]:
        for group, rate in zip(one["decisions"]["by"][0]["groups"], selected, strict=True):
            group |= {"n": 1000, "selected": round(1000 * rate), "judged": True}


def test_a_group_that_lost_the_outcome_is_the_heading(first: AuditResult, content: Content) -> None:
    before = changed(first, lambda one: with_people(one, outcome=(0.32, 0.35), selected=(0.3, 0.3)))
    with_people(content, outcome=(0.07, 0.35), selected=(0.2, 0.3))
    found = compare_audits(before, typed(content))
    woman, label = next(iter(first.groups["sex"])), first.label
    said = words.headline(found, ("spring", "autumn"))
    assert said.startswith(
        f"Sex “{woman}”: {label.name} is “{label.classes[-1]}” less often in autumn than in spring, "
    )
    assert "7.0 % against 32.0 % (−25.0 points, interval −28." in said
    judged = {(rate.what, rate.group): rate.change.judgement for rate in found.rates if rate.attribute == "sex"}
    man = list(first.groups["sex"])[1]
    assert judged["outcome", woman] == judged["predicted", woman] == "more than noise"
    assert judged["outcome", man] == judged["predicted", man] == "no more than noise"
    table = words.rates_table(found)
    assert {"Group", "How often", "First", "Second", "Difference", "More than noise?"} == set(table.columns)
    assert len(table) == len(found.rates)


def test_a_gap_that_opened_is_the_heading_where_it_is_the_largest_change(first: AuditResult, content: Content) -> None:
    before = changed(first, lambda one: with_people(one, outcome=(0.3, 0.3), selected=(0.3, 0.3)))
    with_people(content, outcome=(0.3, 0.3), selected=(0.15, 0.45))
    found = compare_audits(before, typed(content))
    woman, man = first.groups["sex"]
    said = words.headline(found, ("spring", "autumn"))
    assert said.startswith(
        f"Sex, {man} over {woman}: the gap in being predicted “{first.label.classes[-1]}” is 30.0 points"
    )
    assert "in autumn, 0.0 points in spring (+30.0 points" in said


def test_the_same_rows_have_the_same_outcomes_and_only_predictions_are_compared(first: AuditResult) -> None:
    assert {rate.what for rate in compare_audits(first, first).rates} <= {"predicted", "gap"}


def test_shares_of_people_are_tested_as_the_exact_test_does() -> None:
    for k, n, j, m in ((0, 30, 4, 30), (3, 40, 12, 45), (160, 500, 35, 500), (20, 20, 15, 20)):
        found = share_difference((k / n, n), (j / m, m))
        exact = stats.fisher_exact([[k, n - k], [j, m - j]]).pvalue
        assert found.p_value is not None
        assert found.p_value == pytest.approx(exact, abs=0.02)
    nothing = share_difference((0.0, 40), (0.0, 60))
    assert (nothing.value, nothing.p_value) == (0.0, 1.0)
    assert nothing.low is not None
    assert nothing.low < 0


def test_shares_of_the_same_truth_differ_by_noise_in_nineteen_of_twenty() -> None:
    rng = np.random.default_rng(4)
    draws = rng.binomial(200, 0.2, size=(1000, 2))
    found = [share_difference((k / 200, 200), (j / 200, 200)) for k, j in draws]
    assert sum((one.p_value or 0) < 0.05 for one in found) <= 65
    assert sum((one.low or 0) > 0 or (one.high or 0) < 0 for one in found) <= 65


def test_dropped_features_and_other_settings_are_listed(first: AuditResult, content: Content) -> None:
    names, condition = content["features"]["names"], content["features"]["conditions"][1]
    condition["dropped"] = [*condition["dropped"], "absences"]
    condition["frequency"][names.index("absences")] = 1.0
    content["spec"]["settings"]["network"]["beta"] = 9.0
    content["features"]["names"] = [*names[:-1], "unheard of"]
    second = typed(content)
    table = words.dropped_table(compare_audits(first, second), words.names_of(first, second))
    assert "absences" not in table["Feature"].tolist()  # it is not a feature of both any more
    content["features"]["names"] = names
    second = typed(content)
    table = words.dropped_table(compare_audits(first, second), words.names_of(first, second))
    assert table.loc[table["Feature"] == "absences"].iloc[0, 3] == "dropped in 2 of 2 repetitions"
    lines = words.asked_differently(first, second)
    assert "Setting network.beta: 2.0 → 9.0" in lines
    assert any(line.startswith("Content of the data (sha256)") for line in lines)


def test_the_picture_has_an_arrow_a_method_and_the_numbers(first: AuditResult, content: Content) -> None:
    content["provenance"]["title"] = "<img src=x onerror=alert(1)>"
    second = typed(content)
    found, names = compare_audits(first, second), words.names_of(first, second)
    drawing = moves(found, names, attributes=("sex", "sex"))
    arrows = [trace for trace in drawing.figure.data if trace.mode == "lines+markers+text"]
    assert [trace.meta for trace in arrows] == ["standard", "dF3", "dF3+penalty", "leace"]
    for trace, row in zip(arrows, [row for row in found.methods if row.attributes[0] == "sex"], strict=True):
        assert row.guessed is not None
        assert list(trace.x) == [row.guessed.first, row.guessed.second]
        assert list(trace.y) == [row.y.first, row.y.second]
        assert trace.line.dash == "dot"
    assert len(drawing.data) == 8
    assert "Standard data from 0." in drawing.alt
    assert "<img" not in json.dumps(drawing.figure.to_plotly_json(), default=str)
    for k in range(len(content["methods"])):
        leak(content, k)["auc"] |= {"mean": None, "values": []}
    second = typed(content)
    assert moves(compare_audits(first, second), names, attributes=("sex", "sex")).alt == TOO_FEW
    assert words.headline(compare_audits(first, second), names).startswith("Too few people")


def test_audits_without_a_common_method_are_a_sentence(first: AuditResult, content: Content) -> None:
    content["methods"] = [{**one, "name": f"other {one['name']}"} for one in content["methods"]]
    with pytest.raises(ValueError, match="no method in common"):
        compare_audits(first, typed(content))


@pytest.mark.parametrize("command", ["two-audits", "compare"])
def test_the_command_says_it_and_writes_json(capsys: pytest.CaptureFixture[str], command: str) -> None:
    run = str(sample().folder)
    assert main([command, run, run]) == 0
    said = capsys.readouterr().out
    assert "no more than noise" in said
    assert "Both were asked the same" in said
    assert main([command, run, run, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["paired"] is True
    assert len(content["methods"]) == 8
