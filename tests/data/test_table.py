"""Your own file becomes a Dataset, or one sentence says why not."""

from __future__ import annotations

import io
import os
import time
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diffoci.data.dataset import Dataset
from diffoci.data.sources import load
from diffoci.data.tables import _limits as table_limits
from diffoci.data.tables.table import LabelCopied, load_table
from tests.data.test_sources import assert_keeps_the_contract


def people(rows: int = 40, **changes: object) -> pd.DataFrame:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": generator.normal(size=rows).round(3),
            "city": generator.choice(["Mobile", "Selma"], rows),
            "sex": np.arange(rows) % 2,
            "hired": np.where(np.arange(rows) % 3 == 0, "yes", "no"),
        }
    ).replace({"sex": {0: "F", 1: "M"}})
    return frame.assign(**changes)  # type: ignore[arg-type]


def as_csv(frame: pd.DataFrame, **options: object) -> bytes:
    return frame.to_csv(index=False, **options).encode()  # type: ignore[call-overload]


def loaded(frame: pd.DataFrame, **options: object) -> Dataset:
    data = load_table(as_csv(frame), **{"label": "hired", "sensitive": "sex", **options})  # type: ignore[arg-type]
    assert_keeps_the_contract(data)
    return data


def refusal(source: bytes | Path, **options: object) -> str:
    roles = {"label": "hired", "sensitive": "sex", "leave_out_unusable": False}
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the sentence is what the caller compares
        load_table(source, **{**roles, **options})  # type: ignore[arg-type]
    return str(caught.value)


def test_a_plain_file_is_read_as_it_is_meant() -> None:
    data = loaded(people())
    assert [(column.name, column.kind) for column in data.columns] == [("income", "number"), ("city", "nominal")]
    assert data.label_classes == ("no", "yes")
    assert data.label.sum() == 14
    assert data.sensitive["sex"].value_counts().to_dict() == {"F": 20, "M": 20}
    assert data.real


def test_path_bytes_and_open_file_give_the_same(tmp_path: Path) -> None:
    content = as_csv(people())
    (tmp_path / "people.csv").write_bytes(content)
    by_path = load(f"csv:{tmp_path / 'people.csv'}", label="hired", sensitive="sex")
    by_bytes = load_table(content, label="hired", sensitive="sex")
    by_file = load_table(io.BytesIO(content), label="hired", sensitive="sex")
    assert by_path.sha256 == by_bytes.sha256 == by_file.sha256
    assert by_path.title == "people.csv"


def test_parquet_gives_the_same_as_csv() -> None:
    buffer = io.BytesIO()
    people().to_parquet(buffer)
    data = load_table(buffer.getvalue(), label="hired", sensitive="sex")
    assert data.sha256 == loaded(people()).sha256


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_detected(separator: str) -> None:
    data = load_table(as_csv(people(), sep=separator), label="hired", sensitive="sex")
    assert data.sha256 == loaded(people()).sha256


def test_decimal_commas_are_understood() -> None:
    data = load_table(as_csv(people(), sep=";", decimal=","), label="hired", sensitive="sex")
    assert data.sha256 == loaded(people()).sha256
    assert "Numbers are written with a decimal comma." in data.notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_detected(encoding: str) -> None:
    frame = people().replace({"city": {"Selma": "Málaga"}})
    data = load_table(as_csv(frame).decode().encode(encoding), label="hired", sensitive="sex")
    assert set(data.features["city"].cat.categories) == {"Mobile", "Málaga"}
    assert list(data.features) == ["income", "city"]


def test_a_guessed_encoding_is_noted() -> None:
    frame = people().replace({"city": {"Selma": "Málaga"}})
    data = load_table(as_csv(frame).decode().encode("cp1252"), label="hired", sensitive="sex")
    assert "The text was read as cp1252, not UTF-8; check that accents look right." in data.notes


def test_line_breaks_inside_quotes_are_part_of_the_text() -> None:
    frame = people().replace({"city": {"Selma": "Sel\nma"}})
    assert set(loaded(frame).features["city"].cat.categories) == {"Mobile", "Sel\nma"}


def test_rows_without_a_label_are_left_out_and_counted() -> None:
    hired = people()["hired"].where(np.arange(40) >= 3)
    data = loaded(people(hired=hired))
    assert len(data) == 37
    assert "3 rows without a value of the outcome 'hired' are left out." in data.notes


def test_missing_groups_form_a_group_of_their_own() -> None:
    data = loaded(people(sex=people()["sex"].where(np.arange(40) >= 12)))
    assert data.sensitive["sex"].value_counts().to_dict() == {"F": 14, "M": 14, "unknown": 12}
    assert "12 rows without a value of 'sex' form the group 'unknown'." in data.notes


