"""ACS tasks are folktables' own, whatever the year, form and number of files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from diffoci.data import acs
from diffoci.data.acs import _codes as acs_codes
from diffoci.data.acs import _person_files as acs_files
from diffoci.data.acs._person_files import person_file, read_persons, read_raw
from diffoci.data.sources import list_sources, load
from tests.data.test_sources import assert_keeps_the_contract
from tests.measure import bench_data

TASKS = tuple(acs.TASKS)


@pytest.fixture(scope="session")
def raw_file(real_data: Path) -> Path:
    return real_data / "acs" / "2017" / "1-Year" / "psam_p01.csv"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data folder of one's own to put files in."""
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path))
    return tmp_path


def persons(rows: int = 40, **changes: object) -> pd.DataFrame:
    """Make up person records with every column the tasks need."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({name: generator.integers(1, 3, rows) for name in acs_files.COLUMNS})
    frame["AGEP"] = generator.integers(20, 34, rows)
    frame["PINCP"] = generator.integers(200, 29_000, rows)
    frame["WKHP"] = 40
    return frame.assign(**changes)  # type: ignore[arg-type]


def put(folder: Path, frame: pd.DataFrame, *, state: str = "AL", year: int = 2018, horizon: str = "1-Year") -> Path:
    file = person_file(state, year, horizon)
    path = folder / file.folder / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(("task", "rows", "rate"), [("acs-income", 2321, 0.306), ("acs-employment", 5000, 0.405)])
def test_the_alabama_sample_gives_what_folktables_gives(
    with_real_data: Path, task: str, rows: int, rate: float
) -> None:
    data = load(task, state="AL", year=2017)
    assert_keeps_the_contract(data)
    assert len(data) == rows
    assert data.label.mean() == pytest.approx(rate, abs=0.0005)


@pytest.mark.parametrize("task", TASKS)
def test_rows_labels_and_values_equal_folktables_own(with_real_data: Path, raw_file: Path, task: str) -> None:
    problem = acs.problem_named(acs.TASKS[task].problem)
    theirs = pd.read_csv(raw_file)
    features, target, _ = problem.df_to_numpy(theirs)
    ours = load(task, state="AL", year=2017, sensitive=[])
    assert list(ours.features) == problem.features
    assert np.array_equal(ours.label.to_numpy(), target.astype(int))
    for place, name in enumerate(problem.features):
        values = ours.features[name]
        numbers = values if values.dtype == np.float64 else pd.to_numeric(values.astype(object), errors="coerce")
        assert np.array_equal(np.nan_to_num(numbers.to_numpy(dtype=float)), features[:, place].astype(float)), name


@pytest.mark.parametrize("task", TASKS)
def test_every_attribute_a_source_offers_can_be_chosen(with_real_data: Path, task: str) -> None:
    (source,) = [source for source in list_sources() if source.name == task]
    data = load(task, state="AL", year=2017, sensitive=source.sensitive)
    assert_keeps_the_contract(data)
    assert tuple(data.sensitive) == source.sensitive


def test_unchosen_attributes_remain_features(with_real_data: Path) -> None:
    data = load("acs-income", year=2017, sensitive="sex")
    assert "SEX" not in data.features
    assert "RAC1P" in data.features


def test_disability_takes_the_difficulties_it_is_computed_from(with_real_data: Path) -> None:
    data = load("acs-employment", year=2017, sensitive="disability")
    assert not {"DIS", "DEAR", "DEYE", "DREM"} & set(data.features)


def test_race_is_grouped_or_recorded_and_says_which(with_real_data: Path) -> None:
    grouped = load("acs-income", year=2017)
    assert list(grouped.sensitive["race"].cat.categories) == ["White", "Black", "Asian", "Other"]
    assert any("grouped from RAC1P" in note for note in grouped.notes)
    recorded = load("acs-income", year=2017, race="recorded")
    assert "Black or African American alone" in set(recorded.sensitive["race"].cat.categories)
    assert "Race is used as recorded (RAC1P)." in recorded.notes


def test_survey_weights_are_kept_and_are_no_feature(with_real_data: Path) -> None:
    data = load("acs-income", year=2017)
    assert data.weights is not None
    assert (data.weights >= 1).all()
    assert "PWGTP" not in data.features


def test_the_paper_s_ages_are_16_to_90(with_real_data: Path) -> None:
    data = load("acs-employment", year=2017, paper_ages=True)
    assert data.features["AGEP"].between(16, 90).all()
    assert len(data) == 4081


def test_another_income_can_be_the_threshold(with_real_data: Path) -> None:
    usual, higher = (load("acs-income", year=2017, threshold=income) for income in (50_000, 100_000))
    assert higher.label.sum() < usual.label.sum()
    assert higher.label_name == "income above 100,000 dollars"


def test_ready_rows_stand_in_for_a_missing_raw_file_and_say_so(with_real_data: Path) -> None:
    data = load("acs-income", state="AL", year=2018)
    assert_keeps_the_contract(data)
    assert len(data) == 8907
    assert data.label.mean() == pytest.approx(0.312, abs=0.0005)
    assert data.weights is None
    assert any("40 % of the state's rows" in note for note in data.notes)


def test_ready_rows_cannot_give_another_threshold(with_real_data: Path) -> None:
    with pytest.raises(ValueError, match="another threshold needs the raw ACS file"):
        load("acs-income", state="AL", year=2018, threshold=60_000)


def test_the_raw_file_is_preferred_to_ready_rows(folder: Path) -> None:
    put(folder, persons())
    (folder / "acs" / "derived").mkdir()
    (folder / "acs" / "derived" / "ACSIncome_2018_AL_40pct.csv").write_text("nothing of use")
    assert len(load("acs-income")) == 40


def test_relationships_since_2019_are_told_in_the_older_codes(folder: Path) -> None:
    codes = [20, 21, 23, 22, 24, *range(25, 39)]
    frame = persons(len(codes)).drop(columns="RELP").assign(RELSHIPP=codes)
    put(folder, frame, year=2019)
    data = load("acs-income", year=2019)
    relationships = data.features["RELP"].astype(object).map(data.column("RELP").meanings)
    assert list(relationships[:7]) == [
        "Reference person",
        "Husband or wife",
        "Husband or wife",
        "Unmarried partner",
        "Unmarried partner",
        "Biological son or daughter",
        "Adopted son or daughter",
    ]
    assert list(relationships[-2:]) == [
        "In institutional group quarters",
        "In noninstitutional group quarters",
    ]


def test_later_names_of_state_and_transport_are_known(folder: Path) -> None:
    frame = persons(30, ESR=1).drop(columns=["ST", "JWTR", "RELP"])
    put(folder, frame.assign(STATE=1, JWTRNS=3, RELSHIPP=20), year=2023)
    data = load("acs-travel-time", year=2023)
    assert data.column("ST").meanings == {"1": "Alabama"}
    assert data.column("JWTR").meanings == {"4": "Subway or elevated"}


def test_areas_of_two_vintages_are_joined_in_five_year_files(folder: Path) -> None:
    frame = persons(30, ESR=1).drop(columns=["PUMA", "POWPUMA"])
    newer = np.where(np.arange(30) < 15, 100, -9)
    frame = frame.assign(PUMA10=newer, PUMA00=np.where(newer == -9, 700, -9), POWPUMA10=1, POWPUMA00=-9)
    put(folder, frame, year=2014, horizon="5-Year")
    data = load("acs-travel-time", year=2014, horizon="5-Year")
    assert data.features["PUMA"].value_counts().to_dict() == {"100": 15, "700": 15}


def test_files_before_2017_have_another_name() -> None:
    assert person_file("AL", 2016, "1-Year").name == "ss16pal.csv"
    assert person_file("AL", 2017, "1-Year").name == "psam_p01.csv"
    assert person_file("CA", 2021, "5-Year").address == (
        "https://www2.census.gov/programs-surveys/acs/data/pums/2021/5-Year/csv_pca.zip"
    )


def test_several_states_are_joined_in_the_order_asked(folder: Path) -> None:
    put(folder, persons(20, ST=1), state="AL")
    put(folder, persons(30, ST=13), state="GA")
    data = load("acs-public-coverage", state="GA,AL")
    assert_keeps_the_contract(data)
    assert list(data.features["ST"][:30].unique()) == ["13"]
    assert len(data) == 50
    assert data.title == "ACS public coverage, GA, AL 2018, 1-Year"


def test_all_means_the_fifty_states_and_the_capital() -> None:
    assert len(acs.parse_states("all")) == 51
    assert "DC" in acs.parse_states("all")


def test_a_second_read_takes_the_copy_and_a_changed_file_is_read_again(folder: Path, cache: Path) -> None:
    path = put(folder, persons(20))
    first = load("acs-income")
    (copy,) = (cache / "acs" / "parquet").glob("*.parquet")
    assert load("acs-income").sha256 == first.sha256
    put(folder, persons(25))
    assert len(load("acs-income")) == 25
    assert len(list((cache / "acs" / "parquet").glob("*.parquet"))) == 2
    copy.write_bytes(b"damaged")
    assert path.is_file()
    assert len(load("acs-income")) == 25


def test_a_damaged_copy_is_read_afresh(folder: Path, cache: Path) -> None:
    put(folder, persons(20))
    load("acs-income")
    (copy,) = (cache / "acs" / "parquet").glob("*.parquet")
    copy.write_bytes(b"damaged")
    assert len(load("acs-income")) == 20


def test_a_cache_that_cannot_be_written_stops_nothing(folder: Path, cache: Path) -> None:
    put(folder, persons(20))
    cache.write_text("a file where the folder should be")
    assert len(load("acs-income")) == 20


def test_only_needed_columns_are_kept(folder: Path) -> None:
    path = put(folder, persons(20).assign(PWGTP1=1, SERIALNO="x"))
    table = read_raw(path, name=path.name)
    assert set(table.column_names) == set(acs_files.COLUMNS)


def test_a_zipped_file_reads_like_a_plain_one(folder: Path, tmp_path: Path) -> None:
    path = put(folder, persons(20))
    with zipfile.ZipFile(tmp_path / "csv_pal.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, path.name)
    plain = read_persons(path, name=path.name, columns=["AGEP", "PINCP"])
    packed = read_persons(tmp_path / "csv_pal.zip", name=path.name, columns=["AGEP", "PINCP"])
    pd.testing.assert_frame_equal(plain, packed)


def test_every_column_of_income_and_employment_has_a_label_and_meanings() -> None:
    for task in ("ACSIncome", "ACSEmployment"):
        for name in acs.problem_named(task).features:
            column = acs_codes.describe(name, ["1", "2"] if acs_codes.kind_of(name) != "number" else [])
            assert column.label != name
            assert all(not meaning.startswith("code ") for meaning in column.meanings.values()), name
    assert acs_codes.describe("RAC1P", ["2"]).meanings == {"2": "Black or African American alone"}
    assert acs_codes.describe("SEX", ["1"]).meanings == {"1": "Male"}


def test_not_applicable_is_a_level_and_the_lowest_of_schooling(with_real_data: Path) -> None:
    data = load("acs-employment", year=2017)
    assert data.features["SCHL"].cat.categories[0] == "N/A"
    assert data.column("SCHL").meanings["N/A"] == "not asked (less than 3 years old)"
    assert data.features.isna().sum().sum() == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"state": "ZZ"}, "'ZZ' is not a state; give a postal code such as AL, or several: AL,GA."),
        ({"state": ""}, "No state is named; give a postal code such as AL."),
        ({"year": 2013}, "The option 'year' must be a whole number from 2014 to 2024, not 2013."),
        ({"horizon": "3-Year"}, "The option 'horizon' must be 1-Year or 5-Year, not '3-Year'."),
        (
            {"year": 2020},
            "The Census published no standard 1-Year file for 2020; choose 2019, 2021 or 5-Year.",
        ),
        ({"race": "none"}, "The option 'race' must be grouped or recorded, not 'none'."),
    ],
)
def test_a_wrong_option_gets_one_sentence(folder: Path, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the sentence is compared below
        load("acs-income", **options)
    assert str(caught.value) == sentence


def test_a_threshold_is_for_income_only(folder: Path) -> None:
    with pytest.raises(ValueError, match="acs-mobility has no option 'threshold'"):
        load("acs-mobility", threshold=1.0)


def test_a_file_that_is_no_census_file_is_refused(folder: Path) -> None:
    put(folder, pd.DataFrame({"a": [1]}))
    with pytest.raises(ValueError, match="does not hold ACS person records: it has no column AGEP"):
        load("acs-income")


def test_a_file_that_lacks_a_column_of_the_task_is_refused(folder: Path) -> None:
    put(folder, persons().drop(columns="OCCP"))
    with pytest.raises(ValueError, match="lacks OCCP, which this task needs; try another year"):
        load("acs-income")


def test_a_state_with_nobody_left_after_the_filter_is_refused(folder: Path) -> None:
    put(folder, persons(AGEP=5))
    with pytest.raises(ValueError, match=r"Nobody in ACS income, AL 2018, 1-Year passes the filter of acs-income"):
        load("acs-income")


@pytest.mark.alone
def test_loading_is_much_faster_than_folktables(raw_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_data, "ROWS", 24_000)
    monkeypatch.setattr(bench_data, "REPEATS", 3)
    monkeypatch.setenv("DIFFOCI_DATA", "")  # the measurement sets both and monkeypatch puts them back
    times = bench_data.measure(raw_file)
    assert times["ours, first load"] < times["folktables get_data"]
    assert 5 * times["ours, from the second load on"] < times["folktables get_data"]
