"""What a run found, in words kept beside its result, so that a long list of runs reads only small files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from diffoci.runs.files import read_json, write_json
from diffoci.runs.run_files import SCHEMA
from diffoci.runs.store import Run

_FILE = "headline.json"
_WORDING = 2  # counted up when the words change, so that none are kept that would not be said any more


def headline_of(run: Run, say: Callable[[Any], str] | None = None) -> str | None:
    """Return what a finished run found, in its study's words or those of `say`; None where no result is readable."""
    try:
        found = run.result_file.stat()
        stamp = f"{_WORDING}-{found.st_mtime_ns}-{found.st_size}"
        with contextlib.suppress(OSError, ValueError, KeyError):
            kept = read_json(run.folder / _FILE)
            if (kept["schema"], kept["stamp"]) == (SCHEMA, stamp):
                return str(kept["text"])
        text = (say or run.study.headline)(run.result())
    except Exception:  # whatever a damaged file does to the arithmetic: the run's own page says more
        return None
    with contextlib.suppress(OSError, ValueError):  # a full disk costs time, not the page
        write_json(run.folder / _FILE, {"schema": SCHEMA, "stamp": stamp, "text": text})
    return text
