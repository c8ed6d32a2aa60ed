"""Rates, gaps and criteria of anybody's scores agree with what others compute, and with truth where it is known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fairlearn import metrics as fairlearn
from fairlearn.postprocessing import ThresholdOptimizer
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score

from diffoci import audit_model, audit_scores
from diffoci.coefficients import T
from diffoci.data import lender
from diffoci.model_audit.criteria import criteria
from diffoci.model_audit.people import About, Decided, Model, Outcome, People
from diffoci.model_audit.rates import at_threshold
from diffoci.model_audit.read_people import read_people
from diffoci.model_audit.spec import ModelSettings, Roles
from diffoci.model_audit.words import headline
from diffoci.report.model_audit.shown import what_if_words

FEW: dict[str, Any] = {"permutations": 19, "rows": 200}  # where coefficients are not what is looked at


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Three groups that differ in everything."""
    rng = np.random.default_rng(1)
    group = rng.choice(["a", "b", "c"], 3000, p=[0.5, 0.3, 0.2])
    shift = pd.Series(group).map({"a": 0.0, "b": 0.5, "c": -0.5}).to_numpy()
    label = (rng.normal(size=3000) + shift > 0).astype(int)
    score = 1 / (1 + np.exp(-(label + shift + rng.normal(size=3000))))
    return pd.DataFrame({"group": group, "label": label, "score": score})


def audited(people: pd.DataFrame, **options):
    return audit_scores(
        people["score"], label=people["label"], sensitive=people[["group"]], **{**FEW, **options}
    ).model()


def test_rates_agree_with_fairlearn_in_every_group(people):
    decided = (people["score"] >= 0.6).astype(int)
    ours = {
        "selection_rate": fairlearn.selection_rate,
        "true_positive_rate": fairlearn.true_positive_rate,
        "false_positive_rate": fairlearn.false_positive_rate,
        "false_negative_rate": fairlearn.false_negative_rate,
    }
    theirs = fairlearn.MetricFrame(
        metrics=ours, y_true=people["label"], y_pred=decided, sensitive_features=people["group"]
    )
    for group in audited(people, threshold=0.6).by("group").groups:
        for name in ours:
            assert group.rates[name].value == pytest.approx(theirs.by_group.loc[group.label, name], abs=1e-9)


def test_gaps_and_ratios_agree_with_fairlearn(people):
    decided = (people["score"] >= 0.5).astype(int)
    between = audited(people).by("group").between
    asked = (people["label"], decided)
    for name in ("demographic_parity_difference", "demographic_parity_ratio", "equalized_odds_difference"):
        theirs = getattr(fairlearn, name)(*asked, sensitive_features=people["group"])
        assert between[name].value == pytest.approx(theirs, abs=1e-9)


def test_omission_precision_base_rate_and_auc_are_what_their_names_say(people):
    for group in audited(people).by("group").groups:
        rows = people[people["group"] == group.label]
        selected = rows["score"] >= 0.5
        assert group.rates["false_omission_rate"].value == pytest.approx(rows["label"][~selected].mean(), abs=1e-12)
        assert group.rates["positive_predictive_value"].value == pytest.approx(
            rows["label"][selected].mean(), abs=1e-12
        )
        assert group.rates["base_rate"].value == pytest.approx(rows["label"].mean(), abs=1e-12)
        assert group.auc is not None
        assert group.auc.value == pytest.approx(roc_auc_score(rows["label"], rows["score"]), abs=1e-12)
        assert group.auc.low < group.auc.value < group.auc.high


@pytest.mark.parametrize("reference", ["largest", "overall", "c"])
def test_groups_are_compared_with_the_reference_that_was_asked_for(people, reference):
    comparison = audited(people, reference=reference).by("group")
    rates = {group.label: group.rates["selection_rate"].value for group in comparison.groups}
    rates["everyone"] = (people["score"] >= 0.5).mean()
    wanted = {"largest": "a", "overall": "everyone", "c": "c"}[reference]
    found = [entry for entry in comparison.against if entry.rate == "selection_rate"]
    assert {entry.reference for entry in found} == {wanted}
    for entry in found:
        assert entry.difference.value == pytest.approx(rates[entry.group] - rates[wanted], abs=1e-12)
        assert entry.ratio is not None
        assert entry.ratio.value == pytest.approx(rates[entry.group] / rates[wanted], abs=1e-12)
        assert entry.difference.low < entry.difference.value < entry.difference.high
        assert entry.ratio.low < entry.ratio.value < entry.ratio.high


