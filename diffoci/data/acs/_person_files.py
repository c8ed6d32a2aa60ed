"""Read ACS person records: only the columns our tasks need, kept as Parquet after the first read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from diffoci.data.acs._places import STATE_CODES
from diffoci.data.fetching.archives import NotInArchive, open_member
from diffoci.data.fetching.files import COPIES, RemoteFile, cache_folder
from diffoci.data.fetching.whole_files import whole_or_absent

# Every column a task of folktables that we offer needs, so that one Parquet file serves all of them.
COLUMNS = (
    "AGEP", "ANC", "CIT", "COW", "DEAR", "DEYE", "DIS", "DREM", "ESP", "ESR", "FER", "GCL", "JWMNP", "JWTR",
    "MAR", "MIG", "MIL", "NATIVITY", "OCCP", "PINCP", "POBP", "POVPIP", "POWPUMA", "PUBCOV", "PUMA", "PWGTP",
    "RAC1P", "RELP", "SCHL", "SEX", "ST", "WKHP",
)  # fmt: skip

# Names the Census has used for the same thing: renamed since 2019 (RELP, JWTR) and 2023 (ST), or, in 5-Year
# files, one column for each vintage of the codes, of which the newer one that is filled counts.
_OTHER_NAMES = {
    "RELP": ("RELSHIPP",),
    "JWTR": ("JWTRNS",),
    "ST": ("STATE",),
    "PUMA": ("PUMA20", "PUMA10", "PUMA00"),
    "POWPUMA": ("POWPUMA20", "POWPUMA10", "POWPUMA00"),
    "OCCP": ("OCCP12", "OCCP10", "OCCP02"),
    "POBP": ("POBP12", "POBP05"),
}
_NOT_OF_THIS_VINTAGE = -9
# What each code of a renamed column was called before; same-sex couples had no code of their own.
_OLDER_CODES = {
    "RELSHIPP": {
        20: 0, 21: 1, 23: 1, 22: 13, 24: 13, 25: 2, 26: 3, 27: 4, 28: 5, 29: 6, 30: 7, 31: 8, 32: 9, 33: 10,
        34: 12, 35: 14, 36: 15, 37: 16, 38: 17,
    },
    "JWTRNS": {3: 4, 4: 5, 5: 3},
}  # fmt: skip


def person_file(state: str, year: int, horizon: str) -> RemoteFile:
    """Return the published person records of one state."""
    if state not in STATE_CODES:
        raise ValueError(f"'{state}' is not a state; give a postal code such as AL, or several: AL,GA.")
    if year == 2020 and horizon == "1-Year":
        raise ValueError("The Census published no standard 1-Year file for 2020; choose 2019, 2021 or 5-Year.")
    name = f"psam_p{STATE_CODES[state]:02d}.csv" if year >= 2017 else f"ss{year % 100}p{state.lower()}.csv"
    return RemoteFile(
        name=name,
        folder=f"acs/{year}/{horizon}",
        address=(f"https://www2.census.gov/programs-surveys/acs/data/pums/{year}/{horizon}/csv_p{state.lower()}.zip"),
        unpack=False,
        hint="AGEP",
    )


def read_persons(path: Path, *, name: str, columns: Sequence[str]) -> pd.DataFrame:
    """Return some of `COLUMNS` of a raw file (plain or zipped) as float64, blanks as NaN.

    The first read converts the file; later ones take the Parquet copy as long as the file is unchanged.
    """
    kept = _parquet_path(path, name)
    if kept.is_file():
        try:
            present = set(pa.parquet.read_schema(kept).names)
            table = pa.parquet.read_table(kept, columns=[c for c in columns if c in present])
            return _frame(table, columns, path)
        except (pa.ArrowException, OSError):
            pass  # damaged, or deleted meanwhile: a copy is only a copy
    table = read_raw(path, name=name)
    _keep(table, kept)
    return _frame(table.select([c for c in columns if c in table.column_names]), columns, path)


def read_raw(path: Path, *, name: str) -> pa.Table:
    """Read our columns of a raw file, under the names and codes of the years up to 2018."""
    with ExitStack() as stack:
        header = _open(path, name, stack).readline().decode("ascii", "replace")
    names = [field.strip().strip('"') for field in header.split(",")]
    wanted = {field: field.upper() for field in names if field.upper() in {*COLUMNS, *_all_other_names()}}
    if "AGEP" not in wanted.values():
        raise ValueError(f"{path} does not hold ACS person records: it has no column AGEP.")
    with ExitStack() as stack:
        try:
            table = pa.csv.read_csv(
                _open(path, name, stack),
                read_options=pa.csv.ReadOptions(block_size=1 << 22),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=list(wanted),
                    column_types={field: pa.float64() for field in wanted},
                    null_values=["", "N.A.", "N.A.//", "N.A.////"],
                ),
            )
        except (pa.ArrowException, NotInArchive) as problem:
            raise ValueError(
                f"{path} cannot be read: {str(problem).splitlines()[0]}. Delete it and fetch it again."
            ) from problem
    return _harmonise(table.rename_columns(list(wanted.values())))


def _all_other_names() -> set[str]:
    return {other for others in _OTHER_NAMES.values() for other in others}


def _open(path: Path, name: str, stack: ExitStack) -> IO[bytes]:
    if path.suffix == ".zip":
        return stack.enter_context(open_member(path, name))
    return stack.enter_context(path.open("rb"))


def _harmonise(table: pa.Table) -> pa.Table:
    columns: dict[str, pa.Array | pa.ChunkedArray | np.ndarray] = {}
    for column in COLUMNS:
        if column in table.column_names:
            columns[column] = table[column]
            continue
        vintages = [other for other in _OTHER_NAMES.get(column, ()) if other in table.column_names]
        if vintages:
            columns[column] = pa.array(_newest(table, vintages), from_pandas=True)
    return pa.table(columns)


def _newest(table: pa.Table, vintages: Sequence[str]) -> np.ndarray:
    result = np.full(table.num_rows, np.nan)
    for vintage in vintages:
        values = table[vintage].to_numpy()
        usable = np.isnan(result) & ~np.isnan(values) & (values != _NOT_OF_THIS_VINTAGE)
        result[usable] = values[usable]
    if older := _OLDER_CODES.get(vintages[0]):
        translated = result.copy()
        for new, old in older.items():
            translated[result == new] = old
        return translated
    return result


def _frame(table: pa.Table, columns: Sequence[str], path: Path) -> pd.DataFrame:
    if absent := [column for column in columns if column not in table.column_names]:
        raise ValueError(f"{path} lacks {', '.join(absent)}, which this task needs; try another year.")
    return pd.DataFrame({column: table[column].to_numpy() for column in columns})


def _parquet_path(path: Path, name: str) -> Path:
    # A changed file has another size or time; a changed COLUMNS needs another reading.
    status = path.stat()
    key = f"{path.resolve()}\0{status.st_size}\0{status.st_mtime_ns}\0{COLUMNS}"
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return cache_folder() / "acs" / COPIES / f"{Path(name).stem}-{digest}.parquet"


def _keep(table: pa.Table, target: Path) -> None:
    # The copy only saves time: a full or read-only disk must not stop an audit.
    with suppress(OSError), whole_or_absent(target) as ready:
        pa.parquet.write_table(table, ready, compression="zstd")
