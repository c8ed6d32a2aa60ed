"""Verify: an untouched report agrees, and one changed number is named, wherever it was changed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.audit.make_spec import make_spec
from diffoci.audit.result import AuditResult
from diffoci.audit.study import AUDIT
from diffoci.report.build import build_report
from diffoci.report.checks.shown import is_as_written
from diffoci.report.writing.embedded import ELEMENT, digest, safe_json
from diffoci.report.writing.page import FIGURES
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from tests.plain_result import changed

SHORT = {"max_epochs": 1, "patience": 1, "hidden": (8,)}


def with_embedded(report: str, change: Any) -> str:
    """The report with another result inside."""
    pattern = re.compile(rf'(id="{ELEMENT}">)(.*?)(</script>)', re.DOTALL)
    content = json.loads(pattern.search(report)[2])  # type: ignore[index]
    change(content)
    return pattern.sub(lambda found: found[1] + safe_json(content) + found[3], report, count=1)


@pytest.fixture
def verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(text: str, *options: str) -> tuple[int, str]:
        path = tmp_path / "report.html"
        path.write_bytes(text.encode())
        code = main(["verify", str(path), *options])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def test_an_untouched_report_agrees(report: str, verify: Any) -> None:
    code, said = verify(report)
    assert code == 0, said
    assert said.endswith("Every number agrees.\n")
    assert "data        agree: sha256 of the data, 395 rows" in said


def change_mean(content: Any) -> None:
    content["result"]["methods"][1]["y"]["accuracy"]["mean"] += 0.01


def change_verdict(content: Any) -> None:
    found = content["result"]["methods"][0]["leakage"]["by_attribute"]["sex"]["representation"]
    found["verdict"] = "not detected" if found["verdict"] != "not detected" else "detected"


def first_category(content: Any) -> dict[str, Any]:
    return content["result"]["methods"][0]["decisions"]["local_law_144"]["tables"][0]["categories"][0]


def change_count(content: Any) -> None:
    first_category(content)["selected"] += 1


def change_weight(content: Any) -> None:
    content["result"]["features"]["conditions"][0]["theta"][0] += 0.5


def comparison(content: Any) -> dict[str, Any]:
    return content["result"]["methods"][0]["decisions"]["by"][0]


def change_gap(content: Any) -> None:
    comparison(content)["between"]["demographic_parity_difference"]["value"] += 0.1


def change_who(content: Any) -> None:
    gap = comparison(content)["between"]["demographic_parity_difference"]
    gap["highest"], gap["lowest"] = gap["lowest"], gap["highest"]


def change_chance(content: Any) -> None:
    comparison(content)["between"]["demographic_parity_difference"]["chance"]["limit"] += 0.1


def change_ratio(content: Any) -> None:
    entry = comparison(content)["four_fifths"][0]
    entry["verdict"] = "below four fifths" if entry["verdict"] != "below four fifths" else "not below four fifths"


def change_positives(content: Any) -> None:
    comparison(content)["groups"][0]["positives"] += 1


def change_calibration(content: Any) -> None:
    group = next(group for group in comparison(content)["groups"] if group["calibration"])
    group["calibration"]["expected_calibration_error"] += 0.1


def change_applicants(content: Any) -> None:
    for row in content["result"]["methods"][0]["decisions"]["local_law_144"]["tables"][0]["categories"]:
        row["applicants"], row["selected"] = 2 * row["applicants"], 2 * row["selected"]


def change_together(content: Any) -> None:
    content["result"]["features"]["only_together"].append("absences")


def change_best(content: Any) -> None:
    found = content["result"]["findings"]["guessed"]["sex"]["representation"]
    found["best"] = next(name for name in found["methods"] if name not in ("standard", found["best"]))


def change_cost(content: Any) -> None:
    found = content["result"]["findings"]["guessed"]["sex"]["representation"]["methods"]["dF3"]
    found["y"] = "better" if found["y"] != "better" else "as well"


def change_answer(content: Any) -> None:
    found = content["result"]["findings"]["guessed"]["sex"]["representation"]
    found["answer"] = "not detected" if found["answer"] != "not detected" else "guessable"


def change_gap_found(content: Any) -> None:
    gap = content["result"]["findings"]["selection"]["sex"]
    gap["beyond_chance"] = not gap["beyond_chance"]


def change_sureness(content: Any) -> None:
    content["result"]["findings"]["sureness"]["false_alarms"] = 0.0


def change_selected(content: Any) -> None:
    comparison(content)["groups"][0]["true_positive_rate"]["k"] = 9999


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (change_best, "findings › guessed › sex › representation › best: "),
        (change_cost, "findings › guessed › sex › representation › methods › dF3 › y: "),
        (change_answer, "findings › guessed › sex › representation › answer: "),
        (change_gap_found, "findings › selection › sex › beyond_chance: "),
        (change_sureness, "findings › sureness › false_alarms: "),
        (change_gap, "gaps › demographic_parity_difference › value"),
        (change_who, "gaps › demographic_parity_difference › highest"),
        (change_chance, "gaps › demographic_parity_difference › chance › limit"),
        (change_ratio, "decisions by sex › four fifths › 0 › verdict"),
        (change_positives, "decisions by sex › F › "),
        (change_calibration, "calibration error"),
        (change_applicants, "Local Law 144 › tables › 0 › categories › 0 › applicants"),
        (change_together, "features › only together"),
        (change_selected, "more were predicted yes than there are people"),
        (change_mean, "methods › dF3 › y › accuracy › mean: 0."),
        (change_verdict, "methods › standard › sex › representation › verdict"),
        (change_count, "methods › standard › Local Law 144 › tables › 0 › categories › 0 › selected"),
        (change_weight, "features accounting for none"),
    ],
)
def test_a_changed_number_of_the_embedded_result_is_named(report: str, verify: Any, change: Any, named: str) -> None:
    code, said = verify(with_embedded(report, change))
    assert code == 2
    assert named in said
    assert "embedded result: changed in the report" in said
    assert "do not agree." in said


def test_a_changed_group_size_is_named_by_the_data(report: str, verify: Any) -> None:
    def change(content: Any) -> None:
        content["result"]["groups"]["sex"]["F"]["rows"] += 1

    code, said = verify(with_embedded(report, change))
    assert code == 2
    assert "groups › sex › F › rows: " in said


def test_a_changed_cell_of_a_table_is_named(report: str, verify: Any) -> None:
    changed, count = re.subn(r'(<th scope="row">sex: F</th><td class="number"[^>]*><span>)\d+', r"\g<1>999", report)
    assert count == 1
    code, said = verify(changed)
    assert code == 2
    assert "table “Group sizes”, row “sex: F”, column “People”: 999 in the report" in said


def test_a_changed_sentence_is_named(report: str, verify: Any) -> None:
    code, said = verify(report.replace("no proof of absence", "a proof of absence", 1))
    assert code == 2
    assert "a proof of absence" in said


def test_a_changed_mark_of_a_picture_is_named(report: str, verify: Any) -> None:
    head, figures = report.split('id="diffoci-figures">', 1)
    changed = re.sub(r'("error_x":\{[^}]*"array":\[)0\.(\d)', r"\g<1>0.9\2", figures, count=1)
    assert changed != figures
    code, said = verify(f'{head}id="diffoci-figures">{changed}')
    assert code == 2
    assert "picture › chart-" in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<p>hello</p>", "This is not a report of diffoci"),
        (f'<script id="{ELEMENT}">no json</script>', "is damaged"),
        (f'<script id="{ELEMENT}">{{"schema": 99, "result": {{}}}}</script>', "another version"),
        (f'<script id="{ELEMENT}">{{"schema": 1, "result": {{"schema": 1}}}}</script>', "result.json"),
    ],
)
def test_what_is_no_report_gets_one_sentence(verify: Any, text: str, sentence: str) -> None:
    code, said = verify(text)
    assert code == 2
    assert sentence in said
    assert said.count("\n") == 1


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file of somebody's own and the report of a small audit of it."""
    folder = tmp_path_factory.mktemp("people")
    rows = [f"{k % 7},{(k * k) % 11},{'wm'[k % 2]},{'yes' if (k + k // 3) % 5 < 2 else 'no'}" for k in range(120)]
    (folder / "people.csv").write_text("a,b,sex,hired\n" + "\n".join(rows) + "\n")
    settings = {"probe": SHORT, "vec": {"max_epochs": 1}, "null_draws": 100, "permutations": 9}
    spec = make_spec(
        f"csv:{folder / 'people.csv'}", sensitive=["sex"], preset="quick", methods=["standard"], seeds=1,
        options={"label": "hired", "positive": "yes"}, settings=settings, device="cpu",
    )  # fmt: skip
    run = Run.create(AUDIT, spec, folder=folder / "run")
    assert execute(run, Means(jobs=1)).state == "done"
    return folder / "people.csv", build_report(run.result(), created=run.created)


