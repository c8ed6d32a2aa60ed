"""The comparison of results before and after a change misses nothing."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.measure.same_numbers import compare

RESULT: dict[str, Any] = {
    "id": "0" * 32,
    "provenance": {"rows": 3, "seconds": 1.0, "real": False},
    "methods": [{"name": "dF3", "y": {"mean": 0.1 + 0.2, "values": [0.25, 0.5]}, "chosen": {}}],
}


def changed(*path, value):
    result = copy.deepcopy(RESULT)
    place: Any = result
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return result


def test_a_result_is_the_same_as_itself():
    found = compare(RESULT, RESULT)
    assert found.holds
    assert found.equal == 7


def test_the_last_digit_counts():
    found = compare(RESULT, changed("methods", 0, "y", "mean", value=0.3))
    assert not found.holds
    assert found.different == ["methods[0].y.mean: 0.30000000000000004 -> 0.3"]


@pytest.mark.parametrize("value", [1, None, "no"])
def test_another_kind_of_value_is_another_value(value):
    assert not compare(RESULT, changed("provenance", "real", value=value)).holds


def test_what_is_gone_is_told_and_what_is_new_is_allowed():
    longer = changed("methods", 0, "y", "values", value=[0.25, 0.5, 0.75])
    assert compare(RESULT, longer).holds
    assert compare(RESULT, longer).only_now == ["methods[0].y.values[2]: 0.75"]
    assert not compare(longer, RESULT).holds
    assert compare(longer, RESULT).only_before == ["methods[0].y.values[2]: 0.75"]


def test_id_seconds_and_how_an_absence_is_written_do_not_count():
    other = changed("id", value="1" * 32)
    other["provenance"]["seconds"] = 2.0
    other["methods"][0]["chosen"] = None
    assert compare(RESULT, other).holds


def test_a_renamed_entry_is_compared_under_its_new_name():
    now = copy.deepcopy(RESULT)
    now["methods"][0]["outcome"] = now["methods"][0].pop("y")
    renamed = {"methods[].y": ("methods[].outcome", "the word of the pages")}
    assert not compare(RESULT, now).holds
    assert compare(RESULT, now, renamed=renamed).holds
    now["methods"][0]["outcome"]["mean"] = 0.4
    assert compare(RESULT, now, renamed=renamed).different == ["methods[0].outcome.mean: 0.30000000000000004 -> 0.4"]


def test_an_entry_may_go_on_purpose():
    now = copy.deepcopy(RESULT)
    del now["methods"][0]["y"]
    assert compare(RESULT, now, renamed={"methods[].y": ("", "said elsewhere")}).holds


def test_a_text_in_other_words_is_told_and_no_number():
    found = compare(RESULT, changed("methods", 0, "name", value="dF3 with penalty"))
    assert found.holds
    assert found.reworded == ["methods[0].name: 'dF3' -> 'dF3 with penalty'"]
