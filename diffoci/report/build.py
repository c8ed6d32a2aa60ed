"""A finished audit as one HTML file."""

from __future__ import annotations

from plotly.offline import get_plotlyjs

from diffoci.figures.reading import Result
from diffoci.report.document import document, without_pictures
from diffoci.report.embedded import embed, public
from diffoci.report.page import page
from diffoci.report.shortening import shortenings

LARGEST = 6_000_000  # bytes; what draws the pictures takes most of them


def build_report(result: Result, *, created: float | None = None) -> str:
    """Write the report of a result.

    Parameters
    ----------
    result : mapping
        What `Run.result` returns.
    created : float, optional
        When the audit was begun, in seconds since 1970.
    """
    for shown in shortenings(public(result)):
        embedded = embed(shown, created=created)
        if len(embedded) > LARGEST - len(get_plotlyjs()):
            continue  # it cannot fit, whatever else is in it
        text = page(document(shown, created=created), embedded=embedded)
        if len(text.encode()) <= LARGEST:
            return text
    return page(without_pictures(document(shown, created=created)), embedded=embedded)
