"""The heading of the feature lab names a winner only where there is one."""

from __future__ import annotations

import pytest

from diffoci.labs.feature_selection.spec import LabSpec
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.feature_selection.words import headline
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run


def heading(seeds: tuple[int, ...], methods: tuple[str, ...]) -> str:
    run = Run.create(FEATURE_LAB, LabSpec(problem="toy1", knobs={"n": 200}, methods=methods, seeds=seeds))
    assert execute(run, Means(jobs=1)).state == "done"
    return headline(run.result())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path))


def test_one_repetition_does_not_tell_who_is_better() -> None:
    said = heading((0,), ("mean", "full"))
    assert said.startswith("Lowest mean squared error: ")
    assert said.endswith(". One repetition does not tell whether others are worse")


def test_no_selector_is_named_best_where_none_is_clearly_better() -> None:
    assert heading((0, 1), ("full", "KBest")).startswith(
        "No selector has a clearly lower mean squared error than the others; lowest on average: "
    )


def test_a_clear_winner_is_named_without_a_full_stop() -> None:
    said = heading((0, 1, 2, 3, 4), ("mean", "FOCI"))
    assert said.startswith("Lowest mean squared error: FOCI, ")
    assert "not clearly different" not in said
    assert not said.endswith(".")
