"""Which errors were written for readers: one sentence that says what is wrong and what to do."""

from __future__ import annotations

import re
from pathlib import Path

from diffoci.runs.files import in_words

_BEGINNING = re.compile(r"\w|(['\"]).+\1")  # a name in quotes may begin with anything


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
