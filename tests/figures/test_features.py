"""The matrix of dropped features follows the cutoff and the weights of every seed."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from diffoci.figures import features
from diffoci.figures.distribution import distribution
from diffoci.ui.draft import dataset_of
from tests.sample_audit import sample


def with_weights(result: dict[str, Any], weights: list[list[list[float]]]) -> dict[str, Any]:
    """The result with three features and these weights by condition (none, sex, address, both) and seed."""
    other = copy.deepcopy(result)
    found = other["features"]
    found["names"], found["labels"] = ["a", "b", "c"], ["A", "B", "C"]
    for condition, values in zip(found["conditions"], weights, strict=True):
        condition["values"] = values
    return other


def test_at_the_stored_cutoff_the_stored_features_are_dropped(result: dict[str, Any]) -> None:
    stored = result["features"]["conditions"]
    found = features.dropping(result, stored[0]["cutoff"])
    for k, condition in enumerate(stored):
        names = [name for name, gone in zip(found.names, found.dropped[k], strict=True) if gone]
        assert names == condition["dropped"]
        assert found.theta[k].tolist() == pytest.approx(condition["theta"])
    assert list(found.only_together) == result["features"]["only_together"]


@pytest.mark.parametrize("cutoff", [0.0, 0.3, 0.8, 5.0])
def test_a_larger_cutoff_drops_what_is_within_it(result: dict[str, Any], cutoff: float) -> None:
    found = features.dropping(result, cutoff)
    for k, condition in enumerate(result["features"]["conditions"]):
        inside = np.abs(condition["values"]) <= cutoff
        assert found.count[k].tolist() == inside.sum(axis=0).tolist()
        assert found.dropped[k].tolist() == (inside.mean(axis=0) > 0.5).tolist()


def test_dropped_is_shown_by_a_cross_and_a_hollow_bar(result: dict[str, Any]) -> None:
    other = with_weights(result, [[[1, 0.05, 1], [1, 0.02, 0.01]]] * 4)
    bars = features.matrix(features.dropping(other, 0.1)).figure.data[0]
    by_name = dict(zip(bars.customdata, zip(bars.text, bars.marker.color, strict=True), strict=True))
    assert by_name["b"][0].startswith("✕")
    assert by_name["b"][0].endswith("2/2")
    assert by_name["b"][1] == "rgba(0,0,0,0)"
    assert by_name["c"][0].endswith("1/2")
    assert "✕" not in by_name["c"][0]
    assert "/" not in by_name["a"][0]


def test_features_dropped_only_together_are_boxed(result: dict[str, Any]) -> None:
    kept, gone = [[1, 1, 1], [1, 1, 1]], [[1, 1, 0], [1, 1, 0.0]]
    found = features.dropping(with_weights(result, [kept, kept, kept, gone]), 0.1)
    assert found.only_together == ("c",)
    shapes = features.matrix(found).figure.layout.shapes
    assert sum(shape.name == "only together" for shape in shapes) == 1


def test_weights_show_every_seed(result: dict[str, Any]) -> None:
    found = features.dropping(result, 0.1)
    drawing = features.weights(found, 1)
    values = np.array(result["features"]["conditions"][1]["values"])
    for seed, row in enumerate(values):
        points = next(t for t in drawing.figure.data if t.name == f"seed {seed}")
        assert sorted(points.y) == pytest.approx(sorted(row))


def test_the_papers_list_stands_beside_ours(result: dict[str, Any]) -> None:
    found = features.dropping(result, 0.1)
    (line,) = features.paper_sentences(result, found)
    assert "the paper dropped 11" in line
    assert not features.paper_sentences({**result, "paper": {}}, found)


def test_shares_by_group_add_up() -> None:
    dataset = dataset_of(sample().spec)
    for column in dataset.columns:
        data = distribution(dataset, column.name, "sex").data
        assert data["F"].sum() == pytest.approx(1)
        assert data["M"].sum() == pytest.approx(1)
