"""A Parquet file of a few kilobytes cannot fill the memory, and an honest one is read as it is."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from diffoci.data.tables._csv_files import read_table
from diffoci.data.tables.table import load_table
from tests.data.test_table import people, refusal

ROWS = 1_000_000
_POOLS: list[pa.MemoryPool] = []  # what was taken from one goes back to it, whenever that is


@contextmanager
def taking_at_most(size: int) -> Iterator[None]:
    """Assert how much memory Arrow takes meanwhile."""
    before = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(before)
    _POOLS.append(counted)
    pa.set_memory_pool(counted)
    try:
        yield
    finally:
        pa.set_memory_pool(before)
    assert counted.max_memory() <= size


def packed(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pa.parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def repeated(value: object, rows: int = ROWS) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array([value]))


def bomb_of_texts() -> bytes:
    """A text of a kilobyte in every row of two columns, written once."""
    return packed(pa.table({f"c{k}": repeated("x" * 1000) for k in range(2)}))


def bomb_of_numbers() -> bytes:
    return packed(pa.table(dict.fromkeys((f"c{k}" for k in range(100)), pa.array(np.zeros(ROWS)))))


@pytest.mark.parametrize("bomb", [bomb_of_texts, bomb_of_numbers])
def test_a_small_file_of_a_huge_table_is_refused_in_little_memory(bomb: Callable[[], bytes]) -> None:
    content = bomb()
    assert len(content) < 1_000_000
    sentence = "The file is small but holds a table of more than 537 MB: take a random"
    with taking_at_most(700_000_000), pytest.raises(ValueError, match=sentence):
        read_table(content)


def test_lists_are_refused_unread_however_long_they_are() -> None:
    many = pa.ListArray.from_arrays(pa.array([0] * 39 + [0, 50_000_000], pa.int32()), pa.nulls(50_000_000, pa.int64()))
    content = packed(pa.Table.from_pandas(people()).append_column("many", many))
    assert len(content) < 1_000_000
    with taking_at_most(10_000_000):
        assert refusal(content) == (
            "Some columns cannot be used: 'many' holds lists, structures or raw bytes. Leave them out, or turn them "
            "into numbers or a few categories."
        )
    assert "Left out: 'many' holds lists, structures or raw bytes." in " ".join(
        load_table(content, label="hired", sensitive="sex", leave_out_unusable=True).notes
    )


@pytest.mark.parametrize("columns", [1_001, 10_000])
def test_more_than_a_thousand_columns_are_refused_unread(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed(pa.table({f"c{k}": [1] for k in range(columns)}))
    monkeypatch.setattr(pa.parquet.ParquetFile, "iter_batches", None)
    monkeypatch.setattr(pa.parquet.ParquetFile, "read", None)
    assert refusal(content).startswith("The file has more than 1,000 columns")


def test_more_than_a_million_rows_are_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed(pa.table({"a": repeated("x", ROWS + 1)}))
    monkeypatch.setattr(pa.parquet.ParquetFile, "iter_batches", None)
    assert refusal(content).startswith("The file has 1,000,001 rows")


def test_levels_stay_ordered_and_texts_stay_texts_over_many_row_groups() -> None:
    frame = people(4000)
    frame["size"] = pd.Categorical(np.take(["a", "b", "c"], np.arange(4000) % 3), ordered=True)
    frame["plain"] = pd.Categorical(np.take(["u", "v"], np.arange(4000) // 7 % 2))
    buffer = io.BytesIO()
    frame.to_parquet(buffer, row_group_size=700)
    data = load_table(buffer.getvalue(), label="hired", sensitive="sex")
    kinds = {column.name: column.kind for column in data.columns}
    assert kinds == {"income": "number", "city": "nominal", "size": "ordered", "plain": "nominal"}
    for name in ("city", "size", "plain"):
        assert data.features[name].astype(str).tolist() == frame[name].astype(str).tolist()


def test_two_columns_of_one_name_are_refused() -> None:
    table = pa.Table.from_arrays([pa.array([1, 2])] * 2, names=["a", "a"])
    assert refusal(packed(table)) == "Two columns are called 'a'; give each column a name of its own."


def test_names_with_dots_are_names() -> None:
    frame = people().rename(columns={"income": "a.b", "city": "a"})
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    assert set(load_table(buffer.getvalue(), label="hired", sensitive="sex").features) == {"a", "a.b"}
