"""Read an unknown CSV or Parquet file into an Arrow table: encoding, separator and decimal sign detected."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.csv

from diffoci.data.tables._encodings import encodings_to_try
from diffoci.data.tables._limits import MAX_BYTES, refuse_large, refuse_long, refuse_wide
from diffoci.data.tables._parquet_files import read_parquet
from diffoci.data.tables._texts import shown_name, with_shown_texts
from diffoci.data.tables._whole_numbers import are_merged, may_be_merged

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_HEAD = 1 << 16
_UNEVEN = re.compile(
    r"(Row #(?P<number>\d+): )?Expected (?P<expected>\d+) columns, got (?P<found>\d+): (?P<text>.*)", re.DOTALL
)
MISSING = ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "?"]


@dataclass(frozen=True)
class ReadTable:
    """The table as it stands in the file, and what to tell about how it was read."""

    table: pa.Table
    notes: tuple[str, ...] = ()


class _InvalidRow(Exception):
    """A row with more or fewer cells than the header."""


def read_table(
    source: str | Path | bytes | IO[bytes], *, separator: str | None = None, encoding: str | None = None
) -> ReadTable:
    """Read a CSV or Parquet file, told apart by content and not by name.

    Raises
    ------
    ValueError
        With one sentence that says what is wrong with the file and what to do.
    """
    content = _content(source)
    head = _head(content)
    if not head.strip():
        raise ValueError("The file is empty; choose a CSV or Parquet file with a header and rows.")
    if head[:4] == b"PAR1":
        return _checked(read_parquet(content))
    if head[:2] == b"PK":
        raise ValueError("The file is a spreadsheet or a zip archive; save it as CSV first.")
    return _read_csv(content, head, separator, encoding)


def _content(source: str | Path | bytes | IO[bytes]) -> Path | bytes:
    if isinstance(source, str | Path):
        path = Path(source).expanduser()
        if not path.is_file():
            raise ValueError(f"There is no file {path}; check its name and folder.")
        refuse_large(path.stat().st_size)
        return path
    if not isinstance(source, bytes):
        refuse_large(int(getattr(source, "size", 0) or 0))
        source = source.read(MAX_BYTES + 1)
    refuse_large(len(source))
    return source


def _head(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content[:_HEAD]
    with content.open("rb") as file:
        return file.read(_HEAD)


def _read_csv(content: Path | bytes, head: bytes, separator: str | None, encoding: str | None) -> ReadTable:
    notes: list[str] = []
    for attempt in encodings_to_try(content, head, encoding):
        text = head.decode(attempt, "replace")
        sign = separator or detect_separator(text)
        refuse_wide(_header_width(text, sign))  # before hundreds of thousands of columns are read
        try:
            table = _parse(content, sign, attempt)
        except (UnicodeDecodeError, _NotThisEncoding):
            continue
        decimal = "," if sign != "," and _has_decimal_commas(table) else "."
        if decimal == ",":
            table = _parse(content, sign, attempt, decimal=decimal)
            notes.append("Numbers are written with a decimal comma.")
        table = _with_large_whole_numbers(table, partial(_parse, content, sign, attempt, decimal))
        if sign != ",":
            notes.append(f"Columns are separated by a {SEPARATORS.get(sign, repr(sign))}.")
        if attempt != "utf8":
            notes.append(f"The text was read as {attempt}, not UTF-8; check that accents look right.")
        return _checked(table, notes)
    if encoding is None:
        raise ValueError(f"The file begins like {attempt} and is not text in it; save it as CSV in UTF-8.")
    raise ValueError(f"The file is not text in the encoding {encoding}; leave the encoding out to have it detected.")


class _NotThisEncoding(Exception):
    """Some bytes of the file mean nothing in the encoding that was tried."""


def detect_separator(head: str) -> str:
    """Return the sign that cuts the first lines into the most equal numbers of cells.

    >>> detect_separator("a;b\\n1,5;2\\n")
    ';'
    """
    lines = _lines(head)[:200]
    if len(head) >= _HEAD // 4 and len(lines) > 2:
        lines = lines[:-1]  # cut in the middle by the end of the head
    best, best_score = None, (0.0, 0)
    for sign in SEPARATORS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=sign) if row]
        except csv.Error:
            continue
        if widths and widths[0] > 1:
            score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
            if score > best_score:
                best, best_score = sign, score
    if best is None:
        raise ValueError(
            "The file has only one column, or its separator is none of comma, semicolon, tab and bar;"
            " say which separator it uses."
        )
    return best


def _lines(text: str) -> list[str]:
    """Lines as CSV has them; Python's own `splitlines` also ends them at control characters."""
    return re.split(r"\r\n|\r|\n", text.removesuffix("\n").removesuffix("\r"))


