"""An audit opened from a zip shows all that its result has; what needs rows asks for the file and checks it."""

from __future__ import annotations

from io import BytesIO

import pytest

from diffoci.runs.sharing import open_shared, pack
from diffoci.runs.store import Run
from diffoci.ui.runs.rows import local_spec
from tests.pages.charts import figure_about, figures, wrapped
from tests.pages.conftest import Open, assert_nothing_technical, shown
from tests.sample_audit import file_sample, people_file
from tests.shared_zip import files_of

ELSEWHERE = "The rows of this audit are not on this machine"


@pytest.fixture
def opened() -> Run:
    return open_shared(BytesIO(pack(file_sample())))


def test_decisions_are_those_of_the_result_at_its_threshold(open_at: Open, opened: Run) -> None:
    app = open_at("pages/decisions.py", audit=opened.id)
    assert_nothing_technical(app)
    assert not app.error
    stored = opened.result().methods[0].decisions.by("sex")
    drawn = figure_about(app, "Rates by sex").data[0].x
    assert list(drawn) == [group.selection_rate.value for group in stored.groups][::-1]
    assert figure_about(app, "Does a score mean the same")
    assert "predicted yes means a score of at least 0.5" in shown(app)
    assert any("Impact ratio" in one.value for one in app.dataframe)
    assert not app.slider
    assert ELSEWHERE in shown(app)


def test_data_shows_the_groups(open_at: Open, opened: Run) -> None:
    app = open_at("pages/data.py", audit=opened.id)
    assert_nothing_technical(app)
    assert app.title[0].value.endswith("1,000 people")
    table = wrapped(app, "Group").set_index("Group")
    groups = opened.result().groups["sex"]
    assert table["People"].map(int).to_dict() == {name: group.rows for name, group in groups.items()}
    assert table["hired: yes, %"].map(float).tolist() == [round(100 * g.label_rate, 1) for g in groups.values()]
    assert ELSEWHERE in shown(app)


def test_proxies_are_shown_as_stored(open_at: Open, opened: Run) -> None:
    app = open_at("pages/proxies.py", audit=opened.id)
    assert_nothing_technical(app)
    views = opened.result().features.exact
    table = wrapped(app, "T(sex, X)").set_index("Column")
    assert table["T(sex, X)"].map(lambda cell: float(cell.replace("−", "-"))).to_dict() == {
        name: round(view.sensitive["sex"].T, 3) for name, view in views.columns.items()
    }
    assert len(figures(app)) == 2
    assert ELSEWHERE in shown(app)


def test_features_shows_all_but_the_distribution(open_at: Open, opened: Run) -> None:
    app = open_at("pages/features.py", audit=opened.id)
    assert_nothing_technical(app)
    assert len(figures(app)) == 2
    assert app.metric
    assert ELSEWHERE in shown(app)


@pytest.mark.parametrize("page", ["data", "proxies", "features", "decisions"])
def test_the_very_file_is_taken_there_and_no_other(open_at: Open, opened: Run, page: str) -> None:
    app = open_at(f"pages/{page}.py", audit=opened.id)
    (uploader,) = app.file_uploader
    assert uploader.label == "The file that was audited: people.csv"
    app.file_uploader[0].set_value(("other.csv", people_file(seed=1), "text/csv")).run()
    assert "This is not the file that was audited: its rows differ" in shown(app)
    app.file_uploader[0].set_value(("strange.csv", b"a,b\n" + b"1,2\n" * 30, "text/csv")).run()
    assert "This is not the file that was audited. 'hired' is not a column of the file" in shown(app)
    assert local_spec(opened).data == "csv:people.csv"
    app.file_uploader[0].set_value(("people.csv", people_file(), "text/csv")).run()
    assert_nothing_technical(app)
    assert ELSEWHERE not in shown(app)
    assert not app.file_uploader
    if page == "decisions":
        app.slider(key="threshold").set_value(0.3).run()
        assert_nothing_technical(app)


def test_where_the_file_lies_is_not_shared(open_at: Open, opened: Run) -> None:
    app = open_at("pages/data.py", audit=opened.id)
    app.file_uploader[0].set_value(("people.csv", people_file(), "text/csv")).run()
    assert local_spec(opened).data != "csv:people.csv"
    assert "rows.json" not in files_of(pack(opened))
