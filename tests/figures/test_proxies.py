"""Figures and words of proxies hold what was found, and never say more than was tested."""

from __future__ import annotations

import msgspec
import pytest

from diffoci.audit.before_training.proxies import Proxies, before_training
from diffoci.audit.measuring.features import exact_views
from diffoci.audit.result import ExactViews
from diffoci.data.truth.source import make_truth
from diffoci.figures.before_training import proxies
from diffoci.figures.before_training.foci_paths import paths
from diffoci.figures.before_training.proxy_map import auc_map, heat_map
from diffoci.figures.template import SHADES, template
from diffoci.runs.study import Watch


@pytest.fixture(scope="module")
def found() -> Proxies:
    return before_training(make_truth(rows=1500).dataset)


def test_every_column_is_of_one_of_four_kinds(found: Proxies) -> None:
    kinds = proxies.proxy_table(found, "group", {}).set_index("feature")["kind"]
    assert kinds["interaction_a"] == proxies.DROP
    assert kinds["variance"] == proxies.BOTH  # the outcome depends on the group itself
    assert kinds["useful_1"] == proxies.USEFUL
    assert kinds["irrelevant_1"] == proxies.NEITHER
    assert proxies.kind(useful=False, reveals=True) == proxies.DROP


def test_the_table_has_every_auc_and_what_was_found_second(found: Proxies) -> None:
    table = proxies.proxy_table(found, "group", {})
    assert table.columns[1] == "verdict"
    assert set(table["feature"][:2]) == {"linear", "variance"}
    assert table["auc_s"].notna().all()
    said = table.set_index("feature")["verdict"]
    assert said["linear"] == "reveals"
    assert said["interaction_a"] == "reveals together with interaction_b"
    limit = found.attributes["group"].smallest_auc
    assert said["irrelevant_1"] == f"not detected here (an AUC of {limit:.2f} or more would have been)"
    assert not table["verdict"].str.contains("harmless").any()
    assert "Meaning" not in proxies.in_words(table, "group")


def test_every_column_is_drawn_and_pairs_stand_as_pairs(found: Proxies) -> None:
    table = proxies.proxy_table(found, "group", {})
    drawing = proxies.scatter(table, "group", rows=found.rows)
    assert sum(len(trace.x) for trace in drawing.figure.data) == len(table)
    assert [trace.marker.color for trace in drawing.figure.data] == list(
        dict.fromkeys(trace.marker.color for trace in drawing.figure.data)
    )
    pairs = proxies.pair_table(found.attributes["group"])
    assert pairs[["Column", "Together with"]].to_numpy().tolist() == [["interaction_a", "interaction_b"]]
    shaded = auc_map(found, {}).data.set_index("feature")
    assert shaded["AUC"]["linear"] == found.attributes["group"].columns["linear"].auc


def test_the_shades_of_a_heat_map_begin_where_nothing_is_revealed(found: Proxies) -> None:
    shades = auc_map(found, {}).figure.data[0]
    seen = [one.auc or 0.0 for one in found.attributes["group"].columns.values() if one.reveals()]
    assert (shades.zmin, shades.zmax) == (0.5, max(seen))


def test_the_heading_names_columns_and_pairs(found: Proxies) -> None:
    heading = proxies.headline(found, "group")
    assert heading.startswith("2 of 9 columns reveal group: ")
    assert heading.endswith("; only together: interaction_a with interaction_b")


def test_where_nothing_leaks_the_heading_says_what_would_have_been_found() -> None:
    quiet = before_training(make_truth(rows=500, linear=0, variance=0, interaction=0, direct=0).dataset)
    limit = quiet.attributes["group"].smallest_auc
    assert f"not detected here (an AUC of {limit:.2f} or more would have been)" in proxies.headline(quiet, "group")
    assert proxies.pair_table(quiet.attributes["group"]).empty


def test_the_report_draws_the_views_that_an_audit_stores() -> None:
    data = make_truth(rows=800, variance=0, interaction=0).dataset
    stored = exact_views(data, {"exact_rows": 800, "permutations": 49}, 0, Watch()).summary
    views = msgspec.convert(stored, ExactViews)
    heat = heat_map(views, {}).data.set_index("feature")
    assert heat["T"]["linear"] == views.columns["linear"].sensitive["group"].T
    path = paths(views.paths, rows=views.rows).data
    assert tuple(path[path["for"] == "y"]["feature"]) == views.paths["y"].names


BACKGROUNDS = {False: (255, 255, 255), True: (18, 22, 27)}  # of the pages, see .streamlit/config.toml


def luminance(colour: tuple[float, ...]) -> float:
    """As WCAG 2 has it."""
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_every_value_of_a_heat_map_can_be_read(value: float, dark: bool) -> None:
    (_, low), (_, high) = SHADES
    weak, strong = ([float(part) for part in colour[5:-1].split(",")] for colour in (low, high))
    red, green, blue, alpha = (one + value * (other - one) for one, other in zip(weak, strong, strict=True))
    cell = tuple(
        alpha * part + (1 - alpha) * behind for part, behind in zip((red, green, blue), BACKGROUNDS[dark], strict=True)
    )
    text = template(dark=dark).layout.font.color
    letters = tuple(int(text[k : k + 2], 16) for k in (1, 3, 5))
    bright, faint = sorted((luminance(cell), luminance(letters)), reverse=True)
    assert (bright + 0.05) / (faint + 0.05) >= 4.5
