"""Report and model card as files, signed where there is a key."""

from __future__ import annotations

from typing import Literal

from diffoci.audit.result import AuditResult
from diffoci.model_audit.result import ModelAuditResult
from diffoci.report.build import build_report
from diffoci.report.labs.known import lab_report_of
from diffoci.report.model_audit.build import build_model_report
from diffoci.report.model_audit.model_card import audited_model_card
from diffoci.report.model_card import model_card
from diffoci.report.writing.markdown import markdown
from diffoci.report.writing.page import page
from diffoci.runs.study import Result
from diffoci.signing.keys import PrivateKey
from diffoci.signing.texts import signed_text


def report_file(
    result: Result,
    *,
    created: float | None = None,
    key: PrivateKey | None = None,
) -> bytes:
    """The report of a result, of whichever study of ours."""
    signer = None if key is None else key.public
    if isinstance(result, AuditResult):
        text = build_report(result, created=created, signer=signer)
    elif isinstance(result, ModelAuditResult):
        text = build_model_report(result, created=created, signer=signer)
    elif (lab := lab_report_of(result)) is not None:
        text = lab.build(result, created=created, signer=signer)
    else:
        raise ValueError("Runs of this study have no report.")
    return signed_text(text, key).encode()


def card_file(
    result: AuditResult | ModelAuditResult,
    name: str | None,
    *,
    kind: Literal["md", "html"],
    key: PrivateKey | None = None,
) -> bytes:
    """The model card of one method, or of one model that was audited, as Markdown or HTML."""
    signer = None if key is None else key.public
    if isinstance(result, ModelAuditResult):
        card = audited_model_card(result, name, signer=signer)
    else:
        card = model_card(result, name, signer=signer)
    return signed_text(markdown(card) if kind == "md" else page(card), key).encode()
