"""Show a run on the terminal: its result as a table, and how far it is while it runs."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from diffoci.runs.progress import Progress, read_progress
from diffoci.runs.store import Run


def result_table(result: dict[str, Any]) -> str:
    """One line a method: how well y is predicted, how well S can be guessed, what chance gives, the verdict."""
    attributes = list(dict.fromkeys(name for method in result["methods"] for name in _places(method)))
    header = ["method", "y accuracy"]
    for name in attributes:
        header += [f"{name} guessed (AUC)", "chance", "verdict"]
    rows = [header]
    for method in result["methods"]:
        row = [str(method["name"]), _percent(method["y"]["accuracy"])]
        for name in attributes:
            place = _places(method).get(name, {})
            row += [_decimals(place.get("auc")), _chance(place), str(place.get("verdict", "-"))]
        rows.append(row)
    widths = [max(len(row[k]) for row in rows) for k in range(len(header))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    provenance = result["provenance"]
    kind = "real data" if provenance.get("real") else "SIMULATED data"
    took = duration(float(provenance["seconds"]))
    lines.append(f"{provenance['rows']:,} rows of {kind}, {len(result['spec']['seeds'])} seeds, {took}")
    return "\n".join(lines + [f"failed: {name}: {message}" for name, message in result.get("failures", {}).items()])


def _places(method: dict[str, Any]) -> dict[str, Any]:
    """Leakage from the representation, by sensitive attribute."""
    by_attribute = method["leakage"].get("by_attribute", {})
    return {name: places["representation"] for name, places in by_attribute.items() if "representation" in places}


def _chance(place: dict[str, Any]) -> str:
    low, high = place.get("null_auc_low"), place.get("null_auc_high")
    return "-" if high is None else f"{_decimals(low)} to {_decimals(high)}"


def _mean(value: Any) -> float | None:
    mean = value.get("mean") if isinstance(value, dict) else value
    return None if mean is None else float(mean)


def _decimals(value: Any) -> str:
    mean = _mean(value)
    return "-" if mean is None else f"{mean:.3f}"


def _percent(value: Any) -> str:
    mean = _mean(value)
    if mean is None:
        return "-"
    interval = isinstance(value, dict) and value.get("low") is not None and value.get("high") is not None
    return f"{100 * mean:.1f} %" + (f" ({100 * value['low']:.1f} to {100 * value['high']:.1f})" if interval else "")


def progress_line(progress: Progress) -> str:
    """How far a run is, in one line."""
    done = sum(cell.state == "done" for cell in progress.cells)
    left = "" if progress.eta is None else f", about {duration(progress.eta)} left"
    parts = f", {done} of {len(progress.cells)} parts" if progress.cells else ""
    return f"{progress.state} {100 * progress.fraction:5.1f} %{parts}{left}"


def duration(seconds: float) -> str:
    """Say a time span in words.

    Examples
    --------
    >>> duration(42.3), duration(170), duration(8000)
    ('42 s', '3 min', '2.2 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextlib.contextmanager
def shown_progress(run: Run) -> Iterator[None]:
    """Keep a line on standard error up to date, where that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()

    def draw() -> None:
        while not over.wait(1.0):
            with contextlib.suppress(ValueError, OSError):
                print(f"\r\x1b[K{progress_line(read_progress(run.folder))}", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
