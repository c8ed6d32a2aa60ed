"""Claims about the report of the lab: verify agrees with it, and finds a number that was changed."""

from __future__ import annotations

import contextlib
import json

import msgspec
import pytest
from msgspec.structs import replace

from diffoci.__main__ import main
from diffoci.labs.spurious.result import SpuriousResult
from diffoci.labs.spurious.result_file import read_result, worked_out
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.report.labs.known import LAB_REPORTS
from diffoci.runs._pool import load_ahead
from diffoci.signing.keys import make_key
from tests.labs.spurious.small_run import finished, small_spec

REPORT = LAB_REPORTS[SPURIOUS_LAB.name]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spurious-report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIFFOCI_CACHE", str(folder / "cache"))
        yield finished(small_spec(methods=("ERM", "ERM+dF2")), folder / "run")


@pytest.fixture
def report(run, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(REPORT.build(run.result(), created=run.created))
    return path


def test_verify_agrees_with_a_report_as_written(report, capsys):
    assert main(["verify", str(report)]) == 0
    assert "Every number agrees." in capsys.readouterr().out


def test_verify_computes_a_run_again_and_keeps_weights_where_this_process_is_told_to(
    report, capsys, monkeypatch, tmp_path
):
    load_ahead(SPURIOUS_LAB)  # what processes are forked from is older than what follows
    monkeypatch.setenv("DIFFOCI_CACHE", str(tmp_path))
    assert main(["verify", str(report), "--rerun"]) == 0
    assert "rerun       agree" in capsys.readouterr().out
    assert list(tmp_path.glob("spurious-lab/*.safetensors"))


@pytest.mark.parametrize("shown", ["Mini-birds: what the average hides", '"worst_group":{"mean":0.'])
def test_verify_finds_what_was_changed(report, shown, tmp_path, capsys):
    text = report.read_text()
    assert shown in text
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace(shown, shown.replace("hides", "shows").replace("0.", "0.9"), 1))
    assert main(["verify", str(changed)]) != 0


def test_the_report_says_that_mini_birds_are_drawn(report):
    assert "SIMULATED" in report.read_text()


def real_birds(content):
    content["real"] = True


def other_birds(content):
    content["title"] = "Waterbirds"


def surer(content):
    content["fresh"] = not content["fresh"]


def without_a_method(content):
    del content["outcomes"][-1]


def a_smaller_object(content):
    content["area"].update(mean=0.01, values=[0.01])


def another_method(content):
    content["outcomes"][0]["description"] = "the method of the paper"


def another_penalty(content):
    content["outcomes"][1]["penalty"] = 0.5


def a_group_not_refitted(content):
    content["outcomes"][0]["repetitions"][0]["refitted"] = [0.99]
    content["outcomes"][0]["worst_group_refitted"].update(mean=0.99, values=[0.99])


def another_seed(content):
    content["outcomes"][0]["repetitions"][0]["seed"] = 7


def another_study(content):
    content["study"] = "audit"


def another_count_of_test_rows(content):
    content["sizes"][0]["test"] += 10


def another_count_everywhere(content):
    content["sizes"][0]["test"] *= 2
    for found in repetitions(content):
        found["rows"][0] *= 2


def another_group(content):
    content["sizes"][0]["group"] = "meadow"


def more_validation_rows(content):
    content["sizes"][0]["validation"] += 10


def a_better_average(content):
    for one in content["outcomes"]:
        for found in one["repetitions"]:
            found["average"] = 0.99
        one["average"].update(mean=0.99, values=[0.99])


def a_better_group(content):
    """Consistent but for the rows: so many of them cannot have been right."""
    for one in content["outcomes"]:
        for found in one["repetitions"]:
            found["cells"][0] = abs(found["cells"][0] - 0.4 / found["rows"][0])


def narrower(content):
    content["overlap"] = 0.01


def a_group_without_rows(content):
    content["outcomes"][0]["repetitions"][0]["refitted"][0] = None


def an_epoch_of_the_first_half(content):
    content["outcomes"][0]["repetitions"][0]["epoch"] = 1


def an_epoch_that_was_not_trained(content):
    content["outcomes"][0]["repetitions"][0]["epoch"] = 3


def an_object_of_another_size(content):
    content["outcomes"][1]["repetitions"][0]["area"] = 0.5


