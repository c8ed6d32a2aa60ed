"""The main picture, its probes, its curve and its words hold the numbers of the result."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from diffoci.audit.result import AuditResult, Place, Score
from diffoci.audit.words import score_text
from diffoci.audit.words import verdicts as verdict_words
from diffoci.figures import compare, probes
from diffoci.figures.curve import curve
from diffoci.figures.view import Row, View, paper_points, rows_of
from tests.plain_result import Content, leak, plain, typed
from tests.plain_result import changed as changed_by
from tests.sample_audit import SEEDS

VIEW = View("sex", "representation", "auc")
FORBIDDEN = ("unbiased", "debiased", "removed", " fair ")


def changed(result: AuditResult, **leakage: Any) -> AuditResult:
    """The result, but its second method leaks as told."""
    return changed_by(result, lambda content: leak(content, 1).update(leakage))


def in_words(result: AuditResult, row: Row) -> str:
    """What is said of one method in the usual view, and why."""
    said = verdict_words.sentence(result, result.method(row.name), "sex")
    return said + verdict_words.reason("sex", "representation", row.found)


@pytest.mark.parametrize("score", ["auc", "accuracy", "balanced_accuracy"])
@pytest.mark.parametrize("place", ["representation", "last_layer"])
@pytest.mark.parametrize("attribute", ["sex", "address"])
def test_every_mean_is_a_mark_that_tells_its_seeds(
    result: AuditResult, attribute: str, place: Place, score: Score
) -> None:
    drawing = compare.plane(result, View(attribute, place, score))
    for method in result.methods:
        found, y = method.leakage.by_attribute[attribute][place].score(score), method.y.score(score)
        if found.mean is None:
            assert all(trace.meta != method.name for trace in drawing.figure.data)
            continue
        mean = next(t for t in drawing.figure.data if t.meta == method.name)
        assert (mean.x[0], mean.y[0]) == (found.mean, y.mean)
        for seed, one, other in zip(method.seeds, y.values, found.values, strict=True):
            told = f"repetition {seed + 1}: outcome {score_text(one, score)}, {attribute} {score_text(other, score)}"
            assert told in mean.hovertext[0]
        seeds = drawing.data[(drawing.data["method"] == method.name) & (drawing.data["what"] != "mean")]
        assert tuple(seeds["guessed"]) == found.values
        assert tuple(seeds["y"]) == y.values
        assert len(seeds) == SEEDS


def drawn_intervals(result: AuditResult, chosen: str | None) -> dict[str, Any]:
    """The marks whose interval is drawn, by method."""
    marks = [trace for trace in compare.plane(result, VIEW, chosen=chosen).figure.data if trace.meta]
    return {mark.meta: mark for mark in marks if mark.error_x.array is not None or mark.error_y.array is not None}


def test_the_interval_of_the_chosen_method_alone_is_drawn(result: AuditResult) -> None:
    first = result.findings.guessed["sex"]["representation"].best
    assert list(drawn_intervals(result, None)) == [first]
    assert list(drawn_intervals(result, "no such method")) == [first]
    for method in result.methods:
        (mark,) = drawn_intervals(result, method.name).values()
        found = method.leakage.by_attribute["sex"]["representation"].auc
        assert mark.meta == method.name
        assert found.low is not None
        assert mark.x[0] - mark.error_x.arrayminus[0] == pytest.approx(max(0.0, found.low))
        title = compare.plane(result, VIEW, chosen=method.name).figure.layout.title.subtitle.text
        assert f"interval of {method.called}" in title.replace("<br>", " ")


def test_the_verdict_is_the_second_column_of_the_table(result: AuditResult) -> None:
    assert compare.table(result, VIEW).columns[1] == "Verdict"


def test_what_every_repetition_gave_has_a_table_of_its_own(result: AuditResult) -> None:
    table = compare.by_repetition(result, VIEW)
    values = result.methods[0].leakage.by_attribute["sex"]["representation"].auc.values
    assert table["Sex guessed"][0] == ", ".join(score_text(value, "auc") for value in values)
    assert table["Method"].tolist() == compare.table(result, VIEW)["Method"].tolist()


def test_the_chance_band_spans_the_limits_of_shuffled_labels(result: AuditResult) -> None:
    found = [method.leakage.by_attribute["sex"]["representation"] for method in result.methods]
    figure = compare.plane(result, VIEW).figure
    band, own = (next(s for s in figure.layout.shapes if s.name == name) for name in ("chance", "own"))
    lows = [one.null_auc_low for one in found if one.null_auc_low is not None]
    highs = [one.null_auc_high for one in found if one.null_auc_high is not None]
    assert len(lows) == len(highs) == len(found)
    assert band.x0 == min(lows)
    assert band.x1 == own.x0 == min(highs)  # chance for every method
    assert own.x1 == max(highs)  # chance for some of them only
    assert own.opacity < 1


def test_in_accuracy_chance_is_the_largest_group(result: AuditResult) -> None:
    figure = compare.plane(result, View("sex", "representation", "accuracy")).figure
    line = next(s for s in figure.layout.shapes if s.name == "chance")
    assert line.x0 == pytest.approx(result.methods[0].leakage.by_attribute["sex"]["representation"].majority)


@pytest.mark.parametrize(
    ("score", "guessing", "predicting"),
    [
        ("auc", "chance: what shuffled labels give, up to", "outcome by chance: 0.50"),
        ("accuracy", "sex by always naming the largest group:", "outcome by always naming the commonest class:"),
        ("balanced_accuracy", "sex by chance: 50.0 %", "outcome by chance: 50.0 %"),
    ],
)
def test_every_score_shows_what_knowing_nothing_gives(
    result: AuditResult, score: Score, guessing: str, predicting: str
) -> None:
    figure = compare.plane(result, View("sex", score=score)).figure
    named = [trace.name for trace in figure.data]
    assert any(name.startswith(guessing) for name in named)
    assert any(name.startswith(predicting) for name in named)
    assert [shape for shape in figure.layout.shapes if shape.name == "chance"]


def test_every_method_has_a_mark_of_its_own_and_is_named_in_the_legend(result: AuditResult) -> None:
    marks = [trace for trace in compare.plane(result, VIEW).figure.data if trace.meta]
    assert [mark.name for mark in marks] == ["Standard data", "dF3", "dF3 with penalty", "LEACE"]
    assert len({mark.marker.symbol for mark in marks}) == len(marks)
    assert all(mark.showlegend is not False for mark in marks)


def test_intervals_never_leave_0_to_1(result: AuditResult) -> None:
    for method in result.methods:
        (mark,) = drawn_intervals(result, method.name).values()
        assert mark.x[0] + mark.error_x.array[0] <= 1 + 1e-12
        assert mark.x[0] - mark.error_x.arrayminus[0] >= -1e-12


def test_the_papers_marks_stand_where_the_setting_is_the_papers(result: AuditResult) -> None:
    real = changed_by(result, lambda content: content["provenance"].update(real=True))
    papers = View("sex", "last_layer", "accuracy")
    marks = next(t for t in compare.plane(real, papers).figure.data if t.name == "The paper")
    assert marks.marker.symbol == "diamond-open"
    assert list(marks.x) == pytest.approx([0.7121, 0.4889])
    for other in (VIEW, View("address", "last_layer", "accuracy"), View("sex", "representation", "accuracy")):
        assert not paper_points(real, other)
    assert not paper_points(result, papers), "simulated data are not the paper's"


def test_a_success_of_the_linear_probe_alone_is_marked(result: AuditResult) -> None:
    areas = {"logistic": 0.5, "boosting": 0.8}
    by_probe: Content = {
        name: {
            score: {"mean": area, "low": None, "high": None, "values": []}
            for score in ("auc", "accuracy", "balanced_accuracy")
        }
        for name, area in areas.items()
    }
    fooled = probes.probes(changed(result, probes=by_probe, null_auc_high=0.6), VIEW)
    marked = fooled.data[fooled.data["only_linear_is_quiet"]]["method"].unique().tolist()
    assert "dF3" in marked
    assert sum(tick.startswith("⚠") for tick in fooled.figure.layout.yaxis.ticktext) == len(marked)
    assert "⚠ only the linear probe is at chance" in fooled.figure.layout.title.subtitle.text.replace("<br>", " ")


def test_the_curve_joins_the_weights_of_each_method(result: AuditResult) -> None:
    drawing = curve(result, VIEW)
    assert drawing is not None
    line = next(t for t in drawing.figure.data if t.name.startswith("dF3 with penalty"))
    points = result.curve["dF3+penalty"]
    assert list(line.text) == ["0", "1"]
    assert list(line.x) == [point.leakage.by_attribute["sex"]["representation"].auc.mean for point in points]
    assert curve(msgspec.structs.replace(result, curve={}), VIEW) is None


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("detected", "guessable"),
        ("not detected", "not detected above chance"),
        ("insufficient evidence", "too few people to say"),
    ],
)
def test_verdicts_have_three_words(result: AuditResult, verdict: str, words: str) -> None:
    other = changed(result, verdict=verdict)
    assert compare.table(other, VIEW)["Verdict"][1] == words
    said = in_words(other, rows_of(other, VIEW)[1])
    assert words in said
    assert not any(word in said.lower() for word in FORBIDDEN)


def y_of(result: AuditResult, *, standard: float, other: float, majority: float) -> AuditResult:
    """The result with other accuracies of y, hardly different from seed to seed."""
    content = plain(result)
    for method in content["methods"]:
        mean = standard if method["name"] == "standard" else other
        # Not by the same amount for both: methods that agree in every repetition prove nothing.
        spread = 0.0005 if method["name"] == "standard" else 0.00045
        values = [mean - spread, mean + spread]
        method["seeds"], method["changed"] = [0, 1], None
        method["y"]["majority"] = majority
        method["y"]["accuracy"] = {"mean": mean, "low": values[0], "high": values[1], "values": values}
        for places in method["leakage"]["by_attribute"].values():
            for found in places.values():
                found["test_rows"] = 100_000
    return typed(content)


@pytest.mark.parametrize(
    ("standard", "other", "majority", "words"),
    [
        (0.80, 0.80, 0.69, "predicted as well as before (accuracy 0.0 points"),
        (0.80, 0.798, 0.69, "predicted less well than before (accuracy −0.2 points"),
        (0.80, 0.77, 0.69, "predicted less well than before (accuracy −3.0 points"),
        (0.901, 0.887, 0.887, "predicted no better than by always naming the commonest class (accuracy −1.4 points"),
        (0.901, 0.891, 0.887, "predicted less well than before (accuracy −1.0 points"),  # most of what was gained
    ],
)
def test_y_is_as_good_as_before_only_against_what_there_was_to_lose(
    result: AuditResult, standard: float, other: float, majority: float, words: str
) -> None:
    changed_result = y_of(result, standard=standard, other=other, majority=majority)
    assert words in verdict_words.sentence(changed_result, changed_result.method("dF3"), "sex")


@pytest.mark.parametrize("score", ["auc", "balanced_accuracy", "accuracy"])
def test_the_table_has_the_y_that_is_drawn(result: AuditResult, score: Score) -> None:
    view = View("sex", "representation", score)
    table = compare.table(result, view)
    named = {"auc": "AUC", "balanced_accuracy": "balanced accuracy", "accuracy": "accuracy"}
    drawn = f"Outcome {named[score]}"
    assert table[drawn][0].startswith(score_text(result.methods[0].y.score(score).mean, score))


def test_with_too_few_people_everywhere_the_picture_says_so(result: AuditResult) -> None:
    drawing = compare.plane(result, View("address"))
    assert "too few people" in drawing.figure.layout.annotations[-1].text


def test_no_group_large_enough_is_said_and_not_drawn(result: AuditResult) -> None:
    nothing: Content = {"mean": None, "low": None, "high": None, "values": []}
    unjudged = {"verdict": "insufficient evidence", "not_judged": ["F"], "null_auc_low": None, "null_auc_high": None}
    other = changed(result, auc=nothing, **unjudged)
    assert all(trace.meta != "dF3" for trace in compare.plane(other, VIEW).figure.data)
    assert "not judged" in in_words(other, rows_of(other, VIEW)[1])
    assert compare.table(other, VIEW)["Chance"][1] == "not judged"


def test_a_score_far_below_chance_is_an_alarm(result: AuditResult) -> None:
    other = changed(result, below_chance=True)
    assert "alarm" in in_words(other, rows_of(other, VIEW)[1])


def test_names_that_look_like_markup_stay_text(result: AuditResult) -> None:
    def change(content: Content) -> None:
        content["groups"] = {"<b>x": content["groups"]["sex"]}
        for method in content["methods"]:
            method["leakage"]["by_attribute"] = {"<b>x": method["leakage"]["by_attribute"]["sex"]}
            method |= {"title": "<a href=x>title</a>", "short": "<a href=x>short</a>"}

    other = changed_by(result, change)
    for drawing in (compare.plane(other, View("<b>x")), probes.probes(other, View("<b>x"))):
        drawn = drawing.figure.to_json()
        assert "<b>x" not in drawn
        assert "<a href" not in drawn


def test_a_dominant_group_is_no_reason_to_quote_a_useless_accuracy(result: AuditResult) -> None:
    def change(content: Content) -> None:
        found = leak(content)
        found.update(verdict="detected", null_auc_high=0.6, below_chance=False)
        found["accuracy"]["mean"], found["auc"]["mean"] = 0.5, 0.8

    assert verdict_words.headline(changed_by(result, change), "sex") == (
        "Sex can be guessed from the data: AUC 0.80, where shuffled labels stay below 0.60"
    )


def test_a_seed_without_a_score_leaves_the_others_in_the_picture(result: AuditResult) -> None:
    def change(content: Content) -> None:
        leak(content, 1)["auc"]["values"][0] = None

    assert [seed for seed, _, _ in rows_of(changed_by(result, change), VIEW)[1].by_seed()] == [1]
