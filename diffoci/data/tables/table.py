"""Your own CSV or Parquet file as a Dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data._attributes import names_of
from diffoci.data.dataset import Column, Dataset, Kind
from diffoci.data.raw_table import RawTable
from diffoci.data.source import Card, Option, Source
from diffoci.data.tables._csv_files import read_table
from diffoci.data.tables.columns import TypedColumn, Unusable, check_kinds, counts_rows, normalise, type_column
from diffoci.data.tables.roles import LabelColumn, read_groups, read_label
from diffoci.plain_text import with_replacements

MIN_ROWS = 10
LICENCE = "not stated"


class LabelCopied(ValueError):
    """A feature is the outcome under another name."""

    def __init__(self, column: str, label: str) -> None:
        super().__init__(f"Column '{column}' says the same as the outcome '{label}' in every row; leave it out.")
        self.column = column


def load_table(
    source: str | Path | bytes | IO[bytes],
    *,
    label: str | None = None,
    positive: str | None = None,
    sensitive: str | Sequence[str] | None = None,
    drop: Sequence[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    leave_out_unusable: bool = True,
    separator: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
) -> Dataset:
    """Load a CSV or Parquet file of up to a million rows.

    Parameters
    ----------
    source : path, bytes or binary file
    label : str, optional
        The column to predict. Rows where it is missing are left out and counted in the notes. Data without one can
        be looked at and searched for proxies, not audited.
    positive : str, optional
        The positive class, against all others; or a comparison such as ">50000" for a number.
    sensitive : str or sequence of str, optional
        Columns that must not be guessable; missing values become the group "unknown", numbers with many
        values become four bands.
    drop : sequence of str
        Columns to leave out.
    kinds : mapping, optional
        "number", "ordered" or "nominal" for columns whose kind is not what their values suggest.
    leave_out_unusable : bool, default=True
        Leave out free text, dates and the like with a note, where otherwise they are refused.
    separator, encoding : str, optional
        Detected where not given.
    name : str, optional
        What to call the data; the file's name otherwise.
    """
    title = with_replacements(name or (Path(source).name if isinstance(source, str | Path) else "uploaded file"))
    read = read_table(source, separator=separator, encoding=encoding)
    groups, kinds = names_of(sensitive, default=()), kinds or {}
    _check_roles(read.table.column_names, label, groups, drop)
    check_kinds(kinds, read.table.column_names)
    table, row_notes = _rows_to_use(read.table, label)
    target = _no_outcome(table) if label is None else read_label(table[label], label, positive)
    attributes, group_notes = _read_attributes(table, groups, kinds)
    features, column_notes = _type_features(
        table.drop_columns({*_named(label), *groups, *drop}), kinds, leave_out_unusable
    )
    if label is not None:
        _refuse_label_copy(features, target.codes, label)
    return Dataset(
        name=title,
        title=title,
        features=pd.DataFrame({column: typed.values for column, typed in features.items()}),
        columns=tuple(_describe(column, typed) for column, typed in features.items()),
        label=pd.Series(target.codes, name="label"),
        label_name=label or "",
        label_classes=target.classes,
        sensitive=attributes,
        real=True,
        source=title,
        licence=LICENCE,
        citation="",
        notes=(*read.notes, *row_notes, *target.notes, *group_notes, *column_notes),
    )


def raw_table(source: str | Path, *, separator: str | None = None, encoding: str | None = None) -> RawTable:
    """Read all columns of a CSV or Parquet file as they are."""
    read = read_table(source, separator=separator, encoding=encoding)
    name = Path(source).name
    return RawTable(read.table, name, real=True, source=name, licence=LICENCE, notes=read.notes)


def _named(label: str | None) -> tuple[str, ...]:
    return () if label is None else (label,)


def _no_outcome(table: pa.Table) -> LabelColumn:
    return LabelColumn(np.zeros(table.num_rows, dtype=np.int64), ())


def _check_roles(names: list[str], label: str | None, groups: Sequence[str], drop: Sequence[str]) -> None:
    for role in (*_named(label), *groups, *drop):
        if role not in names:
            raise ValueError(f"'{role}' is not a column of the file; columns are {', '.join(names)}.")
    if label in groups:
        raise ValueError(f"'{label}' is the outcome and cannot be a sensitive attribute as well.")
    for role in (*_named(label), *groups):
        if role in drop:
            raise ValueError(f"'{role}' is the outcome or a sensitive attribute and cannot be left out.")


def _rows_to_use(table: pa.Table, label: str | None) -> tuple[pa.Table, list[str]]:
    """Return the rows that have a label, where one is asked for, and a note on those that do not."""
    if label is None:
        if table.num_rows < MIN_ROWS:
            raise ValueError(f"The file has {table.num_rows} rows; at least {MIN_ROWS} are needed.")
        return table, []
    try:
        plain = normalise(table[label])
    except pa.ArrowException as problem:
        raise ValueError(f"The outcome '{label}' holds values that cannot be read.") from problem
    present = pc.is_valid(plain)
    missing = table.num_rows - pc.sum(present).as_py()
    if table.num_rows - missing < MIN_ROWS:
        raise ValueError(
            f"The file has {table.num_rows - missing} rows with an outcome; an audit needs at least {MIN_ROWS}."
        )
    if not missing:
        return table, []
    return table.filter(present), [f"{missing:,} rows without a value of the outcome '{label}' are left out."]


def _read_attributes(
    table: pa.Table, names: Sequence[str], kinds: Mapping[str, Kind]
) -> tuple[pd.DataFrame, list[str]]:
    """Return the groups of every sensitive attribute, and notes on how they were read."""
    read = {name: read_groups(table[name], name, kind=kinds.get(name)) for name in names}
    frame = pd.DataFrame({name: groups for name, (groups, _) in read.items()}, index=range(table.num_rows))
    return frame, [note for _, notes in read.values() for note in notes]


def _type_features(
    table: pa.Table, kinds: Mapping[str, Kind], leave_out: bool
) -> tuple[dict[str, TypedColumn], list[str]]:
    typed, notes, refused = {}, [], []
    for name in table.column_names:
        try:
            column = type_column(name, table[name], kind=kinds.get(name))
        except Unusable as reason:
            refused.append(str(reason))
            continue
        if column.empty:
            notes.append(f"Column '{name}' is empty in every row and is left out.")
            continue
        if column.kind == "number" and counts_rows(column.values.to_numpy()):
            notes.append(f"Column '{name}' counts the rows; leave it out unless it means something.")
        typed[name] = column
    if refused and not leave_out:
        raise ValueError(
            f"Some columns cannot be used: {'; '.join(refused)}. Leave them out, or turn them into numbers or"
            " a few categories."
        )
    notes.extend(f"Left out: {reason}." for reason in refused)
    if not typed:
        raise ValueError("No usable column is left beside the outcome and the sensitive attributes.")
    return typed, notes


def _refuse_label_copy(typed: Mapping[str, TypedColumn], label: np.ndarray, name: str) -> None:
    """Refuse a feature that is the label under another name: every method would look perfect."""
    for feature, column in typed.items():
        # A hundred rows tell almost every honest column apart; only then look at them all.
        if _one_to_one(column.values.iloc[:100], label[:100]) and _one_to_one(column.values, label):
            raise LabelCopied(feature, name)


def _one_to_one(values: pd.Series, label: np.ndarray) -> bool:
    codes, found = pd.factorize(values)
    if (codes < 0).any():
        return False
    pairs = len(np.unique(codes * (label.max() + 1) + label))
    return pairs == len(found) == len(np.unique(label))


def _describe(name: str, column: TypedColumn) -> Column:
    if column.kind == "number":
        return Column(name, "number", name)
    return Column(name, column.kind, name, {level: level for level in column.values.cat.categories})


SOURCE = Source(
    name="csv",
    title="Your CSV",
    summary="your own CSV or Parquet file; name its outcome with --label",
    licence=LICENCE,
    takes_file=True,
    options=(
        Option("label", "text", "the column to predict", required=True, flag=True),
        Option("positive", "text", "the positive class, or a threshold such as '>50000'", flag=True),
        Option("kinds", "kinds", "kinds of columns whose values suggest another"),
        Option("leave_out_unusable", "flag", "leave out free text and dates", default=True),
        Option("separator", "text", "the sign between cells, where detection fails"),
        Option("encoding", "text", "the encoding of the file, where detection fails"),
    ),
    load=load_table,
    outcome=lambda options: str(options.get("label") or ""),
    table=raw_table,
    card=Card(
        ":material/upload_file:",
        "A table of your own, one row per person. Name the column to predict and the "
        "attributes that should not be guessable.",
        button="Upload a file",
        place=4,
    ),
)
