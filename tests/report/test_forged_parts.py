"""Item 2: results from which something was taken away, or that no longer follow from their own seeds and counts.

The forger changes the result and builds the whole report anew, so that text, pictures and digest agree with it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from diffoci.audit.result import AuditResult
from diffoci.report.build import build_report
from diffoci.report.checks.agreement import compare_pairs
from diffoci.report.checks.arithmetic import recomputed
from tests.plain_result import Content, changed, leak
from tests.sample_audit import file_sample, truth_sample

# As many decimals as a file has: neighbours that are as near as each other, for which rounding decides.
HONEST = {"decimals": file_sample, "known truth": truth_sample}


def without_a_method(result: Content) -> None:
    del result["methods"][-1]


def without_a_seed(result: Content) -> None:
    """The seed in which the method did worst is forgotten, and the means follow what is left."""
    for one in result["methods"]:
        _forget(one, len(one["seeds"]) - 1)


def _forget(part: Any, k: int) -> None:
    if isinstance(part, dict):
        if set(part) == {"mean", "low", "high", "values"} and len(part["values"]) > k:
            kept = part["values"][:k]
            part |= {"values": kept, "low": None, "high": None, "mean": kept[0]}
        for name, entry in part.items():
            if name in ("seeds", "probe", "chosen") and isinstance(entry, list):
                part[name] = entry[:k]
            else:
                _forget(entry, k)
    elif isinstance(part, list):
        for entry in part:
            _forget(entry, k)


def without_the_curve(result: Content) -> None:
    result["curve"] = {}


def without_a_condition(result: Content) -> None:
    del result["features"]["conditions"][0]


def without_decisions_by_an_attribute(result: Content) -> None:
    for one in result["methods"]:
        one["decisions"]["by"] = one["decisions"]["by"][:1]


def without_the_law(result: Content) -> None:
    for one in result["methods"]:
        one["decisions"]["local_law_144"] = None


def an_impact_ratio_of_nobody(result: Content) -> None:
    rows = result["methods"][0]["decisions"]["local_law_144"]["tables"][0]["categories"]
    min(rows, key=lambda row: row["rate"])["impact_ratio"] = None


def another_first_attribute(result: Content) -> None:
    """What is said of the first attribute stands in two places."""
    found = result["methods"][0]["leakage"]["representation"]
    found["accuracy"] = found["balanced_accuracy"]


def better_than_every_probe(result: Content) -> None:
    y = result["methods"][1]["y"]
    y["accuracy"] = {"mean": 0.99, "low": 0.99, "high": 0.99, "values": [0.99, 0.99]}


def guessed_worse_than_by_any_probe(result: Content) -> None:
    for one in result["methods"]:
        one["leakage"]["representation"]["accuracy"] = leak_accuracy = {
            "mean": 0.5, "low": 0.5, "high": 0.5, "values": [0.5, 0.5],
        }  # fmt: skip
        one["leakage"]["by_attribute"]["sex"]["representation"]["accuracy"] = leak_accuracy


def a_commoner_group(result: Content) -> None:
    """Guessing the commonest group would do as well: nothing was learnt."""
    leak(result)["majority"] = 0.97
    result["methods"][0]["leakage"]["representation"]["majority"] = 0.97


def outcomes_of_other_people(result: Content) -> None:
    for level in result["groups"]["address"].values():
        level["label_rate"] = min(1.0, level["label_rate"] + 0.1)


def a_feature_that_is_none(result: Content) -> None:
    result["features"]["conditions"][0]["dropped"].append("race")


def surer_of_a_feature_than_shuffles_can_be(result: Content) -> None:
    column = next(iter(result["features"]["exact"]["columns"].values()))
    column["sensitive"]["sex"]["p_value"] = 0.0


def surer_of_a_method_than_shuffles_can_be(result: Content) -> None:
    leak(result, attribute="address")["p_value"] = 0.0


def in_kinder_words(result: Content) -> None:
    result["methods"][0]["description"] = "guarantees that nobody is treated unfairly"


def without_need_of_the_attribute(result: Content) -> None:
    for one in result["methods"]:
        one["needs_sensitive_at_prediction"] = not one["needs_sensitive_at_prediction"]


@pytest.mark.parametrize(
    "change",
    [surer_of_a_feature_than_shuffles_can_be, surer_of_a_method_than_shuffles_can_be, in_kinder_words,
     without_need_of_the_attribute, without_a_method, without_a_seed, without_the_curve,
     without_a_condition, without_decisions_by_an_attribute,
     without_the_law, an_impact_ratio_of_nobody, another_first_attribute, better_than_every_probe,
     guessed_worse_than_by_any_probe, a_commoner_group, outcomes_of_other_people, a_feature_that_is_none],
)  # fmt: skip
def test_item_2_a_result_that_lacks_or_contradicts_a_part_is_found(
    result: AuditResult, change: Callable[[Content], None]
) -> None:
    forged = changed(result, change)
    assert build_report(forged, created=1.7e9)  # a reader would see nothing odd
    assert compare_pairs(recomputed(forged)).differences


def test_item_1_a_method_called_like_the_way_to_a_number_hides_none(result: AuditResult) -> None:
    """Two means whose ways are written alike: each is compared, whichever comes later."""

    def imitate(content: Content) -> None:
        one = content["methods"][0]
        later = copy.deepcopy(one) | {"name": f"{one['name']} › y › probes"}
        one["y"]["probes"]["y"] = copy.deepcopy(later["y"]["probes"][one["y"]["probe"][0]])
        one["y"]["probes"]["y"]["accuracy"]["mean"] = 0.999
        content["methods"].append(later)

    wrong = [one.where for one in compare_pairs(recomputed(changed(result, imitate))).differences]
    assert "methods › standard › y › probes › y › accuracy › mean" in wrong


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_result_agrees(name: str) -> None:
    assert compare_pairs(recomputed(HONEST[name]().result())).differences == ()
