"""How much memory an audit takes, and that it is asked for before one begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from diffoci.audit.cost.memory import bytes_needed
from diffoci.audit.make_spec import make_spec
from diffoci.audit.presets import STANDARD
from diffoci.audit.study import AUDIT
from diffoci.data.sources import load
from diffoci.runs import memory
from diffoci.runs.runner import execute
from diffoci.runs.store import Run


def test_more_rows_and_levels_need_more() -> None:
    small, large = (bytes_needed(load("truth", rows=rows)) for rows in (1000, 50_000))
    assert 450e6 < small < large < 1e9
    assert bytes_needed(load("acs-income", twin=True, rows=20_000)) > bytes_needed(load("student", twin=True))


def test_numbers_cut_into_more_pieces_need_more() -> None:
    dataset = load("truth", rows=50_000)
    assert bytes_needed(dataset, {"pieces": 1000}) > 10 * bytes_needed(dataset, {"pieces": 0})


def test_an_audit_that_does_not_fit_fails_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "bytes_free", lambda: 2e8)
    spec = make_spec("student", sensitive=["sex"], twin=True, preset="quick", methods=["standard"], seeds=1)
    run = Run.create(AUDIT, spec, folder=tmp_path / "run")
    with pytest.raises(ValueError, match=r"needs about 0\.5 GB of memory and 0\.2 GB are free"):
        execute(run)
    assert run.status().message.startswith("It needs about 0.5 GB")


def test_item_8_what_was_measured_is_foreseen_and_not_much_more() -> None:
    """Peaks of cells, as `python -m tests.measure.memory` measured them, in MB."""
    truth, acs = load("truth", rows=100_000), load("acs-income", twin=True, rows=30_000)
    few = load("truth", rows=5000)
    single = {**STANDARD, "exact_rows": 100_000}
    for dataset, settings, taken in (
        (few, {**STANDARD, "network": {**STANDARD["network"], "hidden": (2000, 2000)}}, 684),
        (few, {**STANDARD, "network": {**STANDARD["network"], "hidden": (4096,) * 3}}, 1333),
        (few, {**STANDARD, "probe": {**STANDARD["probe"], "hidden": (2000, 2000)}}, 875),
        (few, {**STANDARD, "probe": {**STANDARD["probe"], "hidden": (4096,) * 3}}, 2163),
        (truth, STANDARD, 783),
        (truth, single, 1432),
        (acs, single, 1530),
    ):
        assert taken * 1e6 < bytes_needed(dataset, settings) < 1.6 * taken * 1e6


def test_item_8_weights_and_their_optimiser_are_counted() -> None:
    dataset = load("truth", rows=1000)
    wide = {"network": {"hidden": (4096, 4096), "width": None}, "probe": {"hidden": (128,)}}
    assert bytes_needed(dataset, wide) > bytes_needed(dataset, {}) + 4096 * 4096 * 4 * 5
    assert bytes_needed(dataset, {"probe": {"hidden": (4096, 4096)}}) > bytes_needed(dataset, wide) - 1e8


@pytest.mark.parametrize("setting", [{"network": {"hidden": (20_000,)}}, {"permutations": 10**9}])
def test_item_8_settings_beyond_their_bounds_are_refused_asked_for_or_written_by_hand(
    tmp_path: Path, setting: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=r"^The setting '.*' must be .*, not "):
        make_spec("truth", settings=setting)
    spec = make_spec("truth", preset="quick", methods=["standard"], seeds=1)
    changed = replace(spec, settings={**spec.settings, **setting})
    run = Run.create(AUDIT, changed, folder=tmp_path / "run")
    with pytest.raises(ValueError, match=r"^The setting '.*' must be .*, not "):
        execute(run)
