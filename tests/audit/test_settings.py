"""Every setting is declared once, with limits that presets keep and that strangers' values are held to."""

from __future__ import annotations

import math
from typing import Any

import pytest

from diffoci.audit.presets import PAPER_VEC, PRESETS
from diffoci.audit.setting_kinds import Choice, Number, Numbers, Shares
from diffoci.audit.settings import BY_PATH, GROUPS, SETTINGS, check_settings, said_settings
from diffoci.learning.models import MODELS


@pytest.mark.parametrize("preset", PRESETS)
def test_every_value_of_a_preset_is_possible(preset: str) -> None:
    check_settings(PRESETS[preset].settings)


@pytest.mark.parametrize("data", PAPER_VEC)
def test_the_papers_own_numbers_are_possible(data: str) -> None:
    check_settings({"vec_by_objective": PAPER_VEC[data]})


@pytest.mark.parametrize("preset", PRESETS)
def test_every_setting_of_a_preset_is_in_the_table_and_says_what_it_is(preset: str) -> None:
    for name, value in PRESETS[preset].settings.items():
        for path in [f"{name}.{entry}" for entry in value] if name in GROUPS else [name]:
            assert BY_PATH[path].title
            assert BY_PATH[path].help.endswith(".")


def test_no_two_settings_have_one_name() -> None:
    assert len(BY_PATH) == len(SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.path)
def test_every_number_has_a_limit_on_both_sides(setting: Any) -> None:
    kind = setting.kind
    each = kind.each if isinstance(kind, Numbers) else kind
    if isinstance(each, Number):
        assert -math.inf < each.least < each.most < math.inf
    if isinstance(kind, Numbers):
        assert kind.most <= 50


def test_the_models_of_the_form_are_those_of_the_estimator() -> None:
    kind = BY_PATH["model"].kind
    assert isinstance(kind, Choice)
    assert set(kind.titles) == set(kind.explained) == set(MODELS)


def just_outside(kind: Any) -> list[Any]:
    """Values a hair beyond what a kind takes, and values of other kinds."""
    strange: list[Any] = [True, "1", {}, [[]], math.nan, math.inf, -math.inf, 10**400]
    if isinstance(kind, Number) and kind.whole:
        return [*strange, kind.least - 1, kind.most + 1, float(kind.least), *([] if kind.none else [None])]
    if isinstance(kind, Number):
        low = kind.least if kind.above else math.nextafter(kind.least, -math.inf)
        high = kind.most if kind.below else math.nextafter(kind.most, math.inf)
        return [*strange, None, low, high]
    if isinstance(kind, Numbers):
        twice = [[kind.each.most] * 2] if kind.distinct else []
        empty: list[list[int]] = [] if kind.may_be_empty else [[]]
        many = [list(range(1, kind.most + 2))]
        return [*strange, None, "12", [kind.each.least - 1], [kind.each.most + 1], *many, *twice, *empty]
    if isinstance(kind, Shares):
        return [*strange, None, [], [1.0], [0.5, 0.5], [0.5, 0.5, 0.0], [0.4, 0.4, 0.3], [1.5, -0.25, -0.25]]
    return [*strange, None, "", "of another kind"]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.path)
def test_what_is_just_outside_the_limits_is_a_sentence(setting: Any) -> None:
    for value in just_outside(setting.kind):
        settings = {setting.group: {setting.name: value}} if setting.group else {setting.name: value}
        with pytest.raises(ValueError, match=rf"^The setting '{setting.path}' (must|has) .*\.$"):
            check_settings(settings)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.path)
def test_the_limits_themselves_are_possible(setting: Any) -> None:
    kind = setting.kind
    each = kind.each if isinstance(kind, Numbers) else kind
    if isinstance(each, Number):
        inside = [] if each.above else [each.least]
        inside += [] if each.below else [each.most]
        for value in inside:
            setting.check([value] if isinstance(kind, Numbers) else value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"speed": 1}, "There is no setting 'speed'."),
        ({"network": 5}, "The setting 'network' is a table of numbers, not 5."),
        ({"network": {"speed": 1}}, "The setting 'network' has no entry 'speed'; it has beta, rows_for_sharpness"),
        ({"adversary": {"beta": 1.0}}, "The setting 'adversary' has no entry 'beta'; it has hidden"),
        ({"batch_size": 2}, "There is no setting 'batch_size'."),
        ({"network": {"batch_size": 1}}, "The setting 'network.batch_size' must be a whole number from 2 to 1,000,000"),
        ({"network": {"hidden": [5000]}}, "The setting 'network.hidden' must be a list of whole numbers, each a whole"),
        ({"network": {"hidden": [8] * 21}}, "The setting 'network.hidden' must have at most 20 layers, not 21."),
        ({"vec_by_objective": {"dF1": {"lr": 0}}}, "The setting 'vec.lr' must be a number above 0 and up to 1000"),
        ({"vec_by_objective": {"dF1": 3}}, "The setting 'vec_by_objective.dF1' is a table of numbers, not 3."),
        ({"curve": [0.3, 0.30000001]}, "The setting 'curve' has the same number twice"),
    ],
)
def test_settings_that_cannot_be_are_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^") as problem:
        check_settings(settings)
    assert str(problem.value).startswith(sentence)


def test_a_sentence_shows_no_more_of_a_value_than_fits() -> None:
    with pytest.raises(ValueError, match="…") as problem:
        check_settings({"pieces": "x" * 10_000})
    assert len(str(problem.value)) < 200


def test_a_report_says_settings_in_words_with_their_names() -> None:
    said = said_settings(
        {"network": {"width": None, "lr": 0.001}, "probe_rows": 20_000, "coding": "onehot", "new": [1]}
    )
    assert said == {
        "Learned features (network.width)": "as many as input columns",
        "Learning rate (network.lr)": "0.001",
        "Rows to learn from, at most (probe_rows)": "20,000 rows",
        "Categories for networks (coding)": "one column per level",
        "new": "[1]",
    }