def test_missing_values_of_features_stay_missing() -> None:
    data = loaded(people(income=people()["income"].where(np.arange(40) >= 3)))
    assert data.features["income"].isna().sum() == 3


def test_question_marks_are_missing_values() -> None:
    income = people()["income"].astype(str).where(np.arange(40) != 1, "?")
    data = loaded(people(income=income))
    assert data.column("income").kind == "number"
    assert data.features["income"].isna().sum() == 1


def test_kinds_can_be_set() -> None:
    frame = people(grade=np.arange(40) % 5)
    assert loaded(frame).column("grade").kind == "number"
    data = loaded(frame, kinds={"grade": "ordered"})
    assert list(data.features["grade"].cat.categories) == ["0", "1", "2", "3", "4"]
    assert data.features["grade"].cat.ordered
    assert loaded(frame, kinds={"grade": "nominal"}).column("grade").kind == "nominal"


def test_the_positive_class_can_be_chosen() -> None:
    assert loaded(people(), positive="no").label_classes == ("yes", "no")


def test_one_of_many_classes_can_be_the_positive_one() -> None:
    data = loaded(people(hired=np.arange(40) % 4), positive="2")
    assert data.label_classes == ("not 2", "2")
    assert data.label.sum() == 10


def test_many_classes_can_stay() -> None:
    assert loaded(people(hired=np.arange(40) % 4)).label_classes == ("0", "1", "2", "3")


def test_a_number_becomes_a_label_by_a_cut() -> None:
    data = loaded(people(), label="income", positive=">= 0")
    assert data.label_classes == ("not >= 0", ">= 0")
    assert data.label.mean() == (people()["income"] >= 0).mean()


def test_a_number_becomes_sensitive_in_four_bands() -> None:
    data = loaded(people(age=np.arange(20, 60)), sensitive="age")
    assert list(data.sensitive["age"].cat.categories) == [
        "under 29.75",
        "29.75 up to 39.5",
        "39.5 up to 49.25",
        "49.25 and over",
    ]
    assert data.sensitive["age"].value_counts().tolist() == [10, 10, 10, 10]


def test_an_empty_column_is_left_out_and_noted() -> None:
    data = loaded(people(nothing=""))
    assert "nothing" not in data.features
    assert "Column 'nothing' is empty in every row and is left out." in data.notes


def test_a_group_of_one_row_is_noted() -> None:
    sex = people()["sex"].where(np.arange(40) != 7, "X")
    assert "Group 'X' of 'sex' has 1 row: too few to judge." in loaded(people(sex=sex)).notes


def test_unusable_columns_can_be_left_out_in_one_go() -> None:
    frame = people(name=[f"Name {row}" for row in range(40)], born="2001-05-17")
    data = loaded(frame, leave_out_unusable=True)
    assert list(data.features) == ["income", "city"]
    assert "Left out: 'born' holds dates or times." in data.notes


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "../../x", "=cmd()", "a'b\"c", "Größe 漢字 🙂"])
def test_odd_names_are_kept_as_they_are(name: str) -> None:
    data = loaded(people().rename(columns={"city": name}))
    assert name in data.features


def test_a_hostile_file_name_is_only_a_title(tmp_path: Path) -> None:
    path = tmp_path / "<script>.csv"
    path.write_bytes(as_csv(people()))
    assert load_table(path, label="hired").title == "<script>.csv"


