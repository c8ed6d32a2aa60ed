"""The queue: runs wait for each other, so that each has its share of the machine.

A waiting run is a file in the folder `queue` beside the runs that says who waits, so a restart of the server forgets
none. People take turns: whoever starts ten runs at once does not keep the next person waiting for all ten.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from joblib import cpu_count

from diffoci.runs.files import said_in_words
from diffoci.runs.launch import start
from diffoci.runs.lock import AlreadyRunning, RunLock
from diffoci.runs.run_files import is_id
from diffoci.runs.store import Run, Status, now_running, run_with_id, runs_root

_EVERY = 0.5  # seconds between two looks at what runs
_CORES_FOR_A_RUN = 4
_MOST_WAITING = 20
_guard = threading.Lock()
_watchers: list[threading.Thread] = []
_refused: dict[str, str] = {}  # why runs could not be started, where their folder does not take a note of it


def check_room(*, who: str = "") -> None:
    """Refuse another run where too many wait already, or as many of one person that others would find no room."""
    most = _number("DIFFOCI_MOST_WAITING", _MOST_WAITING)
    markers = _markers()
    if len(markers) >= most:
        raise ValueError(f"{most} runs wait already, and this machine takes no more; try again when some are done.")
    share = max(1, most // 2)
    if who and sum(_who(marker) == who for marker in markers) >= share:
        raise ValueError(
            f"{share} of your runs wait already, half of the {most} places; the rest are kept for others. Try again "
            "when some are done."
        )


def enqueue(run: Run, *, who: str = "") -> None:
    """Start or resume a run, at once or after those before it; `who` waits for it."""
    if run.id not in waiting():
        check_room(who=who)
        _refused.pop(run.id, None)
        with said_in_words(_folder()):
            _folder().mkdir(parents=True, exist_ok=True)
            (_folder() / f"{_later():020d}-{run.id}").write_text(who)
    advance()
    keep_advancing()


def withdraw(run: Run) -> None:
    """Stop a run, or take it out of the queue."""
    with contextlib.suppress(AlreadyRunning), _turn(patience=3.0):  # not while another thread is about to start it
        for marker in _markers():
            if marker.name.endswith(run.id):
                marker.unlink(missing_ok=True)
    run.cancel()


def waiting() -> tuple[str, ...]:
    """Return the ids of the runs that wait, the next one first."""
    return tuple(marker.name[-32:] for marker in _in_turn(_markers()))


def standing(run: Run) -> Status:
    """Return where a run stands, the queue included."""
    if run.id in waiting():
        return Status("waiting")
    status = run.status()
    if run.id in _refused and status.state not in ("running", "done"):
        return Status("failed", _refused[run.id])
    return status


def goes_on(run: Run) -> bool:
    """Say whether a run goes on or will by itself.

    The queue is looked at first: a run leaves it only when it goes on already.
    """
    return run.id in waiting() or run.status().state == "running"


def at_once() -> int:
    """Return how many runs may go on at the same time: one for every four cores, or DIFFOCI_AT_ONCE."""
    return _number("DIFFOCI_AT_ONCE", max(1, int(cpu_count()) // _CORES_FOR_A_RUN))


def advance() -> None:
    """Start the next run if there is room for it. Two servers over one folder take turns."""
    with contextlib.suppress(AlreadyRunning), _turn():
        for marker in _in_turn(_markers()):
            if len(now_running()) >= at_once():
                return
            with contextlib.suppress(OSError):  # a full disk: whose turn it is matters less than that it goes on
                _served().write_text(_who(marker))
            _start(marker.name[-32:])
            marker.unlink(missing_ok=True)


def _start(identifier: str) -> None:
    """Start a run; one that is deleted, damaged or running already must not hold up the others."""
    try:
        start(run_with_id(identifier).folder, jobs=max(1, int(cpu_count()) // at_once()))
    except AlreadyRunning:
        return
    except (ValueError, OSError) as problem:
        _refused[identifier] = str(problem)
        while len(_refused) > _MOST_WAITING:
            _refused.pop(next(iter(_refused)))


def keep_advancing() -> None:
    """Watch the queue until it is empty; called on every page, so that a restarted server goes on."""
    with _guard:
        _watchers[:] = [thread for thread in _watchers if thread.is_alive()]
        if waiting() and not _watchers:
            _watchers.append(threading.Thread(target=_watch, daemon=True))
            _watchers[-1].start()


def _watch() -> None:
    while waiting():
        with contextlib.suppress(OSError):
            advance()
        time.sleep(_EVERY)


@contextlib.contextmanager
def _turn(*, patience: float = 0.2) -> Iterator[None]:
    runs_root().mkdir(parents=True, exist_ok=True)
    with RunLock.acquire(runs_root() / "queue.lock", patience=patience):
        yield


def _in_turn(markers: list[Path]) -> list[Path]:
    """Everybody's first run before anybody's second, whoever was served last after the others, then by time."""
    last = _served().read_text() if _served().exists() else None
    before: Counter[str] = Counter()
    turns = {}
    for marker in markers:
        who = _who(marker)
        turns[marker] = (before[who], bool(who) and who == last, marker.name)
        before[who] += bool(who)
    return sorted(markers, key=turns.__getitem__)


def _who(marker: Path) -> str:
    try:
        return marker.read_text()
    except OSError:  # started or withdrawn meanwhile
        return ""


def _later() -> int:
    """Return a number above those of all who wait, also after the clock was set back."""
    latest = max((int(marker.name[:20]) for marker in _markers()), default=0)
    return max(time.time_ns(), latest + 1)


def _markers() -> list[Path]:
    try:
        return sorted(one for one in _folder().iterdir() if is_id(one.name[-32:]) and one.name[:20].isdecimal())
    except OSError:
        return []


def _folder() -> Path:
    return runs_root() / "queue"


def _served() -> Path:
    return runs_root() / "queue-served"


def _number(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    return max(1, int(text)) if text.isdecimal() else otherwise
