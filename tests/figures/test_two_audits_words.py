"""Two audits in words: numbers that add up, and nothing made of a single repetition."""

from __future__ import annotations

import pytest

from diffoci.audit.noise import Difference
from diffoci.audit.two_audits.changes import DroppedChange
from diffoci.figures.two_audits.words import difference_text, dropped_table, flat


@pytest.mark.parametrize(("seeds", "said"), [((5, 5), "yes"), ((5, 1), "not known"), ((1, 1), "not known")])
def test_a_single_repetition_agrees_with_nobody(seeds: tuple[int, int], said: str) -> None:
    class Found:
        dropped = (DroppedChange(given=((), ()), feature="age", shares=(1.0, 0.0), seeds=seeds),)

    table = dropped_table(Found(), ("the first", "the second"))  # type: ignore[arg-type]
    assert table["All repetitions agree"].tolist() == [said]
    assert table["the second"].tolist() == [f"dropped in 0 of {seeds[1]} repetition{'' if seeds[1] == 1 else 's'}"]


def test_a_difference_has_the_digits_that_its_numbers_have() -> None:
    difference = Difference(0.0344, -0.0004, 0.07)
    assert difference_text(difference, "auc") == "difference 0.03, interval 0.00 to 0.07"
    assert difference_text(difference, "auc", digits=3) == "difference 0.034, interval 0.000 to 0.070"


def test_a_setting_without_values_is_none() -> None:
    assert flat({"curve": (), "weights": (1, 2), "beta": None}) == {
        "curve": "none",
        "weights": "1, 2",
        "beta": "not given",
    }
