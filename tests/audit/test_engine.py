"""An audit of data whose truth is known says the truth, and its result has the shape the README documents."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from diffoci.audit._result_file import read_result
from diffoci.audit.make_spec import make_spec
from diffoci.audit.means import mean_over_seeds
from diffoci.audit.plan import conditions
from diffoci.audit.result import AuditResult, Guessed
from diffoci.audit.study import AUDIT
from diffoci.audit.trade_off import point_in
from diffoci.runs.study import Cell, Made, Watch

MADE = Made({}, "cpu", 0.0)
TINY: dict[str, Any] = {
    "network": {"max_epochs": 3, "hidden": (16,)},
    "penalised": {"max_epochs": 3, "hidden": (16,)},
    "adversary": {"max_epochs": 3, "hidden": (16,)},
    "vec": {"max_epochs": 3},
    "probe": {"max_epochs": 4, "hidden": (32, 32)},
    "exact_rows": 300,
    "permutations": 19,
    "null_draws": 500,
}


MADE = Made({"torch": "2"}, "cpu", 1.5)


def audit(data: str = "truth", **settings: Any) -> AuditResult:
    spec = make_spec(data, preset="quick", **{"seeds": 2, "settings": TINY, **settings})
    dataset = AUDIT.load(spec)
    outputs = {cell.id: AUDIT.run_cell(spec, dataset, cell, Watch()) for cell in AUDIT.plan(spec, dataset)}
    return AUDIT.assemble(spec, dataset, outputs, {}, MADE)


def of_first(found: AuditResult, attribute: str = "group") -> Guessed:
    """How well the attribute can be guessed from the first method's representation."""
    return found.methods[0].leakage.by_attribute[attribute]["representation"]


@pytest.fixture(scope="module")
def result() -> AuditResult:
    return audit(options={"rows": 1500}, settings={**TINY, "curve": (0.0, 1.0)})


def test_a_result_is_json_has_the_documented_entries_and_is_read_back(result):
    again = json.loads(json.dumps(msgspec.to_builtins(result), allow_nan=False))
    assert msgspec.to_builtins(read_result(again).methods) == msgspec.to_builtins(result.methods)
    assert (again["schema"], again["study"]) == (1, "audit")
    assert (again["provenance"]["device"], again["provenance"]["seconds"]) == ("cpu", 1.5)
    assert set(again) >= {"spec", "provenance", "methods", "features", "curve", "failures", "groups", "findings"}
    assert again["provenance"]["real"] is False
    for method in again["methods"]:
        assert set(method) >= {"name", "needs_sensitive_at_prediction", "y", "leakage", "decisions"}
        assert set(method["y"]) >= {"accuracy", "balanced_accuracy", "auc", "log_loss", "hard_log_loss"}
        for place in ("representation", "last_layer"):
            entry = method["leakage"][place]
            assert set(entry) >= {"majority", "accuracy", "balanced_accuracy", "auc", "null_auc_high", "probe"}
            assert set(entry) >= {"probes", "T", "p_value", "verdict"}
            assert set(entry["auc"]) == {"mean", "low", "high", "values"}
            assert len(entry["auc"]["values"]) == 2
            assert entry["verdict"] in ("detected", "not detected", "insufficient evidence")


@pytest.mark.parametrize("rare", [1, 3])
def test_a_group_of_a_few_people_costs_no_method(tmp_path, rare):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "w": rng.normal(size=200), "y": rng.integers(0, 2, 200)})
    frame["s"] = ["b"] * rare + ["a"] * (200 - rare)
    frame["t"] = rng.choice(["u", "v"], 200)
    frame.to_csv(tmp_path / "people.csv", index=False)
    methods = ["standard", "dF3", "leace", "adversary"]
    source = f"csv:{tmp_path / 'people.csv'}"
    found = audit(source, sensitive=["s", "t"], options={"label": "y"}, methods=methods, seeds=6)
    assert [method.name for method in found.methods] == methods
    for method in found.methods:
        assert method.leakage.by_attribute["s"]["representation"].verdict == "insufficient evidence"
        assert method.leakage.by_attribute["t"]["representation"].auc.mean is not None


