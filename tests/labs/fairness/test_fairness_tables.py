"""The fairness tables: the audit's engine on the paper's protocol, with its figures beside ours."""

from __future__ import annotations

import msgspec
import pytest

from diffoci.audit.make_spec import make_spec
from diffoci.audit.means import mean_over_seeds
from diffoci.labs.fairness.paper_data import STUDENT
from diffoci.labs.fairness.paper_figures import ACCURACY, COLUMNS
from diffoci.labs.fairness.paper_tables import DROPPED, FAIRNESS
from diffoci.labs.fairness.result import PARTS, FairnessResult
from diffoci.labs.fairness.spec import FairnessSpec
from diffoci.labs.fairness.study import FAIRNESS_TABLES
from diffoci.labs.feature_selection.selectors import SELECTORS
from diffoci.runs.study import Made, Watch

COLUMNS_HERE = tuple(name for name in COLUMNS if name != "UMAP")


@pytest.fixture(scope="module")
def result() -> FairnessResult:
    """Two splits of the twin of the students, with a few epochs."""
    few = {"max_epochs": 2, "patience": 2}
    plain = make_spec(
        "student",
        sensitive=["sex"],
        preset="paper",
        twin=True,
        settings={"network": few, "probe": few, "vec": {"max_epochs": 3}},
        device="cpu",
    )
    entries = msgspec.structs.asdict(plain) | {"methods": ("standard", "dF3"), "seeds": (0, 1)}
    spec = FairnessSpec(**entries, columns=COLUMNS_HERE, weights=True, most_rows=200)
    data = FAIRNESS_TABLES.load(spec)
    outputs = {
        cell.id: FAIRNESS_TABLES.run_cell(spec, data, cell, Watch()) for cell in FAIRNESS_TABLES.plan(spec, data)
    }
    return FAIRNESS_TABLES.assemble(spec, data, outputs, {}, Made({}, "cpu", 1.0))


def test_the_result_is_read_back_as_it_was(result: FairnessResult) -> None:
    assert FAIRNESS_TABLES.read_result(msgspec.to_builtins(result), "result.json") == result


def test_y_and_the_attribute_have_accuracies_on_every_part(result: FairnessResult) -> None:
    rows = {(row.method, row.measure): row for row in FAIRNESS.rows([result])}
    for method in ("standard", "dF3"):
        for target in ("y", "S"):
            for k, part in enumerate(PARTS):
                row = rows[method, f"{target}_accuracy_{part}"]
                assert 20 < (row.value.mean or 0) <= 100
                assert row.paper == ACCURACY["student"][method][target][k]
    assert rows["commonest class", "S_accuracy_test"].value.mean == pytest.approx(50, abs=15)


def test_every_column_of_the_paper_has_a_log_loss_of_hard_predictions(result: FairnessResult) -> None:
    rows = [row for row in FAIRNESS.rows([result]) if row.measure == "hard_log_loss"]
    assert [row.method for row in rows] == list(COLUMNS_HERE)
    assert all(row.value.mean == pytest.approx(36.04 * (1 - _accuracy(result, row.method)), abs=0.01) for row in rows)


def _accuracy(result: FairnessResult, column: str) -> float:
    return next(one.accuracy.mean or 0 for one in result.columns if one.name == column)


def test_whatever_differs_has_a_reason(result: FairnessResult) -> None:
    differing = [row for table in (FAIRNESS, DROPPED) for row in table.rows([result]) if row.agreement == "differs"]
    assert differing
    assert all(row.reason for row in differing)


def test_dropped_features_are_counted_beside_the_paper_s(result: FairnessResult) -> None:
    rows = {row.method: row for row in DROPPED.rows([result])}
    assert {name: row.paper for name, row in rows.items()} == {"without attributes": 4, "accounting for sex": 11}
    numbers = [sum(abs(weight) <= 0.1 for weight in seed) for seed in result.weights[0].values]
    assert rows["without attributes"].value == mean_over_seeds(numbers, most=29.0)


def test_named_features_agree_only_where_the_names_are_the_same(result: FairnessResult) -> None:
    columns = ("AGEP", "COW", "SCHL", "OCCP", "POBP")
    weights = {
        (): (2, 2, 2, 2, 2),
        ("sex",): (2, 0, 2, 2, 2),
        ("race",): (2, 0, 2, 0, 2),
        ("sex", "race"): (2, 0, 2, 0, 0),
    }
    condition = result.weights[0]
    found = msgspec.structs.replace(
        result,
        spec=msgspec.structs.replace(result.spec, data="acs-income", options={}),
        features=columns,
        weights=tuple(
            msgspec.structs.replace(
                condition,
                given=given,
                values=(theta,),
                theta=theta,
                dropped=tuple(name for name, size in zip(columns, theta, strict=True) if size == 0),
            )
            for given, theta in weights.items()
        ),
    )
    rows = {row.method: row for row in DROPPED.rows([found])}
    assert rows["accounting for sex"].agreement == "agrees"
    assert rows["accounting for race"].agreement == "differs"
    assert "in the paper OCCP" in rows["accounting for race"].reason
    assert rows["accounting for sex+race"].agreement == rows["only for sex+race together"].agreement == "agrees"


@pytest.mark.parametrize("table", [FAIRNESS, DROPPED])
def test_simulated_people_are_said_to_be_so_where_files_are_missing(table, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path))
    plan = table.plan("quick")
    assert STUDENT.twin()
    assert all(asked.spec.twin for asked in plan.asked)
    assert sum("simulated people" in note for note in plan.notes) == 4


def test_columns_are_selectors_of_the_feature_lab() -> None:
    assert set(COLUMNS) - set(SELECTORS) == {"vec-dF3"}
