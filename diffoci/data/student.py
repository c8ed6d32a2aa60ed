"""Student Performance (UCI 320): final grades in mathematics or Portuguese at two Portuguese schools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from diffoci.data._attributes import Attribute, banded, choose, coded, feature_frame
from diffoci.data.dataset import Column, Dataset, Kind
from diffoci.data.fetching.files import RemoteFile, fetch
from diffoci.data.source import Card, Example, Option, Source
from diffoci.data.twins import OF_TWINS, Origin, draw_table, itself, marked, recipe

TITLE = "Student Performance"
PASS_MARK = 12
OUTCOME = f"final grade of {PASS_MARK} or more"
SUBJECTS = {"mat": "mathematics", "por": "Portuguese"}
LICENCE = "CC BY 4.0"
CITATION = "P. Cortez (2008). Student Performance. UCI Machine Learning Repository. doi:10.24432/C5TG7T"
_ADDRESS = "https://archive.ics.uci.edu/static/public/320/student+performance.zip"
_SHA256 = {
    "mat": "e47f9ee225e1ee6e69b7564e6dac7123e80b8486677fe111f351964cef5dec80",
    "por": "a7594a11d7771c0efe1a740824e0e833da9c4cad07c39a9766a874575563fb3f",
}

_YES_NO = {"no": "no", "yes": "yes"}
_EDUCATION = {
    "0": "none",
    "1": "primary, 4th grade",
    "2": "5th to 9th grade",
    "3": "secondary",
    "4": "higher",
}
_JOB = {
    "teacher": "teacher",
    "health": "health care",
    "services": "civil services (police, administration)",
    "at_home": "at home",
    "other": "other",
}
_FIVE = {str(step): f"{step} of 5" for step in range(1, 6)}


def _column(name: str, kind: Kind, label: str, meanings: dict[str, str] | None = None) -> Column:
    return Column(name, kind, label, meanings or {})


COLUMNS = (
    _column("school", "nominal", "school", {"GP": "Gabriel Pereira", "MS": "Mousinho da Silveira"}),
    _column("sex", "nominal", "sex", {"F": "female", "M": "male"}),
    _column("age", "number", "age in years"),
    _column("address", "nominal", "home", {"U": "urban", "R": "rural"}),
    _column("famsize", "nominal", "family size", {"LE3": "three or fewer", "GT3": "more than three"}),
    _column("Pstatus", "nominal", "parents", {"T": "living together", "A": "apart"}),
    _column("Medu", "ordered", "mother's education", _EDUCATION),
    _column("Fedu", "ordered", "father's education", _EDUCATION),
    _column("Mjob", "nominal", "mother's job", _JOB),
    _column("Fjob", "nominal", "father's job", _JOB),
    _column(
        "reason",
        "nominal",
        "why this school",
        {
            "home": "close to home",
            "reputation": "reputation",
            "course": "course preference",
            "other": "other",
        },
    ),
    _column("guardian", "nominal", "guardian", {"mother": "mother", "father": "father", "other": "other"}),
    _column(
        "traveltime",
        "ordered",
        "travel time to school",
        {
            "1": "under 15 minutes",
            "2": "15 to 30 minutes",
            "3": "30 minutes to 1 hour",
            "4": "over 1 hour",
        },
    ),
    _column(
        "studytime",
        "ordered",
        "study time a week",
        {"1": "under 2 hours", "2": "2 to 5 hours", "3": "5 to 10 hours", "4": "over 10 hours"},
    ),
    _column("failures", "number", "classes failed before (4 means 4 or more)"),
    _column("schoolsup", "nominal", "extra support from school", _YES_NO),
    _column("famsup", "nominal", "support from family", _YES_NO),
    _column("paid", "nominal", "extra paid classes", _YES_NO),
    _column("activities", "nominal", "activities outside class", _YES_NO),
    _column("nursery", "nominal", "went to nursery school", _YES_NO),
    _column("higher", "nominal", "wants higher education", _YES_NO),
    _column("internet", "nominal", "internet at home", _YES_NO),
    _column("romantic", "nominal", "in a romantic relationship", _YES_NO),
    _column("famrel", "ordered", "quality of family relations", _FIVE),
    _column("freetime", "ordered", "free time after school", _FIVE),
    _column("goout", "ordered", "going out with friends", _FIVE),
    _column("Dalc", "ordered", "alcohol on workdays", _FIVE),
    _column("Walc", "ordered", "alcohol at weekends", _FIVE),
    _column("health", "ordered", "health", _FIVE),
    _column("absences", "number", "absences from school"),
    _column("G1", "number", "grade of the first period (0 to 20)"),
    _column("G2", "number", "grade of the second period (0 to 20)"),
)

ATTRIBUTES: dict[str, Attribute] = {
    "sex": coded("sex", {"F": "F", "M": "M"}),
    "age": banded("age", [18]),
    "school": coded("school", {"GP": "Gabriel Pereira", "MS": "Mousinho da Silveira"}),
    "address": coded("address", {"U": "urban", "R": "rural"}),
    "famsize": coded("famsize", {"LE3": "three or fewer", "GT3": "more than three"}),
    "Pstatus": coded("Pstatus", {"T": "living together", "A": "apart"}),
    "romantic": coded("romantic", {"yes": "in a relationship", "no": "not in a relationship"}),
    "internet": coded("internet", {"yes": "internet at home", "no": "no internet at home"}),
}


def files(*, subject: str) -> tuple[RemoteFile, ...]:
    """Return the published file of one subject."""
    return (RemoteFile(f"student-{subject}.csv", "student", _ADDRESS, _SHA256[subject]),)


def load_student(*, subject: str, grades: bool, sensitive: Sequence[str]) -> Dataset:
    """Load Student Performance; the label is a final grade of 12 or more out of 20."""
    (file,) = files(subject=subject)
    local = fetch(file)
    recorded = pd.read_csv(local.path, sep=";")
    expected = {column.name for column in COLUMNS} | {"G3"}
    if missing := expected.difference(recorded.columns):
        raise ValueError(f"{local.path} is not {file.name}: it lacks {', '.join(sorted(missing))}.")
    return as_dataset(recorded, subject=subject, sensitive=sensitive, grades=grades, notes=local.notes)


def load_twin(*, subject: str, grades: bool, sensitive: Sequence[str], rows: int | None, seed: int) -> Dataset:
    """Draw simulated students."""
    table = draw_table(_data_name(subject), rows=rows, seed=seed)
    return marked(as_dataset(table, subject=subject, sensitive=sensitive, grades=grades))


def as_dataset(
    recorded: pd.DataFrame, *, subject: str, sensitive: Sequence[str], grades: bool, notes: Sequence[str] = ()
) -> Dataset:
    """Build the Dataset of recorded students, however the table was come by."""
    chosen = choose(recorded, ATTRIBUTES, sensitive)
    left_out = chosen.columns if grades else chosen.columns | {"G1", "G2"}
    columns = tuple(column for column in COLUMNS if column.name not in left_out)
    grade_note = (
        "The grades of the first two periods (G1, G2) are among the features; they all but decide the label."
        if grades
        else "The grades of the first two periods (G1, G2) are left out, as in the paper."
    )
    return Dataset(
        name=_data_name(subject),
        title=f"{TITLE}, {SUBJECTS[subject]}",
        features=feature_frame(recorded, columns),
        columns=columns,
        label=(recorded["G3"] >= PASS_MARK).astype("int64").rename("label"),
        label_name=OUTCOME,
        label_classes=(f"below {PASS_MARK}", f"{PASS_MARK} or more"),
        sensitive=chosen.frame,
        real=True,
        source=_ADDRESS,
        licence=LICENCE,
        citation=CITATION,
        notes=(grade_note, *chosen.notes, *notes),
    )


def _data_name(subject: str) -> str:
    return "student" if subject == "mat" else f"student-{subject}"


def _passed(grade: Any) -> str:
    return "pass" if grade >= PASS_MARK else "fail"


_RECIPE = recipe(
    number=["age", "absences", "G1", "G2", "G3"],
    ordered=[
        "Medu", "Fedu", "traveltime", "studytime", "failures", "famrel", "freetime", "goout", "Dalc", "Walc",
        "health",
    ],
    nominal=[
        "school", "sex", "address", "famsize", "Pstatus", "Mjob", "Fjob", "reason", "guardian", "schoolsup",
        "famsup", "paid", "activities", "nursery", "higher", "internet", "romantic",
    ],
    cells=[("G3", _passed), ("sex", itself), ("school", itself)],
)  # fmt: skip

SOURCE = Source(
    name="student",
    title=TITLE,
    summary=f"grades at two Portuguese schools; outcome: {OUTCOME}",
    licence=LICENCE,
    citation=CITATION,
    sensitive=tuple(ATTRIBUTES),
    default_sensitive=("sex",),
    options=(
        Option(
            "subject", "choice", "the subject", "mat", title="Subject", flag=True, place=True,
            choices={"mat": "mathematics (395 pupils)", "por": "Portuguese (649 pupils)"},
        ),
        Option(
            "grades", "flag", "keep the grades of the first two periods", default=False,
            help="They all but decide the final grade; the paper leaves them out.",
        ),
        *OF_TWINS,
    ),
    load=load_student,
    files=files,
    twin=load_twin,
    origins=tuple(Origin(_data_name(subject), (f"student/student-{subject}.csv",), _RECIPE) for subject in SUBJECTS),
    outcome=lambda _: OUTCOME,
    subtitle=lambda options: SUBJECTS.get(str(options["subject"]), ""),
    example=Example("Or of students and their grades", "Few people, so wide intervals", place=2),
    card=Card(
        ":material/school:",
        "395 pupils of two Portuguese schools. Who gets a good grade, and can their sex be guessed from how they live?",
        place=3,
    ),
)  # fmt: skip
