"""Search folders for what must not be in them: as it stands, encoded, packed, and among the numbers of arrays."""

from __future__ import annotations

import base64
import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq


def traces(folders: list[Path], text: str, number: float) -> list[Path]:
    """Every file below some folders that holds a text or a number in any form, or that is named by it."""
    wanted = [form for form in (*_forms_of(text), *_forms_of_number(number)) if len(form) >= 4]
    files = [path for folder in folders for path in sorted(folder.rglob("*"))]
    return [path for path in files if text in str(path) or (path.is_file() and _holds(path.read_bytes(), wanted))]


def _holds(content: bytes, wanted: list[bytes]) -> bool:
    return any(form in reading for reading in _readings(content) for form in wanted)


def _forms_of(text: str) -> Iterator[bytes]:
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
        yield text.encode(encoding)
    yield json.dumps(text)[1:-1].encode()
    yield text.encode().hex().encode()
    for offset in range(3):  # base64 has three ways to write it, by where it begins
        packed = base64.b64encode(b"\0" * offset + text.encode())
        yield packed[4 if offset else 0 : -4]


def _forms_of_number(number: float) -> Iterator[bytes]:
    yield repr(number).encode()
    for form in ("<d", ">d", "<f", ">f"):
        yield struct.pack(form, number)


def _readings(content: bytes) -> Iterator[bytes]:
    """A file as it stands, and unpacked where it is an archive or a table."""
    yield content
    if content[:4] == b"PAR1":
        yield pq.read_table(io.BytesIO(content)).to_pandas().to_csv().encode()
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield from _readings(archive.read(name))
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            yield unpack(content)
        except (OSError, EOFError, zlib.error):
            continue
