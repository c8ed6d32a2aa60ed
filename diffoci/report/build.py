"""A finished audit as one HTML file."""

from __future__ import annotations

from diffoci.figures.reading import Result
from diffoci.report.document import document
from diffoci.report.embedded import embed, public
from diffoci.report.page import page


def build_report(result: Result, *, created: float | None = None) -> str:
    """Write the report of a result.

    Parameters
    ----------
    result : mapping
        What `Run.result` returns.
    created : float, optional
        When the audit was begun, in seconds since 1970.
    """
    shown = public(result)
    return page(document(shown, created=created), embedded=embed(shown, created=created))
