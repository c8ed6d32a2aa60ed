"""Read a stranger's Parquet file in bounded memory: a few kilobytes of it can stand for gigabytes of rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from diffoci.data.tables._limits import refuse_long, refuse_wide

MAX_TABLE_BYTES = 1 << 29  # of the rows in memory; the largest upload of the pages holds as much as text
_CELLS_AT_ONCE = 4_000_000


def read_parquet(content: Path | bytes) -> pa.Table:
    """Read the columns that can be used, a few rows at a time, and stop where they are too many bytes.

    Lists, structures and raw bytes, of which one cell can be as large as it likes, are not read: empty bytes stand for
    them, which are refused by name where a column is wanted.
    """
    try:
        file = _open(content)
        refuse_long(file.metadata.num_rows)
        refuse_wide(file.metadata.num_columns)
        wanted = file.schema_arrow
        texts = [leaf.path for leaf in _leaves(file) if leaf.physical_type == "BYTE_ARRAY"]
        # As positions in a list of texts, so that a long text that stands in every row is there once.
        table = _read(_open(content, read_dictionary=texts), wanted)
    except (pa.ArrowException, OSError) as problem:
        raise ValueError("The file begins like Parquet but cannot be read; save it again.") from problem
    return table.drop_columns([name for name in table.column_names if name.startswith("__index_level_")])


def _open(content: Path | bytes, *, read_dictionary: list[str] | None = None) -> pa.parquet.ParquetFile:
    source = pa.BufferReader(content) if isinstance(content, bytes) else str(content)
    return pa.parquet.ParquetFile(source, read_dictionary=read_dictionary)


def _leaves(file: pa.parquet.ParquetFile) -> Iterator[pa.parquet.ColumnSchema]:
    return (file.schema.column(k) for k in range(file.metadata.num_columns))


def _read(file: pa.parquet.ParquetFile, wanted: pa.Schema) -> pa.Table:
    fields = [field for field in wanted if _is_usable(field.type)]
    names = [field.name for field in fields]
    if len(set(wanted.names)) < len(wanted.names):
        twice = next(name for name in wanted.names if wanted.names.count(name) > 1)
        raise ValueError(f"Two columns are called '{twice}'; give each column a name of its own.")
    size = 0
    parts: dict[str, list[pa.Array]] = {name: [] for name in names}
    for batch in file.iter_batches(batch_size=max(1000, _CELLS_AT_ONCE // max(1, len(names))), columns=names):
        size += sum(_bytes_of(batch.column(name)) for name in names)
        if size > MAX_TABLE_BYTES:
            raise ValueError(
                f"The file is small but holds a table of more than {MAX_TABLE_BYTES / 1e6:,.0f} MB: take a random "
                "sample of rows, or leave out columns."
            )
        for name in names:
            parts[name].append(_plain(batch.column(name)))
    read = {field.name: _typed(parts[field.name], field.type) for field in fields}
    unread = pa.chunked_array([pa.array([b""] * file.metadata.num_rows, pa.binary())])
    return pa.table({name: read.get(name, unread) for name in wanted.names})


def _is_usable(kind: pa.DataType) -> bool:
    raw = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    return not (raw or pa.types.is_nested(kind))


def _bytes_of(column: pa.Array) -> int:
    """How much a column takes once every text stands in its own row."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return 4 * len(column) + (pc.sum(lengths).as_py() or 0)


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _typed(parts: list[pa.Array], kind: pa.DataType) -> pa.ChunkedArray:
    """The parts of a column together; that its levels are ordered is said by its type."""
    column = pa.chunked_array(parts, None if parts else pa.null())
    if not (pa.types.is_dictionary(kind) and kind.ordered):
        return column
    coded = column.dictionary_encode().chunks
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(one.indices, one.dictionary, ordered=True) for one in coded]
    )
