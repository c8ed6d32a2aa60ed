"""Keep everything technical off the page: problems become one sentence, the rest goes to the server's log."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import streamlit as st

from diffoci.runs.sentences import sentence_of
from diffoci.ui.words import plain_markdown

_LOG = logging.getLogger(__name__)
UNEXPECTED = (
    "Something unexpected happened on this page; what was saved is intact. Reload the page; if it happens again, "
    "the server's log says more."
)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Show what goes wrong inside as a sentence for the analyst.

    Our own errors (ValueError, OSError with a sentence) are written for the person at the browser and shown as they
    are; anything else is logged and replaced. Streamlit's own signals (rerun, stop) are no Exceptions and pass.
    """
    try:
        yield
    except Exception as problem:
        say(problem)


def say(problem: Exception) -> None:
    """Show a problem as a sentence."""
    st.error(plain_markdown(sentence_for(problem)), icon=":material/error:")


def sentence_for(problem: Exception) -> str:
    """Return the sentence that a problem carries, or one in its place."""
    sentence = sentence_of(problem)
    if sentence is None:
        _LOG.exception("A page failed", exc_info=problem)
    return sentence or UNEXPECTED
