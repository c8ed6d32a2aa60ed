"""Your own CSV or Parquet file as a Dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from diffoci.data.attributes import names_of
from diffoci.data.dataset import Column, Dataset, Kind
from diffoci.data.table_columns import TypedColumn, Unusable, check_kinds, normalise, type_column
from diffoci.data.table_reading import read_table
from diffoci.data.table_roles import read_groups, read_label

MIN_ROWS = 10


def load_table(
    source: str | Path | bytes | IO[bytes],
    *,
    label: str,
    positive: str | None = None,
    sensitive: str | Sequence[str] | None = None,
    drop: Sequence[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    leave_out_unusable: bool = False,
    separator: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
) -> Dataset:
    """Load a CSV or Parquet file of up to a million rows.

    Parameters
    ----------
    source : path, bytes or binary file
    label : str
        The column to predict. Rows where it is missing are left out and counted in the notes.
    positive : str, optional
        The positive class, against all others; or a comparison such as ">50000" for a number.
    sensitive : str or sequence of str, optional
        Columns that must not be guessable; missing values become the group "unknown", numbers with many
        values become four bands.
    drop : sequence of str
        Columns to leave out.
    kinds : mapping, optional
        "number", "ordered" or "nominal" for columns whose kind is not what their values suggest.
    leave_out_unusable : bool, default=False
        Leave out free text, dates and the like with a note, where otherwise they are refused.
    separator, encoding : str, optional
        Detected where not given.
    name : str, optional
        What to call the data; the file's name otherwise.
    """
    title = name or (Path(source).name if isinstance(source, str | Path) else "uploaded file")
    read = read_table(source, separator=separator, encoding=encoding)
    table, notes = read.table, list(read.notes)
    names = table.column_names
    groups = names_of(sensitive, default=())
    _check_roles(names, label, groups, drop)
    check_kinds(kinds or {}, names)
    table, without_label = _only_labelled(table, label)
    if without_label:
        notes.append(f"{without_label:,} rows without a value of the label '{label}' are left out.")
    if table.num_rows < MIN_ROWS:
        raise ValueError(
            f"The file has {table.num_rows} rows with a label; at least {MIN_ROWS} are needed for an audit."
        )
    target = read_label(table[label], label, positive)
    notes.extend(target.notes)
    group_columns = {group: read_groups(table[group], group, kind=(kinds or {}).get(group)) for group in groups}
    notes.extend(note for _, group_notes in group_columns.values() for note in group_notes)
    left_out = {label, *groups, *drop}
    typed, column_notes = _type_features(
        table.select([column for column in names if column not in left_out]),
        kinds or {},
        leave_out_unusable,
    )
    notes.extend(column_notes)
    _refuse_label_copy(typed, target.codes, label)
    return Dataset(
        name=title,
        title=title,
        features=pd.DataFrame({column: typed[column].values for column in typed}),
        columns=tuple(_describe(column, typed[column]) for column in typed),
        label=pd.Series(target.codes, name="label"),
        label_name=label,
        label_classes=target.classes,
        sensitive=pd.DataFrame(
            {group: values for group, (values, _) in group_columns.items()}, index=range(table.num_rows)
        ),
        real=True,
        source=title,
        licence="not stated",
        citation="",
        notes=tuple(notes),
    )


def _check_roles(names: list[str], label: str, groups: Sequence[str], drop: Sequence[str]) -> None:
    for role in (label, *groups, *drop):
        if role not in names:
            raise ValueError(f"'{role}' is not a column of the file; columns are {', '.join(names)}.")
    if label in groups:
        raise ValueError(f"'{label}' is the label and cannot be a sensitive attribute as well.")
    for role in (label, *groups):
        if role in drop:
            raise ValueError(f"'{role}' is the label or a sensitive attribute and cannot be left out.")


def _only_labelled(table: pa.Table, label: str) -> tuple[pa.Table, int]:
    try:
        plain = normalise(table[label])
    except pa.ArrowException as problem:
        raise ValueError(f"The label '{label}' holds values that cannot be read.") from problem
    present = pc.is_valid(plain)
    missing = table.num_rows - pc.sum(present).as_py()
    return (table.filter(present) if missing else table), missing


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
        if _is_row_number(column):
            notes.append(f"Column '{name}' counts the rows; leave it out unless it means something.")
        typed[name] = column
    if refused and not leave_out:
        raise ValueError(
            f"Some columns cannot be used: {'; '.join(refused)}. Leave them out, or turn them into numbers or"
            " a few categories."
        )
    notes.extend(f"Left out: {reason}." for reason in refused)
    if not typed:
        raise ValueError("No usable column is left beside the label and the sensitive attributes.")
    return typed, notes


def _is_row_number(column: TypedColumn) -> bool:
    if column.kind != "number" or len(column.values) < 50:
        return False
    return bool((np.diff(column.values.to_numpy()) == 1).all())


def _refuse_label_copy(typed: Mapping[str, TypedColumn], label: np.ndarray, name: str) -> None:
    """Refuse a feature that is the label under another name: every method would look perfect."""
    for feature, column in typed.items():
        # A hundred rows tell almost every honest column apart; only then look at them all.
        if _one_to_one(column.values.iloc[:100], label[:100]) and _one_to_one(column.values, label):
            raise ValueError(f"Column '{feature}' says the same as the label '{name}' in every row; leave it out.")


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
