"""Figures of decisions, training and teaching hold what was computed."""

from __future__ import annotations

import msgspec
import numpy as np
import pandas as pd
import pytest

from diffoci.audit.decisions import decide
from diffoci.audit.result import Path
from diffoci.audit.teaching import coefficients as teaching
from diffoci.figures import training
from diffoci.figures.before_training.foci_paths import paths
from diffoci.figures.decisions import rates as decisions
from diffoci.figures.decisions import words as decision_words
from diffoci.figures.decisions.calibration import MOST_LINES, calibration
from diffoci.figures.teaching import coefficients as learn
from diffoci.figures.template import method_class, template, themed


@pytest.fixture(scope="module")
def compared() -> decisions.Compared:
    rng = np.random.default_rng(0)
    group = np.array(["a"] * 300 + ["b"] * 200 + ["c"] * 13)
    label = rng.integers(0, 2, 513)
    score = np.clip(0.5 + 0.2 * (group == "a") - 0.1 + 0.3 * rng.standard_normal(513), 0, 1)
    people = pd.DataFrame({"g": group})
    found = decide(label, sensitive=people, score=score, replicates=200)
    return {"first": found.by("g"), "second": decide(label, sensitive=people, score=1 - score, replicates=200).by("g")}


def test_rates_are_those_of_the_judged_groups(compared: decisions.Compared) -> None:
    data = decisions.rates(compared).data
    assert set(data["group"]) == {"a", "b"}
    row = data[(data["method"] == "first") & (data["group"] == "a") & (data["rate"] == "selection_rate")].iloc[0]
    assert row["value"] == compared["first"].groups[0].rates["selection_rate"].value  # type: ignore[union-attr]
    assert row["low"] < row["value"] < row["high"]


def test_small_groups_are_named_not_judged(compared: decisions.Compared) -> None:
    assert [g.note for g in compared["first"].groups if not g.judged] == ["13 people: not judged"]
    assert set(calibration(compared).data["group"]) == {"a", "b"}


def test_four_fifths_and_gaps_agree_with_the_comparison(compared: decisions.Compared) -> None:
    data = decisions.four_fifths(compared).data
    ratios = {entry.label: entry.value for entry in compared["second"].four_fifths}
    assert data[data["method"] == "second"].set_index("group")["ratio"].to_dict() == ratios
    gap = compared["first"].between["demographic_parity_difference"].value
    assert gap is not None
    assert decision_words.gaps(compared)["Value"][0] == f"{100 * gap:.1f} points"
    assert decision_words.headline(compared).endswith("second)")


def test_a_ratio_without_an_upper_limit_is_drawn_and_said(compared: decisions.Compared) -> None:
    first = compared["first"]
    ratio = msgspec.structs.replace(first.four_fifths[0], high=None)
    drawing = decisions.four_fifths({"m": msgspec.structs.replace(first, four_fifths=(ratio,))})
    assert drawing.figure.data[0].x[0] + drawing.figure.data[0].error_x.array[0] == 2.0
    assert f"({ratio.low:.2f} and more)" in drawing.figure.data[0].hovertext[0]


def test_a_group_that_only_one_method_tested_is_drawn_for_that_one(compared: decisions.Compared) -> None:
    second = msgspec.structs.replace(compared["second"], groups=compared["second"].groups[:1])
    data = decisions.rates({"first": compared["first"], "second": second}).data
    assert set(data[data["method"] == "first"]["group"]) == {"a", "b"}
    assert set(data[data["method"] == "second"]["group"]) == {"a"}


def test_nobody_selected_is_no_crash() -> None:
    people = pd.DataFrame({"g": ["a"] * 40 + ["b"] * 40})
    found = decide([0, 1] * 40, sensitive=people, score=[0.1] * 80, threshold=0.9, replicates=50).by("g")
    assert decisions.four_fifths({"m": found}).data.empty
    assert len(decisions.rates({"m": found}).data) == 8


def test_training_draws_epochs_and_thetas() -> None:
    history = [
        {
            "epoch": k,
            "T": k / 10,
            "validation_T": k / 20,
            "loss": 1 - k / 10,
            "validation_loss": 1 - k / 20,
            "theta": [1.0 - k / 4, 1.0],
        }
        for k in (1, 2, 3, 4)
    ]
    earlier = [{"epoch": k, "T": 0.9, "validation_T": 0.9, "loss": 9.0} for k in (1, 2, 3)]
    drawn = training.coefficients([*earlier, *history, {"time": 1.0}])
    assert [trace.name for trace in drawn.figure.data] == [
        f"{what}, {rows} rows" for what in ("T", "loss") for rows in ("training", "validation")
    ]
    assert list(drawn.figure.data[0].y) == [0.1, 0.2, 0.3, 0.4]  # of the weight it is at, not of the one before
    assert list(drawn.figure.data[2].y) == [0.9, 0.8, 0.7, 0.6]
    assert list(drawn.figure.data[3].y) == [0.95, 0.9, 0.85, 0.8]
    thetas = training.thetas(history, ["a", "b"])
    assert [trace.line.dash for trace in thetas.figure.data] == ["dot", "solid"]
    assert training.thetas([]).data.empty