def test_weighted_rates_are_those_of_the_population_and_their_effective_size_is_kish_s():
    # By hand: group a has weights 1, 1, 2 with the last selected: 2 of 4, effective 16 / 6.
    ones = [1, 1, 2] * 20
    found = audit_scores(
        decision=[0, 0, 1] * 20 + [1, 0] * 30,
        sensitive={"g": ["a"] * 60 + ["b"] * 60},
        weights=[*ones, *[1] * 60],
        minimum=30,
        **FEW,
    )
    a, b = (group.weighted["selection_rate"] for group in found.model().by("g").groups)
    assert a.value == b.value == pytest.approx(0.5)
    assert a.effective == pytest.approx(80**2 / (40 * 1 + 20 * 4))
    assert b.effective == pytest.approx(60)
    assert found.model().by("g").groups[0].rates["selection_rate"].value == pytest.approx(1 / 3)
    # A rate of half among 60 people is known to about 0.13 either way.
    assert b.high - b.low == pytest.approx(0.25, abs=0.05)


def test_weighted_gaps_are_those_of_the_population_and_wider_than_as_many_even_rows():
    # By hand: of a, 2 of 4 people are selected; of b, half.  Of c, the rows stand for 30 and 1 by turns.
    decision = [0, 0, 1] * 40 + [1, 0] * 60 + [1, 0] * 60
    weights = [1, 1, 2] * 40 + [1] * 120 + [30, 1] * 60
    asked = {"sensitive": {"g": ["a"] * 120 + ["b"] * 120 + ["c"] * 120}, "reference": "b", **FEW}
    found = audit_scores(decision=decision, weights=weights, **asked).model().by("g")
    gaps = {gap.group: gap.difference for gap in found.weighted}
    assert gaps["a"].value == pytest.approx(0.0)
    assert gaps["c"].value == pytest.approx(30 / 31 - 0.5)
    assert gaps["a"].low < -0.1 < 0.1 < gaps["a"].high
    # 500 and more kinds of rows are drawn another way, with the same limits.
    many = [one + k * 1e-9 for k, one in enumerate(weights)] * 60
    asked["sensitive"] = {"g": (["a"] * 120 + ["b"] * 120 + ["c"] * 120) * 60}
    by_normal = audit_scores(decision=decision * 60, weights=many, **asked).model().by("g")
    by_draws = audit_scores(decision=decision * 60, weights=weights * 60, **asked).model().by("g")
    for one, other in zip(by_normal.weighted, by_draws.weighted, strict=True):
        assert one.difference.low == pytest.approx(other.difference.low, abs=0.003)
        assert one.difference.high == pytest.approx(other.difference.high, abs=0.003)


def test_alike_weights_change_no_rate_and_the_slider_counts_them_too(people):
    asked = {"label": people["label"], "sensitive": people[["group"]], **FEW}
    found = audit_scores(people["score"], weights=np.full(len(people), 7.0), **asked).model().by("group")
    for group in found.groups:
        assert {name: one.value for name, one in group.weighted.items()} == pytest.approx(
            {name: one.value for name, one in group.rates.items()}
        )
        assert group.weighted["selection_rate"].effective == pytest.approx(group.n)
    loans = lender.applicants(rows=400).assign(w=2.0)
    read = read_people(
        pa.Table.from_pandas(loans), Roles(scores=("score_a",), sensitive=("sex",), weights="w"), About("t", "t")
    )
    moved = at_threshold(read.grouped(("sex",)), read, read.models[0], 0.7, ModelSettings())
    assert [g.weighted["selection_rate"].value for g in moved.groups] == pytest.approx(
        [g.rates["selection_rate"].value for g in moved.groups]
    )


