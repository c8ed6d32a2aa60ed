"""Certificates: cut on training rows, counted on rows nothing has seen, worked out again from their own counts."""

from __future__ import annotations

from itertools import product
from math import log, sqrt

import msgspec
import numpy as np
import pandas as pd
import pytest

from diffoci.audit.certificates.ceiling import best_auc, ceiling, telling, total_variation
from diffoci.audit.certificates.certificate import Certificate, bounds_of, certify, counted_in, problems
from diffoci.audit.certificates.counting import count_cells
from diffoci.audit.certificates.cutting import Cut, quantile_cut, tree_cut
from diffoci.audit.certificates.words import ceiling_in, ceiling_sentence
from diffoci.audit.make_spec import make_spec
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.data.dataset import Column, Dataset
from diffoci.data.truth.source import make_truth
from diffoci.report.checks.agreement import compare_pairs
from diffoci.report.checks.arithmetic import recomputed
from tests.plain_result import changed
from tests.sample_audit import sample

SETTINGS = {**make_spec("truth", preset="quick").settings, "cells": (4, 8)}


def prepared(rows: int = 800, fractions: tuple[float, ...] = (0.6, 0.2, 0.2)) -> PreparedSplit:
    return PreparedSplit.of(make_truth(rows=rows).dataset, seed=0, coding="onehot", fractions=fractions)


def held(counts: list[list[int]], groups: str = "ab", **how: float) -> Certificate:
    cells = len(counts[0])
    counted = {
        "outcome": [[60, 40]] * cells,
        "predicted": [[0.5 - 0.01 * k, 0.5 + 0.01 * k] for k in range(cells)],
        "aside": False,
        "attributes": {"sex": {"groups": list(groups), "counts": counts}},
    }
    made = certify(counted, confidence=how.get("confidence", 0.95), seed=0)
    assert made is not None
    return made


def test_a_certificate_computed_by_hand():
    found = held([[30, 50, 20], [10, 60, 30]])
    slack = sqrt((1 / 100 + 1 / 100) * log(20) / 2)
    assert found.people == 200
    assert found.tv == pytest.approx(0.2, abs=1e-12)
    assert found.parity_gap_at_most == pytest.approx(0.2 + slack, abs=1e-12)
    assert found.balanced_accuracy_at_most == pytest.approx((1.2 + slack) / 2, abs=1e-12)
    # Cell 1 ties; the other two name the second class, which 40 of 100 people in each have.
    assert found.y_accuracy == pytest.approx((60 + 40 + 40) / 300, abs=1e-12)
    assert found.y_auc == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("groups", [3, 5])
@pytest.mark.parametrize("leak", [0.0, 0.3])
def test_naming_one_of_several_groups_is_bounded_in_at_least_95_of_100_draws(groups: int, leak: float):
    rng, cells = np.random.default_rng(groups), 6
    truth = np.full((groups, cells), (1 - leak) / cells)
    truth[np.arange(groups), np.arange(groups)] += leak
    sizes = 40 * (1 + np.arange(groups))
    drawn = [[rng.multinomial(n, p) for n, p in zip(sizes, truth, strict=True)] for _ in range(1000)]
    best = truth.max(axis=0).sum() / groups
    found = [ceiling(counts, [str(k) for k in range(groups)]) for counts in drawn]
    assert np.mean([one is not None and one.naming.most >= best for one in found]) >= 0.95
    # A large table stands for the truth of the AUC as well.
    true = ceiling(1e9 * truth * sizes[:, None], [str(k) for k in range(groups)])
    assert true is not None
    assert np.mean([one is not None and one.ranking.most >= true.ranking.found - 1e-6 for one in found]) >= 0.95


def test_no_subset_of_cells_beats_the_ceiling_in_expectation():
    rng, cells = np.random.default_rng(0), 10
    subsets = np.array(list(product([0, 1], repeat=cells)))
    for people in (40, 200):
        p, q = rng.dirichlet(np.ones(cells), size=2)
        best = ((subsets @ q + 1 - subsets @ p) / 2).max()
        drawn = zip(rng.multinomial(people, p, 300), rng.multinomial(people, q, 300), strict=True)
        ceilings = [held([one.tolist(), other.tolist()]).balanced_accuracy_at_most for one, other in drawn]
        assert np.mean(ceilings) >= best
        assert np.mean(np.array(ceilings) >= best) >= 0.95


