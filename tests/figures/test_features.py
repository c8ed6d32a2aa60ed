"""The matrix of dropped features follows the cutoff and the weights of every seed."""

from __future__ import annotations

import numpy as np
import pytest

from diffoci.audit.dropping import drop
from diffoci.audit.result import AuditResult, PaperFigures
from diffoci.figures import features
from diffoci.figures.before_training.distribution import distribution
from diffoci.figures.weights import weights
from diffoci.ui.runs.draft import dataset_of
from tests.plain_result import Content, changed
from tests.sample_audit import sample


def with_weights(result: AuditResult, trained: list[list[list[float]]]) -> AuditResult:
    """The result with three features and these weights by condition (none, sex, address, both) and seed."""

    def change(content: Content) -> None:
        found = content["features"]
        found["names"], found["labels"] = ["a", "b", "c"], ["A", "B", "C"]
        for condition, values in zip(found["conditions"], trained, strict=True):
            condition["values"] = values

    return changed(result, change)


def test_at_the_stored_cutoff_the_stored_features_are_dropped(result: AuditResult) -> None:
    stored = result.features.conditions
    found = drop(result, stored[0].cutoff)
    for k, condition in enumerate(stored):
        assert tuple(found.names_dropped(k)) == condition.dropped
        assert found.theta[k].tolist() == pytest.approx(condition.theta)
    assert found.only_together == result.features.only_together


@pytest.mark.parametrize("cutoff", [0.0, 0.3, 0.8, 5.0])
def test_a_larger_cutoff_drops_what_is_within_it(result: AuditResult, cutoff: float) -> None:
    found = drop(result, cutoff)
    for k, condition in enumerate(result.features.conditions):
        inside = np.abs(condition.values) <= cutoff
        assert found.count[k].tolist() == inside.sum(axis=0).tolist()
        assert found.dropped[k].tolist() == (inside.mean(axis=0) > 0.5).tolist()


def test_dropped_is_shown_by_a_cross_and_a_hollow_bar(result: AuditResult) -> None:
    other = with_weights(result, [[[1, 0.05, 1], [1, 0.02, 0.01]]] * 4)
    bars = features.matrix(drop(other, 0.1)).figure.data[0]
    by_name = dict(zip(bars.customdata, zip(bars.text, bars.marker.color, strict=True), strict=True))
    assert by_name["b"][0].startswith("✕")
    assert by_name["b"][0].endswith("2/2")
    assert by_name["b"][1] == "rgba(0,0,0,0)"
    assert by_name["c"][0].endswith("1/2")
    assert "✕" not in by_name["c"][0]
    assert "/" not in by_name["a"][0]


def test_features_dropped_only_together_are_boxed(result: AuditResult) -> None:
    kept, gone = [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]
    found = drop(with_weights(result, [kept, kept, kept, gone]), 0.1)
    assert found.only_together == ("c",)
    shapes = features.matrix(found).figure.layout.shapes
    assert sum(shape.name == "only together" for shape in shapes) == 1


def test_weights_show_every_seed(result: AuditResult) -> None:
    found = drop(result, 0.1)
    drawing = weights(found, 1)
    values = np.array(result.features.conditions[1].values)
    for seed, row in enumerate(values):
        points = next(t for t in drawing.figure.data if t.name == f"repetition {seed + 1}")
        assert sorted(points.y) == pytest.approx(sorted(row))


def test_the_papers_list_stands_beside_ours(result: AuditResult) -> None:
    found = drop(result, 0.1)
    (line,) = features.paper_sentences(result.paper, found)
    assert "the paper dropped 11" in line
    assert not features.paper_sentences(PaperFigures(), found)


def test_shares_by_group_add_up() -> None:
    dataset = dataset_of(sample().spec)
    for column in dataset.columns:
        data = distribution(dataset, column.name, "sex").data
        assert data["F"].sum() == pytest.approx(1)
        assert data["M"].sum() == pytest.approx(1)
