"""Data: every source can be chosen, looked at and given roles, and bad files get one clear sentence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from diffoci.data.fetching import files as fetching
from diffoci.data.fetching._download import DownloadFailed
from diffoci.data.people import group_table, missing_table, preview, rate_title
from diffoci.runs.store import Run, runs_root
from diffoci.ui import signin
from diffoci.ui.forms.uploads import keep_upload
from diffoci.ui.runs.draft import Draft, dataset_of
from tests.pages.conftest import STATES, Open, assert_nothing_technical, shown

PAGE = "pages/data.py"


def chosen(app: AppTest, source: str) -> AppTest:
    return app.button_group(key="data-source").set_value(source).run()


def kept(app: AppTest) -> Draft | None:
    values = app.session_state["draft"] if "draft" in app.session_state else None  # noqa: SIM401, it has no get
    return None if values is None else Draft(**values)


def figure_of(app: AppTest, place: int = 0) -> dict:
    return json.loads(app.get("plotly_chart")[place].proto.spec)


def csv(rows: int = 60, **columns: object) -> bytes:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "<script>alert(1)</script>": rng.normal(size=rows),
            "=cmd()": rng.choice(["a", "b"], rows),
            "gender": ["w"] * (rows - 13) + ["m"] * 13,
            "hired": rng.choice(["yes", "no"], rows),
            **columns,
        }
    )
    return frame.to_csv(index=False).encode()


def uploaded(app: AppTest, content: bytes, name: str = "people.csv") -> AppTest:
    chosen(app, "csv")
    return app.file_uploader(key="data-upload").set_value((name, content, "text/csv")).run()


def test_with_nothing_chosen_it_asks(open_at: Open) -> None:
    app = open_at(PAGE)
    assert_nothing_technical(app)
    assert app.title[0].value == "Whose data?"
    assert kept(app) is None


def named(app: AppTest) -> str:
    found = app.query_params["draft"]
    return found if isinstance(found, str) else found[0]


@pytest.mark.parametrize("page", [PAGE, "pages/train.py", "pages/proxies.py"])
def test_a_reload_loses_nothing_that_was_chosen(open_at: Open, page: str) -> None:
    before = chosen(open_at(PAGE), "student")
    before.multiselect(key="data-sensitive-student").set_value(["sex", "address"]).run()
    after = open_at(page)  # another session, as after a reload
    assert kept(after) is None
    after.query_params["draft"] = named(before)
    after.run()
    assert_nothing_technical(after)
    assert kept(after) == kept(before)
    assert kept(after) is not None
    assert "Student Performance" in shown(after) or page == "pages/proxies.py"


@pytest.mark.parametrize("name", ["0" * 32, "../../x", "<script>", ""])
def test_a_draft_that_does_not_exist_is_none(open_at: Open, name: str) -> None:
    app = open_at(PAGE)
    app.query_params["draft"] = name
    app.run()
    assert_nothing_technical(app)
    assert app.title[0].value == "Whose data?"


def test_somebody_elses_draft_is_not_read(open_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    name = named(chosen(open_at(PAGE), "student"))
    monkeypatch.setattr(signin, "owner", lambda: "bob")
    app = open_at(PAGE)
    app.query_params["draft"] = name
    app.run()
    assert app.title[0].value == "Whose data?"


def test_old_drafts_are_forgotten(open_at: Open) -> None:
    name = named(chosen(open_at(PAGE), "student"))
    path = runs_root() / "drafts" / f"{name}.json"
    os.utime(path, (0, 0))
    chosen(open_at(PAGE), "truth")
    assert not path.exists()


@pytest.mark.parametrize("state", STATES)
def test_the_data_of_an_open_audit_are_shown_in_any_of_its_states(
    open_at: Open, audit_in: Callable[[str], Run], state: str
) -> None:
    app = open_at(PAGE, audit=audit_in(state).id)
    assert_nothing_technical(app)
    assert "395 people" in app.title[0].value
    assert "SIMULATED DATA" in shown(app)
    assert "data-source" not in [group.key for group in app.get("button_group")]  # they stay as they are
    assert "final grade of 12 or more" in figure_of(app)["layout"]["title"]["text"]


def test_other_data_can_be_chosen_after_an_audit_and_the_links_lead_to_them(
    open_at: Open, audit_in: Callable[[str], Run]
) -> None:
    app = open_at(audit=audit_in("done").id).button(key="open-bank").click().run()
    assert "41,188 people" in app.title[0].value.replace("\\", "")
    addresses = {one.proto.label: one.proto.query_string for one in app.get("page_link") if one.proto.label}
    assert addresses["Run the audit"] == addresses["Next: which columns reveal it?"] == f"draft={named(app)}"
    app.switch_page("pages/train.py").run()
    assert "Audit Bank Marketing" in shown(app)
    app.switch_page("pages/proxies.py").run()
    assert "reveal marital" in shown(app)


@pytest.mark.parametrize("address", ["0" * 32, "../../etc/passwd", "<script>"])
def test_an_unknown_audit_in_the_address_is_said(open_at: Open, address: str) -> None:
    app = open_at(PAGE, audit=address)
    assert_nothing_technical(app)
    assert "This audit cannot be opened." in shown(app)


def test_a_source_not_at_hand_begins_as_its_marked_twin(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "student")
    assert_nothing_technical(app)
    assert kept(app) == Draft("student", ("sex",), True, {"subject": "mat"})
    assert "SIMULATED DATA" in shown(app)
    assert "395 people" in shown(app)


def test_subject_attributes_and_left_out_columns_reach_the_draft(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "student")
    app.selectbox(key="data-subject-student").set_value("por").run()
    app.multiselect(key="data-sensitive-student").set_value(["sex", "address"]).run()
    app.multiselect(key="data-drop-student").set_value(["absences"]).run()
    draft = kept(app)
    assert draft == Draft("student", ("sex", "address"), True, {"subject": "por", "drop": ["absences"]})
    dataset = dataset_of(draft.spec)
    assert len(dataset) == 649
    assert "absences" not in dataset.features
    assert "649 people" in shown(app)


def test_an_attribute_that_was_left_out_before_can_become_sensitive(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "student")
    app.multiselect(key="data-drop-student").set_value(["address"]).run()
    app.multiselect(key="data-sensitive-student").set_value(["address"]).run()
    assert_nothing_technical(app)
    assert not app.error
    assert kept(app) == Draft("student", ("address",), True, {"subject": "mat"})


def test_no_attribute_is_asked_for_and_the_draft_before_is_intact(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "student")
    app.multiselect(key="data-sensitive-student").set_value([]).run()
    assert "at least one sensitive attribute" in shown(app)
    assert kept(app) == Draft("student", ("sex",), True, {"subject": "mat"})


def test_groups_and_intersections_are_drawn_as_they_are(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "student")
    app.multiselect(key="data-sensitive-student").set_value(["sex", "address"]).run()
    dataset = dataset_of(Draft("student", ("sex", "address"), True, {"subject": "mat"}).spec)
    bars = figure_of(app)["data"][0]
    people = {"F": int((dataset.sensitive["sex"] == "F").sum()), "M": int((dataset.sensitive["sex"] == "M").sum())}
    assert sorted(bars["y"]) == [f"{group} (n = {count})" for group, count in sorted(people.items())]
    app.selectbox(key="data-groups-of").set_value("sex and address together").run()
    assert len(figure_of(app)["data"][0]["y"]) == 4
    assert app.get("plotly_chart")[0].proto.alt


def test_label_rates_by_group_are_exact() -> None:
    dataset = dataset_of(Draft("student", ("sex",), True).spec)
    table = group_table(dataset, ("sex",), fewest=30).set_index("Group")
    female = (dataset.sensitive["sex"] == "F").to_numpy()
    assert table.loc["F", "People"] == female.sum()
    assert table.loc["F", "Share, %"] == round(100 * female.mean(), 1)
    assert table.loc["F", rate_title(dataset.label_name, dataset.label_classes)] == round(
        100 * dataset.label[female].mean(), 1
    )


def test_preview_says_codes_in_words_or_leaves_them() -> None:
    dataset = dataset_of(Draft("student", ("sex",), True).spec)
    assert set(preview(dataset)["school"]) <= {"Gabriel Pereira", "Mousinho da Silveira"}
    assert set(preview(dataset, words=False)["school"]) <= {"GP", "MS"}


def test_real_rows_not_at_hand_can_be_brought_by_hand(open_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise DownloadFailed("the connection failed", worth_retrying=False)

    monkeypatch.setattr(fetching, "download", refuse)
    app = chosen(open_at(PAGE), "student")
    app.button_group(key="data-twin-student").set_value(False).run()
    assert "not on this machine yet" in shown(app)
    app.button(key="data-download").click().run()
    assert_nothing_technical(app)
    assert "the connection failed" in shown(app)
    app.file_uploader(key="data-by-hand-student-mat.csv").set_value(("x.csv", b"a;b\n1;2\n", "text/csv")).run()
    assert_nothing_technical(app)
    assert "not the original" in shown(app)


def test_the_very_file_brought_by_hand_is_used(open_at: Open) -> None:
    original = Path(__file__).parents[3] / "shared" / "data" / "student" / "student-mat.csv"
    if not original.is_file():
        pytest.skip("needs the real file of the students")
    app = chosen(open_at(PAGE), "student")
    app.button_group(key="data-twin-student").set_value(False).run()
    content = original.read_bytes()
    app.file_uploader(key="data-by-hand-student-mat.csv").set_value(("student-mat.csv", content, "text/csv")).run()
    assert_nothing_technical(app)
    assert kept(app) == Draft("student", ("sex",), False, {"subject": "mat"})
    assert "SIMULATED" not in shown(app)


def test_state_year_and_task_reach_the_draft_of_census_data(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "acs")
    assert kept(app) == Draft("acs-income", ("sex", "race"), True, {})
    app.button_group(key="data-twin-acs").set_value(False).run()
    app.selectbox(key="data-state-acs").set_value("WY").run()
    app.selectbox(key="data-year-acs").set_value(2019).run()
    assert "csv_pwy.zip" in shown(app)
    assert "2019" in shown(app)


def test_known_truth_takes_its_knobs(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "truth")
    app.number_input(key="data-rows-truth").set_value(1000).run()
    app.slider(key="data-linear-truth").set_value(0.0).run()
    assert kept(app) == Draft(
        "truth", ("group",), False, {"rows": 1000, "linear": 0.0, "variance": 1.0, "interaction": 0.9}
    )
    assert "1,000 people" in shown(app)
    assert "SIMULATED DATA" in shown(app)


def test_a_csv_gets_its_roles_step_by_step(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), csv())
    label = next(box for box in app.selectbox if str(box.key).startswith("data-label"))
    label.set_value("hired").run()
    next(box for box in app.selectbox if str(box.key).startswith("data-positive")).set_value("no").run()
    next(box for box in app.multiselect if str(box.key).startswith("data-sensitive")).set_value(["gender"]).run()
    next(box for box in app.multiselect if str(box.key).startswith("data-drop")).set_value(["=cmd()"]).run()
    assert_nothing_technical(app)
    draft = kept(app)
    assert draft is not None
    assert draft.sensitive == ("gender",)
    assert dict(draft.options) == {
        "label": "hired",
        "leave_out_unusable": True,
        "positive": "no",
        "drop": ["=cmd()"],
    }
    dataset = dataset_of(draft.spec)
    assert dataset.label_classes == ("yes", "no")
    assert "Too few people to judge: m (13)" in shown(app)
    assert "SIMULATED" not in shown(app)


def test_a_hostile_column_name_is_shown_letter_by_letter(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), csv(), "<img src=x>.csv")
    next(box for box in app.selectbox if str(box.key).startswith("data-label")).set_value("hired").run()
    sensitive = next(box for box in app.multiselect if str(box.key).startswith("data-sensitive"))
    sensitive.set_value(["<script>alert(1)</script>"]).run()
    assert_nothing_technical(app)
    text = "".join(str(element.value) for kind in (app.markdown, app.title) for element in kind)
    assert "<script" not in text.replace("\\<", "")
    assert "<img" not in text.replace("\\<", "")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"PK\x03\x04rest", "spreadsheet or a zip"),
        (b"a,a\n1,2\n", "a"),
        (b"just one line of text", "."),
    ],
)
def test_a_bad_file_gets_one_sentence_and_the_draft_is_intact(open_at: Open, content: bytes, sentence: str) -> None:
    app = chosen(open_at(PAGE), "student")
    before = kept(app)
    uploaded(app, content)
    assert_nothing_technical(app)
    assert len(app.error) == 1
    assert sentence in app.error[0].value
    assert kept(app) == before


def test_a_label_with_one_class_is_a_sentence(open_at: Open) -> None:
    app = uploaded(open_at(PAGE), csv(same=["x"] * 60))
    next(box for box in app.selectbox if str(box.key).startswith("data-label")).set_value("same").run()
    next(box for box in app.multiselect if str(box.key).startswith("data-sensitive")).set_value(["gender"]).run()
    assert_nothing_technical(app)
    assert "only one class" in app.error[0].value


def test_missing_values_are_counted(open_at: Open, tmp_path: Path) -> None:
    upload = keep_upload(csv(gaps=[None] * 15 + [1.5] * 30 + [2.5] * 15), "../a/people.csv")
    assert upload.path.name == "people.csv"
    draft = Draft(f"csv:{upload.path}", ("gender",), options={"label": "hired"})
    table = missing_table(dataset_of(draft.spec))
    assert table.to_dict("records") == [{"Feature": "gaps", "Meaning": "gaps", "Missing": 15, "Share, %": 25.0}]


def test_choices_are_there_again_after_a_visit_elsewhere(open_at: Open) -> None:
    app = chosen(open_at(PAGE), "student")
    app.selectbox(key="data-subject-student").set_value("por").run()
    app.switch_page("app.py").run()
    app.switch_page(PAGE).run()
    assert app.selectbox(key="data-subject-student").value == "por"
    assert kept(app) == Draft("student", ("sex",), True, {"subject": "por"})
