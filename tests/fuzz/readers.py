"""What reads strangers' files: for each reader whole files to begin with, and what it does with one."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from diffoci.__main__ import main
from diffoci.audit._result_file import read_result
from diffoci.audit.result import AuditResult
from diffoci.audit.taking_away.export import export
from diffoci.audit.taking_away.exported import load_representation
from diffoci.data.tables.table import load_table
from diffoci.labs.shift.feature_files import read_features
from diffoci.report.build import build_report
from diffoci.report.model_card import model_card
from diffoci.report.writing.embedded import ELEMENT, safe_json, script_content
from diffoci.runs.sharing import open_shared, pack
from tests.plain_result import plain
from tests.sample_audit import sample
from tests.shared_zip import files_of, zipped


@dataclass(frozen=True)
class Reader:
    """Reads bytes; `begin` gives whole files, and `tree` says where the JSON is that can be changed entry by entry."""

    begin: Callable[[], list[bytes]]
    read: Callable[[bytes], object]
    tree: Callable[[bytes, Callable[[Any], Any]], bytes] | None = None


def _table(**columns: Any) -> pd.DataFrame:
    rows = 40
    random = np.random.default_rng(0)
    usual = {
        "sex": random.choice(["F", "M"], rows),
        "age": random.integers(18, 80, rows),
        "pay": random.normal(3000, 500, rows).round(2),
        "town": random.choice(["Köln", "Łódź", "a, b", 'c "d"'], rows),
        "since": pd.date_range("2020-01-01", periods=rows).astype(str),
        "y": random.choice(["yes", "no"], rows),
    }
    return pd.DataFrame(usual | columns)


def _csv_files() -> list[bytes]:
    table = _table()
    return [
        table.to_csv(index=False).encode(),
        table.to_csv(index=False, sep=";", decimal=",").encode("cp1252", "replace"),
        table.to_csv(index=False, sep="\t", lineterminator="\r\n").encode("utf-16"),
    ]


def _parquet_files() -> list[bytes]:
    files = []
    for compression in (None, "snappy"):
        buffer = io.BytesIO()
        _table(since=pd.date_range("2020-01-01", periods=40)).to_parquet(buffer, index=False, compression=compression)
        files.append(buffer.getvalue())
    return files


def _read_table(content: bytes) -> None:
    load_table(io.BytesIO(content), label="y", sensitive=["sex"], leave_out_unusable=True)


@cache
def _result() -> AuditResult:
    result: AuditResult = sample().result()
    return result


def _result_files() -> list[bytes]:
    return [json.dumps(plain(_result())).encode()]


def _loaded(content: bytes) -> dict[str, Any]:
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("result.json is not JSON.") from None
    if not isinstance(values, dict):
        raise ValueError("result.json holds no object.")
    return values


def _read_result(content: bytes) -> None:
    """A result that is taken can be written about."""
    model_card(read_result(_loaded(content)))


def _json_tree(content: bytes, change: Callable[[Any], Any]) -> bytes:
    return json.dumps(change(json.loads(content))).encode()


def _zips() -> list[bytes]:
    return [pack(sample())]


def _open_zip(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, patch.dict("os.environ", DIFFOCI_RUNS=folder):
        open_shared(io.BytesIO(content)).result()


def _zip_tree(content: bytes, change: Callable[[Any], Any]) -> bytes:
    """Change the JSON files of a zip as one tree, and list them anew, so that the damage gets past the digests."""
    files = files_of(content)
    trees = change({name: json.loads(part) for name, part in files.items() if name.endswith(".json")})
    parts = {name: part for name, part in files.items() if not name.endswith(".json")}
    try:
        return zipped(parts | {str(name): json.dumps(tree).encode() for name, tree in trees.items()})
    except (KeyError, TypeError, AttributeError):  # a manifest that lists nothing any more
        return zipped(parts | {str(name): json.dumps(tree).encode() for name, tree in trees.items()}, listed=False)


@cache
def _exported() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        export(sample(), "dF3", Path(folder))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


def _weights() -> list[bytes]:
    return [part for name, part in _exported().items() if name.endswith(".safetensors")]


def _read_weights(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, part in _exported().items():
            (Path(folder) / name).write_bytes(content if name.endswith(".safetensors") else part)
        load_representation(folder)


def _reports() -> list[bytes]:
    return [build_report(_result(), created=None).encode()]


def _read_report(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        path = Path(folder) / "report.html"
        path.write_bytes(content)
        main(["verify", str(path)])


def _report_tree(content: bytes, change: Callable[[Any], Any]) -> bytes:
    text = content.decode()
    before = script_content(text, ELEMENT) or ""
    try:
        return text.replace(before, safe_json(change(json.loads(before)))).encode()
    except ValueError:  # a number that JSON has not
        return text.replace(before, json.dumps(change(json.loads(before)))).encode()


def _feature_files() -> list[bytes]:
    random = np.random.default_rng(0)
    files = []
    for save in (np.savez, np.savez_compressed):
        buffer = io.BytesIO()
        save(buffer, x=random.normal(size=(60, 3)), y=np.arange(60) % 2)
        files.append(buffer.getvalue())
    return files


def _read_features(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "features.npz"
        path.write_bytes(content)
        read_features(path)


READERS = {
    "npz": Reader(_feature_files, _read_features),
    "csv": Reader(_csv_files, _read_table),
    "parquet": Reader(_parquet_files, _read_table),
    "result": Reader(_result_files, _read_result, _json_tree),
    "zip": Reader(_zips, _open_zip, _zip_tree),
    "safetensors": Reader(_weights, _read_weights),
    "report": Reader(_reports, _read_report, _report_tree),
}
