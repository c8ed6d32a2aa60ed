"""A model audit as one HTML file, and as a piece of one for notebooks."""

from __future__ import annotations

from html import escape

import pandas as pd

from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.model_audit.words import headline, population_words
from diffoci.report.model_audit._document import model_document
from diffoci.report.model_audit.compared import compared_words
from diffoci.report.model_audit.shown import criteria_table, rate_frame
from diffoci.report.writing.blocks import cell_text
from diffoci.report.writing.embedded import embed, public
from diffoci.report.writing.page import page
from diffoci.signing.keys import PublicKey

# What scores that were handed over as arrays are called instead of a source.
ARRAYS = "arrays"


def public_model_audit(result: ModelAuditResult) -> ModelAuditResult:
    """The result as strangers may have it: without the folders of this machine, and with a shortened id."""
    return public(result, result.spec if result.spec.data == ARRAYS else MODEL_AUDIT.portable(result.spec))


def build_model_report(
    result: ModelAuditResult, *, created: float | None = None, signer: PublicKey | None = None
) -> str:
    """Write the report of a result, which it carries; `signer` is who the report says it is signed by."""
    shared = public_model_audit(result)
    return page(model_document(shared, created=created, signer=signer), embedded=embed(shared, created=created))


def result_html(result: ModelAuditResult) -> str:
    """The headline, the rates of the first model and the criteria of all, for a notebook."""
    one = result.models[0]
    parts = [f"<p><strong>{escape(headline(result))}</strong></p>"]
    parts += [_html(rate_frame(one, comparison)) for comparison in one.comparisons[:1]]
    parts.append(_html(criteria_table(result)))
    parts += [f"<p>{escape(said)}</p>" for said in (*population_words(result), *compared_words(result))]
    return "".join(parts)


def _html(frame: pd.DataFrame) -> str:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in frame.columns)
    rows = (
        "<tr>" + "".join(f"<td>{escape(cell_text(value))}</td>" for value in row) + "</tr>"
        for row in frame.itertuples(index=False)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