FREE_TEXT = [f"I am person {row}" for row in range(40)]


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        (b"", {}, "The file is empty; choose a CSV or Parquet file with a header and rows."),
        (b" \n\n", {}, "The file is empty; choose a CSV or Parquet file with a header and rows."),
        (b"hired,sex\n", {}, "The file has a header but no rows."),
        (
            b"hired:sex\nyes:F\n",
            {},
            "The file has only one column, or its separator is none of comma, semicolon, tab and bar; say which"
            " separator it uses.",
        ),
        (
            as_csv(people(), sep=";"),
            {"separator": ","},
            "'hired' is not a column of the file; columns are income;city;sex;hired.",
        ),
        (b"\x89PNG\0\0\0\0", {}, "The file is not a table in text form; save it as CSV in UTF-8 or as Parquet."),
        (b"PK\x03\x04xl/workbook", {}, "The file is a spreadsheet or a zip archive; save it as CSV first."),
        (b"PAR1 not really", {}, "The file begins like Parquet but cannot be read; save it again."),
        (
            as_csv(people().replace({"city": {"Selma": "Málaga"}})).decode().encode("cp1252"),
            {"encoding": "utf-8"},
            "The file is not text in the encoding utf-8; leave the encoding out to have it detected.",
        ),
        (
            as_csv(people()),
            {"encoding": "klingon"},
            "'klingon' is not an encoding of text; try utf-8, cp1252 or cp850.",
        ),
        (
            b"a,a,hired,sex\n1,2,yes,F\n",
            {},
            "Two columns are called 'a'; give each column a name of its own.",
        ),
        (
            as_csv(people()) + b"1,2,3,4,5\n",
            {},
            "Row 42 has 5 cells where the header has 4; correct the row, or say which separator the file uses.",
        ),
        (as_csv(people(1)), {}, "The file has 1 rows with an outcome; an audit needs at least 10."),
        (
            as_csv(people(hired="yes")),
            {},
            "The outcome 'hired' has only one class ('yes') in all 40 rows; choose another.",
        ),
        (
            as_csv(people(hired=FREE_TEXT)),
            {},
            "The outcome 'hired' has 40 different values; at most 20 classes can be predicted: choose another"
            " column or group its values.",
        ),
        (
            as_csv(people()),
            {"label": "income"},
            "The outcome 'income' has 40 different values; at most 20 classes can be predicted: give a threshold such"
            " as positive='>50000'.",
        ),
        (
            as_csv(people()),
            {"label": "income", "positive": ">99"},
            "'>99' is false for every value of the outcome 'income'.",
        ),
        (
            as_csv(people()),
            {"label": "pay"},
            "'pay' is not a column of the file; columns are income, city, sex, hired.",
        ),
        (
            as_csv(people()),
            {"positive": "maybe"},
            "'maybe' is not a value of the outcome 'hired'; its values are no, yes.",
        ),
        (
            as_csv(people()),
            {"sensitive": "hired"},
            "'hired' is the outcome and cannot be a sensitive attribute as well.",
        ),
        (
            as_csv(people(sex="F")),
            {},
            "The sensitive attribute 'sex' has only one value ('F'); it needs two groups.",
        ),
        (
            as_csv(people(1000, sex=[f"s{row % 500}" for row in range(1000)])),
            {},
            "The sensitive attribute 'sex' has 500 different values; at most 50 groups can be compared: group"
            " them first.",
        ),
        (
            as_csv(people()),
            {"drop": ["sex"]},
            "'sex' is the outcome or a sensitive attribute and cannot be left out.",
        ),
        (
            as_csv(people(story=FREE_TEXT)),
            {},
            "Some columns cannot be used: 'story' has 40 different values in 40 rows, as free text has. Leave"
            " them out, or turn them into numbers or a few categories.",
        ),
        (
            as_csv(people(born=date(2001, 5, 17), seen="31/12/2020")),
            {},
            "Some columns cannot be used: 'born' holds dates or times; 'seen' holds dates or times. Leave them"
            " out, or turn them into numbers or a few categories.",
        ),
        (
            as_csv(people(income=np.where(np.arange(40) == 4, np.inf, 1.0))),
            {},
            "Some columns cannot be used: 'income' holds infinite values, first in row 5. Leave them out, or turn"
            " them into numbers or a few categories.",
        ),
        (
            as_csv(people(copy=people()["hired"])),
            {},
            "Column 'copy' says the same as the outcome 'hired' in every row; leave it out.",
        ),
        (
            as_csv(people()[["sex", "hired"]]),
            {},
            "No usable column is left beside the outcome and the sensitive attributes.",
        ),
        (
            as_csv(people()),
            {"kinds": {"city": "number"}},
            "Some columns cannot be used: 'city' cannot be read as numbers. Leave them out, or turn them into"
            " numbers or a few categories.",
        ),
        (
            as_csv(people()),
            {"kinds": {"city": "colour"}},
            "'colour' is not a kind of column; choose number, ordered or nominal.",
        ),
    ],
)
def test_bad_input_gets_exactly_one_sentence(content: bytes, options: dict[str, object], sentence: str) -> None:
    assert refusal(content, **options) == sentence


def test_a_file_that_is_not_there_is_said() -> None:
    assert refusal(Path("/nowhere/x.csv")) == "There is no file /nowhere/x.csv; check its name and folder."


def test_a_file_of_two_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 2_000_000_000)
    assert refusal(path) == (
        "The file has 2.0 GB; at most 1.1 GB can be read: take a random sample of rows, or save it as Parquet"
        " with fewer columns."
    )


@pytest.mark.alone
@pytest.mark.parametrize("columns", [1_001, 10_000, 300_000])
def test_more_than_a_thousand_columns_are_refused_in_a_second(columns: int) -> None:
    content = ",".join(f"c{k}" for k in range(columns)) + "\n" + ",".join("1" * columns) + "\n"
    begun = time.monotonic()
    assert refusal(content.encode()) == (
        "The file has more than 1,000 columns, the most that can be read: leave out those that no decision would use."
    )
    assert time.monotonic() - begun < 2.0


