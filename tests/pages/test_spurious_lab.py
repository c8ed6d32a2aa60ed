"""The spurious lab's page: groups before there is a run, and everything that a run found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from tests.labs.spurious.small_run import finished, small_spec
from tests.labs.spurious.waterbirds_files import untrained_weights, waterbirds_folder
from tests.pages.charts import figure_about

ROOT = Path(__file__).parents[2]
PAGE = "pages/spurious_lab.py"


def opened(**address):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(PAGE)
    for name, value in address.items():
        app.query_params[name] = value
    return app.run()


def test_groups_and_the_shortcut_come_before_training():
    app = opened()
    assert not app.exception
    assert [one.value for one in app.subheader] == ["1. Four groups", "2. The shortcut", "3. Train"]
    assert "**95.0 %**" in " ".join(one.value for one in app.markdown)


def test_other_data_have_their_own_groups():
    app = opened()
    app.radio[0].set_value("digits").run()
    assert "odd, flower" in " ".join(one.value for one in app.markdown)


@pytest.mark.parametrize("draw", ["1e999", "-1", "nan", "inf", "nonsense"])
def test_a_draw_that_is_no_draw_is_the_first(draw: str):
    app = opened(audit=finished(small_spec()).id, draw=draw)
    assert not app.error
    (found,) = [one for one in app.number_input if one.label == "Random draw"]
    assert found.value == 1


def test_a_finished_run_shows_worst_groups_gallery_and_lambda():
    run = finished(small_spec(lambdas=(0.0, 1.0)))
    app = opened(audit=run.id)
    assert not app.exception
    assert "ERM is right for" in app.title[0].value
    assert len(figure_about(app, "in the worst group").data) == 3
    assert "Where the networks look" in [one.value for one in app.subheader]
    app.select_slider[0].set_value(1.0).run()
    assert not app.exception
    assert "How much penalty?" in [one.value for one in app.subheader]


def test_a_finished_run_shows_first_what_was_learnt_from():
    app = opened(audit=finished(small_spec(methods=("ERM",))).id)
    assert app.subheader[0].value == "What they learnt from"
    assert "always wrong for “landbird, water” and “waterbird, land”" in " ".join(one.value for one in app.markdown)


def test_a_run_that_failed_can_be_resumed_or_left():
    run = Run.create(SPURIOUS_LAB, small_spec("table", methods=("oracle",), options={"source": "truth"}))
    execute(run, Means(jobs=1))
    app = opened(audit=run.id)
    assert not app.exception
    assert app.subheader[0].value == "It failed."
    assert "leave it out" in " ".join(one.value for one in app.markdown)
    assert [one.label for one in app.button] == ["Resume"]


def test_images_are_drawn_at_random_or_chosen_by_their_numbers():
    run = finished(small_spec(methods=("ERM",)))
    app = opened(audit=run.id)
    numbers = pictured(app)
    assert len(numbers) == 6
    app.number_input[0].set_value(2).run()
    assert pictured(app) != numbers
    chosen = next(one for one in app.multiselect if one.label == "Or images of your choice")
    chosen.set_value([3, 17]).run()
    assert not app.exception
    assert pictured(app) == [3, 17]


def pictured(app):
    """Numbers above the pictures of the gallery."""
    *_, shown = (one for one in app.main if "gallery-numbers" in str(getattr(one, "proto", "")))
    return [int(number) for number in re.findall(r"<span>(\d+)</span>", str(shown.proto))]


def test_waterbirds_of_this_machine_are_offered_with_a_frozen_backbone(tmp_path, monkeypatch):
    folder = tmp_path / "waterbirds"
    folder.mkdir()
    waterbirds_folder(folder)
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path))
    app = opened()
    app.radio[0].set_value("waterbirds").run()
    assert not app.exception
    assert "**50.0 %**" in " ".join(one.value for one in app.markdown)
    app.selectbox[0].set_value("resnet50").run()
    assert not app.exception
    assert "oracle" not in app.multiselect[0].value
    assert "diffoci[vision]" in " ".join(one.value for one in app.caption)


def test_a_run_without_masks_shows_maps_and_says_what_is_missing(tmp_path):
    (tmp_path / "birds").mkdir()
    options = {
        "path": str(waterbirds_folder(tmp_path / "birds")),
        "backbone": "resnet18",
        "weights": str(untrained_weights(tmp_path)),
    }
    run = finished(small_spec("waterbirds", methods=("ERM",), options=options))
    app = opened(audit=run.id)
    assert not app.exception
    assert "Where the networks look" in [one.value for one in app.subheader]
    assert "no masks" in " ".join(one.value for one in app.caption)
