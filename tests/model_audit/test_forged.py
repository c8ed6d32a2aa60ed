"""Item 2, model audits: results that were changed with everything that follows, and still contradict themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from diffoci.__main__ import main
from diffoci.audit.certificates.ceiling import slack
from diffoci.model_audit.result import ModelAuditResult
from diffoci.report.model_audit.build import build_model_report
from diffoci.report.model_audit.verify import check_model_report, read_model_audit
from diffoci.runs.store import Run

Content = dict[str, Any]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ModelAuditResult:
    folder = tmp_path_factory.mktemp("forged") / "run"
    few = ["--option", "rows=300", "--setting", "permutations=19", "--setting", "rows=100", "--jobs", "1"]
    assert main(["audit-scores", "--data", "lender", *few, "--factors", "part_time", "--out", str(folder)]) == 0
    found: ModelAuditResult = Run.open(folder).result()
    return found


def first(content: Content) -> Content:
    found: Content = content["models"][0]
    return found


def by_sex(content: Content) -> Content:
    found: Content = first(content)["comparisons"][0]
    return found


def a_group_that_is_not_judged(content: Content) -> None:
    group = by_sex(content)["groups"][0]
    group |= {"judged": False, "note": "7 people: not judged", "rates": {}, "auc": None, "calibration": []}
    by_sex(content).update(between={}, four_fifths=[], against=[])


def nobody_counted(content: Content) -> None:
    for group in by_sex(content)["groups"]:
        group["counts"] = None
        group["rates"]["selection_rate"] = {"value": 0.4, "low": 0.3, "high": 0.5, "k": 40, "n": 100}


def a_rate_less(content: Content) -> None:
    for group in by_sex(content)["groups"]:
        del group["rates"]["false_positive_rate"]


def no_gaps(content: Content) -> None:
    by_sex(content).update(between={}, four_fifths=[], against=[])


def no_comparison(content: Content) -> None:
    for one in content["models"]:
        one["comparisons"] = []


def people_who_are_not_there(content: Content) -> None:
    content["provenance"]["rows"] += 100


def everyone_but_the_groups(content: Content) -> None:
    overall = first(content)["overall"]
    overall["counts"][1][1] += 1
    overall["counts"][0][0] -= 1


def nothing_found(content: Content) -> None:
    for one in content["models"]:
        for about in one["attributes"].values():
            about["criteria"]["independence"]["answer"] = "not found"
            about["criteria"]["independence"]["p_value"] = 0.05


def no_such_p_value(content: Content) -> None:
    first(content)["attributes"]["sex"]["criteria"]["separation"]["p_value"] = 0.123


def surer_area(content: Content) -> None:
    area = first(content)["overall"]["auc"]
    area.update(low=area["value"] - 0.001, high=area["value"] + 0.001)


def better_calibrated(content: Content) -> None:
    observed = first(content)["overall"]["calibration"][0]["observed"]
    observed.update(value=0.5, low=0.4, high=0.6)


def a_smaller_paired_gap(content: Content) -> None:
    content["pairs"][0].update(gap_second=0.0)


def a_smaller_paired_coefficient(content: Content) -> None:
    content["paired_criteria"][0]["difference"].update(low=-0.01, high=0.01)


def a_surer_coefficient(content: Content) -> None:
    first(content)["attributes"]["sex"]["criteria"]["independence"]["error"] /= 10


def coefficients_not_compared(content: Content) -> None:
    del content["paired_criteria"]


def a_ceiling_of_more_people(content: Content) -> None:
    for one in content["models"]:
        for bound in one["attributes"]["sex"]["ceilings"]:
            bound["people"] = [1000 * n for n in bound["people"]]
            bound["slack"] = slack(tuple(bound["people"]), 0.05)


def a_ceiling_below_its_own_threshold(content: Content) -> None:
    content["models"][1]["attributes"]["sex"]["ceilings"][0]["found"] = 0.0


def models_not_compared(content: Content) -> None:
    content["pairs"] = []


def a_gap_explained_by_factors(content: Content) -> None:
    first(content)["attributes"]["sex"]["gaps"][0]["standardised"] = {"value": 0.0, "low": -0.01, "high": 0.01}


def a_law_without_a_ratio(content: Content) -> None:
    for row in first(content)["law"][0]["tables"][0]["categories"]:
        row["impact_ratio"] = 1.0


def decided_by_something_else(content: Content) -> None:
    first(content).update(basis="threshold", threshold=0.7)


def a_rarer_outcome(content: Content) -> None:
    content["outcome"]["mean"] /= 2


def no_calibration(content: Content) -> None:
    by_sex(content)["groups"][0]["calibration"] = []


def no_area(content: Content) -> None:
    by_sex(content)["groups"][0]["auc"] = None


def a_mean_score_outside_its_bin(content: Content) -> None:
    first(content)["overall"]["calibration"][0]["mean_score"] = 0.99


def no_gaps_within_factors(content: Content) -> None:
    for one in content["models"]:
        one["attributes"]["sex"]["gaps"] = []


def no_curves(content: Content) -> None:
    first(content)["attributes"]["age"]["curves"] = []


def nothing_could_be_done(content: Content) -> None:
    del first(content)["attributes"]["sex"]["what_if"][1]


def no_criteria(content: Content) -> None:
    for one in content["models"]:
        one["attributes"]["sex"]["criteria"] = {}
    content["paired_criteria"] = [one for one in content["paired_criteria"] if one["attribute"] != "sex"]


def coefficients_of_more_people(content: Content) -> None:
    for about in first(content)["attributes"].values():
        for criterion in about["criteria"].values():
            criterion["rows"] = 100_000


def not_asked_about_sex(content: Content) -> None:
    content["spec"]["roles"]["sensitive"] = ["age"]


def another_outcome(content: Content) -> None:
    content["spec"]["roles"]["label"] = "promoted"


def scores_of_another_model(content: Content) -> None:
    content["spec"]["roles"]["scores"] = ["score_c", "score_d"]


def surer_than_shuffles_can_be(content: Content) -> None:
    first(content)["attributes"]["age"]["curves"][0]["worst"]["p_value"] = 0.0


def surer_than_redraws_can_be(content: Content) -> None:
    content["pairs"][0]["p_value"] = 0.0


def more_warnings(content: Content) -> None:
    content["cannot"] = ["Nothing can be said of anything."]


@pytest.mark.parametrize(
    "change",
    [no_calibration, no_area, a_mean_score_outside_its_bin, no_gaps_within_factors, no_curves, nothing_could_be_done,
     no_criteria, coefficients_of_more_people, not_asked_about_sex, another_outcome, scores_of_another_model,
     surer_than_shuffles_can_be, surer_than_redraws_can_be, more_warnings,
     a_group_that_is_not_judged, nobody_counted, a_rate_less, no_gaps, no_comparison, people_who_are_not_there,
     everyone_but_the_groups, nothing_found, no_such_p_value, surer_area, better_calibrated,
     a_smaller_paired_gap, a_ceiling_of_more_people, a_ceiling_below_its_own_threshold,
     a_smaller_paired_coefficient, a_surer_coefficient, coefficients_not_compared, models_not_compared,
     a_gap_explained_by_factors, a_law_without_a_ratio, decided_by_something_else, a_rarer_outcome],
)  # fmt: skip
def test_item_2_a_forged_model_audit_is_found(result: ModelAuditResult, change: Callable[[Content], None]) -> None:
    """Without its rows, which say much more."""
    assert complaints(forged(result, change))


def complaints(report: str) -> list[str]:
    try:
        checks = check_model_report(report, read_model_audit(report))
    except ValueError as problem:
        return [str(problem)] if "damaged" in str(problem) else []
    return [str(difference) for check in checks for difference in check.agreement.differences]


def forged(result: ModelAuditResult, change: Callable[[Content], None]) -> str:
    content = json.loads(msgspec.json.encode(result))
    change(content)
    return build_model_report(msgspec.convert(content, ModelAuditResult), created=1.7e9)


def a_smaller_coefficient(content: Content) -> None:
    first(content)["attributes"]["sex"]["criteria"]["sufficiency"]["T"] -= 0.001


def a_lower_worst_gap(content: Content) -> None:
    first(content)["attributes"]["sex"]["ceilings"][0]["found"] -= 0.001


def a_lower_mean_score(content: Content) -> None:
    first(content)["overall"]["calibration"][0]["mean_score"] -= 0.001


@pytest.mark.parametrize("change", [a_smaller_coefficient, a_lower_worst_gap, a_lower_mean_score])
def test_item_2_what_only_rows_show_is_found_without_a_rerun_where_they_are_at_hand(
    result: ModelAuditResult,
    change: Callable[[Content], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "report.html"
    path.write_text(forged(result, change))
    assert main(["verify", str(path)]) == 2
    assert "DIFFER: " in capsys.readouterr().out.split("rows  ")[1]


def test_the_honest_one_agrees(result: ModelAuditResult, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.html"
    path.write_text(build_model_report(result, created=1.7e9))
    assert not complaints(path.read_text())
    assert main(["verify", str(path)]) == 0
    said = capsys.readouterr().out
    assert "rows        agree" in said
    assert "what shuffling gives coefficients (limits, p-values) is believed here" in said
    assert "Every number agrees." in said
