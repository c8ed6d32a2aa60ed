"""Where the access log lies, and whether there is one."""

from __future__ import annotations

import os
import re
from pathlib import Path

from diffoci.runs.files import said_in_words
from diffoci.runs.store import runs_root

_NAMED = "DIFFOCI_ACCESS_LOG"
_HEAD = "DIFFOCI_ACCESS_LOG_HEAD"
_MEGABYTES = "DIFFOCI_ACCESS_LOG_MB"
_USUAL_MEGABYTES = 100


def log_file() -> Path:
    """Return the file of the log: the one an operator named, or one below the folder of runs."""
    named = os.environ.get(_NAMED)
    return Path(named).expanduser() if named else runs_root() / "access" / "log.jsonl"


def head_file() -> Path:
    """Return the file that says how many lines the log has and what the last one is."""
    named = os.environ.get(_HEAD)
    log = log_file()
    return Path(named).expanduser() if named else log.with_name(f"{log.name}.head")


def most_bytes() -> int:
    """Return how large the file of the log may be before a new one continues it."""
    given = os.environ.get(_MEGABYTES, "")
    return (int(given) if re.fullmatch(r"[1-9]\d{0,5}", given) else _USUAL_MEGABYTES) * 1_000_000


def older_file(log: Path, last: int) -> Path:
    """Return where the lines up to this one lie once another file continues them."""
    return log.with_name(f"{log.name}.{last}")


def files_of(log: Path) -> list[Path]:
    """Return the files of a log that are here: those set aside, the oldest first, and the one that is written to."""
    pattern = re.compile(re.escape(log.name) + r"\.([1-9]\d{0,14})")
    older = {int(found[1]): path for path in log.parent.iterdir() if (found := pattern.fullmatch(path.name))}
    return [*(older[number] for number in sorted(older) if older[number].is_file()), log]


def is_on() -> bool:
    """Say whether things are written down: an operator named the file, or a server with sign-in began one here."""
    return bool(os.environ.get(_NAMED)) or log_file().exists() or head_file().exists()


def begin_log() -> None:
    """Begin the log, unless there is one."""
    log = log_file()
    if not log.exists():
        with said_in_words(log):
            log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            log.touch(mode=0o600)
