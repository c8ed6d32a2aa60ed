"""ProPublica's COMPAS file: risk scores of people arrested in Broward County, and whether they were arrested again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from diffoci.data._attributes import Attribute, choose, feature_frame, level_codes
from diffoci.data.dataset import Column, Dataset
from diffoci.data.fetching.files import LocalFile, RemoteFile, fetch, locate
from diffoci.data.raw_table import RawTable
from diffoci.data.source import Source

TITLE = "COMPAS, two years"
LICENCE = "public record, published for reuse"
CITATION = (
    "J. Larson, S. Mattu, L. Kirchner, J. Angwin (2016). How We Analyzed the COMPAS Recidivism Algorithm. ProPublica."
)
_ADDRESS = "https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv"
FILE = RemoteFile("compas-scores-two-years.csv", "compas", _ADDRESS, hint="two_year_recid")
# The same rows without names, birth dates and case numbers, where somebody made such a file.
EXTRACT = RemoteFile("compas-two-years.csv", "compas", _ADDRESS, hint="two_year_recid")
COLUMNS = (
    Column("age", "number", "age in years"),
    Column("juv_fel_count", "number", "felonies as a minor"),
    Column("juv_misd_count", "number", "misdemeanours as a minor"),
    Column("juv_other_count", "number", "other offences as a minor"),
    Column("priors_count", "number", "earlier offences"),
    Column("c_charge_degree", "nominal", "degree of the charge", {"F": "felony", "M": "misdemeanour"}),
)
_SCORED = ("decile_score", "score_text", "v_decile_score", "v_score_text", "two_year_recid")
KEPT = ("sex", "race", *(column.name for column in COLUMNS), *_SCORED)


def files() -> tuple[RemoteFile, ...]:
    """Return the published file, or the extract of it where that lies here."""
    return (EXTRACT if locate(EXTRACT) is not None else FILE,)


def read() -> tuple[pd.DataFrame, LocalFile]:
    """The columns that say something of a person's case, and nothing that names one."""
    (file,) = files()
    local = fetch(file)
    return _columns(local.path), local


def _columns(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path, usecols=list(KEPT))[list(KEPT)]
    except ValueError as problem:
        raise ValueError(f"{path} is not {FILE.name}: it lacks some of the columns {', '.join(KEPT)}.") from problem


def load_compas(*, sensitive: Sequence[str]) -> Dataset:
    """Load the people scored; the outcome is being arrested again within two years."""
    recorded, local = read()
    chosen = choose(recorded, ATTRIBUTES, sensitive)
    return Dataset(
        name="compas",
        title=TITLE,
        features=feature_frame(recorded, COLUMNS),
        columns=COLUMNS,
        label=recorded["two_year_recid"].astype("int64").rename("label"),
        label_name="arrested again within two years",
        label_classes=("no", "yes"),
        sensitive=chosen.frame,
        real=True,
        source=_ADDRESS,
        licence=LICENCE,
        citation=CITATION,
        notes=local.notes,
    )


def raw_table() -> RawTable:
    """The people scored, as a table."""
    recorded, local = read()
    table = pa.Table.from_pandas(recorded, preserve_index=False)
    return RawTable(table, TITLE, real=True, source=_ADDRESS, licence=LICENCE, citation=CITATION, notes=local.notes)


def _as_recorded(column: str) -> Attribute:
    return Attribute(
        (column,), lambda frame: level_codes(frame[column], {level: level for level in sorted(set(frame[column]))})
    )


ATTRIBUTES = {"race": _as_recorded("race"), "sex": _as_recorded("sex")}
SOURCE = Source(
    name="compas",
    title=TITLE,
    summary="7,214 people scored for risk, Broward County; outcome: arrested again within two years",
    licence=LICENCE,
    citation=CITATION,
    sensitive=tuple(ATTRIBUTES),
    default_sensitive=("race",),
    load=load_compas,
    table=raw_table,
    files=files,
    roles={
        "scores": ("decile_score",),
        "decisions": ("score_text",),
        "selected": ("Medium", "High"),
        "label": "two_year_recid",
        "sensitive": ("race", "sex"),
        "features": tuple(column.name for column in COLUMNS),
    },
)
