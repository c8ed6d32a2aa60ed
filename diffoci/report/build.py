"""A finished audit as one HTML file."""

from __future__ import annotations

from plotly.offline import get_plotlyjs

from diffoci.audit.result import AuditResult
from diffoci.audit.study import AUDIT
from diffoci.report._document import document, without_pictures, without_pointers
from diffoci.report._shortening import shortenings
from diffoci.report.writing.embedded import embed, public
from diffoci.report.writing.page import page
from diffoci.signing.keys import PublicKey

LARGEST = 6_000_000  # bytes; what draws the pictures takes most of them


def public_audit(result: AuditResult) -> AuditResult:
    """The result as strangers may have it: without the folder of the user's own file, and with a shortened id."""
    return public(result, AUDIT.portable(result.spec))


def build_report(result: AuditResult, *, created: float | None = None, signer: PublicKey | None = None) -> str:
    """Write the report of a result.

    Parameters
    ----------
    result : AuditResult
        What `Run.result` returns.
    created : float, optional
        When the audit was begun, in seconds since 1970.
    signer : PublicKey, optional
        Who the report says it is signed by.
    """
    whole = public_audit(result)
    text = page(document(whole, created=created, signer=signer), embedded=embed(whole, created=created))
    if len(text.encode()) <= LARGEST:
        return text
    for shown in shortenings(whole):
        embedded = embed(shown, created=created)
        if len(embedded) > LARGEST - len(get_plotlyjs()):
            continue  # it cannot fit, whatever else is in it
        text = page(without_pointers(document(shown, created=created, signer=signer)), embedded=embedded)
        if len(text.encode()) <= LARGEST:
            return text
    return page(without_pictures(without_pointers(document(shown, created=created, signer=signer))), embedded=embedded)
