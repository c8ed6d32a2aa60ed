"""Keep everything technical off the page: problems become one sentence, the rest goes to the server's log."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import streamlit as st

from diffoci.runs.files import in_words
from diffoci.ui.words import plain_markdown

_BEGINNING = re.compile(r"\w|(['\"]).+\1")  # a name in quotes may begin with anything
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
    sentence = sentence_of(problem)
    if sentence is None:
        _LOG.exception("A page failed", exc_info=problem)
    st.error(plain_markdown(sentence or UNEXPECTED), icon=":material/error:")


def sentence_of(problem: Exception) -> str | None:
    """Return the sentence an error carries, or None where it was not written for readers.

    Examples
    --------
    >>> sentence_of(ValueError("The label 'y' has only one class; choose another."))
    "The label 'y' has only one class; choose another."
    >>> sentence_of(KeyError("x")), sentence_of(ValueError("'x' is not in list"))
    (None, None)
    """
    if isinstance(problem, OSError):
        problem = in_words(problem, Path(problem.filename or "of this server"))
    text = str(problem).strip()
    written = isinstance(problem, (ValueError, OSError)) and not isinstance(problem, UnicodeError)
    return text if written and _BEGINNING.match(text) and text.endswith((".", ")")) and "\n" not in text else None