def planted(people: int, columns: int, rng: np.random.Generator) -> Dataset:
    """People whose columns tell their group a little and the outcome a little more."""
    group = rng.integers(0, 2, people)
    x = rng.normal(size=(people, columns)) + 0.4 * group[:, None]
    return Dataset(
        name="planted",
        title="Planted",
        features=pd.DataFrame(x, columns=[f"x{k}" for k in range(columns)]),
        columns=tuple(Column(f"x{k}", "number", f"column {k}") for k in range(columns)),
        label=pd.Series((x.sum(axis=1) + rng.normal(size=people) > 0.2 * columns).astype(np.int64)),
        label_name="outcome",
        label_classes=("no", "yes"),
        sensitive=pd.DataFrame({"group": pd.Categorical(np.array(["a", "b"])[group])}),
        real=False,
        source="",
        licence="",
        citation="",
    )


@pytest.mark.parametrize("columns", [1, 3])
def test_a_planted_leak_never_gets_a_certificate_under_its_truth(columns: int):
    """Split, coded, cut, counted and bounded as an audit does it, against what 40,000 further people show."""
    rng = np.random.default_rng(columns)
    everybody = planted(40_000, columns, rng)
    group = everybody.sensitive["group"].cat.codes.to_numpy()
    leaks = []
    for seed in range(200):
        ready = PreparedSplit.of(planted(1200, columns, rng), seed=seed, coding="onehot", fractions=(0.4, 0.1, 0.5))
        counted = count_cells(ready.standard, ready, SETTINGS, seed)
        assert counted is not None
        found = certify(counted, confidence=0.95, seed=seed)
        assert found is not None
        place = Cut.from_dict(counted["cut"], columns=columns).cell_of(
            ready.standard_encoder.transform(everybody.features)
        )
        shares = [np.bincount(place[group == code], minlength=found.cells).astype(np.float64) for code in (0, 1)]
        leaks.append(total_variation(*shares))
        assert found.parity_gap_at_most >= leaks[-1]
        assert found.balanced_accuracy_at_most >= (1 + leaks[-1]) / 2
        assert found.auc_at_most >= best_auc(*shares)
    assert min(leaks) > 0.1


def test_cells_of_one_column_hold_as_many_training_rows_each():
    z = np.random.default_rng(0).normal(size=(1000, 1)).astype(np.float32)
    assert np.bincount(quantile_cut(z, 8).cell_of(z)).tolist() == [125] * 8


def test_people_with_the_same_value_are_in_the_same_cell():
    z = np.repeat(np.array([[0.0], [1.0], [2.0]], dtype=np.float32), [900, 50, 50], axis=0)
    place = quantile_cut(z, 8).cell_of(z)
    assert [len(set(place[z[:, 0] == value])) for value in (0.0, 1.0, 2.0)] == [1, 1, 1]
    assert quantile_cut(np.zeros((50, 1), dtype=np.float32), 4).cells == 1


def test_a_cut_is_the_same_after_it_was_written_and_read():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(600, 3)).astype(np.float32)
    cut = tree_cut(z, (z[:, 0] * z[:, 1] > 0).astype(np.int64), 8, seed=0)
    again = Cut.from_dict(cut.to_dict(), columns=3)
    assert 4 <= cut.cells <= 8
    assert (again.cell_of(z) == cut.cell_of(z)).all()


@pytest.mark.parametrize(
    "change",
    [{"left": [0, -1, -1]}, {"column": [9, -1, -1]}, {"threshold": [1.0]}, {"right": [1, -1, -1]}, {"column": "x"}],
)
def test_a_damaged_cut_is_a_sentence(change: dict[str, object]):
    whole = {"column": [0, -1, -1], "threshold": [0.0, 0.0, 0.0], "left": [1, -1, -1], "right": [2, -1, -1]}
    assert Cut.from_dict(whole, columns=1).cells == 2
    with pytest.raises(ValueError, match="no tree over its columns"):
        Cut.from_dict({**whole, **change}, columns=1)