def test_without_the_data_the_rest_is_checked(people: tuple[Path, str], verify: Any) -> None:
    code, said = verify(people[1])
    assert code == 0, said
    assert "data        not checked: There is no file 'people.csv' here; say with --file where it lies." in said


def test_other_data_are_noticed(people: tuple[Path, str], verify: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(people[0].read_text().replace("3,9,", "4,9,", 1))
    code, said = verify(people[1], "--file", str(other))
    assert code == 2
    assert "sha256: " in said


def test_a_rerun_with_the_same_seeds_agrees(
    people: tuple[Path, str], verify: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffoci.commands.verifying.told.execute", lambda run: execute(run, Means(jobs=1)))
    code, said = verify(people[1], "--rerun", "--file", str(people[0]))
    assert code == 0, said
    assert "rerun       agree" in said
    assert "largest difference 0" in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</main>", "<div>AUC 0.50, no leak</div></main>"),
        ("</style>", ".simulated { display: none }</style>"),
        ("place.hidden = false;", "place.hidden = true;"),
        ("default-src 'none'", "default-src *"),
    ],
)
def test_what_is_added_to_the_page_or_hidden_on_it_is_noticed(report: str, verify: Any, old: str, new: str) -> None:
    assert old in report
    code, said = verify(report.replace(old, new, 1))
    assert code == 2
    assert "markup, style and scripts: changed in the report" in said


