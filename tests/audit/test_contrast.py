"""Two audits compared: noise is called noise, real changes are found, and the words say which is which."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from diffoci.__main__ import main
from diffoci.audit.contrast import attribute_pairs, contrast
from diffoci.audit.noise import auc_variance, estimate, paired_difference, share_variance, unpaired_difference
from diffoci.figures import contrast_words as words
from diffoci.figures.two_audits import TOO_FEW, moves
from tests.sample_audit import sample

SHARE = 0.10 / 0.75


@pytest.fixture(scope="session")
def first() -> dict[str, Any]:
    return sample().result()


@pytest.fixture
def second(first: dict[str, Any]) -> dict[str, Any]:
    """The same audit of other people, as if in another year."""
    other: dict[str, Any] = copy.deepcopy(first)
    other["provenance"] |= {"sha256": "0" * 64, "title": "Student Performance, another year"}
    return other


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


def test_an_audit_against_itself_is_paired_and_unchanged(first: dict[str, Any]) -> None:
    found = contrast(first, first)
    assert found.paired
    assert not found.dropped
    assert {row.method for row in found.methods} == {"standard", "dF3", "dF3+penalty", "leace"}
    assert {row.y.judgement for row in found.methods} == {"no more than noise"}
    assert words.asked_differently(first, first) == []
    assert "No more than noise" in words.headline(found, words.names_of(first, first))


def test_other_people_are_not_paired_and_wider(first: dict[str, Any], second: dict[str, Any]) -> None:
    found = contrast(first, second)
    assert not found.paired
    row = words.main_row(found)
    assert row.guessed is not None
    assert row.guessed.difference.low is not None
    assert row.guessed.difference.low < -0.1
    assert "different rows or splits" in words.method_note(found)
    assert found.comparisons == 4 + 8


def test_a_large_change_is_said_in_the_title(first: dict[str, Any], second: dict[str, Any]) -> None:
    for result, mean in ((first := copy.deepcopy(first), 0.6), (second, 0.9)):
        for one in result["methods"]:
            leak = one["leakage"]["by_attribute"]["sex"]["representation"]
            leak["auc"] |= {"mean": mean, "values": [mean - 0.001, mean + 0.001]}
            leak["test_rows"] = 5000
    found = contrast(first, second)
    said = words.headline(found, words.names_of(first, second))
    assert said.startswith(
        "Sex is easier to guess in Student Performance, another year than in mathematics (simulated): "
    )
    assert "0.90 against 0.60 (difference 0.30, interval 0.2" in said
    back = words.headline(contrast(second, first), words.names_of(second, first))
    assert "is harder to guess" in back
    assert "difference −0.30" in back


def test_among_many_comparisons_a_small_p_value_is_only_perhaps(first: dict[str, Any], second: dict[str, Any]) -> None:
    sex = next(one for one in second["methods"] if one["name"] == "leace")["leakage"]["by_attribute"]["sex"]
    for result in (first := copy.deepcopy(first), second):
        for one in result["methods"]:
            for by in one["leakage"]["by_attribute"].values():
                by["representation"]["auc"] |= {"mean": 0.7, "values": [0.7, 0.7]}
                by["representation"]["test_rows"] = 400
    sex["representation"]["auc"] |= {"mean": 0.78, "values": [0.78, 0.78]}
    found = {row.method: row.guessed for row in contrast(first, second).methods if row.attributes[0] == "sex"}
    assert found["leace"] is not None
    assert found["leace"].judgement == "perhaps"
    assert found["dF3"] is not None
    assert found["dF3"].judgement == "no more than noise"


def test_one_split_leaves_the_noise_unknown(first: dict[str, Any], second: dict[str, Any]) -> None:
    for one in second["methods"]:
        one["y"]["accuracy"]["values"] = one["y"]["accuracy"]["values"][:1]
    row = words.main_row(contrast(first, second))
    assert (row.y.judgement, row.y.difference.low) == ("not known", None)


def test_other_attributes_are_compared_by_rank(first: dict[str, Any], second: dict[str, Any]) -> None:
    second["groups"] = {"race" if name == "sex" else "region": group for name, group in second["groups"].items()}
    for one in second["methods"]:
        by = one["leakage"]["by_attribute"]
        one["leakage"]["by_attribute"] = {"race": by["sex"], "region": by["address"]}
    assert attribute_pairs(first, second) == [("sex", "race"), ("address", "region")]
    said = words.headline(contrast(first, second), words.names_of(first, second))
    assert "sex and race" in said
    assert any("Sensitive attributes: sex and address → race and region" in line
               for line in words.asked_differently(first, second))  # fmt: skip


def test_dropped_features_and_other_settings_are_listed(first: dict[str, Any], second: dict[str, Any]) -> None:
    condition = second["features"]["conditions"][1]
    condition["dropped"] = [*condition["dropped"], "absences"]
    condition["frequency"][second["features"]["names"].index("absences")] = 1.0
    second["spec"]["settings"]["network"]["beta"] = 9.0
    second["features"]["names"] = [*second["features"]["names"][:-1], "unheard of"]
    found = contrast(first, second)
    table = words.dropped_table(found, words.names_of(first, second))
    assert "absences" not in table["Feature"].tolist()  # it is not a feature of both any more
    second["features"]["names"] = first["features"]["names"]
    table = words.dropped_table(contrast(first, second), words.names_of(first, second))
    assert table.loc[table["Feature"] == "absences"].iloc[0, 3] == "dropped by 2 of 2 seeds"
    lines = words.asked_differently(first, second)
    assert "Setting network.beta: 2.0 → 9.0" in lines
    assert any(line.startswith("Content of the data (sha256)") for line in lines)


def test_the_picture_has_an_arrow_a_method_and_the_numbers(first: dict[str, Any], second: dict[str, Any]) -> None:
    second["provenance"]["title"] = "<img src=x onerror=alert(1)>"
    found, names = contrast(first, second), words.names_of(first, second)
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
    for one in second["methods"]:
        one["leakage"]["by_attribute"]["sex"]["representation"]["auc"] |= {"mean": None, "values": []}
    assert moves(contrast(first, second), names, attributes=("sex", "sex")).alt == TOO_FEW
    assert words.headline(contrast(first, second), names).startswith("Too few people")


def test_audits_without_a_common_method_are_a_sentence(first: dict[str, Any], second: dict[str, Any]) -> None:
    second["methods"] = [{**one, "name": f"other {one['name']}"} for one in second["methods"]]
    with pytest.raises(ValueError, match="no method in common"):
        contrast(first, second)


def test_the_command_says_it_and_writes_json(capsys: pytest.CaptureFixture[str]) -> None:
    run = str(sample().folder)
    assert main(["compare", run, run]) == 0
    said = capsys.readouterr().out
    assert "no more than noise" in said
    assert "Both were asked the same" in said
    assert main(["compare", run, run, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["paired"] is True
    assert len(content["methods"]) == 8
