"""Errors in words: which were written for readers, one sentence with what to do, and what is said of the others."""

from __future__ import annotations

import re
from pathlib import Path

from diffoci.plain_text import with_replacements
from diffoci.runs.files import in_words, is_of_disk

LONGEST_SENTENCE = 2000  # letters: names of columns may be long, and many
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
    if isinstance(problem, OSError) and is_of_disk(problem):
        problem = in_words(problem, Path(problem.filename or "of this server"))
    text = str(problem).strip()
    written = isinstance(problem, (ValueError, OSError)) and not isinstance(problem, UnicodeError)
    return text if written and _BEGINNING.match(text) and text.endswith((".", ")")) and "\n" not in text else None


def sentence(problem: BaseException) -> str:
    """Say what went wrong; errors not written for users are named in brackets, for whoever mends the program."""
    text = str(problem)
    if isinstance(problem, MemoryError) or "out of memory" in text.lower():
        return "Memory ran out; lower the batch size, use fewer rows, or compute on the CPU (device cpu), and resume."
    if isinstance(problem, Exception) and (written := sentence_of(problem)) is not None:
        return with_replacements(written[:LONGEST_SENTENCE])
    named = with_replacements(f"{type(problem).__name__}: {text}".splitlines()[0][:200])
    return f"Something unexpected stopped it ({named}); resuming tries it again, and the log says more."
