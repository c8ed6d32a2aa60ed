"""Claims about the sentences of the lab: they hold at the edges, too."""

from __future__ import annotations

import itertools
import re

import pytest
from msgspec.structs import replace

from diffoci.labs.spurious.assemble import area_of
from diffoci.labs.spurious.means import outcome
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.result import CellSize, Repetition, SpuriousResult
from diffoci.labs.spurious.spec import SpuriousSpec
from diffoci.labs.spurious.words import (
    feature_sentences,
    group_sentences,
    headline,
    saliency_sentences,
    shortcut_sentence,
)

GROUPS = tuple(itertools.product(("landbird", "waterbird"), ("land", "water")))
SIZES = tuple(
    CellSize(label=label, group=group, train=train, validation=100, test=200)
    for (label, group), train in zip(GROUPS, (900, 40, 10, 300), strict=True)
)


def result(cells, *, sizes=SIZES, saliency=None, overlap=0.0):
    """A result in which each method has one list of shares, of every group, for every repetition."""
    saliency = saliency or {}
    outcomes = tuple(
        outcome(
            [repetition(k, shares, (saliency.get(name) or [None] * len(each))[k]) for k, shares in enumerate(each)],
            sizes, name=name, title=METHODS[name].title, description=METHODS[name].description, stage="methods",
            penalty=6.0 if METHODS[name].penalty else None, beta=2.0 if METHODS[name].penalty else None,
            overlap=overlap,
        )
        for name, each in cells.items()
    )  # fmt: skip
    return SpuriousResult(
        id="0" * 32, failures={}, spec=SpuriousSpec(methods=tuple(cells), seeds=(0, 1, 2)), title="Mini-birds",
        about="", label_name="kind", group_name="background", real=False, fresh=True, overlap=overlap, images=True,
        sha256="", sizes=sizes, area=area_of(outcomes), outcomes=outcomes, versions={}, seconds=1.0,
    )  # fmt: skip


def repetition(seed, shares, saliency):
    known = [value for value in shares if value is not None]
    return Repetition(
        seed=seed, epoch=1, cells=tuple(shares), refitted=tuple(shares), held=0.5, average=sum(known) / len(known),
        saliency=saliency, area=None if saliency is None else 0.1, guessed=0.9,
    )  # fmt: skip


def row(worst, others=0.98):
    return [others, others, worst, others]


def about(said, words):
    (found,) = (one for one in said if words in one)
    return found


def test_a_gain_beyond_chance_is_said_with_its_interval():
    said = group_sentences(
        result({"ERM": [row(0.5), row(0.52), row(0.49)], "ERM+dF2": [row(0.8), row(0.83), row(0.78)]})
    )
    told = about(said, "worst group is")
    assert told.startswith("With the penalty ERM’s worst group is 30.0 points higher (")
    assert "chance" not in told


def test_repetitions_that_go_either_way_may_be_chance():
    said = group_sentences(result({"ERM": [row(0.5), row(0.7), row(0.6)], "ERM+dF2": [row(0.8), row(0.5), row(0.62)]}))
    assert about(said, "worst group is").endswith("which may be chance.")


def test_a_mean_of_nothing_is_called_the_same_only_with_its_interval():
    said = group_sentences(result({"ERM": [row(0.5), row(0.7), row(0.6)], "ERM+dF2": [row(0.7), row(0.5), row(0.6)]}))
    told = about(said, "worst group is")
    assert "the same to a tenth of a point (−" in told
    assert told.endswith("which may be chance.")


def test_a_gain_whose_interval_excludes_nothing_may_still_be_chance_among_many():
    cells = {"ERM": [row(0.5), row(0.6), row(0.4)], "ERM+dF2": [row(0.7), row(0.68), row(0.65)]}
    cells |= {"DRO": [row(0.5), row(0.7), row(0.6)], "DRO+dF2": [row(0.8), row(0.5), row(0.62)]}
    told = about(group_sentences(result(cells)), "ERM’s worst group is")
    assert re.search(r"\(\d.*\), which may be chance among 4 comparisons\.$", told)


def test_one_repetition_proves_nothing():
    said = group_sentences(result({"oracle": [row(0.97)], "ERM": [row(0.5)], "ERM+dF2": [row(0.9)]}))
    assert about(said, "worst group is") == (
        "With the penalty ERM’s worst group is 40.0 points higher; one repetition is no proof."
    )
    assert said[0].endswith("in the one repetition: there it is not the task that is hard.")