HIDDEN = "<div>AUC 0.50, no leak</div><style>.simulated,.loud{display:none!important}</style>"


def as_if_written_by(content: Any, version: str) -> None:
    content["written_by"] = version
    content["sha256"] = digest(content["result"], content["created"], version)


@pytest.mark.parametrize("version", ["9.9.9", ""])
def test_a_report_that_names_another_version_never_agrees(report: str, verify: Any, version: str) -> None:
    other = with_embedded(report, lambda content: as_if_written_by(content, version))
    for text in (other, other.replace("</main>", f"{HIDDEN}</main>")):
        code, said = verify(text)
        assert code == 2
        assert "Every number agrees" not in said
        assert "its markup could not be checked: something may have been added or hidden" in said


def test_the_version_that_wrote_a_report_is_part_of_its_digest(report: str, verify: Any) -> None:
    code, said = verify(with_embedded(report, lambda content: content.update(written_by="9.9.9")))
    assert code == 2
    assert "embedded result: changed in the report" in said


@pytest.mark.parametrize("element", [ELEMENT, FIGURES])
@pytest.mark.parametrize("end", ["</script >", "</SCRIPT>", "</script\n>", "</script/>", "<!--<script>"])
def test_a_report_with_markup_behind_its_data_never_agrees(report: str, verify: Any, element: str, end: str) -> None:
    start = report.index("</script>", report.index(f'id="{element}"'))
    code, said = verify(f"{report[:start]}{end}{HIDDEN}{report[start:]}")
    assert code == 2
    assert "Every number agrees" not in said


@pytest.mark.parametrize("place", ["<!doctype html>", "</html>\n", "</main>", "</title>", "<header>"])
def test_a_report_with_added_markup_never_agrees(report: str, verify: Any, place: str) -> None:
    for added in (HIDDEN, "<!-- -->", " "):
        assert not is_as_written(report.replace(place, added + place, 1), report)
        assert not is_as_written(report.replace(place, place + added, 1), report)
    code, said = verify(report.replace(place, f"{place}<!-- -->", 1))
    assert code == 2
    assert "Every number agrees" not in said


def test_line_ends_in_names_are_compared_as_they_are(result: AuditResult, verify: Any) -> None:
    other = changed(result, lambda content: content["provenance"].update(licence="one\r\ntwo\rthree"))
    assert "markup, style and scripts: changed" not in verify(build_report(other))[1]


@pytest.mark.parametrize("created", ["1e300", "-1", '"today"', "NaN"])
def test_a_time_that_no_calendar_has_is_one_sentence(report: str, verify: Any, created: str) -> None:
    code, said = verify(report.replace('"created":1700000000.0', f'"created":{created}'))
    assert code == 2
    assert said.count("\n") == 1


def test_simulated_data_cannot_be_made_real(verify: Any, result: AuditResult) -> None:
    real = changed(result, lambda content: content["provenance"].update(real=True))
    code, said = verify(build_report(real))
    assert code == 2
    assert "data › real: " in said


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["result"]["groups"]["sex"]["F"].update(rows=0),
        lambda content: content["result"]["spec"]["options"].update(name="x"),
        lambda content: first_category(content).update(applicants=0),
    ],
)
def test_a_result_that_makes_no_sense_is_one_sentence(report: str, verify: Any, change: Any) -> None:
    code, said = verify(with_embedded(report, change))
    assert code == 2
    assert "Traceback" not in said
    assert said.strip().endswith(".")
