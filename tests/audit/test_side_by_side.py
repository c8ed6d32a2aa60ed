"""Cells whose networks are trained side by side have the numbers they have by themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from diffoci.audit import cells as cells_module
from diffoci.audit.make_spec import make_spec
from diffoci.audit.methods import method_named, side_by_side
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.data.dataset import Dataset
from diffoci.runs.study import Cancelled, Cell, CellOutput, Watch
from tests.audit.test_engine import TINY

METHODS = ["standard", "dF2", "dF3", "adversary"]


@pytest.fixture(scope="module")
def audit() -> tuple[AuditSpec, Dataset]:
    spec = make_spec(
        "truth", preset="quick", options={"rows": 600}, methods=METHODS, seeds=7,
        settings={**TINY, "dF2_penalties": (0.3, 1.0), "curve": (0.0, 1.0)},
    )  # fmt: skip
    return spec, AUDIT.load(spec)


def planned(audit: tuple[AuditSpec, Dataset], cell: str) -> Cell:
    return next(one for one in AUDIT.plan(*audit) if one.id == cell)


def found(audit: tuple[AuditSpec, Dataset], cell: Cell, watch: Watch = Watch()) -> CellOutput:  # noqa: B008
    spec, dataset = audit
    return AUDIT.run_cell(spec, dataset, cell, watch)


def assert_same(one: CellOutput, other: CellOutput) -> None:
    assert one.summary == other.summary
    for mine, theirs in ((one.arrays, other.arrays), (one.weights, other.weights)):
        assert mine.keys() == theirs.keys()
        assert all(np.array_equal(mine[name], theirs[name]) for name in mine)


def test_small_data_are_planned_in_kin_of_five_seeds_of_a_method_and_its_curve(audit) -> None:
    kin: dict[str, list[str]] = {}
    for cell in AUDIT.plan(*audit):
        if cell.kin:
            kin.setdefault(cell.kin, []).append(cell.id)
    assert kin["dF3 of 0, 1, 2, 3, 4"] == [f"dF3.{seed}" for seed in range(5)]
    assert kin["dF2 of 5, 6"] == ["dF2.5", "curve-dF2-0.5", "dF2.6", "curve-dF2-0.6"]
    assert not any(name.startswith("standard") for name in kin)


def test_large_data_are_planned_cell_by_cell_on_a_processor() -> None:
    assert side_by_side(1_300, "cpu")
    assert not side_by_side(22_000, "cpu")


@pytest.mark.parametrize("cell", ["dF2.1", "curve-dF2-0.1", "dF3.5", "adversary.3", "curve-adversary-0.6"])
def test_a_cell_has_the_same_numbers_with_its_kin_and_by_itself(audit, cell) -> None:
    cells_module._MADE.clear()
    with_kin = planned(audit, cell)
    assert with_kin.kin
    assert_same(found(audit, with_kin), found(audit, replace(with_kin, kin="")))


def test_the_first_of_the_kin_trains_for_all_and_the_others_take_what_it_made(audit, monkeypatch) -> None:
    cells_module._MADE.clear()
    found(audit, planned(audit, "dF2.0"))
    monkeypatch.setattr(method_named("dF2").build.__class__, "train", lambda *_: pytest.fail("trained once more"))
    for cell in ("dF2.1", "curve-dF2-0.1", "dF2.4"):
        found(audit, planned(audit, cell))


def test_a_cell_that_is_cancelled_while_its_kin_are_trained_leaves_nothing_half_made(audit) -> None:
    cells_module._MADE.clear()
    cell, asked = planned(audit, "dF3.2"), iter([False] * 3)
    with pytest.raises(Cancelled):
        found(audit, cell, Watch(cancelled=lambda: next(asked, True)))
    assert_same(found(audit, cell), found(audit, replace(cell, kin="")))


def test_progress_goes_up_and_ends_where_measuring_begins(audit) -> None:
    cells_module._MADE.clear()
    told: list[dict[str, float]] = []
    found(audit, planned(audit, "dF2.0"), Watch(report=told.append))
    fractions = [line["fraction"] for line in told if "fraction" in line]
    assert fractions == sorted(fractions)
    assert max(fraction for fraction in fractions if fraction <= 0.7) == pytest.approx(0.7)
    epochs = [line["epoch"] for line in told if "epoch" in line]
    assert epochs == sorted(epochs)
    assert epochs


def test_a_cell_that_finds_its_network_trained_tells_its_epochs_all_the_same(audit) -> None:
    cells_module._MADE.clear()
    found(audit, planned(audit, "dF3.0"))
    told: list[dict[str, float]] = []
    found(audit, planned(audit, "dF3.1"), Watch(report=told.append))
    epochs = [line["epoch"] for line in told if "epoch" in line]
    assert epochs == list(range(1, len(epochs) + 1))
    assert len(epochs) >= 3
