"""The report of the largest audit that pages start is small, says what it leaves out, and is verified."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from diffoci.__main__ import main
from diffoci.audit.dropping import condition_of, only_together
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.result import AuditResult
from diffoci.audit.splitting import overlap_of_splits
from diffoci.report._tables import tables
from diffoci.report.build import LARGEST, build_report
from diffoci.report.verify import check_rerun, read_audit
from tests.plain_result import Content, plain, typed

METHODS = 9


def enlarged(result: AuditResult, *, features: int, seeds: int) -> AuditResult:
    """The sample as if it had this many features and seeds, and as many methods and weights as a preset offers."""
    large = plain(result)
    share = overlap_of_splits(result.spec.settings, rows=result.provenance.rows, splits=seeds)
    _more_seeds([large["methods"], large["curve"]], seeds, share)
    for one in [*large["methods"], *(point for line in large["curve"].values() for point in line)]:
        one |= {"seeds": list(range(seeds))} | ({"chosen": (one["chosen"] * seeds)[:seeds]} if "chosen" in one else {})
        one["y"]["probe"] = (one["y"]["probe"] * seeds)[:seeds]
    large["spec"]["seeds"] = list(range(seeds))
    large["methods"] = [
        {**one, "name": f"{one['name']}{turn or ''}", "title": f"{one['title']} {turn or ''}".strip()}
        for turn in range(METHODS)
        for one in large["methods"]
    ][:METHODS]
    large["curve"] = {
        name: [{**points[k % len(points)], "weight": float(k)} for k in range(9)]
        for name, points in large["curve"].items()
    }
    _more_features(large["features"], features, seeds)
    return typed(large)


def _more_seeds(value: Any, seeds: int, test_share: float) -> None:
    if isinstance(value, list):
        for entry in value:
            _more_seeds(entry, seeds, test_share)
    elif isinstance(value, dict):
        if set(value) == {"mean", "low", "high", "values"} and value["values"]:
            values = (value["values"] * seeds)[:seeds]
            value |= msgspec.to_builtins(mean_over_seeds(values, test_share=test_share))
        else:
            for entry in value.values():
                _more_seeds(entry, seeds, test_share)


def _more_features(found: Content, features: int, seeds: int) -> None:
    chance = random.Random(0)
    told = list(found["exact"]["columns"].values())
    found["names"] = [f"a column with a name of some length {k}" for k in range(features)]
    found["labels"] = [f"what the column {k} means in words" for k in range(features)]
    found["exact"]["columns"] = {name: told[k % len(told)] for k, name in enumerate(found["names"])}
    for condition in found["conditions"]:
        theta = np.array([[chance.random() for _ in range(features)] for _ in range(seeds)])
        condition |= msgspec.to_builtins(condition_of(tuple(condition["given"]), found["names"], theta, 0.5))
    found["only_together"] = only_together({tuple(one["given"]): one["dropped"] for one in found["conditions"]})


@pytest.mark.parametrize("seeds", [20, 50])
def test_a_thousand_features_stay_under_six_megabytes_and_agree(
    result: AuditResult, tmp_path: Path, capsys: pytest.CaptureFixture[str], seeds: int
) -> None:
    large = enlarged(result, features=1000, seeds=seeds)
    report = build_report(large, created=1.7e9)
    assert len(report.encode()) <= LARGEST == 6_000_000
    assert "Plotly.newPlot" in report
    assert (
        "This audit is so large that this file does without the weight of every feature in every repetition" in report
    )
    assert "this table has the first 200 of 1,000, and the file features all" in report
    assert len(tables(large)["weights"]) == 4 * 1000 * seeds
    path = tmp_path / "report.html"
    path.write_bytes(report.encode())
    assert main(["verify", str(path)]) == 0, capsys.readouterr().out
    said = capsys.readouterr().out
    assert "the file does without the weight of every feature in every repetition" in said
    carried = read_audit(report).result
    assert carried.left_out
    assert not check_rerun(carried, large).agreement.differences


def test_where_even_that_is_too_much_pictures_give_way_to_their_tables(
    result: AuditResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diffoci.report.build.LARGEST", 5_000_000)
    report = build_report(result, created=1.7e9)
    assert len(report.encode()) < 1_500_000
    assert "its pictures are left out; the table of each stands in its place" in report
    assert "Plotly" not in report


def test_an_audit_of_usual_size_is_carried_whole(report: str, result: AuditResult) -> None:
    assert not read_audit(report).result.left_out
    assert read_audit(report).result.methods == result.methods


def test_a_report_cannot_say_to_be_without_just_anything(report: str) -> None:
    changed = report.replace('"failures":{}', '"failures":{},"left_out":["every bad number"]', 1)
    assert changed != report
    with pytest.raises(ValueError, match="leaves out what no report leaves out"):
        read_audit(changed)