def test_a_feature_may_be_called_epoch_and_one_epoch_is_seen() -> None:
    drawing = training.thetas([{"epoch": 1, "theta": [0.5, 0.05]}], ["epoch", "age"])
    assert [trace.mode for trace in drawing.figure.data] == ["markers", "markers"]
    assert drawing.data.iloc[0].tolist() == [1, 0.5, 0.05]


def test_calibration_has_no_more_lines_than_can_be_told_apart() -> None:
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"g": np.repeat([f"group {k}" for k in range(12)], 100)})
    found = decide(rng.integers(0, 2, 1200), sensitive=people, score=rng.random(1200), replicates=50).by("g")
    figure = calibration({"m": found}).figure
    drawn = [(trace.marker.color, trace.marker.symbol) for trace in figure.data if trace.marker.color]
    assert len(drawn) == len(set(drawn)) == MOST_LINES
    assert "the 8 largest of 12 groups" in figure.layout.title.subtitle.text.replace("<br>", " ")


def test_clouds_show_what_correlation_misses() -> None:
    found = learn.clouds(teaching.clouds(noise=0.0)).data.set_index("cloud")
    assert abs(found["correlation"]["parabola"]) < 0.2
    assert found["T"]["parabola"] > 0.8
    assert abs(found["T"]["nothing"]) < 0.15


@pytest.mark.parametrize(("beta", "low", "high"), [(0.5, 0.0, 0.2), (200.0, 0.95, 1.0)])
def test_a_larger_beta_leaves_the_nearest_alone(beta: float, low: float, high: float) -> None:
    weight = learn.neighbour_weights(teaching.soft_neighbours(beta)).data["weight"]
    assert weight.sum() == pytest.approx(1)
    assert low <= weight.max() <= high


def test_soft_T_reaches_T() -> None:
    data = learn.soft_and_exact(teaching.soft_curve("wave", rows=120)).data
    assert data["soft_T"].iloc[-1] == pytest.approx(data["exact_T"].iloc[-1], abs=0.02)


def test_classes_of_methods_differ_in_colour_and_marker() -> None:
    looks = {method_class(name) for name in ("standard", "dF3", "leace", "adversary", "prototypes")}
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == 5


def test_light_and_dark_differ_in_text_alone_of_one_template() -> None:
    light, dark = template(dark=False).layout, template(dark=True).layout
    assert light.font.size == dark.font.size == 14
    assert light.font.color != dark.font.color
    figure = learn.neighbour_weights(teaching.soft_neighbours(5.0)).figure
    assert themed(figure, dark=True).layout.template.layout.font.color == dark.font.color


def test_a_gap_within_chance_is_not_announced_as_one() -> None:
    people = pd.DataFrame({"g": ["a", "b"] * 100})
    found = decide([0, 1, 1, 0] * 50, sensitive=people, score=[0.9, 0.1, 0.1, 0.9] * 50, replicates=200).by("g")
    assert decision_words.headline({"m": found}).startswith("No gap in being predicted yes beyond chance: 0.0 points")
    table = decision_words.gaps({"m": found})
    ratio = table[table["Measure"] == "Ratio of being predicted yes"].iloc[0]
    assert ratio["Value"] == "1.00"
    assert ratio["Chance"].startswith("down to 0.")

    equal = table[table["Value"].isin(["0.0 points", "1.00"])]
    assert set(equal["Between"]) == {""}


def test_a_gap_among_those_with_the_outcome_is_said_where_there_is_none_over_all() -> None:
    people = pd.DataFrame({"g": ["a"] * 100 + ["b"] * 100})
    label, yes = [1, 1, 0, 0] * 50, [1.0, 1.0, 0.0, 0.0] * 25 + [0.0, 0.0, 1.0, 1.0] * 25
    said = decision_words.headline({"m": decide(label, sensitive=people, score=yes, replicates=50).by("g")})
    assert said.startswith("No gap in being predicted yes beyond chance: 0.0 points, shuffled groups give up to ")
    assert "; but among those with" in said
    assert "there is one of 100.0 points, where they give up to " in said


@pytest.mark.parametrize(("threshold", "who"), [(0.0, "Everybody"), (0.9, "Nobody")])
def test_everybody_or_nobody_selected_is_said_and_not_judged(threshold: float, who: str) -> None:
    people = pd.DataFrame({"g": ["a"] * 40 + ["b"] * 40})
    found = decide([0, 1] * 40, sensitive=people, score=[0.1] * 80, threshold=threshold, replicates=50).by("g")
    said = decision_words.headline({"m": found})
    assert said == f"{who} in the groups by g is predicted yes, so there is no gap to judge (m)"
    table = decision_words.gaps({"m": found})
    assert set(table["Value"]) == {f"{who.lower()} predicted yes"}
    assert set(table["Between"]) == set(table["Chance"]) == {""}
    assert not decision_words.chosen_from({"m": found})


@pytest.mark.parametrize("names", [["a"], [], ["a", "b", "c"]])
def test_a_path_of_any_length_is_drawn(names: list[str]) -> None:
    path = Path(tuple(names), tuple(0.1 * (k + 1) for k in range(len(names))))
    assert len(paths({"y": path}, rows=10).data) == len(names)
