"""Item 2, labs: results that were changed with everything that follows, and still contradict themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from diffoci.__main__ import main
from diffoci.audit.means import mean_over_seeds
from diffoci.report.labs.known import LAB_REPORTS
from diffoci.runs.store import Run
from diffoci.signing.keys import make_key

Content = dict[str, Any]
Change = Callable[[Content], None]


def forged(run: Run, change: Change) -> str:
    """The report that the program would write of the changed result."""
    content = json.loads(msgspec.json.encode(run.result()))
    change(content)
    return LAB_REPORTS[run.study.name].build(msgspec.convert(content, run.study.result), created=run.created)


def complaints(report: str, study: str) -> list[str]:
    lab = LAB_REPORTS[study]
    try:
        checks = lab.check(report, lab.read(report))
    except ValueError as problem:
        return [str(problem)] if "damaged" in str(problem) else []
    return [str(difference) for check in checks for difference in check.agreement.differences]


def averaged(mean: Content, values: list[Any], **how: Any) -> None:
    """Set the values of a mean, and everything that follows from them alone."""
    mean.update(msgspec.to_builtins(mean_over_seeds(values, **how)))


def selector(content: Content, name: str) -> Content:
    found: Content = next(one for one in content["methods"] if one["name"] == name)
    return found


def set_score(content: Content, name: str, measure: str, values: list[float], **how: Any) -> None:
    """Another score in every repetition, with its mean and interval."""
    one = selector(content, name)
    for repetition, value in zip(one["repetitions"], values, strict=True):
        repetition["scores"][measure] = value
    averaged(one["scores"][measure], values, **how)


# The feature lab on generated rows.


def a_lower_error(content: Content) -> None:
    selector(content, "vec-dF1")["scores"]["mse"]["mean"] /= 2


def a_narrower_interval(content: Content) -> None:
    found = selector(content, "FOCI")["scores"]["mse"]
    found.update(low=found["mean"] - 1e-3, high=found["mean"] + 1e-3)


def a_negative_error(content: Content) -> None:
    set_score(content, "FOCI", "mse", [-1.0, -1.0], test_share=0.0)


def a_selector_less(content: Content) -> None:
    content["methods"].remove(selector(content, "full"))


def a_repetition_less(content: Content) -> None:
    one = selector(content, "full")
    del one["repetitions"][1]
    for name in ("scores", "seconds", "size", "T"):
        for mean in one[name].values() if name == "scores" else [one[name]]:
            averaged(mean, mean["values"][:1])
    one["stability"] = None


def selectors_in_another_order(content: Content) -> None:
    content["methods"].reverse()


def said_to_have_failed_and_there(content: Content) -> None:
    content["failures"] = {"FOCI.0.0": "out of memory"}


def a_failure_of_nothing(content: Content) -> None:
    content["failures"] = {"Lasso.0.0": "it is not as good"}


def another_truth(content: Content) -> None:
    content["truth"] = [0, 1, 2, 3]


def no_truth(content: Content) -> None:
    content["truth"] = None
    for one in content["methods"]:
        one["exact"] = None


def real_rows(content: Content) -> None:
    content["real"] = True


def another_title(content: Content) -> None:
    content["title"] = "Hospital admissions"


def more_rows(content: Content) -> None:
    content["rows"] = 200_000


def other_names(content: Content) -> None:
    content["features"][3] = "income"


def described_as_ours(content: Content) -> None:
    selector(content, "KBest").update(family="ours", description="our best method")


def a_test_that_is_none(content: Content) -> None:
    selector(content, "KBest")["tests"] = True


def more_stable(content: Content) -> None:
    selector(content, "vec-dF1")["stability"] = 0.99


def chosen_more_often(content: Content) -> None:
    selector(content, "FOCI")["frequency"][9] = 1.0


def exactly_the_right_ones(content: Content) -> None:
    selector(content, "KBest")["exact"] = 1.0


def all_columns_with_fewer(content: Content) -> None:
    one = selector(content, "full")
    for found in one["repetitions"]:
        found.update(selected=[0, 1, 2], columns=3)
    averaged(one["size"], [3.0, 3.0])
    one.update(stability=1.0, exact=1.0, frequency=[1.0] * 3 + [0.0] * 7)


def weights_that_select_others(content: Content) -> None:
    one = selector(content, "vec-dF1")
    one["repetitions"][1]["theta"] = [0.0] * 9 + [5.0]


def another_last_weight(content: Content) -> None:
    content["paths"][0]["theta"][-1][0] += 0.5


def weights_of_fewer_epochs(content: Content) -> None:
    del content["paths"][0]["epochs"][0], content["paths"][0]["theta"][0]


def no_weights_by_epoch(content: Content) -> None:
    content["paths"] = []


def a_soft_coefficient_of_a_test(content: Content) -> None:
    one = selector(content, "FPR")
    for found in one["repetitions"]:
        found["T"] = 0.9
    averaged(one["T"], [0.9, 0.9], test_share=0.0)


def chosen_by_nobody(content: Content) -> None:
    selector(content, "vec-dF1")["repetitions"][0]["chosen"] = "learning rate 7, weight decay 0, 3 epochs"


def other_data_beside(content: Content) -> None:
    content["spec"]["data"] = "student"


def a_seed_twice(content: Content) -> None:
    content["spec"]["seeds"] = [0, 1, 1]


def a_note_more(content: Content) -> None:
    content["notes"] = ["Checked by an independent laboratory."]


TOY = (
    a_lower_error, a_narrower_interval, a_negative_error, a_selector_less, a_repetition_less,
    selectors_in_another_order, said_to_have_failed_and_there, a_failure_of_nothing, another_truth, no_truth, real_rows,
    another_title, more_rows, other_names, described_as_ours, a_test_that_is_none, more_stable, chosen_more_often,
    exactly_the_right_ones, all_columns_with_fewer, weights_that_select_others, another_last_weight,
    weights_of_fewer_epochs, no_weights_by_epoch, a_soft_coefficient_of_a_test, chosen_by_nobody, other_data_beside,
    a_seed_twice, a_note_more,
)  # fmt: skip

# The same on a table.


def fewer_errors_at_the_same_accuracy(content: Content) -> None:
    set_score(content, "full", "hard_log_loss", [0.1, 0.1])


def an_impossible_accuracy(content: Content) -> None:
    set_score(content, "full", "accuracy", [1.5, 1.5])


def another_outcome(content: Content) -> None:
    content["title"] = content["title"].replace("malignant", "benign")


def another_size_in_words(content: Content) -> None:
    content["about"] = content["about"].replace("569", "56,900")


def simulated_patients(content: Content) -> None:
    content["real"] = False


def a_known_truth_of_patients(content: Content) -> None:
    content["truth"] = [0]


TABLE = (fewer_errors_at_the_same_accuracy, an_impossible_accuracy, another_outcome, another_size_in_words,
         simulated_patients, a_known_truth_of_patients)  # fmt: skip

# Betas, observations, the fairness tables, domain shift and the spurious lab.


def a_beta_less(content: Content) -> None:
    del content["methods"][1], content["paths"][1]


def a_beta_nobody_asked_for(content: Content) -> None:
    content["methods"][1]["beta"] = 7.0


def a_larger_coefficient(content: Content) -> None:
    content["expressions"][0]["sines"]["mean"] += 0.1


def a_surer_difference(content: Content) -> None:
    averaged(content["expressions"][0]["difference"], [0.5] * 6, test_share=0.0)


def a_draw_less(content: Content) -> None:
    for one in content["expressions"]:
        for name in ("sines", "columns", "difference"):
            averaged(one[name], one[name]["values"][:5], test_share=0.0)


def an_expression_less(content: Content) -> None:
    del content["expressions"][2]


def a_better_network(content: Content) -> None:
    content["networks"][1]["y"]["test"]["mean"] += 1


def a_network_above_all(content: Content) -> None:
    averaged(content["networks"][1]["y"]["test"], [120.0, 120.0], most=200.0)


def another_commonest_class(content: Content) -> None:
    averaged(content["networks"][1]["sensitive"]["majority"], [60.0, 60.0], most=100.0)


def a_network_less(content: Content) -> None:
    del content["networks"][0]


def a_column_less(content: Content) -> None:
    del content["columns"][0]


def fewer_errors_of_a_column(content: Content) -> None:
    averaged(content["columns"][0]["hard_log_loss"], [0.1, 0.1], most=float("inf"))


def half_a_feature_kept(content: Content) -> None:
    averaged(content["columns"][0]["kept"], [0.5, 0.5], most=float("inf"))


def components_that_keep_features(content: Content) -> None:
    averaged(content["columns"][1]["kept"], [1.0, 1.0], most=float("inf"))


def a_feature_more_dropped(content: Content) -> None:
    content["weights"][1]["dropped"] = [*content["weights"][1]["dropped"], content["features"][0]]


def a_lower_cutoff(content: Content) -> None:
    for one in content["weights"]:
        one["cutoff"] = 0.01


def a_condition_less(content: Content) -> None:
    del content["weights"][1]


def a_training_less(content: Content) -> None:
    for one in content["weights"]:
        del one["values"][1]


def real_students(content: Content) -> None:
    content["real"] = True


def more_people_than_taken(content: Content) -> None:
    content["rows"] = 5000


def a_smaller_drop(content: Content) -> None:
    averaged(content["outcomes"][0]["drop"], [0.0, 0.0])


def fewer_features_kept(content: Content) -> None:
    averaged(content["outcomes"][1]["features"], [1.0, 1.0])


def a_choice_less(content: Content) -> None:
    del content["outcomes"][1]


def a_repetition_of_a_choice_less(content: Content) -> None:
    one = content["outcomes"][1]
    for name in ("features", "train", "test", "outside", "drop"):
        averaged(one[name], one[name]["values"][:1])


def accuracies_below_nothing(content: Content) -> None:
    one = content["outcomes"][1]
    averaged(one["outside"], [-50.0, -50.0], most=100.0)
    averaged(one["drop"], [value + 50 for value in one["test"]["values"]])


def another_average(content: Content) -> None:
    one = content["outcomes"][0]
    one["repetitions"][0]["average"] = 0.95
    averaged(one["average"], [0.95], test_share=0.0, most=1.0)


def a_share_of_nobody(content: Content) -> None:
    one = content["outcomes"][0]
    for found in one["repetitions"]:
        found["refitted"] = [0.987 for _ in found["refitted"]]
    averaged(one["worst_group_refitted"], [0.987], test_share=0.0, most=1.0)


def a_method_that_was_not_asked_for(content: Content) -> None:
    content["spec"]["methods"] = ["ERM"]


def a_smaller_object_for_one(content: Content) -> None:
    content["outcomes"][1]["repetitions"][0]["area"] = 0.01


def a_note_on_birds(content: Content) -> None:
    content["notes"] = ["Checked by an independent laboratory."]


def a_failure_that_nobody_asked_for(content: Content) -> None:
    content["failures"] = {"DFR.0": "it is not as good"}


FORGED: dict[str, tuple[Change, ...]] = {
    "toy": TOY,
    "table": TABLE,
    "betas": (a_beta_less, a_beta_nobody_asked_for),
    "observations": (a_larger_coefficient, a_surer_difference, a_draw_less, an_expression_less),
    "fairness": (
        a_better_network, a_network_above_all, another_commonest_class, a_network_less, a_column_less,
        fewer_errors_of_a_column, half_a_feature_kept, components_that_keep_features, a_feature_more_dropped,
        a_lower_cutoff, a_condition_less, a_training_less, real_students, more_people_than_taken,
    ),
    "shift": (a_smaller_drop, fewer_features_kept, a_choice_less, a_repetition_of_a_choice_less,
              accuracies_below_nothing, real_students),
    "spurious": (another_average, a_share_of_nobody, a_method_that_was_not_asked_for, a_smaller_object_for_one,
                 a_note_on_birds, a_failure_that_nobody_asked_for),
}  # fmt: skip


@pytest.mark.parametrize(("name", "change"), [(name, change) for name, changes in FORGED.items() for change in changes])
def test_item_2_a_forged_run_of_a_lab_is_found(lab_runs: dict[str, Run], name: str, change: Change) -> None:
    assert complaints(forged(lab_runs[name], change), lab_runs[name].study.name)


@pytest.mark.parametrize("name", FORGED)
def test_the_honest_one_agrees(
    lab_runs: dict[str, Run], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    assert main(["report", str(lab_runs[name].folder), "--out", str(path)]) == 0
    assert not complaints(path.read_text(), lab_runs[name].study.name)
    assert main(["verify", str(path)]) == 0
    said = capsys.readouterr().out
    assert "Every number agrees." in said
    assert "data        agree" in said


def other_rows_inside(content: Content) -> None:
    content["rows_inside"] += 1


def other_patients(content: Content) -> None:
    content["sha256"] = "0" * 64


def a_column_of_another_name(content: Content) -> None:
    content["features"][0] = "postcode"


@pytest.mark.parametrize(
    ("name", "change"),
    [("table", other_patients), ("table", a_column_of_another_name), ("table", a_note_more), ("shift", other_patients),
     ("shift", other_rows_inside), ("fairness", other_patients), ("fairness", a_column_of_another_name)],
)  # fmt: skip
def test_item_2_what_only_data_show_is_found_where_they_are_at_hand(
    lab_runs: dict[str, Run], name: str, change: Change, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    path.write_text(forged(lab_runs[name], change))
    assert main(["verify", str(path)]) == 2
    assert "data        " in (said := capsys.readouterr().out)
    assert "DIFFER" in said.split("data      ")[1]


def luckier_draws(content: Content) -> None:
    one = content["expressions"][0]
    averaged(one["sines"], [0.9] * 6, test_share=0.0)
    averaged(one["difference"], [0.9 - value for value in one["columns"]["values"]], test_share=0.0)


@pytest.mark.parametrize(("change", "code"), [(lambda content: None, 0), (luckier_draws, 2)])
def test_a_rerun_finds_what_repetitions_alone_cannot_tell(
    lab_runs: dict[str, Run], change: Change, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    path.write_text(forged(lab_runs["observations"], change))
    assert main(["verify", str(path)]) == 0
    assert main(["verify", str(path), "--rerun"]) == code
    assert ("rerun       agree" in capsys.readouterr().out) == (code == 0)


def test_words_and_pictures_of_a_lab_are_compared_with_its_result(lab_runs: dict[str, Run], tmp_path: Path) -> None:
    text = forged(lab_runs["toy"], lambda content: None)
    path = tmp_path / "report.html"
    for shown, other in (
        ("Lowest mean squared error", "Best mean squared error"),
        ('"name":"the paper"', '"name":"us"'),
    ):
        assert shown in text
        path.write_text(text.replace(shown, other, 1))
        assert main(["verify", str(path)]) == 2


def test_a_signed_report_of_the_feature_lab_says_who_signed_it(
    lab_runs: dict[str, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, key = tmp_path / "signed.html", tmp_path / "ann.key"
    make_key(key, "Ann of the audit office")
    assert main(["report", str(lab_runs["toy"].folder), "--out", str(path), "--sign", str(key)]) == 0
    assert "Ann of the audit office" in path.read_text()
    assert main(["verify", str(path)]) == 0
    assert "Every number agrees. Nothing was changed since it was signed." in capsys.readouterr().out
