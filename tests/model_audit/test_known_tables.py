"""The tables everybody knows give the figures everybody knows, from the command line, with every exit code of check."""

from __future__ import annotations

import io
import json
import re
import shlex
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from diffoci import audit_scores
from diffoci.__main__ import main
from diffoci.commands.run_table import model_table
from diffoci.data import lender
from diffoci.data.sources import load
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.model_audit.words import exclusion, population_words
from diffoci.report.model_audit.build import build_model_report, result_html
from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run
from tests.data.test_sources import assert_keeps_the_contract
from tests.sample_audit import sample

COMPAS = [
    "audit-scores",
    "--data",
    "compas",
    "--score",
    "decile_score",
    "--decision",
    "score_text",
    "--selected",
    "Medium,High",
    "--label",
    "two_year_recid",
    "--sensitive",
    "race,sex",
    "--setting",
    "rows=300",
    "--setting",
    "permutations=19",
    "--jobs",
    "1",
]


@pytest.fixture(scope="module")
def compas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compas") / "run"
    if main([*COMPAS, "--out", str(folder)]) != 0:
        pytest.skip("the COMPAS file is not on this machine")
    return folder


@pytest.fixture(scope="module")
def berkeley(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("berkeley") / "run"
    words = ["audit-scores", "--data", "berkeley", "--setting", "rows=500", "--jobs", "1", "--out", str(folder)]
    assert main(words) == 0
    return folder


def result_of(folder: Path) -> ModelAuditResult:
    return MODEL_AUDIT.read_result(json.loads((folder / "result.json").read_text()), "result.json")


def rates(folder: Path, by: str) -> dict[str, dict[str, float]]:
    groups = result_of(folder).model().by(by).groups
    return {group.label: {name: 100 * found.value for name, found in group.rates.items()} for group in groups}


def test_compas_has_propublica_s_false_positives_and_false_negatives(compas: Path) -> None:
    found = rates(compas, "race")
    black, white = found["African-American"], found["Caucasian"]
    assert [round(one["false_positive_rate"], 2) for one in (black, white)] == [44.85, 23.45]
    assert [round(one["false_negative_rate"], 2) for one in (black, white)] == [27.99, 47.72]
    assert not result_of(compas).model().by("race").groups[4].judged  # 18 people


def test_compas_is_calibrated_by_decile_as_published(compas: Path) -> None:
    real = pd.read_csv(_compas_file())
    for group in result_of(compas).model().by("race").judged:
        deciles = real.loc[real["race"] == group.label, "decile_score"]
        assert [one.low for one in group.calibration] == sorted(deciles.unique())
        for one in group.calibration:
            rows = real[(real["race"] == group.label) & (real["decile_score"] == one.low)]
            assert one.observed.value == pytest.approx(rows["two_year_recid"].mean(), abs=1e-12)
    black, white = (
        next(g for g in result_of(compas).model().by("race").groups if g.label == name)
        for name in ("African-American", "Caucasian")
    )
    # The answer of the score's makers: a high score means much the same in both.
    assert black.calibration[-1].observed.value == pytest.approx(white.calibration[-1].observed.value, abs=0.12)


def _compas_file() -> Path:
    from diffoci.data.compas import EXTRACT, FILE
    from diffoci.data.fetching.files import locate

    found = locate(EXTRACT) or locate(FILE)
    assert found is not None
    return found.path


def test_berkeley_admits_fewer_women_and_no_fewer_within_departments(berkeley: Path) -> None:
    found = rates(berkeley, "sex")
    assert round(found["Male"]["selection_rate"], 1) == 44.5
    assert round(found["Female"]["selection_rate"], 1) == 30.4
    (gap,) = result_of(berkeley).model().attributes["sex"].gaps
    assert (gap.group, gap.reference, len(gap.strata), gap.left_out) == ("Female", "Male", 6, 0)
    assert gap.raw.high < -0.10
    assert gap.standardised is not None
    assert gap.standardised.value > 0
    # By hand: the mean over departments of the gap in each, counted by its applicants.
    by_hand = sum((wa / (wa + wr) - ma / (ma + mr)) * (ma + mr + wa + wr) for ma, mr, wa, wr in _departments().values())
    assert gap.standardised.value == pytest.approx(by_hand / 4526, abs=1e-12)


def _departments() -> dict[str, tuple[int, int, int, int]]:
    from diffoci.data.berkeley import COUNTS

    return COUNTS


@pytest.mark.parametrize("name", ["berkeley", "lender", "compas"])
def test_sources_of_scores_are_sources_of_audits_too(name: str) -> None:
    try:
        assert_keeps_the_contract(load(name))
    except ValueError:
        pytest.skip("the file is not on this machine")


def test_a_file_of_one_s_own_is_read_by_the_names_of_its_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = lender.applicants(rows=300).rename(columns={"score_a": "score", "repaid": "label_value"})
    drawn[["score", "label_value", "sex", "part_time"]].assign(entity_id=np.arange(300)).to_csv(
        tmp_path / "own.csv", index=False
    )
    few = ["--setting", "permutations=19", "--jobs", "1", "--json", "--out", str(tmp_path / "run")]
    assert main(["audit-scores", "--data", f"csv:{tmp_path / 'own.csv'}", *few]) == 0
    found = MODEL_AUDIT.read_result(json.loads(capsys.readouterr().out), "result.json")
    assert found.spec.roles.scores == ("score",)
    assert found.outcome is not None
    assert (found.outcome.name, found.outcome.positive) == ("label_value", "yes")
    assert found.model().by("sex").groups[0].rates["accuracy"].n > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--data", "student"], "Student Performance has no scores or decisions of a model"),
        (["--data", "berkeley", "--decision", "nothing"], "'nothing' is not a column of the table"),
        (["--data", "berkeley", "--setting", "minimum=0"], "A setting cannot be: Expected `int` >= 1"),
        (["--data", "lender", "--score", "part_time"], "The score 'part_time' is not a number in every row"),
    ],
)
def test_a_wrong_wish_is_one_sentence_and_exit_code_2(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit-scores", *words, "--out", str(tmp_path / "run")]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "run" / "spec.json").exists()


RULES = {
    "holds": '[[rule]]\nnumber = "gap.selection_rate"\nby = "sex"\nat_most = 0.3',
    "fails": '[[rule]]\nname = "four fifths"\nnumber = "ratio.selection_rate"\nby = "sex"\nat_least = 0.8',
    "too few": '[[rule]]\nnumber = "gap.selection_rate"\nat_most = 0.3\nfewest = 10000',
    "on the edge": '[[rule]]\nnumber = "gap.selection_rate"\nat_most = 0.142',
    "by its value": '[[rule]]\nnumber = "gap.selection_rate"\nat_most = 0.142\ndecide_by = "value"',
    "no limit": '[[rule]]\nnumber = "gap.selection_rate"',
    "no number": '[[rule]]\nnumber = "gap.luck"\nat_most = 1',
    "T": '[[rule]]\nnumber = "T.independence"\nat_most = 0.2',
    "T by chance": '[[rule]]\nnumber = "T.independence"\nat_most = 0.0',
    "T not worse": '[[rule]]\nnumber = "T.independence"\nnot_worse = true',
    "rate": '[[rule]]\nnumber = "rate.selection_rate"\ngroup = "Female"\nat_least = 0.25',
    "group": '[[rule]]\nnumber = "gap.selection_rate"\ngroup = "Female"\nat_most = 0.05',
    "same": '[[rule]]\nnumber = "gap.selection_rate"\nnot_worse = true',
    "not toml": "[[rule",
}


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ("holds", 0),
        ("fails", 1),
        ("too few", 3),
        ("on the edge", 3),
        ("by its value", 0),
        ("no limit", 2),
        ("no number", 2),
        ("T", 0),
        ("T by chance", 1),
        ("T not worse", 0),
        ("rate", 0),
        ("group", 1),
        ("same", 0),
        ("not toml", 2),
    ],
)
def test_check_ends_with_the_code_of_its_worst_rule(rules: str, code: int, berkeley: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(RULES[rules])
    words = ["check", str(berkeley), "--rules", str(tmp_path / "rules.toml")]
    assert main([*words, "--against", str(berkeley / "result.json")]) == code


def test_check_writes_what_services_and_people_read(
    berkeley: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.toml").write_text("\n".join([RULES["holds"], RULES["fails"], RULES["too few"]]))
    words = ["check", str(berkeley / "result.json"), "--rules", str(tmp_path / "rules.toml"), "--json"]
    out = ["--junit", str(tmp_path / "junit.xml"), "--markdown", str(tmp_path / "rules.md")]
    assert main([*words, *out]) == 1
    said = json.loads(capsys.readouterr().out)
    assert [one["answer"] for one in said["rules"]] == ["holds", "fails", "insufficient evidence"]
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert "four fifths | fails" in (tmp_path / "rules.md").read_text()


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ('number = "y.accuracy"\nat_least = 0.0\nfewest = 1', 0),
        ('number = "leakage.auc"\nby = "sex"\nat_most = 1.0\ndecide_by = "value"\nfewest = 1', 0),
        ('number = "leakage.auc"\nby = "sex"\nat_most = 0.5\ndecide_by = "value"\nfewest = 1', 1),
        ('number = "gap.selection_rate"\nby = "sex"\nat_most = 0.5\nfewest = 100000', 3),
        ('number = "ceiling"\nby = "sex"\nat_most = 0.9\nfewest = 1', 3),  # tested people are too few for one
        ('number = "T.independence"\nat_most = 0.5', 2),
        ('number = "y.accuracy"\nmodel = "nobody"\nat_least = 0.5', 2),
        ('number = "y.accuracy"\nby = "luck"\nat_least = 0.5', 2),
        ('number = "y.accuracy"\nnot_worse = true\nfewest = 1', 0),
    ],
)
def test_a_fairness_audit_is_checked_by_the_same_rules_with_each_exit_code(
    rule: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "rules.toml").write_text(f"[[rule]]\n{rule}")
    run = str(sample().folder)
    assert main(["check", run, "--rules", str(tmp_path / "rules.toml"), "--against", run]) == code