def test_neither_the_cells_nor_their_number_follow_the_rows_they_are_certified_on():
    ready = prepared()
    first = count_cells(ready.standard, ready, SETTINGS, 0)
    other = ready.standard.copy()
    other[ready.split.certification] = other[ready.split.certification][::-1]
    second = count_cells(other, ready, SETTINGS, 0)
    assert first is not None
    assert second is not None
    assert (first["cut"], first["predicted"]) == (second["cut"], second["predicted"])


def test_counts_are_those_of_the_rows_set_aside():
    ready = prepared(fractions=(0.5, 0.1, 0.1, 0.3))
    counted = count_cells(ready.standard, ready, SETTINGS, 0)
    assert counted is not None
    assert counted["aside"]
    assert np.sum(counted["outcome"]) == len(ready.split.certification) == 240
    assert not set(ready.split.certification) & {*ready.split.train, *ready.split.validation, *ready.split.test}


def test_with_few_people_it_says_how_many_it_would_take():
    bounds = bounds_of(["f", "m"], [[10, 9], [12, 9]], confidence=0.95)
    assert bounds is not None
    assert bounds.too_few
    assert bounds.least > telling(2)
    assert bounds.people_needed > 40
    assert ceiling_in(held([[10, 9], [12, 9]]), "sex", "auc") is None


def test_more_confidence_is_a_higher_ceiling():
    counts = [[500, 500], [520, 480]]
    assert held(counts, confidence=0.99).auc_at_most > held(counts).auc_at_most


def test_the_sentence_binds_whoever_receives_the_cells():
    one = msgspec.structs.replace(sample().result().methods[1], certificate=held([[600, 600], [610, 590]]))
    said = ceiling_sentence(one, "sex")
    who = "Whoever receives only these 2 cells of dF3, whatever their method"
    assert said.startswith(f"{who}, names sex correctly at most 52.")
    assert "(balanced; 95 % confidence, 2,400 people)" in said


def test_the_sentence_of_several_groups_says_how_many_comparisons_hold_together():
    made = held([[600, 600], [610, 590], [300, 310]], "abc")
    one = msgspec.structs.replace(sample().result().methods[1], certificate=made)
    assert "over 3 groups, 33.3 % by chance; 95 % confidence for 8 comparisons" in ceiling_sentence(one, "sex")


def test_every_method_of_an_audit_has_a_certificate_that_follows_from_its_counts():
    for one in sample().result().methods:
        assert one.certificate is not None
        assert set(one.certificate.by_attribute) == {"sex", "address"}
        again = certify(counted_in(one.certificate), confidence=0.95, seed=one.seeds[0])
        assert again == one.certificate


@pytest.mark.parametrize("entry", ["auc_at_most", "balanced_accuracy_at_most", "parity_gap_at_most", "y_accuracy"])
def test_a_ceiling_that_does_not_follow_is_found(entry: str):
    def lower(content: dict[str, object]) -> None:
        content["methods"][1]["certificate"][entry] = 0.51  # type: ignore[index]

    differing = compare_pairs(recomputed(changed(sample().result(), lower))).differences
    assert [one.where for one in differing] == [f"methods › dF3 › certificate › {entry}"]


def test_a_certificate_of_other_groups_or_cells_is_damaged():
    made = held([[30, 30], [30, 30]])
    assert not list(problems(made, {"sex": "ab"}, 2))
    assert list(problems(made, {"sex": "xy"}, 2))
    assert list(problems(made, {"sex": "ab"}, 3))
    assert list(problems(msgspec.structs.replace(made, cells=3), {"sex": "ab"}, 2))
    assert list(problems(msgspec.structs.replace(made, confidence=1.0), {"sex": "ab"}, 2))
