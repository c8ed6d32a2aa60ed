"""How long an audit will take, said before it starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from joblib import cpu_count

from diffoci.audit.cost.memory import bytes_needed
from diffoci.audit.methods import curves
from diffoci.audit.presets import QUICK
from diffoci.audit.settings import GROUPS
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.data.dataset import Dataset
from diffoci.runs.memory import bytes_free, bytes_promised
from diffoci.runs.progress.records import read_records
from diffoci.runs.run_files import PlanFile, read_file
from diffoci.runs.store import Run

# Measured on one core of a machine without GPU: seconds for a unit of cost, for each unit and 1,000 rows, and to begin.
_UNIT, _UNIT_PER_THOUSAND, _BEGIN = 0.5, 0.135, 5.0


def estimate(spec: AuditSpec, dataset: Dataset, *, earlier: Iterable[Run] = ()) -> float:
    """Return the seconds an audit will take: from the last one like it among earlier ones, or else from its size."""
    units = sum(cell.cost for cell in AUDIT.plan(spec, dataset)) * _effort(spec.settings)
    before = _seconds_per_unit(spec, earlier)
    if before is not None:
        return units * before
    each = _UNIT + _UNIT_PER_THOUSAND * len(dataset) / 1000
    return _BEGIN + units * each / int(cpu_count())


def memory_words(spec: AuditSpec, dataset: Dataset) -> str:
    """Say what memory an audit of these data takes, and what there is."""
    free = max(0.0, bytes_free() - bytes_promised())
    return (
        f"{bytes_needed(dataset, spec.settings) / 1e9:.1f} GB of memory for each process ({free / 1e9:.1f} GB are free)"
    )


def _effort(settings: Mapping[str, Any]) -> float:
    """Epochs against those of the quick preset; trainings mostly stop early, hence the root."""
    asked = sum(settings[part]["max_epochs"] for part in GROUPS)
    usual = sum(QUICK[part]["max_epochs"] for part in GROUPS)
    weights = curves().values()
    tries = sum(len(settings[name]) for name in weights) / len(weights)
    return float((asked / usual) ** 0.5 * (0.5 + 0.5 * tries))


def _seconds_per_unit(spec: AuditSpec, earlier: Iterable[Run]) -> float | None:
    """Look at the small files of recent audits of the same data."""
    audits = (run for run in earlier if run.study.name == AUDIT.name)
    for run in islice(audits, 30):
        same = (run.spec.data, run.spec.twin, run.spec.options) == (spec.data, spec.twin, spec.options)
        if not (same and run.result_file.exists()):
            continue
        try:
            last = read_records(run.progress_file, last_bytes=4096)[-1]
            units = sum(cell.cost for cell in read_file(run.plan_file, PlanFile).cells)
            return float(last["elapsed"]) / (units * _effort(run.spec.settings))
        except (OSError, ValueError, KeyError, IndexError, TypeError, ZeroDivisionError):
            continue
    return None
