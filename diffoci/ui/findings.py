"""What an audit found, in words kept beside its result, so that a long list of audits reads only small files."""

from __future__ import annotations

import contextlib

from diffoci.runs.files import read_json, write_json
from diffoci.runs.provenance import versions
from diffoci.runs.schema import SCHEMA
from diffoci.runs.store import Run

_FILE = "headline.json"
_WORDING = 2  # counted up when the words change, so that none are kept that would not be said any more


def headline_of(run: Run) -> str | None:
    """Return what a finished audit found; None where it has no readable result."""
    try:
        found = run.result_file.stat()
        stamp = f"{_WORDING}-{found.st_mtime_ns}-{found.st_size}"
        with contextlib.suppress(OSError, ValueError, KeyError):
            kept = read_json(run.folder / _FILE)
            if (kept["schema"], kept["stamp"]) == (SCHEMA, stamp):
                return str(kept["text"])
        text = _said(run)
    except Exception:  # whatever a damaged file does to the arithmetic: the audit's own page says more
        return None
    with contextlib.suppress(OSError, ValueError):  # a full disk costs time, not the page
        write_json(run.folder / _FILE, {"schema": SCHEMA, "stamp": stamp, "text": text})
    return text


def is_of_other_versions(run: Run) -> bool:
    """Say whether a result was made with other versions of the packages: what the cells keep is then not read."""
    try:
        return bool(run.result()["provenance"]["versions"] != versions())
    except (ValueError, OSError, KeyError, TypeError):
        return False


def _said(run: Run) -> str:
    """The raw data first, then the method to speak of, for each attribute."""
    # Not at the top: the engine behind it takes seconds to import, and the home page needs it only for new results.
    from diffoci.figures.reading import View, attributes
    from diffoci.figures.verdict_words import best, headline, sentence

    result = run.result()
    if not result["methods"]:
        return "No method finished; every one of them failed."
    sentences = []
    for attribute in attributes(result):
        view = View(attribute)
        sentences.append(f"{headline(result, view)}.")
        if entry := best(result, view):
            sentences.append(sentence(result, view, entry))
    return " ".join(sentences)