def _with_large_whole_numbers(table: pa.Table, parse: Callable[[Mapping[str, pa.DataType]], pa.Table]) -> pa.Table:
    """Take columns of whole numbers that Arrow read in double precision, which merges large ones, as their texts."""
    if len(set(table.column_names)) < len(table.column_names):
        return table  # which is refused
    doubtful = [name for name in table.column_names if may_be_merged(table[name])]
    if not doubtful:
        return table
    texts = parse(dict.fromkeys(doubtful, pa.string()))
    for name in doubtful:
        if are_merged(texts[name]):
            table = table.set_column(table.column_names.index(name), name, texts[name])
    return table


def _parse(
    content: Path | bytes,
    separator: str,
    encoding: str,
    decimal: str = ".",
    kinds: Mapping[str, pa.DataType] | None = None,
) -> pa.Table:
    if len(separator) != 1:
        raise ValueError(f"A separator is one character, not '{separator}'.")
    try:
        return _parse_with(content, separator, encoding, decimal, kinds, newlines=False)
    except _InvalidRow:
        # A line break inside quotes looks like a short row; reading those, and on one thread so that rows
        # can be numbered, costs speed: only now.
        try:
            return _parse_with(content, separator, encoding, decimal, kinds, newlines=True)
        except _InvalidRow as problem:
            raise ValueError(str(problem)) from problem


def _parse_with(
    content: Path | bytes,
    separator: str,
    encoding: str,
    decimal: str,
    kinds: Mapping[str, pa.DataType] | None,
    *,
    newlines: bool,
) -> pa.Table:
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(content) if isinstance(content, bytes) else str(content),
            read_options=pa.csv.ReadOptions(encoding=encoding, block_size=1 << 23, use_threads=not newlines),
            parse_options=pa.csv.ParseOptions(delimiter=separator, newlines_in_values=newlines),
            convert_options=pa.csv.ConvertOptions(
                null_values=MISSING, strings_can_be_null=True, decimal_point=decimal, column_types=kinds
            ),
        )
        names = table.column_names
    except pa.ArrowException as problem:
        if row := _UNEVEN.search(str(problem)):
            raise _InvalidRow(_describe_row(row)) from problem
        if "UTF8" in str(problem) or "decode" in str(problem):
            raise _NotThisEncoding from problem
        raise ValueError(
            f"The file cannot be read as CSV: {str(problem).splitlines()[0]}; save it again as CSV."
        ) from problem
    if encoding == "utf8" and any(pa.types.is_binary(field.type) for field in table.schema):
        raise _NotThisEncoding  # Arrow falls back to bytes where text is not UTF-8
    if not names:
        raise ValueError("The file has no header; its first line must name the columns.")
    return table


def _describe_row(row: re.Match[str]) -> str:
    where = f"Row {row['number']}" if row["number"] else f"The row '{row['text'][:40]}'"
    return (
        f"{where} has {row['found']} cells where the header has {row['expected']};"
        " correct the row, or say which separator the file uses."
    )


def _has_decimal_commas(table: pa.Table) -> bool:
    pattern = re.compile(r"[+-]?\d+,\d+|[+-]?\d+")
    for column in table.columns:
        if pa.types.is_string(column.type):
            sample = [text for text in column.slice(0, 200).to_pylist() if text]
            if any("," in text for text in sample) and all(pattern.fullmatch(text) for text in sample):
                return True
    return False


def _checked(table: pa.Table, notes: Sequence[str] = ()) -> ReadTable:
    """Refuse what no audit can use; give every column a distinct name, and names and texts that can be shown."""
    refuse_long(table.num_rows)
    refuse_wide(table.num_columns)
    names = [shown_name(name, place) for place, name in enumerate(table.column_names, start=1)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Two columns are called '{name}'; give each column a name of its own.")
    if table.num_rows == 0:
        raise ValueError("The file has a header but no rows.")
    table, changed = with_shown_texts(table.rename_columns(names))
    return ReadTable(table, (*notes, *changed))


def _header_width(head: str, separator: str) -> int:
    try:
        return len(next(csv.reader(_lines(head)[:1], delimiter=separator), []))
    except (csv.Error, TypeError):  # the separator is not one character: said elsewhere
        return 0