def test_more_than_a_million_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_limits, "MAX_ROWS", 30)
    assert refusal(as_csv(people())) == "The file has 40 rows; at most 30 can be read: take a random sample."


def test_a_parquet_file_of_lists_and_bytes_is_refused() -> None:
    buffer = io.BytesIO()
    people(many=[[1, 2]] * 40, raw=[b"\xff"] * 40).to_parquet(buffer)
    assert refusal(buffer.getvalue()).startswith(
        "Some columns cannot be used: 'many' holds lists, structures or raw bytes; 'raw' holds lists,"
    )


def test_a_million_rows_are_read_in_seconds() -> None:
    generator = np.random.default_rng(0)
    rows = 1_000_000
    frame = pd.DataFrame(generator.integers(0, 1000, (rows, 6)), columns=list("abcdef"))
    frame["sex"] = np.take(["F", "M"], generator.integers(0, 2, rows))
    frame["hired"] = generator.integers(0, 2, rows)
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    assert len(load_table(buffer.getvalue(), label="hired", sensitive="sex")) == rows


cells = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=True, allow_infinity=True, width=32).map(str),
    st.sampled_from(["", "NA", "yes", "no", "F", "M", "2020-01-01", "true", "?", " x "]),
    st.text(max_size=8),
)
frames = st.integers(1, 5).flatmap(
    lambda columns: st.tuples(
        st.lists(st.text(min_size=0, max_size=6), min_size=columns, max_size=columns),
        st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=0, max_size=25),
    )
)


def dataset_or_sentence(content: bytes, **options: object) -> None:
    try:
        data = load_table(content, **options)  # type: ignore[arg-type]
    except ValueError as problem:
        said, kind = str(problem), type(problem)
    else:
        return assert_keeps_the_contract(data)
    assert kind in (
        ValueError,
        LabelCopied,
    )  # of ours, not a library error that is its subclass
    assert said.endswith(".")
    return None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(frames, st.sampled_from([",", ";", "\t"]))
def test_any_table_gives_a_dataset_or_a_sentence(table: tuple[list[str], list[list[str]]], separator: str) -> None:
    names, rows = table
    content = pd.DataFrame(rows, columns=names).to_csv(index=False, sep=separator).encode("utf-8", "replace")
    dataset_or_sentence(content, label=names[0].strip(), sensitive=[name.strip() for name in names[1:2]])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_give_a_dataset_or_a_sentence(content: bytes) -> None:
    dataset_or_sentence(content, label="a")


columns = st.sampled_from(
    [
        pd.Series(np.arange(30)),
        pd.Series(np.arange(30) % 2 == 0),
        pd.Series(np.linspace(0, 1, 30)).astype("float32"),
        pd.Series(["a", "b", None] * 10),
        pd.Series(pd.Categorical(["lo", "hi", "mid"] * 10, categories=["lo", "mid", "hi"], ordered=True)),
        pd.Series(pd.date_range("2020", periods=30)),
        pd.Series(pd.to_timedelta(np.arange(30), unit="s")),
        pd.Series([1] * 30),
        pd.Series([None] * 30, dtype=object),
        pd.Series([1.0, np.nan, np.inf] * 10),
        pd.Series([[1], [2], []] * 10),
        pd.Series([b"x", b"y", b"z"] * 10),
        pd.Series(pd.array([1, None, 3] * 10, dtype="Int64")),
        pd.Series([2**62, -(2**62), 0] * 10),
        pd.Series(["1", "2", "x"] * 10),
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(columns, min_size=1, max_size=5), st.data())
def test_any_parquet_types_give_a_dataset_or_a_sentence(parts: list[pd.Series], choice: st.DataObject) -> None:
    frame = pd.concat(parts, axis=1, keys=[f"c{place}" for place in range(len(parts))])
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    label = choice.draw(st.sampled_from(list(frame)))
    sensitive = choice.draw(st.lists(st.sampled_from(list(frame)), max_size=2))
    dataset_or_sentence(buffer.getvalue(), label=label, sensitive=sensitive)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(40)))
def test_row_order_changes_no_level_and_no_count(order: list[int]) -> None:
    plain, shuffled = loaded(people()), loaded(people().iloc[order])
    assert list(plain.features["city"].cat.categories) == list(shuffled.features["city"].cat.categories)
    assert plain.label_classes == shuffled.label_classes
    assert plain.label.sum() == shuffled.label.sum()
