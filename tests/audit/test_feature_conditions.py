"""Weights and coefficients of features are conditioned on what their names say, and on nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from diffoci.audit.cells import prepared_split
from diffoci.audit.dropping import drop
from diffoci.audit.make_spec import make_spec
from diffoci.audit.measuring.features import exact_views, train_weights
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS
from diffoci.audit.presets import vec_settings
from diffoci.audit.result import AuditResult
from diffoci.audit.study import AUDIT
from diffoci.coefficients import T
from diffoci.data.dataset import Dataset
from diffoci.data.truth.source import make_truth
from diffoci.learning.estimator import DifFOCI
from diffoci.runs.study import CellOutput, Made, Watch
from tests.audit.known_truth import SHORT, prepared_of, settings, with_second_attribute

CONDITIONS: list[tuple[str, ...]] = [(), ("group",), ("other",), ("group", "other")]


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    """Two attributes, both seen in the features and in y."""
    return with_second_attribute(make_truth(rows=300, linear=2.0, variance=0.0, interaction=0.5, direct=2.0).dataset)


@pytest.fixture(scope="module")
def prepared(dataset: Dataset) -> PreparedSplit:
    return prepared_of(dataset)


def with_other_people_in(prepared: PreparedSplit, attribute: str) -> PreparedSplit:
    """The same rows, with the values of one attribute dealt out anew."""
    code = np.random.default_rng(11).permutation(prepared.groups[attribute])
    levels = list(prepared.levels[attribute])
    sensitive = prepared.sensitive.assign(**{attribute: pd.Categorical(np.take(levels, code), categories=levels)})
    groups = {**prepared.groups, attribute: code}
    joint = np.unique(np.column_stack(list(groups.values())), axis=0, return_inverse=True)[1].reshape(-1)
    return replace(prepared, sensitive=sensitive, groups=groups, joint=joint)


def weights(prepared: PreparedSplit, given: Sequence[str]) -> list[float]:
    return train_weights(prepared, given, settings(), 0, Watch()).summary["theta"]


@pytest.mark.parametrize("attribute", ["group", "other"])
@pytest.mark.parametrize("given", CONDITIONS, ids="+".join)
def test_weights_depend_on_the_attributes_they_are_given_and_on_no_other(
    prepared: PreparedSplit, given: tuple[str, ...], attribute: str
) -> None:
    same = weights(prepared, given) == weights(with_other_people_in(prepared, attribute), given)
    assert same == (attribute not in given)


@pytest.mark.parametrize("given", CONDITIONS, ids="+".join)
def test_a_condition_of_an_audit_is_diffoci_given_its_attributes(dataset: Dataset, given: tuple[str, ...]) -> None:
    spec = make_spec("truth", preset="quick", seeds=1, methods=["standard"], settings=SHORT, device="cpu")
    (cell,) = [cell for cell in AUDIT.plan(spec, dataset) if cell.settings.get("given") == list(given)]
    found = AUDIT.run_cell(spec, dataset, cell, Watch()).summary
    prepared = prepared_split(dataset, cell.seed, {**spec.settings, "device": spec.device})
    rows, held = prepared.split.train, prepared.split.validation
    sensitive = prepared.sensitive[list(given)] if given else None
    objective = "dF3" if given else "dF1"
    own = vec_settings(spec.settings, objective, len(rows))
    model = DifFOCI(objective=objective, model="vec", device="cpu", random_state=0, **own)  # type: ignore[arg-type]
    model.fit(
        prepared.standard[rows],
        prepared.label[rows],
        None if sensitive is None else sensitive.iloc[rows],
        validation=(prepared.standard[held], prepared.label[held], None if sensitive is None else sensitive.iloc[held]),
        feature_of_column=prepared.feature_of_column(),
    )
    assert found["given"] == list(given)
    assert found["theta"] == pytest.approx(model.theta_.tolist(), abs=1e-6)


@pytest.mark.parametrize("model", ["vec", "nn"])
@pytest.mark.parametrize(("method", "knows_it"), [("dF1", False), ("dF2", True), ("dF3", True), ("dF3+penalty", True)])
def test_of_our_methods_only_dF1_knows_no_group(
    prepared: PreparedSplit, method: str, knows_it: bool, model: str
) -> None:
    build, own = METHODS[method].build, settings(model=model)
    one, two = (build(data, own, 0, Watch()).z for data in (prepared, with_other_people_in(prepared, "group")))
    assert np.array_equal(one, two) != knows_it


def test_dF1_trains_the_same_with_the_attribute_at_hand_as_without(prepared: PreparedSplit) -> None:
    x, label = prepared.standard, prepared.label
    one, two = (DifFOCI("dF1", max_epochs=3).fit(x, label, given).theta_ for given in (prepared.sensitive, None))
    assert np.array_equal(one, two)


@pytest.fixture(scope="module")
def views(dataset: Dataset) -> dict[str, Any]:
    """Of all rows: coefficients do not depend on the order of rows."""
    return exact_views(dataset, settings(permutations=9), 0, Watch()).summary["columns"]


@pytest.mark.parametrize("column", ["linear", "interaction_a", "useful_1"])
def test_T_y_is_that_of_the_label_and_the_column(views: dict[str, Any], dataset: Dataset, column: str) -> None:
    assert views[column]["T_y"] == pytest.approx(T(dataset.label, dataset.features[[column]]))


@pytest.mark.parametrize("attribute", ["group", "other"])
@pytest.mark.parametrize("column", ["linear", "interaction_a", "useful_1"])
def test_T_y_given_is_conditioned_on_that_attribute(
    views: dict[str, Any], dataset: Dataset, column: str, attribute: str
) -> None:
    expected = T(dataset.label, dataset.features[[column]], dataset.sensitive[[attribute]])
    assert views[column]["sensitive"][attribute]["T_y_given"] == pytest.approx(expected)


@pytest.mark.parametrize("column", ["linear", "interaction_a", "useful_1"])
def test_T_y_given_all_is_conditioned_on_all_attributes(views: dict[str, Any], dataset: Dataset, column: str) -> None:
    expected = T(dataset.label, dataset.features[[column]], dataset.sensitive)
    assert views[column]["T_y_given_all"] == pytest.approx(expected)


@pytest.mark.parametrize("attribute", ["group", "other"])
def test_T_of_an_attribute_is_that_of_the_attribute_and_the_column(
    views: dict[str, Any], dataset: Dataset, attribute: str
) -> None:
    expected = T(dataset.sensitive[attribute], dataset.features[["linear"]])
    assert views["linear"]["sensitive"][attribute]["T"] == pytest.approx(expected)


def test_a_feature_that_means_the_opposite_in_each_group_tells_y_only_given_the_group() -> None:
    plain = make_truth(rows=400, linear=0.0, variance=0.0, interaction=0.0).dataset
    turned = (plain.features["useful_1"] > 0).to_numpy() ^ (plain.sensitive["group"] == "B").to_numpy()
    dataset = replace(plain, label=pd.Series(turned.astype(int), name="y"))
    found = exact_views(dataset, settings(permutations=9), 0, Watch()).summary["columns"]["useful_1"]
    assert found["T_y"] < 0.2
    assert found["sensitive"]["group"]["T_y_given"] > 0.8


def test_only_a_column_that_holds_the_group_has_a_small_p_value() -> None:
    dataset = make_truth(rows=300, linear=2.0, variance=0.0, interaction=0.0).dataset
    found = exact_views(dataset, settings(), 0, Watch()).summary["columns"]
    small = [name for name, entry in found.items() if entry["sensitive"]["group"]["p_value"] < 0.05]
    assert small == ["linear"]


def audit_of_weights(dataset: Dataset, dropped: Mapping[tuple[str, ...], Sequence[str]]) -> AuditResult:
    """The result of an audit of two seeds that dropped these features under these conditions."""
    spec = make_spec("truth", preset="quick", seeds=2, methods=["standard"], settings=SHORT)
    names = [column.name for column in dataset.columns]
    outputs = {
        cell.id: CellOutput(
            {
                "given": cell.settings["given"],
                "names": names,
                "theta": [0.01 if name in dropped[tuple(cell.settings["given"])] else 0.9 for name in names],
                "cutoff": 0.1,
                "history": [],
            }
        )
        for cell in AUDIT.plan(spec, dataset)
        if "given" in cell.settings
    }
    return AUDIT.assemble(spec, dataset, outputs, {}, Made({}, "cpu", 0.0))


def test_only_together_are_features_dropped_given_all_attributes_and_under_no_other_condition(dataset: Dataset) -> None:
    dropped = {
        (): ["useful_1"],
        ("group",): ["linear"],
        ("other",): ["variance"],
        ("group", "other"): ["useful_1", "linear", "variance", "useful_2", "irrelevant_1"],
    }
    assert audit_of_weights(dataset, dropped).features.only_together == ("useful_2", "irrelevant_1")


def test_a_figure_of_the_same_weights_has_the_same_only_together(dataset: Dataset) -> None:
    dropped = {(): [], ("group",): ["linear"], ("other",): [], ("group", "other"): ["linear", "useful_2"]}
    assert drop(audit_of_weights(dataset, dropped), 0.1).only_together == ("useful_2",)


def test_one_attribute_has_nothing_that_is_dropped_only_together() -> None:
    dataset = make_truth(rows=100).dataset
    dropped: Mapping[tuple[str, ...], Sequence[str]] = {(): [], ("group",): ["linear"]}
    assert audit_of_weights(dataset, dropped).features.only_together == ()
