"""Train: what is set is what is run; every state is shown with the way on."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from diffoci.audit.cost.time import estimate
from diffoci.audit.make_spec import make_spec, with_repetitions
from diffoci.audit.presets import PRESETS, vec_settings
from diffoci.audit.settings import SETTINGS
from diffoci.runs import queue
from diffoci.runs.progress import read_history
from diffoci.runs.store import Run, list_runs
from diffoci.ui.runs.draft import Draft, dataset_of
from diffoci.ui.runs.findings import headline_of
from diffoci.ui.runs.live import log_lines
from tests.pages.conftest import FAILURE, Open, assert_nothing_technical, finished, numbers, shown

PAGE = "pages/train.py"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note what would be started instead of starting it."""
    names: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder, **_: names.append(folder.name))
    return names


@pytest.fixture
def form(open_at: Open) -> AppTest:
    """The form for simulated students."""
    return open_at().button(key="open-student").click().run().switch_page(PAGE).run()


def test_with_no_data_chosen_it_says_where_to_choose_them(open_at: Open) -> None:
    app = open_at(PAGE)
    assert_nothing_technical(app)
    assert "No data chosen yet." in shown(app)


def test_the_form_starts_what_it_shows(form: AppTest, started: list[str]) -> None:
    form.multiselect(key="train-objectives").set_value(["dF3", "dF3+penalty"])
    form.multiselect(key="train-baselines").set_value(["standard"])
    form.number_input(key="train-seeds-quick").set_value(2)
    form.number_input(key="train-quick-network-max_epochs").set_value(7)
    form.text_input(key="train-quick-penalised-hidden").set_value("32, 16")
    form.text_input(key="train-quick--penalties").set_value("0.5, 1")
    form.number_input(key="train-quick-vec-cutoff").set_value(0.2)
    form.selectbox(key="train-device").set_value("cpu").run()
    assert_nothing_technical(form)
    assert "3 methods, 2 repetitions, 395 people" in shown(form)
    form.button(key="train-start").click().run()
    (run,) = list_runs()
    assert started == [run.id]
    spec = run.spec
    assert (spec.data, spec.twin, spec.sensitive, spec.preset) == ("student", True, ("sex",), "quick")
    assert (spec.methods, spec.seeds, spec.device) == (("standard", "dF3", "dF3+penalty"), (0, 1), "cpu")
    usual = make_spec("student", preset="quick").to_dict()["settings"]
    changed = {name: value for name, value in spec.to_dict()["settings"].items() if value != usual[name]}
    assert changed == {
        "network": {**usual["network"], "max_epochs": 7},
        "penalised": {**usual["penalised"], "hidden": [32, 16]},
        "penalties": [0.5, 1.0],
        "vec": {**usual["vec"], "cutoff": 0.2},
    }
    assert form.query_params["audit"] == run.id


@pytest.mark.parametrize("preset", ["quick", "standard", "paper"])
def test_untouched_a_preset_is_itself(form: AppTest, started: list[str], preset: str) -> None:
    form.button_group(key="train-preset").set_value(preset).run()
    form.button(key="train-start").click().run()
    (run,) = list_runs()
    expected = make_spec("student", sensitive=["sex"], preset=preset, twin=True, options={"subject": "mat"})
    assert run.spec.to_dict() == with_repetitions(expected, rows=395).to_dict()


@pytest.mark.parametrize("model", ["vec", "vec-nn"])
def test_the_model_of_the_representation_can_be_chosen(form: AppTest, started: list[str], model: str) -> None:
    form.button_group(key="train-model-quick").set_value(model).run()
    assert_nothing_technical(form)
    words = {"vec": "multiplied by its own weight, or dropped", "vec-nn": "idle ones can fade out"}[model]
    assert words in shown(form)
    form.button(key="train-start").click().run()
    (run,) = list_runs()
    assert run.spec.settings["model"] == model
    usual = make_spec("student", sensitive=["sex"], preset="quick", twin=True).to_dict()["settings"]
    assert run.spec.to_dict()["settings"] == {**usual, "model": model}


def test_every_setting_says_the_papers_value(form: AppTest) -> None:
    for field in [*form.number_input, *form.text_input]:
        if not str(field.key).startswith("train-seeds"):
            assert "Paper: " in field.help
    for key, words in (
        ("network-beta", "Paper: 5."),
        ("penalised-beta", "Paper: 5."),
        ("vec-cutoff", "Paper: 0.1."),
        ("penalised-penalty_beta", "Paper: does not say."),
        ("adversary-lr", "Paper: does not say."),
        ("vec-batch_size", "Paper: 64 without, 256 accounting for the attribute."),
        ("vec-weight_decay", "Paper: 0.0005 without, 0.005 accounting for the attribute."),
        ("network-batch_size", "Paper: chosen on validation rows from 8 to 4096."),
    ):
        assert words in form.number_input(key=f"train-quick-{key}").help