def test_a_label_of_several_classes_has_no_rate_and_no_decisions(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=150), "y": ["rare", *rng.choice(["p", "q", "r"], 149)]})
    frame["s"] = rng.choice(["u", "v"], 150)
    frame.to_csv(tmp_path / "people.csv", index=False)
    source = f"csv:{tmp_path / 'people.csv'}"
    found = audit(source, sensitive=["s"], options={"label": "y"}, methods=["dF3", "adversary"], seeds=3)
    assert [method.decisions for method in found.methods] == [None, None]
    assert all(level.label_rate is None for level in found.groups["s"].values())
    with pytest.raises(ValueError, match="'prototypes' takes an outcome of two classes only"):
        audit(source, sensitive=["s"], options={"label": "y"}, methods=["prototypes"])


def test_an_attribute_may_be_called_none_and_a_method_named_twice(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=80), "y": rng.integers(0, 2, 80), "none": rng.choice(["u", "v"], 80)})
    frame.to_csv(tmp_path / "people.csv", index=False)
    source = f"csv:{tmp_path / 'people.csv'}"
    spec = make_spec(source, sensitive=["none"], options={"label": "y"}, methods=["standard", "standard"], seeds=1)
    cells = [cell.id for cell in AUDIT.plan(spec, AUDIT.load(spec))]
    assert len(set(cells)) == len(cells)


def test_options_of_the_wrong_kind_are_a_sentence():
    with pytest.raises(ValueError, match=r"The option 'linear' must be a number from -100 to 100, not 'abc'\."):
        AUDIT.load(make_spec("truth", options={"linear": "abc"}))


def test_too_few_people_leave_the_score_and_withhold_the_verdict():
    found = of_first(audit(options={"rows": 150}, methods=["standard"], seeds=1))
    assert found.not_judged
    assert found.auc.mean is not None
    assert 0 <= found.auc.mean <= 1
    assert found.verdict == "insufficient evidence"


def test_only_correlation_remover_needs_the_attribute_at_prediction(result):
    needing = [method.name for method in result.methods if method.needs_sensitive_at_prediction]
    assert needing == ["correlation-remover"]


def test_hard_log_loss_is_36_times_the_error(result):
    for method in result.methods:
        assert method.y.hard_log_loss.mean == pytest.approx(36.0436533891 * (1 - method.y.accuracy.mean))


def test_features_are_reported_for_original_columns(result):
    features = result.features
    assert len(features.conditions) == 2
    for condition in features.conditions:
        assert len(condition.theta) == len(condition.frequency) == len(features.names)
    assert set(features.exact.columns) <= set(features.names)


def test_the_curve_has_every_weight_of_every_rival(result):
    weights = {name: [point.weight for point in curve] for name, curve in result.curve.items()}
    assert weights == {"dF3+penalty": [0.0, 1.0], "dF2": [0.0, 1.0], "adversary": [0.0, 1.0]}


def test_a_weight_the_method_is_tried_with_is_trained_once_and_has_the_numbers_of_a_cell_of_its_own():
    weights: dict[str, Any] = {"dF2_penalties": (0.5, 1.0), "curve": (0.0, 0.5, 1.0), "cells": (4,)}
    spec = make_spec("truth", preset="quick", seeds=1, options={"rows": 400}, methods=["standard", "dF2"],
                     settings={**TINY, **weights})  # fmt: skip
    dataset = AUDIT.load(spec)
    assert [cell.id for cell in AUDIT.plan(spec, dataset) if cell.stage == "curve"] == ["curve-dF2-0.0"]
    tried = AUDIT.run_cell(spec, dataset, Cell("dF2.0", "methods", "dF2", 0), Watch())
    for weight in (0.5, 1.0):
        alone = AUDIT.run_cell(spec, dataset, Cell("x", "curve", "dF2", 0, {"dF2_penalties": [weight]}), Watch())
        point = point_in(tried, weight)
        assert point is not None
        assert point.summary == {part: alone.summary[part] for part in ("y", "leakage", "width")}
        assert point.arrays.keys() == alone.arrays.keys()
        assert all(np.array_equal(array, alone.arrays[name]) for name, array in point.arrays.items())


