"""The tables of Local Law 144, against the rule's definitions."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from diffoci.audit.decisions.local_law_144 import ImpactTable, ImpactTables, local_law_144


def applicants(**categories: tuple[int, int]) -> tuple[pd.DataFrame, np.ndarray]:
    """People by category with so many applicants and so many selected."""
    names = np.repeat(list(categories), [people for people, _ in categories.values()])
    selected = np.concatenate([np.arange(people) < chosen for people, chosen in categories.values()])
    return pd.DataFrame({"sex": names}), selected.astype(int)


def by_sex(found: ImpactTables) -> ImpactTable:
    return found.tables[0]


def ratios(found: ImpactTables) -> dict[str, float | None]:
    return {row.category: row.impact_ratio for row in by_sex(found).categories}


def test_the_impact_ratio_divides_by_the_most_selected_category() -> None:
    people, selected = applicants(female=(200, 60), male=(300, 120))
    assert ratios(local_law_144(people, selected=selected)) == pytest.approx({"female": 0.75, "male": 1.0})


def test_unknown_and_missing_applicants_are_counted_and_left_out() -> None:
    people, selected = applicants(female=(200, 60), male=(300, 120), unknown=(7, 7), Unknown=(2, 2))
    people.loc[:4, "sex"] = None
    table = by_sex(local_law_144(people, selected=selected))
    assert (table.unknown, [row.category for row in table.categories]) == (14, ["female", "male"])


def test_a_category_under_two_percent_is_marked_and_kept() -> None:
    people, selected = applicants(female=(490, 100), male=(500, 200), other=(10, 9))
    rows = by_sex(local_law_144(people, selected=selected)).categories
    assert [(row.small, row.impact_ratio is None) for row in rows] == [(False, False), (False, False), (True, False)]


def test_excluding_small_categories_leaves_their_numbers() -> None:
    people, selected = applicants(female=(490, 100), male=(500, 200), other=(10, 9))
    row = by_sex(local_law_144(people, selected=selected, exclude_small=True)).categories[2]
    assert (row.applicants, row.selected, row.rate, row.impact_ratio) == (10, 9, 0.9, None)


def test_an_excluded_category_is_not_the_one_divided_by() -> None:
    people, selected = applicants(female=(490, 98), male=(500, 200), other=(10, 9))
    found = ratios(local_law_144(people, selected=selected, exclude_small=True))
    assert found == pytest.approx({"female": 0.5, "male": 1.0, "other": None})


def test_exactly_two_percent_is_not_small() -> None:
    people, selected = applicants(female=(490, 100), male=(490, 200), other=(20, 9))
    assert not by_sex(local_law_144(people, selected=selected)).categories[2].small


def test_the_scoring_rate_is_the_share_above_the_median_of_all() -> None:
    people, _ = applicants(female=(4, 0), male=(4, 0))
    found = local_law_144(people, score=[0.1, 0.2, 0.5, 0.9, 0.5, 0.6, 0.7, 0.8])
    assert found.median == 0.55
    assert ratios(found) == pytest.approx({"female": 1 / 3, "male": 1.0})


def test_a_score_at_the_median_is_not_above_it() -> None:
    people, _ = applicants(female=(2, 0), male=(1, 0))
    assert [row.selected for row in by_sex(local_law_144(people, score=[0.5, 0.5, 0.9])).categories] == [0, 1]


def test_sex_and_race_are_also_crossed() -> None:
    people = pd.DataFrame({"sex": ["f", "f", "m", "m"] * 10, "race": ["a", "b"] * 20})
    found = local_law_144(people, selected=[1, 0, 1, 1] * 10)
    assert [table.attributes for table in found.tables] == [("sex",), ("race",), ("sex", "race")]


def test_an_attribute_the_law_asks_for_and_the_data_lacks_is_named() -> None:
    people, selected = applicants(female=(20, 6), male=(30, 12))
    assert local_law_144(people, selected=selected).missing == ("race/ethnicity",)


def test_selecting_nobody_has_no_impact_ratio() -> None:
    people, selected = applicants(female=(20, 0), male=(30, 0))
    assert ratios(local_law_144(people, selected=selected)) == {"female": None, "male": None}


def test_the_note_below_the_table_counts_the_unknown() -> None:
    people, selected = applicants(female=(20, 6), male=(30, 12), unknown=(1, 0))
    assert (
        by_sex(local_law_144(people, selected=selected)).note
        == "1 applicant with unknown sex is missing from the table."
    )


def test_everyone_unknown_gives_an_empty_table() -> None:
    people, selected = applicants(unknown=(20, 6))
    assert by_sex(local_law_144(people, selected=selected)).categories == ()


def test_tables_are_plain_json() -> None:
    people, selected = applicants(female=(20, 6), male=(30, 12))
    found = local_law_144(people, selected=selected)
    text = json.dumps(msgspec.to_builtins(found), allow_nan=False)
    assert msgspec.json.decode(text, type=ImpactTables) == found


@pytest.mark.parametrize(
    ("given", "message"),
    [({}, "either who was selected"), ({"selected": [0.5, 1]}, "0 or 1"), ({"score": [np.nan, 1]}, "needs a score")],
)
def test_bad_input_is_said_in_a_sentence(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        local_law_144(pd.DataFrame({"sex": ["f", "m"]}), **given)