@pytest.mark.parametrize("preset", ["quick", "standard", "paper"])
def test_every_number_of_a_preset_has_a_field(preset: str) -> None:
    fields = {(setting.group, setting.name) for setting in SETTINGS if setting.tab}
    for name, value in PRESETS[preset].settings.items():
        wanted = {(name, entry) for entry in value} if isinstance(value, dict) else {("", name)}
        assert wanted - {("", "model")} <= fields  # the model is asked for above the settings


def test_shares_of_the_split_and_the_coding_can_be_changed(form: AppTest, started: list[str]) -> None:
    form.text_input(key="train-quick--fractions").set_value("0.6, 0.2, 0.2")
    form.selectbox(key="train-quick--coding").set_value("integer")
    form.number_input(key="train-quick--probe_rows").set_value(0)
    form.number_input(key="train-quick-vec-patience").set_value(3).run()
    assert_nothing_technical(form)
    form.button(key="train-start").click().run()
    (run,) = list_runs()
    settings = run.spec.settings
    assert list(settings["fractions"]) == [0.6, 0.2, 0.2]
    assert (settings["coding"], settings["probe_rows"], settings["vec"]["patience"]) == ("integer", None, 3)


def test_shares_that_are_no_split_are_a_sentence(form: AppTest) -> None:
    form.text_input(key="train-quick--fractions").set_value("0.6, 0.2, 0.1").run()
    assert_nothing_technical(form)
    assert "three numbers above 0 that sum to 1" in shown(form)


@pytest.mark.parametrize(
    ("typed", "words"), [("", "must have at least one number"), ("0.3, 0.30", "has the same number twice")]
)
def test_penalties_are_numbers_each_of_its_own(form: AppTest, typed: str, words: str) -> None:
    form.text_input(key="train-quick--penalties").set_value(typed).run()
    assert_nothing_technical(form)
    assert words in shown(form)


def test_a_setting_that_is_no_number_is_a_sentence(form: AppTest) -> None:
    form.text_input(key="train-quick-network-hidden").set_value("wide").run()
    assert_nothing_technical(form)
    assert "'wide' is not a list of numbers" in shown(form)


def test_another_audit_of_the_same_data_begins_with_them(open_at: Open) -> None:
    app = open_at(PAGE, audit=finished().id)
    app.button(key="train-another").click().run()
    assert_nothing_technical(app)
    assert "audit" not in app.query_params
    assert app.title[0].value == "Audit Student Performance, mathematics"
    assert app.session_state["draft"]["sensitive"] == ("sex", "address")


def test_an_audit_some_of_whose_parts_failed_can_be_resumed(open_at: Open) -> None:
    run = finished()
    for message, offered in (("", False), ("1 of 8 parts failed; the result says which.", True)):
        run.record("done", message)
        assert ("train-resume" in [button.key for button in open_at(PAGE, audit=run.id).button]) is offered


def test_no_method_no_start(form: AppTest) -> None:
    form.multiselect(key="train-objectives").set_value([])
    form.multiselect(key="train-baselines").set_value([]).run()
    assert "Choose at least one method." in shown(form)
    assert "train-start" not in [button.key for button in form.button]


def test_more_seeds_and_more_rows_take_longer() -> None:
    small = dataset_of(Draft("truth", options={"rows": 500}).spec)
    large = dataset_of(Draft("truth", options={"rows": 20_000}).spec)
    quick, twice = (make_spec("truth", preset="quick", seeds=seeds) for seeds in (3, 6))
    assert estimate(quick, small) < estimate(twice, small)
    assert estimate(quick, small) < estimate(quick, large)
    assert estimate(quick, small) < estimate(make_spec("truth", preset="standard"), small)


def test_an_audit_like_one_before_is_estimated_from_it(audit_in: Callable[[str], Run]) -> None:
    run = audit_in("done")
    elapsed = json.loads(run.progress_file.read_text().splitlines()[-1])["elapsed"]
    assert estimate(run.spec, dataset_of(run.spec), earlier=list_runs()) == pytest.approx(elapsed, rel=0.01)


