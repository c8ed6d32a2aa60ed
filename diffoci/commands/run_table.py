"""Show a run on the terminal: what it found, and how far it is while it runs."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from diffoci.plain_text import counted
from diffoci.runs.progress import Progress, read_progress
from diffoci.runs.store import Run

# What results are made of brings pandas, and a list of runs needs none.
if TYPE_CHECKING:
    from diffoci.audit.decisions.intervals import Interval, Rate
    from diffoci.audit.result import AuditResult, Mean, MethodResult
    from diffoci.model_audit.result import ModelAuditResult

# Short names, for a terminal has no room for sentences; the report has those.
_RATES = {
    "selection_rate": "selected",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "false_negative_rate": "FNR",
    "positive_predictive_value": "PPV",
    "false_omission_rate": "FOR",
    "accuracy": "accuracy",
    "base_rate": "base rate",
    "over_predicted": "too high",
    "under_predicted": "too low",
}
_ERRORS = {"mean_error": "mean error", "mean_absolute_error": "its size"}


def result_text(run: Run) -> str:
    """What was found: an audit's table, or the headline of another study."""
    from diffoci.audit.result import AuditResult
    from diffoci.model_audit.result import ModelAuditResult

    result = run.result()
    if isinstance(result, ModelAuditResult):
        return f"{run.study.headline(result)}\n\n{model_table(result)}"
    return result_table(result) if isinstance(result, AuditResult) else run.study.headline(result)


def model_table(result: ModelAuditResult) -> str:
    """Rates of every group, then every criterion; what cannot be said stands last."""
    lines = []
    for one in result.models:
        for comparison in one.comparisons:
            found: list[dict[str, Rate | Interval]] = [{**group.rates, **group.errors} for group in comparison.groups]
            known = {name: words for name, words in (_ERRORS | _RATES).items() if any(name in one for one in found)}
            rows = [["by " + " × ".join(comparison.attributes), "people", *known.values()]]
            for group, measures in zip(comparison.groups, found, strict=True):
                shown = [_measure(name, measures.get(name)) for name in known]
                rows.append([group.label, f"{group.n:,}", *(shown if group.judged else ["not judged"])])
            lines += [one.name, *aligned(rows), ""]
    rows = [["model", "attribute", "criterion", "T", "shuffling gives up to", "p", "departure"]]
    for row in result.criteria_frame().to_dict("records"):
        numbers = [
            _decimals(None if row[name] != row[name] else row[name]) for name in ("T", "shuffled_limit", "p_value")
        ]
        rows.append([str(row["model"]), str(row["attribute"]), str(row["criterion"]), *numbers, str(row["answer"])])
    from diffoci.model_audit.words import population_words
    from diffoci.report.model_audit.compared import compared_words  # brings plotly

    said = (*population_words(result), *compared_words(result), *result.cannot)
    notes = [f"note: {note}" for note in result.provenance.notes]
    return "\n".join([*lines, *aligned(rows), *(f"- {sentence}" for sentence in said), *notes])


def _measure(name: str, found: Rate | Interval | None) -> str:
    if found is None:
        return "-"
    return f"{found.value:.4g}" if name in _ERRORS else f"{100 * found.value:.1f} %"


def aligned(rows: list[list[str]]) -> list[str]:
    """Lines whose columns stand below one another."""
    widths = [max((len(row[k]) for row in rows if k < len(row)), default=0) for k in range(max(map(len, rows)))]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False)).rstrip() for row in rows]


def result_table(result: AuditResult) -> str:
    """One line per method: how well the outcome is predicted and S guessed, what chance gives, the verdict."""
    header = ["method", "outcome accuracy"]
    for name in result.attributes:
        header += [f"{name} guessed (AUC)", "chance", "verdict"]
    lines = aligned([header, *(_row(one, result.attributes) for one in result.methods)])
    about = result.provenance
    kind = "real data" if about.real else "SIMULATED data"
    lines.append(
        f"{about.rows:,} rows of {kind}, {counted(len(result.spec.seeds), 'repetition')}, {duration(about.seconds)}"
    )
    lines += [f"note: {note}" for note in about.notes]
    return "\n".join(lines + [f"failed: {name}: {message}" for name, message in result.failures.items()])


def _row(one: MethodResult, attributes: Sequence[str]) -> list[str]:
    from diffoci.audit.words import VERDICTS

    row = [one.name, _percent(one.y.accuracy)]
    for attribute in attributes:
        found = one.leakage.of(attribute)
        if found is None:
            row += ["-", "-", "-"]
        else:
            low, high = found.null_auc_low, found.null_auc_high
            chance = "-" if high is None else f"{_decimals(low)} to {_decimals(high)}"
            row += [_decimals(found.auc.mean), chance, VERDICTS[found.verdict]]
    return row


def _decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".replace("-0.000", "0.000")


def _percent(found: Mean) -> str:
    from diffoci.audit.noise import without_width
    from diffoci.audit.words import ALIKE

    if found.mean is None:
        return "-"
    mean = f"{100 * found.mean:.1f} %"
    if found.low is None or found.high is None:
        return mean
    alike = without_width(found.low, found.high)
    return f"{mean} ({ALIKE if alike else f'{100 * found.low:.1f} to {100 * found.high:.1f}'})"


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