def test_every_point_of_the_curve_has_every_seed_once(result):
    assert all(point.seeds == (0, 1) for curve in result.curve.values() for point in curve)


def test_an_attribute_hidden_in_an_interaction_is_detected_though_a_linear_probe_sees_nothing():
    options = {"rows": 3000, "linear": 0.0, "variance": 0.0, "interaction": 0.9}
    result = audit(options=options, methods=["standard"])
    found = of_first(result)
    assert found.verdict == "detected"
    linear = found.probes["logistic"].auc.mean
    assert linear is not None
    assert linear < 0.55
    assert found.probe != "logistic"
    assert result.findings.guessed["group"]["representation"].methods["standard"].only_linear_is_quiet


def test_an_attribute_that_is_nowhere_is_not_detected():
    options = {"rows": 1500, "linear": 0.0, "variance": 0.0, "interaction": 0.0}
    verdicts = []
    for seed in range(20):
        spec = make_spec("truth", preset="quick", seeds=1, options={**options, "seed": seed}, settings=TINY)
        dataset = AUDIT.load(spec)
        cell = Cell("standard.0", "methods", "standard", 0, {"probes": ["logistic", "boosting"]})
        only = {"standard.0": AUDIT.run_cell(spec, dataset, cell, Watch())}
        one = make_spec("truth", preset="quick", seeds=1, methods=["standard"], settings=TINY)
        verdicts.append(of_first(AUDIT.assemble(one, dataset, only, {}, MADE)).verdict)
    assert verdicts.count("not detected") >= 19


def test_a_cell_gives_the_same_numbers_again():
    spec = make_spec("truth", preset="quick", seeds=1, options={"rows": 600}, settings=TINY)
    dataset = AUDIT.load(spec)
    cell = next(cell for cell in AUDIT.plan(spec, dataset) if cell.method == "dF3+penalty")
    one, two = (AUDIT.run_cell(spec, dataset, cell, Watch()) for _ in range(2))
    assert json.dumps(one.summary) == json.dumps(two.summary)
    assert all(np.array_equal(one.arrays[name], two.arrays[name]) for name in one.arrays)


def test_conditions_are_none_each_and_all():
    assert conditions(["sex"]) == [(), ("sex",)]
    assert conditions(["sex", "race"]) == [(), ("sex",), ("race",), ("sex", "race")]


def test_interval_of_repeated_splits_is_wider_than_that_of_independent_ones():
    values = [0.7, 0.72, 0.75, 0.71]
    found = mean_over_seeds(values)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.mean is not None
    assert found.high is not None
    assert found.high - found.mean > 3.18 * np.std(values, ddof=1) / 2
    assert mean_over_seeds([0.5]).low is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"preset": "slow"}, "There is no preset 'slow'; choose one of quick, standard, paper."),
        ({"methods": ["magic"]}, "There is no method 'magic'; choose from"),
        ({"seeds": 0}, "The number of repetitions (seeds) must be from 1 to 1000, not 0."),
        ({"settings": {"speed": 1}}, "There is no setting 'speed'; settings are"),
        ({"settings": {"probe": {"hidden": []}}}, "The setting 'probe.hidden' must have at least one layer"),
        ({"settings": {"pieces": 100_000}}, "The setting 'pieces' must be a whole number from 0 to 1000"),
        ({"settings": {"null_draws": "none"}}, "The setting 'null_draws' must be a whole number"),
    ],
)
def test_bad_specifications_get_one_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=r"^") as problem:
        make_spec("student", **arguments)
    assert str(problem.value).startswith(sentence)