def test_a_running_audit_is_shown_live(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    run = audit_in("running")
    app = open_at(PAGE, audit=run.id)
    assert_nothing_technical(app)
    bar = app.get("progress")[0].proto
    assert bar.value == 40
    assert re.fullmatch(r"40 %, training and measuring, 0:\d\d so far, about 40 seconds left", bar.text)
    table = app.dataframe[0].value
    assert table["State"].tolist() == ["running", "running", "done", "done"]
    assert table["Part"].tolist()[:2] == ["dF3", "feature weights given sex"]
    charts = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert numbers(charts[0]["data"][0]["y"]) == pytest.approx([0.1, 0.2, 0.3])
    assert len(charts[1]["data"]) == 29
    assert all(chart.proto.alt for chart in app.get("plotly_chart"))
    assert "SIMULATED DATA" in shown(app)
    assert "dF3, repetition 1: running" in log_lines(run)[0]


def test_cancel_asks_the_run_to_stop(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    run = audit_in("running")
    app = open_at(PAGE, audit=run.id)
    app.button(key="train-cancel").click().run()
    assert_nothing_technical(app)
    assert run.is_cancelled()
    assert "stopping" in app.get("progress")[0].proto.text
    assert app.button(key="train-cancel").disabled


def test_a_finished_audit_says_what_was_found(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    run = audit_in("done")
    app = open_at(PAGE, audit=run.id)
    assert_nothing_technical(app)
    assert app.info[0].value.replace("\\", "") == headline_of(run)
    assert set(app.dataframe[0].value["State"]) == {"done"}


def test_the_training_of_every_part_can_be_looked_at_afterwards(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    run = audit_in("done")
    app = open_at(PAGE, audit=run.id)
    for part, words in {"dF3.1": "T and loss by epoch: dF3, repetition 2", "vec-sex.0": "Weights by epoch"}.items():
        app.selectbox(key="trained-part").set_value(part).run()
        assert_nothing_technical(app)
        (drawn,) = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
        assert words in drawn["layout"]["title"]["text"]
        epochs = [line["epoch"] for line in read_history(run.folder, part) if {"dF3.1": "T"}.get(part, "theta") in line]
        assert numbers(drawn["data"][0]["x"]) == epochs


def test_the_form_is_as_it_was_left(form: AppTest) -> None:
    form.number_input(key="train-seeds-quick").set_value(9)
    form.multiselect(key="train-objectives").set_value(["dF3"])
    form.number_input(key="train-quick-network-max_epochs").set_value(7).run()
    form.switch_page("pages/data.py").run()
    form.switch_page(PAGE).run()
    assert form.number_input(key="train-seeds-quick").value == 9
    assert form.multiselect(key="train-objectives").value == ["dF3"]
    assert form.number_input(key="train-quick-network-max_epochs").value == 7


def test_the_papers_weights_are_the_papers_until_they_are_changed(form: AppTest, started: list[str]) -> None:
    form.button_group(key="train-preset").set_value("paper").run()
    assert form.number_input(key="train-paper-vec-lr-student").value == 0.05
    form.number_input(key="train-paper-vec-max_epochs-student").set_value(7).run()
    form.button(key="train-start").click().run()
    (run,) = list_runs()
    used = {objective: vec_settings(run.spec.settings, objective, 5000) for objective in ("dF1", "dF3")}
    assert {objective: one["max_epochs"] for objective, one in used.items()} == {"dF1": 7, "dF3": 7}
    assert {objective: one["lr"] for objective, one in used.items()} == {"dF1": 0.1, "dF3": 0.05}


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("failed", FAILURE),
        ("cancelled", "was cancelled"),
        ("interrupted", "was interrupted"),
        ("waiting", "never started"),
    ],
)
def test_an_audit_that_stopped_can_be_resumed(
    open_at: Open, audit_in: Callable[[str], Run], started: list[str], state: str, words: str
) -> None:
    run = audit_in(state)
    app = open_at(PAGE, audit=run.id)
    assert_nothing_technical(app)
    assert words in shown(app)
    app.button(key="train-resume").click().run()
    assert started == [run.id]


def test_a_second_audit_waits_and_says_so(
    open_at: Open, audit_in: Callable[[str], Run], started: list[str], form: AppTest
) -> None:
    audit_in("running")
    form.button(key="train-start").click().run()
    assert_nothing_technical(form)
    assert "Waiting for its turn" in shown(form)
    assert started == []
    form.button(key="train-cancel").click().run()
    assert_nothing_technical(form)
    assert "was cancelled" in shown(form)
    time.sleep(0.6)  # the watcher of the queue sees that nothing waits
    assert queue.waiting() == ()


@pytest.mark.parametrize("address", ["0" * 32, "../../etc/passwd", "<script>alert(1)</script>", "x" * 5000])
def test_an_id_that_does_not_exist_is_a_sentence(open_at: Open, address: str) -> None:
    app = open_at(PAGE, audit=address)
    assert_nothing_technical(app)
    assert "This audit cannot be opened." in shown(app)
    assert "passwd" not in shown(app)


def test_an_audit_of_another_version_is_a_sentence(open_at: Open, audit_in: Callable[[str], Run]) -> None:
    run = audit_in("failed")
    path = run.folder / "spec.json"
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 0'))
    app = open_at(PAGE, audit=run.id)
    assert_nothing_technical(app)
    assert "another version" in shown(app)
