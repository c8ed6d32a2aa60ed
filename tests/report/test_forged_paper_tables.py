"""Item 2, tables of the paper: a page that was changed with everything that follows, and still contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from diffoci.__main__ import main
from diffoci.audit.means import mean_over_seeds
from diffoci.labs.fairness.paper_tables import DROPPED, FAIRNESS
from diffoci.labs.feature_selection.spec import BETAS
from diffoci.labs.reproducible import Asked, Plan, Preset
from diffoci.labs.shift.paper_tables import SHIFT
from diffoci.labs.tables import TABLES
from diffoci.report.labs import paper_tables
from diffoci.report.labs.paper_tables import PaperTables, check_paper_tables, read_paper_tables
from diffoci.report.writing.embedded import ELEMENT, script_content

Content = dict[str, Any]
Change = Callable[[Content], None]
TABLE = "beta"  # two runs of the feature lab, of generated rows and of a table


def small(preset: Preset, *here: Any) -> Plan:
    """The plan of a table with two repetitions, two betas and one epoch."""
    whole = _WHOLE.plan(preset, *here)
    changed = {"seeds": (0, 1), "betas": (BETAS[0], 5.0), "epochs": 1}
    asked = (Asked(one.study, msgspec.structs.replace(one.spec, **changed)) for one in whole.asked)
    return Plan(tuple(asked), whole.notes)


_WHOLE = TABLES[TABLE]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIFFOCI_RUNS", str(folder / "runs"))
        patch.setitem(TABLES, TABLE, replace(_WHOLE, plan=small))
        path = folder / "page.html"
        assert main(["reproduce", TABLE, "--preset", "quick", "--out", str(path), "--jobs", "1"]) == 0
    return path.read_text()


@pytest.fixture(autouse=True)
def small_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLES, TABLE, replace(_WHOLE, plan=small))


def forged(page: str, change: Change) -> str:
    """The page that the program would write of the changed results."""
    content = json.loads(script_content(page, ELEMENT) or "")["result"]
    change(content)
    return paper_tables._written(msgspec.convert(content, PaperTables))


def complaints(page: str) -> list[str]:
    try:
        checks = check_paper_tables(page, read_paper_tables(page))
    except ValueError as problem:
        return [str(problem)] if "damaged" in str(problem) else []
    return [str(difference) for check in checks for difference in check.agreement.differences]


def run(content: Content, k: int = 0) -> Content:
    found: Content = content["tables"][0]["runs"][k]
    return found


def a_run_less(content: Content) -> None:
    del content["tables"][0]["runs"][1]


def a_run_twice(content: Content) -> None:
    content["tables"][0]["runs"].append(run(content))


def runs_in_another_order(content: Content) -> None:
    content["tables"][0]["runs"].reverse()


def a_note_more(content: Content) -> None:
    content["tables"][0]["notes"] = ["Checked by an independent laboratory."]


def a_lower_error(content: Content) -> None:
    run(content)["methods"][0]["scores"]["mse"]["mean"] /= 2


def a_selector_less(content: Content) -> None:
    one = run(content, 1)
    one["spec"]["methods"] = one["spec"]["methods"][:1]
    one["methods"] = [method for method in one["methods"] if method["name"] == "vec-dF1"]


def other_repetitions(content: Content) -> None:
    one = run(content)
    one["spec"]["seeds"] = [5, 6]
    for method in one["methods"]:
        for seed, found in zip((5, 6), method["repetitions"], strict=True):
            found["seed"] = seed
    for path in one["paths"]:
        path["seed"] = 5


def more_epochs_than_were_trained(content: Content) -> None:
    run(content)["spec"]["epochs"] = 500


def fewer_errors_at_the_same_accuracy(content: Content) -> None:
    method = run(content, 1)["methods"][0]
    for found in method["repetitions"]:
        found["scores"]["hard_log_loss"] = 0.1
    method["scores"]["hard_log_loss"] = msgspec.to_builtins(mean_over_seeds([0.1, 0.1]))


def a_table_twice(content: Content) -> None:
    content["tables"].append(content["tables"][0])


def a_run_that_failed_and_is_there(content: Content) -> None:
    run(content)["failures"] = {"vec-dF1.0.0": "out of memory"}


@pytest.mark.parametrize(
    "change",
    [
        a_run_less,
        a_run_twice,
        runs_in_another_order,
        a_note_more,
        a_lower_error,
        a_selector_less,
        other_repetitions,
        more_epochs_than_were_trained,
        fewer_errors_at_the_same_accuracy,
        a_table_twice,
        a_run_that_failed_and_is_there,
    ],
)
def test_item_2_a_forged_page_of_tables_is_found(page: str, change: Change) -> None:
    assert complaints(forged(page, change))


@pytest.mark.parametrize(
    ("old", "new"),
    [('"name":"beta"', '"name":"toy"'), ('"name":"beta"', '"name":"no table"'),
     ('"study":"feature-lab"', '"study":"audit"'), ('"betas":[1e-05,5.0]', '"betas":[5.0]'),
     ('"preset":"quick"', '"preset":"slow"')],
)  # fmt: skip
def test_item_7_a_page_whose_parts_do_not_belong_together_is_refused_in_a_sentence(
    page: str, old: str, new: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in page
    path = tmp_path / "page.html"
    path.write_text(page.replace(old, new, 1))
    assert main(["verify", str(path)]) == 2
    assert capsys.readouterr().err.strip().count("\n") == 0


def test_the_honest_page_agrees_also_where_its_data_are_missing(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.html"
    path.write_text(page)
    assert main(["verify", str(path)]) == 0
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path))
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().out.count("Every number agrees.") == 2


@pytest.mark.parametrize("shown", ["beta from 1e-5", "log-loss of hard predictions", '"name":"the paper"'])
def test_words_and_pictures_of_a_page_are_compared_with_its_results(page: str, shown: str, tmp_path: Path) -> None:
    assert shown in page
    path = tmp_path / "page.html"
    path.write_text(page.replace(shown, shown.replace("e", "a", 1), 1))
    assert main(["verify", str(path)]) == 2


class Without:
    """A machine that lacks some data and packages."""

    def __init__(self, lacking: set[str]) -> None:
        self.lacking = lacking

    def has(self, data: str, options: Any) -> bool:
        return data not in self.lacking

    def installed(self, selector: str) -> bool:
        return selector not in self.lacking


@pytest.mark.parametrize("table", [TABLES["uci"], TABLES["toy"], FAIRNESS, DROPPED, SHIFT, TABLES["spurious"]])
@pytest.mark.parametrize(
    "lacking", [set(), {"bank", "spambase"}, {"acs-income", "toxicity", "UMAP"}, {"student", "acs-employment"}]
)
@pytest.mark.parametrize("preset", ["quick", "full"])
def test_what_a_machine_had_is_read_from_the_runs_of_its_page(table: Any, lacking: set[str], preset: Preset) -> None:
    """So no run is missed that the machine could not have had, and none can be left out that it had."""
    plan = table.plan(preset, Without(lacking))
    stated = paper_tables._Stated([one.spec for one in plan.asked])
    assert table.plan(preset, stated) == plan