def a_probe_that_did_not_try(content):
    content["outcomes"][0]["repetitions"][0]["probe"] = "oracle"


def no_images(content):
    content["images"] = False


def other_data(content):
    content["sha256"] = "0" * 64


def a_method_that_nobody_asked_for(content):
    content["spec"]["methods"].remove("ERM")


def a_method_twice(content):
    content["outcomes"].append(content["outcomes"][0])


def other_rows_asked_for(content):
    content["spec"]["rows"] += 100


def a_coefficient_above_one(content):
    content["outcomes"][0]["repetitions"][0]["T"] = 1.5


def repetitions(content):
    return [found for one in content["outcomes"] for found in one["repetitions"]]


def put_together(content):
    """The means of changed repetitions, as somebody would work them out who knows how."""
    result = msgspec.convert(content, SpuriousResult)
    return replace(result, outcomes=tuple(worked_out(result, one) for one in result.outcomes))


@pytest.mark.parametrize(
    "change",
    [another_study, another_count_of_test_rows, another_count_everywhere, another_group, more_validation_rows,
     a_better_average, a_better_group, narrower, a_group_without_rows, an_epoch_of_the_first_half,
     an_epoch_that_was_not_trained, an_object_of_another_size, a_probe_that_did_not_try, no_images, other_data,
     a_method_that_nobody_asked_for, a_method_twice, other_rows_asked_for, a_coefficient_above_one],
)  # fmt: skip
def test_item_2_a_forged_run_is_found_though_its_means_follow(run, change, tmp_path, capsys):
    content = json.loads(msgspec.json.encode(run.result()))
    change(content)
    forged = tmp_path / "forged.html"
    forged.write_text(REPORT.build(put_together(content), created=run.created))
    assert main(["verify", str(forged)]) == 2
    said = capsys.readouterr()
    assert "DIFFER" in said.out or "damaged" in said.err


@pytest.mark.parametrize(
    "change",
    [real_birds, other_birds, surer, without_a_method, a_smaller_object, another_method, another_penalty,
     a_group_not_refitted, another_seed],
)  # fmt: skip
def test_item_2_a_forged_run_of_the_lab_is_found(run, change, tmp_path, capsys):
    content = json.loads(msgspec.json.encode(run.result()))
    change(content)
    forged = tmp_path / "forged.html"
    forged.write_text(REPORT.build(msgspec.convert(content, SpuriousResult), created=run.created))
    assert main(["verify", str(forged)]) == 2
    said = capsys.readouterr()
    assert "Every number agrees" not in said.out
    assert "DIFFER" in said.out or "damaged" in said.err


def sizes_of_other_groups(content):
    content["sizes"][0]["test"] += 1


def a_bird_of_another_name(content):
    content["sizes"][0]["label"] = "duck"


@pytest.mark.parametrize("change", [real_birds, sizes_of_other_groups, a_bird_of_another_name])
def test_item_2_a_rerun_compares_everything_that_was_found(run, change):
    content = json.loads(msgspec.json.encode(run.result()))
    change(content)
    assert REPORT.check_again(msgspec.convert(content, SpuriousResult), run.result()).agreement.differences


def test_a_signed_report_of_the_lab_says_who_signed_it(run, tmp_path, capsys):
    path, key = tmp_path / "signed.html", tmp_path / "ann.key"
    make_key(key, "Ann of the audit office")
    assert main(["report", str(run.folder), "--out", str(path), "--sign", str(key)]) == 0
    assert "Ann of the audit office" in path.read_text()
    assert main(["verify", str(path)]) == 0
    assert "Every number agrees. Nothing was changed since it was signed." in capsys.readouterr().out
    path.write_text(path.read_text().replace("what the average hides", "what the average shows"))
    assert main(["verify", str(path)]) == 2


@pytest.mark.parametrize(("moved", "refused"), [(1e-15, False), (1e-6, True)])
def test_a_mean_may_differ_in_its_last_digits_from_machine_to_machine(moved: float, refused: bool) -> None:
    content = json.loads(finished(small_spec()).result_file.read_text())
    mean = content["outcomes"][0]["average_by_training_groups"]
    mean["mean"] -= moved
    mean["values"] = [mean["mean"]]
    with pytest.raises(ValueError, match="do not follow") if refused else contextlib.nullcontext():
        read_result(content)