def test_audits_of_two_kinds_are_not_held_against_each_other(
    berkeley: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.toml").write_text(RULES["same"])
    words = ["check", str(berkeley), "--rules", str(tmp_path / "rules.toml"), "--against", str(sample().folder)]
    assert main(words) == 2
    assert "They measure different things" in capsys.readouterr().err


def test_the_report_of_a_run_has_its_figures_in_words(berkeley: Path, tmp_path: Path) -> None:
    assert main(["report", str(berkeley), "--out", str(tmp_path / "report.html")]) == 0
    text = (tmp_path / "report.html").read_text()
    assert "“Male” is selected more often than “Female” under admitted: 44.5 against 30.4 %" in text
    assert "Given department" in text


def test_the_lines_for_a_ci_service_do_what_the_document_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = (Path(__file__).parents[2] / "docs" / "model-audits.md").read_text()
    monkeypatch.chdir(tmp_path)
    lender.applicants(rows=200).rename(columns={"score_a": "score"}).to_csv("scores.csv", index=False)
    (rules,) = re.findall(r"```toml\n(.*?)```", document, re.DOTALL)
    Path("rules.toml").write_text(rules)
    lines = re.findall(r"^python -m diffoci (.*(?:--out audit|--markdown check.md))$", document, re.MULTILINE)
    audit, check = map(shlex.split, lines)
    assert main([*audit, "--setting", "permutations=19", "--jobs", "1"]) == 0
    assert main([*check, "--against", "audit"]) in (0, 1, 3)
    assert main(check) == 2  # a rule compares with another run, and none is named
    assert Path("check.xml").exists()


def test_verify_agrees_with_a_report_and_finds_a_changed_rate(
    berkeley: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    assert main(["report", str(berkeley), "--out", str(path)]) == 0
    assert main(["verify", str(path), "--rerun"]) == 0
    assert "Every number agrees." in capsys.readouterr().out
    text = path.read_text()
    shown = text.replace("30.4 % (28.3 to 32.5 %)", "40.4 % (38.3 to 42.5 %)")
    assert shown != text
    path.write_text(shown)
    assert main(["verify", str(path)]) == 2
    forged = text.replace('"selection_rate":{"value":0.30', '"selection_rate":{"value":0.40')
    assert forged != text
    path.write_text(forged)
    assert main(["verify", str(path)]) == 2
    said = capsys.readouterr().out
    assert "arithmetic" in said
    assert "DIFFER" in said


def test_the_criteria_exclude_each_other_only_where_base_rates_are_told_apart(compas: Path) -> None:
    assert "not equally common: 51.4 % of “African-American”" in exclusion(result_of(compas), "race")
    drawn = lender.applicants(rows=400)
    same = audit_scores(drawn["score_b"], label=drawn["repaid"], sensitive=drawn[["sex"]], permutations=19, rows=100)
    assert "can hold together" in exclusion(same, "sex")


def test_a_model_audit_is_shared_and_opened_elsewhere(
    berkeley: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "elsewhere"))
    there = open_shared(io.BytesIO(pack(Run.open(berkeley))))
    assert there.result() == result_of(berkeley)


# What aequitas 1.1.0 gives for the table of these counts (group, outcome, decision), with "a" as the reference:
# Group().get_crosstabs, then Bias().get_disparity_predefined_groups.
AEQUITAS_COUNTS = {
    "a": ((300, 60), (40, 100)),
    "b": ((150, 90), (20, 140)),
    "c": ((80, 10), (30, 20)),
}
AEQUITAS = {
    "true_positive_rate": ([0.7142857142857143, 0.875, 0.4], [1.2249999999999999, 0.56]),
    "false_positive_rate": ([0.16666666666666666, 0.375, 0.1111111111111111], [2.25, 0.6666666666666666]),
    "false_negative_rate": ([0.2857142857142857, 0.125, 0.6], [0.4375, 2.1]),
    "false_omission_rate": ([0.11764705882352941, 0.11764705882352941, 0.2727272727272727], [1.0, 2.318181818181818]),
    "positive_predictive_value": ([0.625, 0.6086956521739131, 0.6666666666666666], [0.9739130434782609, 16 / 15]),
    "selection_rate": ([0.32, 0.575, 0.21428571428571427], [1.7968749999999998, 0.6696428571428571]),
    "base_rate": ([0.28, 0.4, 0.35714285714285715], None),
}


def test_rates_and_disparities_are_those_of_aequitas() -> None:
    rows = [
        (group, outcome, decision)
        for group, counts in AEQUITAS_COUNTS.items()
        for outcome in (0, 1)
        for decision in (0, 1)
        for _ in range(counts[outcome][decision])
    ]
    table = pd.DataFrame(rows, columns=["race", "label_value", "score"])
    comparison = audit_scores(
        decision=table["score"], label=table["label_value"], sensitive=table[["race"]], reference="a",
        permutations=19, rows=100,
    ).model().by("race")  # fmt: skip
    for name, (rates, ratios) in AEQUITAS.items():
        assert [group.rates[name].value for group in comparison.groups] == pytest.approx(rates, abs=1e-9), name
        found = [entry.ratio.value for entry in comparison.against if entry.rate == name and entry.ratio is not None]
        assert ratios is None or found == pytest.approx(ratios, abs=1e-9), name


def test_a_group_of_whom_no_row_is_selected_is_not_known_exactly_in_the_population():
    sex, weights = np.repeat(["f", "m"], 100), np.tile([1.0, 50.0], 100)
    selected = np.where(sex == "f", 0, np.tile([0, 1, 1, 0], 50))
    found = audit_scores(decision=selected, sensitive={"sex": sex}, weights=weights, permutations=19).model()
    women, men = (group.weighted["selection_rate"] for group in found.by("sex").groups)
    assert (women.value, men.value) == (0.0, 0.5)
    assert women.low == 0.0
    assert 0.005 < women.high < 0.06  # of about fifty equally weighted people, of whom none was selected
    (gap,) = found.by("sex").weighted
    assert gap.difference.low < abs(gap.difference.value) < gap.difference.high


def test_a_weighted_audit_says_the_gap_of_the_population_wherever_it_says_the_first_gap():
    sex = np.repeat(["f", "m"], 100)
    selected, weights = np.tile([0, 1], 100), np.where(sex == "f", np.tile([3.0, 1.0], 100), 1.0)
    found = audit_scores(decision=selected, sensitive={"sex": sex}, weights=weights, permutations=19)
    (said,) = population_words(found)
    assert said.startswith(
        "Counted by the weights 'weights', decision selects of “m” 50.0 %, “f” 25.0 %: 25.0 points ("
    )
    assert all(said in unescape(text) for text in (model_table(found), result_html(found), build_model_report(found)))
    assert population_words(audit_scores(decision=selected, sensitive={"sex": sex}, permutations=19)) == ()
