"""Every table of a result as files, CSV or Parquet, one by one or in a zip."""

from __future__ import annotations

import io
import zipfile

import pandas as pd

from diffoci.figures.reading import Result
from diffoci.report.embedded import public
from diffoci.report.harmless_csv import harmless_csv
from diffoci.report.tables import tables

FORMATS = ("csv", "parquet")


def packed(result: Result, kind: str) -> dict[str, bytes]:
    """Every table as a file, by file name; `kind` is "csv" or "parquet"."""
    write = harmless_csv if kind == "csv" else _parquet
    return {f"{name}.{kind}": write(frame) for name, frame in tables(public(result)).items()}


def zipped(result: Result, kind: str) -> bytes:
    """Every table in one zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in packed(result, kind).items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()
