"""Each published source gives the data its publisher describes."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from diffoci.data import uci
from diffoci.data.dataset import Dataset
from diffoci.data.sources import (
    check_local,
    check_portable,
    describe,
    is_at_hand,
    list_sources,
    load,
    portable,
    published_files,
    resolved,
)
from diffoci.data.summary import summarise
from tests.data.conftest import Server


def assert_keeps_the_contract(data: Dataset) -> None:
    assert [column.name for column in data.columns] == list(data.features)
    assert len(data.features) == len(data.label) == len(data.sensitive) == len(data)
    assert data.features.index.equals(pd.RangeIndex(len(data)))
    assert set(data.label.unique()) <= set(range(len(data.label_classes)))
    for column in data.columns:
        values = data.features[column.name]
        if column.kind == "number":
            assert values.dtype == np.float64
        else:
            assert values.cat.ordered == (column.kind == "ordered")
            assert set(values.cat.categories) <= set(column.meanings)
        assert column.label
    for name in data.sensitive:
        groups = data.sensitive[name]
        assert not groups.isna().any()
        assert name not in data.features
        assert (groups.value_counts() > 0).all()


def test_importing_the_package_loads_neither_folktables_nor_streamlit() -> None:
    program = (
        "import sys, diffoci, diffoci.data.sources\nprint('folktables' in sys.modules, 'streamlit' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_student_is_the_paper_s_setting(with_real_data: Path) -> None:
    data = load("student")
    assert_keeps_the_contract(data)
    assert data.features.shape == (395, 29)
    assert not {"G1", "G2", "G3", "sex"} & set(data.features)
    assert data.sensitive["sex"].value_counts().to_dict() == {"F": 208, "M": 187}
    assert data.label.sum() == 162
    assert data.real


def test_student_grades_are_kept_on_request(with_real_data: Path) -> None:
    assert {"G1", "G2"} <= set(load("student", grades=True).features)


def test_student_portuguese_is_the_other_file(with_real_data: Path) -> None:
    data = load("student", subject="por")
    assert_keeps_the_contract(data)
    assert len(data) == 649


@pytest.mark.parametrize("name", ["age", "school", "address", "famsize", "Pstatus", "romantic", "internet"])
def test_every_student_attribute_leaves_the_features(with_real_data: Path, name: str) -> None:
    data = load("student", sensitive=["sex", name])
    assert_keeps_the_contract(data)
    assert list(data.sensitive) == ["sex", name]


def test_bank_leaves_out_what_is_known_only_after_the_call(with_real_data: Path) -> None:
    data = load("bank")
    assert_keeps_the_contract(data)
    assert data.features.shape == (41_188, 18)
    assert data.label.sum() == 4640
    assert data.sensitive["marital"].value_counts().to_dict() == {
        "married": 24_928,
        "single": 11_568,
        "divorced": 4_612,
        "unknown": 80,
    }


def test_bank_in_the_paper_s_setting_keeps_the_duration(with_real_data: Path) -> None:
    assert load("bank", duration=True, sensitive="married").features.shape == (41_188, 19)


def test_married_and_marital_both_take_the_marital_column(with_real_data: Path) -> None:
    data = load("bank", sensitive="married")
    assert_keeps_the_contract(data)
    assert "marital" not in data.features
    assert data.sensitive["married"].value_counts().to_dict() == {"married": 24_928, "not married": 16_260}


@pytest.mark.parametrize("name", ["age", "education", "job"])
def test_every_bank_attribute_leaves_the_features(with_real_data: Path, name: str) -> None:
    data = load("bank", sensitive=name)
    assert_keeps_the_contract(data)
    assert name not in data.features
    assert "marital" in data.features


def test_spambase_has_its_published_spam(with_real_data: Path) -> None:
    data = load("spambase")
    assert_keeps_the_contract(data)
    assert data.features.shape == (4601, 57)
    assert data.label.sum() == 1813


def test_breast_cancer_needs_no_file(without_data: None) -> None:
    data = load("breast-cancer")
    assert_keeps_the_contract(data)
    assert data.label.sum() == 212
    assert is_at_hand("breast-cancer")


def zipped(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def made_up(name: str) -> bytes:
    """Make a file of the published form and size, with made-up numbers."""
    rows, columns = uci.SETS[name].shape
    numbers = np.random.default_rng(0).integers(0, 2, (rows, columns))
    frame = pd.DataFrame(numbers, columns=[f"w{place}" for place in range(columns)])
    if name == "toxicity":
        frame["Class"] = np.where(np.arange(rows) < 56, "Toxic", "NonToxic")
        return frame.to_csv(index=False).encode()
    if name == "qsar":
        frame["class"] = np.where(np.arange(rows) < 741, "positive", "negative")
        return frame.to_csv(index=False, header=False, sep=";").encode()
    books = ["Buddhism", "TaoTeChing", "Upanishad", "YogaSutra"]
    frame.insert(0, "", [f"{books[row % 4]}_Ch{row}" for row in range(rows)])
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize(("name", "positive"), [("toxicity", 56), ("qsar", 741), ("religious", None)])
def test_the_wide_sets_are_read_in_their_published_form(server: Server, name: str, positive: int | None) -> None:
    (file,) = published_files(name)
    path = file.address.removeprefix("https://archive.ics.uci.edu")
    server.serve(path, zipped(f"data/{file.name}", made_up(name)))
    data = load(name)
    assert data.features.shape == uci.SETS[name].shape
    if positive is None:
        assert data.label_classes == ("Buddhism", "TaoTeChing", "Upanishad", "YogaSutra")
    else:
        assert data.label.sum() == positive


def test_a_file_of_another_shape_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path))
    (tmp_path / "uci" / "toxicity").mkdir(parents=True)
    (tmp_path / "uci" / "toxicity" / "data.csv").write_text("a,Class\n1,Toxic\n")
    with pytest.raises(ValueError, match=r"has 1 rows of 1 features, and the published file has 171 of 1,203"):
        load("toxicity")


def test_known_truth_is_a_source_like_any_other(without_data: None) -> None:
    data = load("truth", rows=200, seed=3)
    assert len(data) == 200
    assert not data.real


def test_a_twin_says_that_place_and_year_make_no_difference(without_data: None) -> None:
    twin = load("acs-income", twin=True, state="GA", year=2019)
    assert_keeps_the_contract(twin)
    assert not twin.real
    assert twin.notes[-1] == "A twin stands for one place and year: state, year make no difference to it."


def test_a_twin_takes_the_options_of_its_source(without_data: None) -> None:
    assert "duration" in load("bank", twin=True, duration=True, rows=200).features
    assert "age" not in load("student", twin=True, drop=["age"]).features


def test_dropped_features_are_gone(with_real_data: Path) -> None:
    assert load("student", drop=["age", "school"]).features.shape == (395, 27)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: load("nothing"),
            "'nothing' is not a data source; choose from student, bank, acs-income, acs-employment,"
            " acs-public-coverage, acs-mobility, acs-travel-time, breast-cancer, spambase, toxicity, qsar,"
            " religious, berkeley, compas, lender, truth, or csv:PATH for your own file.",
        ),
        (lambda: load("bank", colour=1), "bank has no option 'colour'; its options are duration."),
        (
            lambda: load("bank", sensitive="sex"),
            "'sex' is not a sensitive attribute of Bank Marketing; choose from marital, married, age, education, job.",
        ),
        (
            lambda: load("student", subject="art"),
            "The option 'subject' must be mat or por, not 'art'.",
        ),
        (lambda: load("spambase", sensitive="sex"), "Spambase has no sensitive attribute."),
        (
            lambda: load("qsar", twin=True),
            "QSAR oral toxicity has no simulated twin; there are twins of student, bank, acs-income, acs-employment.",
        ),
        (lambda: load("csv:x.csv"), "There is no file x.csv; check its name and folder."),
        (lambda: load("csv:x.csv", label=3), "The option 'label' must be a text of at most 5,000 letters, not 3."),
        (lambda: load("csv"), "'csv' is not a data source; choose from student, bank,"),
        (lambda: load("student:x"), "'student:x' is not a data source; choose from student, bank,"),
        (lambda: load("bank", rows=5), "bank has no option 'rows'; its options are duration."),
        (lambda: load("breast-cancer", rows=5), "breast-cancer has no option 'rows'; it takes none."),
        (
            lambda: load("csv:x.csv", label="y", twin=True),
            "Your CSV has no simulated twin; there are twins of student, bank, acs-income, acs-employment.",
        ),
        (
            lambda: load("breast-cancer", drop=["colour"]),
            "'colour' is not a feature of Breast Cancer Wisconsin; features are mean radius,",
        ),
    ],
)
def test_a_wrong_wish_gets_one_sentence(with_real_data: Path, call: object, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the sentence is compared below
        call()  # type: ignore[operator]
    assert str(caught.value).startswith(sentence)


def test_every_source_is_described() -> None:
    for source in list_sources():
        assert source.title
        assert source.summary
        assert source.licence
        assert set(source.default_sensitive) <= set(source.sensitive)
        assert len({option.name for option in source.options}) == len(source.options)
        for option in source.options:
            assert option.words
            assert option.required or option.allows(option.default)


@pytest.mark.parametrize(
    ("data", "options", "twin", "title"),
    [
        ("student", {"subject": "por"}, False, "Student Performance, Portuguese"),
        ("student", {}, True, "Student Performance, mathematics"),
        ("acs-income", {"state": ["AL", "GA"]}, False, "ACS income, AL, GA 2018"),
        ("acs-income", {"state": "GA"}, True, "ACS income"),
        ("csv:/a/b/people.csv", {"label": "y"}, False, "people.csv"),
        ("gone", {}, False, "gone"),
    ],
)
def test_data_are_named_without_being_loaded(data: str, options: dict[str, object], twin: bool, title: str) -> None:
    assert describe(data, options, twin=twin) == title


def test_a_file_is_named_whole_here_and_without_its_folders_elsewhere(tmp_path: Path) -> None:
    whole = resolved("csv:sub/../people.csv", beside=tmp_path)
    assert whole == f"csv:{tmp_path.resolve() / 'people.csv'}"
    assert portable(whole) == "csv:people.csv"
    assert portable(r"csv:C:\data\people.csv") == "csv:people.csv"
    assert resolved("student") == portable("student") == "student"
    check_local(whole)
    check_local("student")
    with pytest.raises(ValueError, match="it was opened without them"):
        check_local(portable(whole))


@pytest.mark.parametrize(
    ("data", "options", "sentence"),
    [
        ("csv:/etc/passwd", {}, "names a file of this machine by its path"),
        ("csv:..", {}, "names a file of this machine by its path"),
        ("gone", {}, "The audit is of 'gone', a source that this installation does not have"),
        ("truth", {"rows": 200_000_000}, "'rows' must be a whole number from 2 to 1,000,000, not 200000000"),
        ("truth", {"rows": "many"}, "'rows' must be a whole number from 2 to 1,000,000, not 'many'"),
        ("truth", {"useful": 0}, "'useful' must be a whole number from 1 to 100, not 0"),
        ("truth", {"interaction": 1.0}, "'interaction' must be a number from -0.999 to 0.999, not 1.0"),
        ("truth", {"linear": float("nan")}, "'linear' must be a number from -100 to 100, not nan"),
        ("truth", {"seed": True}, "'seed' must be a whole number from 0 to 4,294,967,295, not True"),
        ("acs-income", {"year": "../../2018"}, "'year' must be a whole number from 2014 to 2024, not '../../2018'"),
        ("acs-income", {"paper_ages": 1}, "'paper_ages' must be true or false, not 1"),
        ("acs-income", {"state": ["x\0"]}, "'state' must be a name, or a list of at most 1,000"),
        ("csv:a.csv", {"drop": ["x"] * 1001}, "'drop' must be a name, or a list of at most 1,000"),
        ("csv:a.csv", {"label": "x" * 5001}, "'label' must be a text of at most 5,000 letters"),
        ("csv:a.csv", {"kinds": {"age": "text"}}, "'kinds' must be a table that says for columns which of number"),
        ("csv:a.csv", {"kinds": ["age"]}, "'kinds' must be a table"),
    ],
)
def test_a_stranger_s_specification_cannot_ask_for_what_would_do_harm(
    data: str, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        check_portable(data, options, twin=False)
    assert len(str(caught.value)) < 300


def test_a_stranger_s_specification_may_ask_for_what_sources_have() -> None:
    check_portable("csv:a.csv", {"label": "y", "positive": None, "kinds": {"age": "nominal"}, "drop": "x"}, twin=False)
    check_portable("acs-income", {"state": ["AL", "GA"], "race": "recorded", "threshold": 5e4}, twin=False)
    check_portable("acs-income", {"state": "AL", "year": 2018, "rows": None, "drop": ["age"]}, twin=True)


def test_a_summary_counts_groups_and_rates(with_real_data: Path) -> None:
    summary = summarise(load("student"))
    assert summary["rows"] == 395
    assert summary["features"] == 29
    assert summary["label_rate"] == 0.4101
    assert summary["sensitive"] == {"sex": {"F": 208, "M": 187}}
    assert summary["label_rate_by_group"] == {"sex": {"F": 0.3558, "M": 0.4706}}
    assert summary["real"] is True
    assert len(summary["sha256"]) == 64


def test_the_same_data_has_the_same_digest_and_other_data_another(with_real_data: Path) -> None:
    assert load("student").sha256 == load("student").sha256
    assert load("student").sha256 != load("student", drop=["age"]).sha256