def test_equal_repetitions_prove_nothing():
    said = group_sentences(result({"ERM": [row(0.5)] * 3, "ERM+dF2": [row(0.5)] * 3}))
    assert about(said, "ERM’s worst group is") == (
        "With the penalty ERM’s worst group is the same to a tenth of a point; equal repetitions are no proof."
    )
    saliency = {"ERM": [0.2] * 3, "ERM+dF2": [0.3] * 3}
    said = saliency_sentences(result({"ERM": [row(0.5)] * 3, "ERM+dF2": [row(0.5)] * 3}, saliency=saliency))
    assert said[-1].endswith("10.0 points higher; equal repetitions are no proof.")


def test_saliency_that_falls_is_said_to_fall():
    saliency = {"ERM": [0.30, 0.31, 0.32], "ERM+dF2": [0.20, 0.21, 0.215]}
    cells = {"ERM": [row(0.5), row(0.6), row(0.7)], "ERM+dF2": [row(0.8), row(0.7), row(0.9)]}
    first, told = saliency_sentences(result(cells, saliency=saliency))
    assert "10.0 %" in first
    assert told.startswith("With the penalty ERM’s share of saliency on the object is 10.2 points lower (")


@pytest.mark.parametrize(
    ("each", "told"),
    [
        ([row(0.97), row(0.975), row(0.972)], ": it is not the task that is hard."),
        ([row(0.93), row(0.99), row(0.96)], "but it may be less than 95 % ("),
        (
            [row(0.90), row(0.94), row(0.92)],
            "less than 95 %: some of what others get wrong may be the task’s",
        ),
    ],
)
def test_only_an_oracle_that_is_surely_good_says_that_the_task_is_not_hard(each, told):
    assert told in group_sentences(result({"oracle": each, "ERM": [row(0.5)] * 3}))[0]


def test_without_an_oracle_nothing_is_said_of_the_task():
    assert group_sentences(result({"ERM": [row(0.5), row(0.6)]}))[0].startswith(
        "No oracle was trained, so nobody knows"
    )


def test_groups_without_rows_are_named():
    sizes = (*SIZES[:2], replace(SIZES[2], test=0, train=0), SIZES[3])
    found = result({"ERM": [[0.9, 0.8, None, 0.9], [0.91, 0.7, None, 0.9]]}, sizes=sizes)
    said = group_sentences(found)
    assert "There are no training rows of “waterbird, land”: no network has seen such a row." in said
    assert about(said, "no test rows").endswith("the worst group is the worst of the others.")
    assert "“landbird, water”" in headline(found)


def test_without_test_rows_of_a_learnt_group_the_headline_speaks_of_test_rows():
    sizes = (*SIZES[:2], replace(SIZES[2], test=0), SIZES[3])
    assert "of test rows, but for" in headline(result({"ERM": [[0.9, 0.8, None, 0.9]]}, sizes=sizes))


def test_an_average_as_good_as_the_worst_group_hides_nothing():
    assert headline(result({"ERM": [[0.9] * 4] * 2})) == (
        "Mini-birds: ERM is right for 90.0 % of rows like those it learnt from, and of its worst group."
    )


def test_a_worst_group_that_changes_is_named_with_how_often():
    cells = [[0.9, 0.9, 0.5, 0.9], [0.9, 0.9, 0.4, 0.9], [0.9, 0.3, 0.5, 0.9]]
    assert "most often “waterbird, land”" in headline(result({"ERM": cells}))
    assert "worst group, “waterbird, land”" in headline(result({"ERM": cells[:2]}))


def test_repetitions_that_only_one_method_has_are_not_compared():
    cells = {"ERM": [row(0.5), row(0.5), row(0.5)], "ERM+dF2": [row(0.8)]}
    assert "30.0 points higher; one repetition is no proof" in about(group_sentences(result(cells)), "worst group is")


def test_a_result_without_methods_has_words():
    empty = result({})
    assert headline(empty) == "Mini-birds: nothing was trained."
    assert saliency_sentences(empty) == feature_sentences(empty) == []


def test_overlapping_repetitions_make_intervals_wider():
    cells = {"ERM": [row(0.5), row(0.6), row(0.55)], "ERM+dF2": [row(0.8), row(0.7), row(0.8)]}
    apart, overlapping = (about(group_sentences(result(cells, overlap=one)), "worst group is") for one in (0.0, 0.45))
    assert apart != overlapping


def test_the_shortcut_is_what_the_group_alone_reaches():
    said = shortcut_sentence(result({}))
    assert "right for 96.0 % of training rows" in said
    assert "always wrong for “landbird, water” and “waterbird, land”" in said


def test_a_group_that_tells_nothing_of_the_outcome_is_no_shortcut():
    sizes = (SIZES[0], replace(SIZES[1], train=400), SIZES[2], SIZES[3])
    assert shortcut_sentence(result({}, sizes=sizes)).endswith("the background alone is no shortcut.")