@pytest.mark.parametrize(
    ("goal", "constraint"),
    [
        ("selection", "demographic_parity"),
        ("true_positive_rate", "true_positive_rate_parity"),
        ("both", "equalized_odds"),
    ],
)
def test_equal_rates_cost_as_much_as_fairlearn_s_threshold_optimizer_finds(people, goal, constraint):
    (entry,) = [one for one in audited(people).attributes["group"].what_if if one.goal == goal]

    class Itself(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.asarray(X)[:, 0]

    optimizer = ThresholdOptimizer(
        estimator=Itself(), constraints=constraint, prefit=True, predict_method="predict", grid_size=1000
    )
    X = people[["score"]].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer.fit(X, people["label"], sensitive_features=people["group"])
        chance = optimizer._pmf_predict(X, sensitive_features=people["group"])[:, 1]
    theirs = np.where(people["label"] == 1, chance, 1 - chance).mean()
    assert entry.accuracy == pytest.approx(theirs, abs=2e-3)
    rates = [one.selection_rate if goal == "selection" else one.true_positive_rate for one in entry.groups]
    assert np.ptp(rates) < 1e-9


def test_people_who_follow_the_thresholds_and_the_lot_have_the_rates_that_are_said(people):
    for entry in audited(people).attributes["group"].what_if:
        for one in entry.groups:
            rows = people[people["group"] == one.group]
            high, low = (np.inf if limit is None else limit for limit in (one.high, one.low))
            chance = np.where(rows["score"] >= high, 1.0, np.where(rows["score"] >= low, one.share, 0.0))
            chance = (1 - one.by_lot) * chance + one.by_lot * (one.false_positive_rate or 0.0)
            assert chance.mean() == pytest.approx(one.selection_rate, abs=1e-9), entry.goal
            assert chance[rows["label"] == 1].mean() == pytest.approx(one.true_positive_rate, abs=1e-9), entry.goal
            assert chance[rows["label"] == 0].mean() == pytest.approx(one.false_positive_rate, abs=1e-9), entry.goal


def test_levelling_up_takes_a_selection_from_nobody_and_reaches_the_highest_rate(people):
    one = audited(people)
    (entry,) = [what for what in one.attributes["group"].what_if if what.goal == "levelling_up"]
    highest = max(group.rates["selection_rate"].value for group in one.by("group").groups)
    assert entry.no_longer_selected == 0
    assert entry.newly_selected > 0
    assert all(group.selection_rate >= highest - 1e-12 for group in entry.groups)


def test_the_ceiling_is_the_largest_gap_of_any_threshold_and_a_slack(people):
    first = audited(people).attributes["group"].ceilings[0]
    one, other = (people.loc[people["group"] == name, "score"] for name in first.groups)
    assert first.found == pytest.approx(stats.ks_2samp(one, other).statistic, abs=1e-12)
    assert first.most == pytest.approx(first.found + first.slack)
    assert abs((one >= first.threshold).mean() - (other >= first.threshold).mean()) == pytest.approx(first.found)


def test_coefficients_are_those_of_the_library(people):
    some = people.iloc[:200]
    found = audit_scores(
        some["score"], label=some["label"], sensitive=some[["group"]], permutations=19, minimum=10
    ).model()
    criteria = found.attributes["group"].criteria
    assert T(some["group"], some["score"], neighbours="auto") == criteria["independence"].T
    given = some["label"].astype(str)
    expected = T(some["group"], some["score"], given, neighbours="auto", standardize="scale")
    assert expected == criteria["separation"].T
    expected = T(some["label"], some["group"], some["score"], neighbours="auto", standardize="scale")
    assert expected == criteria["sufficiency"].T


def p_values(seed: int) -> dict[str, float | None]:
    """Of a continuous attribute that has nothing to do with a continuous score and label."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=60)
    model = Model("m", score, "quantity")
    people = People(
        models=(model,),
        groups=pd.DataFrame(index=range(60)),
        numbers=pd.DataFrame({"s": rng.normal(size=60)}),
        outcome=Outcome("y", "number", score + rng.normal(size=60)),
    )
    settings = ModelSettings(permutations=19, seed=seed, minimum=10)
    found = criteria(people, model, Decided(None, "none"), "s", settings)
    return {name: one.p_value for name, one in found.items()}


def test_p_values_of_a_continuous_attribute_are_uniform_where_it_is_independent(monkeypatch):
    # The standard error of T, which most of the time would go to, is another claim.
    monkeypatch.setattr("diffoci.model_audit.criteria._FEWEST_IN_HALF", 31)
    drawn = pd.DataFrame([p_values(seed) for seed in range(500)])
    # p-values are steps of 1/20: a point within each step makes them continuous.
    within = np.random.default_rng(0).random(500) / 20
    for name in ("independence", "separation", "sufficiency"):
        assert stats.kstest(drawn[name].to_numpy() - within, "uniform").pvalue > 0.005, name


def test_what_is_planted_is_found_with_the_column_that_carries_it_and_the_other_model_has_the_smaller_gap():
    drawn = lender.applicants(rows=4000)
    found = audit_scores(
        drawn[["score_a", "score_b"]],
        label=drawn["repaid"],
        sensitive=drawn[["sex"]],
        features=drawn[["ability", "part_time"]],
        permutations=99,
        rows=2000,
    )
    planted = found.model("score_a").attributes["sex"]
    for name in ("independence", "separation"):
        assert planted.criteria[name].answer == "found"
        limit = planted.criteria[name].limit
        assert limit is not None
        assert limit < planted.criteria[name].T
    assert planted.carriers is not None
    gone = {column: one.gone or 0.0 for column, one in planted.carriers.columns.items()}
    assert gone["part_time"] > 0.5 > gone["ability"]
    assert planted.carriers.path_attribute.names[0] == "part_time"
    pair = next(one for one in found.pairs if one.rate == "selection_rate")
    assert (pair.first, pair.second) == ("score_a", "score_b")
    assert pair.difference.high < 0


def test_what_is_not_there_is_hardly_ever_found():
    answers = []
    for seed in range(20):
        drawn = lender.applicants(rows=300, seed=seed)
        found = audit_scores(drawn["score_b"], label=drawn["repaid"], sensitive=drawn[["sex"]], permutations=99)
        answers += [one.answer for one in found.model().attributes["sex"].criteria.values()]
    assert answers.count("found") <= 3  # of 60, where one in a hundred is to be expected


def test_a_stretch_at_one_end_is_named_and_not_the_rest_of_the_ages():
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 65, 900)
    decision = (rng.random(900) < np.where(age > 55, 0.2, 0.6)).astype(int)
    found = audit_scores(decision=decision, sensitive={"age": age}, **FEW).model().attributes["age"].curves[0]
    assert found.worst is not None
    assert found.worst.low == pytest.approx(55, abs=4)
    assert found.worst.high == age.max()


def test_a_group_without_the_outcome_can_still_be_selected_as_often_as_others():
    drawn = lender.applicants(rows=400)
    label = np.where(drawn["sex"] == "Female", "no", drawn["repaid"])
    found = audit_scores(drawn["score_b"], label=label, sensitive=drawn[["sex"]], **FEW).model().attributes["sex"]
    assert [entry.goal for entry in found.what_if] == ["levelling_up", "selection"]
    (women, men) = found.what_if[1].groups
    assert women.selection_rate == pytest.approx(men.selection_rate, abs=0.01)
    assert women.true_positive_rate is None


def test_a_what_if_that_changes_nothing_says_so():
    found = audit_scores(np.linspace(0, 1, 200), sensitive={"sex": ["f", "m"] * 100}, threshold=2, **FEW)
    assert what_if_words(found.model().attributes["sex"].what_if[0]) == "Nobody's decision would change."


def test_two_models_alike_are_not_told_apart():
    rng = np.random.default_rng(3)
    sex, score = rng.choice(["f", "m"], 800), rng.random(800)
    noisy = np.clip(score + 0.05 * rng.normal(size=800), 0, 1)
    found = audit_scores({"a": score, "b": noisy}, sensitive={"sex": sex}, **FEW)
    assert all(pair.difference.low <= 0 <= pair.difference.high for pair in found.pairs)


def test_the_worst_stretch_of_ages_is_named_with_its_correction():
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 70, 3000)
    refused = (age > 50) & (age < 60)
    found = audit_scores(
        decision=(rng.random(3000) < np.where(refused, 0.2, 0.6)).astype(int), sensitive={"age": age}, **FEW
    )
    (curve,) = found.model().attributes["age"].curves
    assert curve.worst is not None
    assert curve.worst.p_value == 0.001
    assert curve.worst.low == pytest.approx(50, abs=4)
    assert curve.worst.high == pytest.approx(60, abs=4)
    assert min(curve.points, key=lambda point: point.value).at == pytest.approx(55, abs=5)
    even = audit_scores(decision=rng.integers(0, 2, 3000), sensitive={"age": age}, **FEW)
    (flat,) = even.model().attributes["age"].curves
    assert flat.worst is not None
    assert flat.worst.p_value > 0.05


def test_a_predicted_quantity_has_errors_by_group():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    sex = np.where(X[:, 1] > 0, "m", "f")
    y = 10 + 3 * X[:, 0] + 2 * (sex == "m")
    model = LinearRegression().fit(X[:, :1], y)
    one = audit_model(model, X[:, :1], y, sensitive={"sex": sex}, **FEW).model()
    women, men = one.by("sex").groups
    assert one.scale == "quantity"
    assert women.errors["mean_error"].value == pytest.approx((model.predict(X[:, :1]) - y)[sex == "f"].mean())
    assert women.errors["mean_error"].low > 0 > men.errors["mean_error"].high
    assert women.errors["over_predicted"].value == 1.0
    assert not women.rates
    found = audit_model(model, X[:, :1], y, sensitive={"sex": sex}, **FEW)
    assert headline(found).startswith("Prediction minus outcome under LinearRegression, on average: 1.0")


@pytest.mark.parametrize("rows", [2000, 6000])  # shuffled, and drawn as sums of so many
def test_errors_of_a_predicted_quantity_are_curves_along_a_number_and_their_worst_stretch_is_named(rows):
    rng = np.random.default_rng(0)
    age, salary = rng.uniform(20, 70, rows), rng.normal(50, 5, rows)
    low = np.where((age > 50) & (age < 60), 4.0, 0.0)
    wrong = audit_scores(salary - low + rng.normal(size=rows), label=salary, sensitive={"age": age}, **FEW)
    curves: dict[str, Any] = {one.rate: one for one in wrong.model().attributes["age"].curves}
    assert set(curves) == {"mean_error", "mean_absolute_error", "over_predicted", "under_predicted"}
    for name, inside in {"mean_error": -4, "mean_absolute_error": 4, "over_predicted": 0, "under_predicted": 1}.items():
        assert curves[name].worst.low == pytest.approx(50, abs=4)
        assert curves[name].worst.high == pytest.approx(60, abs=4)
        assert curves[name].worst.inside.value == pytest.approx(inside, abs=0.8 if abs(inside) == 4 else 0.2)
        assert curves[name].worst.p_value == 0.001
    assert min(point.value for point in curves["mean_error"].points) == pytest.approx(-4, abs=0.3)
    even = audit_scores(salary + rng.normal(size=rows), label=salary, sensitive={"age": age}, **FEW)
    assert all(one.worst is not None and one.worst.p_value > 0.05 for one in even.model().attributes["age"].curves)


def test_without_a_label_it_says_what_can_be_said_and_lists_what_cannot(people):
    found = audit_scores(people["score"], sensitive=people[["group"]], **FEW)
    group = found.model().by("group").groups[0]
    assert list(group.rates) == ["selection_rate"]
    assert set(found.model().by("group").between) == {"demographic_parity_difference", "demographic_parity_ratio"}
    assert set(found.model().attributes["group"].criteria) == {"independence"}
    assert "There is no outcome" in found.cannot[0]


def test_an_estimator_is_audited_by_its_probabilities_and_by_its_own_positive_class():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["income", "debt"])
    y = np.where(X["income"] > 0.3, "good", "bad")
    model = LogisticRegression().fit(X, y)
    found = audit_model(model, X, y, sensitive={"sex": rng.choice(["f", "m"], 300)}, **FEW)
    assert found.model().name == "LogisticRegression"
    assert found.outcome is not None
    assert found.outcome.positive == "good"
    assert found.model().overall.rates["accuracy"].value == pytest.approx(model.score(X, y))
    carriers = found.model().attributes["sex"].carriers
    assert carriers is not None
    assert set(carriers.columns) == {"income", "debt"}


def test_the_answer_is_a_table_a_report_and_a_notebook_s_cell(people, tmp_path):
    found = audit_scores(people["score"], label=people["label"], sensitive={"<script>": people["group"]}, **FEW)
    frame = found.to_frame()
    assert set(frame["by"]) == {"everyone", "<script>"}
    assert (frame["low"] <= frame["value"]).all()
    assert "&lt;script&gt;" in found._repr_html_()
    text = found.report(tmp_path / "report.html").read_text()
    assert "The three criteria" in text
    assert "<script>" not in text.split("<main>")[1].split("</main>")[0].replace("<script type", "")
