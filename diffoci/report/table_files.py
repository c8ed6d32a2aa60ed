"""Every table of a result as files, CSV or Parquet, one by one or in a zip."""

from __future__ import annotations

import io
import zipfile

import pandas as pd

from diffoci.audit.result import AuditResult
from diffoci.model_audit.result import ModelAuditResult
from diffoci.report._tables import tables
from diffoci.report.build import public_audit
from diffoci.report.model_audit.tables import model_tables
from diffoci.report.writing.harmless_csv import harmless_csv


def packed(result: AuditResult | ModelAuditResult, kind: str) -> dict[str, bytes]:
    """Every table as a file, by file name; `kind` is "csv" or "parquet"."""
    write = harmless_csv if kind == "csv" else _parquet
    found = model_tables(result) if isinstance(result, ModelAuditResult) else tables(public_audit(result))
    return {f"{name}.{kind}": write(frame) for name, frame in found.items()}


def zipped(result: AuditResult | ModelAuditResult, kind: str) -> bytes:
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
