"""The main picture, its probes, its curve and its words hold the numbers of the result."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from diffoci.figures import compare, probes, verdict_words
from diffoci.figures.curve import curve
from diffoci.figures.reading import View, entries, paper_points
from diffoci.figures.words import score_text
from tests.sample_audit import SEEDS

VIEW = View("sex", "representation", "auc")
FORBIDDEN = ("unbiased", "debiased", "removed", " fair ")


def changed(result: dict[str, Any], **leakage: Any) -> dict[str, Any]:
    """A copy of the result in which the second method leaks as told."""
    other = copy.deepcopy(result)
    other["methods"][1]["leakage"]["by_attribute"]["sex"]["representation"].update(leakage)
    return other


@pytest.mark.parametrize("score", ["auc", "accuracy", "balanced_accuracy"])
@pytest.mark.parametrize("place", ["representation", "last_layer"])
@pytest.mark.parametrize("attribute", ["sex", "address"])
def test_every_seed_and_mean_is_a_mark(result: dict[str, Any], attribute: str, place: str, score: str) -> None:
    drawing = compare.plane(result, View(attribute, place, score))
    for method in result["methods"]:
        found = method["leakage"]["by_attribute"][attribute][place][score]
        if found["mean"] is None:
            assert all(trace.meta != method["name"] for trace in drawing.figure.data)
            continue
        seeds = next(t for t in drawing.figure.data if t.name == f"{method['name']} seeds")
        mean = next(t for t in drawing.figure.data if t.meta == method["name"])
        assert list(seeds.x) == found["values"]
        assert list(seeds.y) == method["y"][score]["values"]
        assert (mean.x[0], mean.y[0]) == (found["mean"], method["y"][score]["mean"])
        assert (drawing.data["method"] == method["name"]).sum() == 1 + SEEDS


def test_the_chance_band_spans_the_limits_of_shuffled_labels(result: dict[str, Any]) -> None:
    found = [m["leakage"]["by_attribute"]["sex"]["representation"] for m in result["methods"]]
    figure = compare.plane(result, VIEW).figure
    band, own = (next(s for s in figure.layout.shapes if s.name == name) for name in ("chance", "own"))
    assert band.x0 == min(one["null_auc_low"] for one in found)
    assert band.x1 == own.x0 == min(one["null_auc_high"] for one in found)  # chance for every method
    assert own.x1 == max(one["null_auc_high"] for one in found)  # chance for some of them only
    assert own.opacity < 1


def test_in_accuracy_chance_is_the_largest_group(result: dict[str, Any]) -> None:
    figure = compare.plane(result, View("sex", "representation", "accuracy")).figure
    line = next(s for s in figure.layout.shapes if s.name == "chance")
    assert line.x0 == pytest.approx(
        result["methods"][0]["leakage"]["by_attribute"]["sex"]["representation"]["majority"]
    )


@pytest.mark.parametrize(
    ("score", "guessing", "predicting"),
    [
        ("auc", "chance: what shuffled labels give, up to", "y by chance: 0.50"),
        ("accuracy", "sex by always naming the largest group:", "y by always naming the commonest class:"),
        ("balanced_accuracy", "sex by chance: 50.0 %", "y by chance: 50.0 %"),
    ],
)
def test_every_score_shows_what_knowing_nothing_gives(
    result: dict[str, Any], score: str, guessing: str, predicting: str
) -> None:
    figure = compare.plane(result, View("sex", score=score)).figure
    named = [trace.name for trace in figure.data]
    assert any(name.startswith(guessing) for name in named)
    assert any(name.startswith(predicting) for name in named)
    assert [shape for shape in figure.layout.shapes if shape.name == "chance"]


def test_every_method_has_a_mark_of_its_own_and_is_named_in_the_legend(result: dict[str, Any]) -> None:
    marks = [trace for trace in compare.plane(result, VIEW).figure.data if trace.meta]
    assert [mark.name for mark in marks] == ["Standard data", "dF3", "dF3 + penalty", "LEACE"]
    assert len({mark.marker.symbol for mark in marks}) == len(marks)
    assert all(mark.showlegend is not False for mark in marks)


def test_intervals_never_leave_0_to_1(result: dict[str, Any]) -> None:
    for trace in compare.plane(result, VIEW).figure.data:
        if trace.meta and trace.error_x.array is not None:
            assert trace.x[0] + trace.error_x.array[0] <= 1 + 1e-12
            assert trace.x[0] - trace.error_x.arrayminus[0] >= -1e-12


def test_the_papers_marks_stand_where_the_setting_is_the_papers(result: dict[str, Any]) -> None:
    real = {**result, "provenance": {**result["provenance"], "real": True}}
    papers = View("sex", "last_layer", "accuracy")
    marks = next(t for t in compare.plane(real, papers).figure.data if t.name == "The paper")
    assert marks.marker.symbol == "diamond-open"
    assert list(marks.x) == pytest.approx([0.7121, 0.4889])
    for other in (VIEW, View("address", "last_layer", "accuracy"), View("sex", "representation", "accuracy")):
        assert not paper_points(real, other)
    assert not paper_points(result, papers), "simulated data are not the paper's"


def test_a_success_of_the_linear_probe_alone_is_marked(result: dict[str, Any]) -> None:
    areas = {"logistic": 0.5, "boosting": 0.8}
    by_probe = {
        name: {score: {"mean": area, "low": None, "high": None} for score in ("auc", "accuracy", "balanced_accuracy")}
        for name, area in areas.items()
    }
    fooled = probes.probes(changed(result, probes=by_probe, null_auc_high=0.6), VIEW)
    marked = fooled.data[fooled.data["only_linear_is_quiet"]]["method"].unique().tolist()
    assert "dF3" in marked
    assert sum(tick.startswith("⚠") for tick in fooled.figure.layout.yaxis.ticktext) == len(marked)
    assert "⚠ only the linear probe is at chance" in fooled.figure.layout.title.subtitle.text.replace("<br>", " ")


def test_the_curve_joins_the_weights_of_each_method(result: dict[str, Any]) -> None:
    drawing = curve(result, VIEW)
    assert drawing is not None
    line = next(t for t in drawing.figure.data if t.name.startswith("dF3 + penalty"))
    points = result["curve"]["dF3+penalty"]
    assert list(line.text) == ["0", "1"]
    assert list(line.x) == [p["leakage"]["by_attribute"]["sex"]["representation"]["auc"]["mean"] for p in points]
    assert curve({**result, "curve": {}}, VIEW) is None


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("detected", "guessable"),
        ("not detected", "not detected above chance"),
        ("insufficient evidence", "too few people to say"),
    ],
)
def test_verdicts_have_three_words(result: dict[str, Any], verdict: str, words: str) -> None:
    other = changed(result, verdict=verdict)
    table = verdict_words.table(other, VIEW)
    assert table["Verdict"][1] == words
    entry = entries(other, VIEW)[1]
    said = verdict_words.sentence(other, VIEW, entry) + verdict_words.reason(VIEW, entry)
    assert words in said
    assert not any(word in said.lower() for word in FORBIDDEN)


def y_of(result: dict[str, Any], *, standard: float, other: float, majority: float) -> dict[str, Any]:
    """The result with other accuracies of y, hardly different from seed to seed."""
    copy = json.loads(json.dumps(result))
    for method in copy["methods"]:
        mean = standard if method["name"] == "standard" else other
        values = [mean - 0.0005, mean + 0.0005]
        method["seeds"] = [0, 1]
        method["y"]["majority"] = majority
        method["y"]["accuracy"] = {"mean": mean, "low": values[0], "high": values[1], "values": values}
        for places in method["leakage"]["by_attribute"].values():
            for found in places.values():
                found["test_rows"] = 100_000
    return copy


@pytest.mark.parametrize(
    ("standard", "other", "majority", "words"),
    [
        (0.80, 0.798, 0.69, "predicted as well as before (accuracy −0.2 points"),
        (0.80, 0.77, 0.69, "predicted less well than before (accuracy −3.0 points"),
        (0.901, 0.887, 0.887, "predicted no better than by always naming the commonest class (accuracy −1.4 points"),
        (0.901, 0.891, 0.887, "predicted less well than before (accuracy −1.0 points"),  # most of what was gained
    ],
)
def test_y_is_as_good_as_before_only_against_what_there_was_to_lose(
    result: dict[str, Any], standard: float, other: float, majority: float, words: str
) -> None:
    changed_result = y_of(result, standard=standard, other=other, majority=majority)
    entry = next(one for one in entries(changed_result, VIEW) if one.name == "dF3")
    assert words in verdict_words.sentence(changed_result, VIEW, entry)


@pytest.mark.parametrize("score", ["auc", "balanced_accuracy", "accuracy"])
def test_the_table_has_the_y_that_is_drawn(result: dict[str, Any], score: str) -> None:
    view = View("sex", "representation", score)
    table = verdict_words.table(result, view)
    drawn = {"auc": "y AUC", "balanced_accuracy": "y balanced accuracy", "accuracy": "y accuracy"}[score]
    assert table[drawn][0].startswith(score_text(result["methods"][0]["y"][score]["mean"], score))


def test_with_too_few_people_everywhere_the_picture_says_so(result: dict[str, Any]) -> None:
    drawing = compare.plane(result, View("address"))
    assert "too few people" in drawing.figure.layout.annotations[-1].text


def test_no_group_large_enough_is_said_and_not_drawn(result: dict[str, Any]) -> None:
    nothing = {"mean": None, "low": None, "high": None, "values": []}
    unjudged = {"verdict": "insufficient evidence", "not_judged": ["F"], "null_auc_low": None, "null_auc_high": None}
    other = changed(result, auc=nothing, **unjudged)
    assert all(trace.meta != "dF3" for trace in compare.plane(other, VIEW).figure.data)
    entry = entries(other, VIEW)[1]
    assert "not judged" in verdict_words.reason(VIEW, entry)
    assert verdict_words.table(other, VIEW)["Chance"][1] == "not judged"


def test_a_score_far_below_chance_is_an_alarm(result: dict[str, Any]) -> None:
    other = changed(result, below_chance=True)
    assert "alarm" in verdict_words.reason(VIEW, entries(other, VIEW)[1])


def test_the_difference_of_y_is_taken_seed_by_seed(result: dict[str, Any]) -> None:
    before, after = entries(result, VIEW)[:2]
    found = verdict_words.difference_of_y(result, before, after)
    pairs = zip(after.accuracy["values"], before.accuracy["values"], strict=True)
    assert found.value == pytest.approx(sum(a - b for a, b in pairs) / SEEDS)


def test_seeds_that_lose_the_same_by_chance_are_not_certainty(result: dict[str, Any]) -> None:
    other = copy.deepcopy(result)
    other["methods"][0]["y"]["accuracy"] |= {"mean": 0.65, "values": [0.6, 0.7]}
    other["methods"][1]["y"]["accuracy"] |= {"mean": 0.55, "values": [0.5, 0.6]}
    found = verdict_words.difference_of_y(other, *entries(other, VIEW)[:2])
    assert found.low is not None
    assert found.high is not None
    assert found.low < -0.12 < -0.08 < found.high


def test_names_that_look_like_markup_stay_text(result: dict[str, Any]) -> None:
    other = copy.deepcopy(result)
    other["groups"] = {"<b>x": other["groups"]["sex"]}
    for method in other["methods"]:
        method["leakage"]["by_attribute"] = {"<b>x": method["leakage"]["by_attribute"]["sex"]}
    figure = compare.plane(other, View("<b>x")).figure
    assert "<b>x" not in figure.layout.title.text + figure.layout.xaxis.title.text


def test_worse_than_chance_is_an_alarm_and_not_the_method_to_speak_of(result: dict[str, Any]) -> None:
    other = copy.deepcopy(result)
    quiet = {"verdict": "not detected", "below_chance": False}
    for method, auc in zip(other["methods"], (0.7, 0.3, 0.51, 0.52), strict=True):
        found = method["leakage"]["by_attribute"]["sex"]["representation"]
        found.update(quiet, below_chance=auc < 0.4)
        found["auc"]["mean"] = auc
    best = verdict_words.best(other, VIEW)
    assert best is not None
    assert best.name != other["methods"][1]["name"]
    other["methods"][0]["leakage"]["by_attribute"]["sex"]["representation"]["below_chance"] = True
    assert "an alarm" in verdict_words.headline(other, VIEW)


def test_a_dominant_group_is_no_reason_to_quote_a_useless_accuracy(result: dict[str, Any]) -> None:
    other = copy.deepcopy(result)
    found = other["methods"][0]["leakage"]["by_attribute"]["sex"]["representation"]
    found.update(verdict="detected", null_auc_high=0.6, below_chance=False)
    found["accuracy"]["mean"], found["auc"]["mean"] = 0.5, 0.8
    assert verdict_words.headline(other, VIEW) == (
        "Sex can be guessed from the data: AUC 0.80, where shuffled labels stay below 0.60"
    )


def test_a_seed_without_a_score_leaves_the_others_in_the_picture(result: dict[str, Any]) -> None:
    other = copy.deepcopy(result)
    other["methods"][1]["leakage"]["by_attribute"]["sex"]["representation"]["auc"]["values"][0] = None
    entry = next(one for one in entries(other, VIEW) if one.name == other["methods"][1]["name"])
    assert [seed for seed, _, _ in entry.by_seed()] == [1]
