"""How long an audit will take, said before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from joblib import cpu_count

from diffoci.audit.engine import plan
from diffoci.audit.presets import QUICK
from diffoci.audit.spec import AuditSpec
from diffoci.data.dataset import Dataset
from diffoci.runs.files import read_json, read_lines
from diffoci.runs.memory import bytes_free, bytes_needed, bytes_promised
from diffoci.ui.own_audits import own_audits

# Measured on one core of a machine without GPU: seconds for a unit of cost, for each unit and 1,000 rows, and to begin.
_UNIT, _UNIT_PER_THOUSAND, _BEGIN = 0.5, 0.135, 5.0
_PARTS_OF_TRAINING = ("network", "penalised", "adversary", "vec", "probe")


def estimate(spec: AuditSpec, dataset: Dataset) -> float:
    """Return the seconds an audit will take: from the last one like it on this machine, or else from its size."""
    units = sum(cell.cost for cell in plan(spec, dataset)) * _effort(spec.settings)
    before = _seconds_per_unit(spec)
    if before is not None:
        return units * before
    each = _UNIT + _UNIT_PER_THOUSAND * len(dataset) / 1000
    return _BEGIN + units * each / cpu_count()


def memory_words(spec: AuditSpec, dataset: Dataset) -> str:
    """Say what memory an audit of these data takes, and what there is."""
    free = max(0.0, bytes_free() - bytes_promised())
    return (
        f"{bytes_needed(dataset, spec.settings) / 1e9:.1f} GB of memory for each process ({free / 1e9:.1f} GB are free)"
    )


def _effort(settings: Mapping[str, Any]) -> float:
    """Epochs against those of the quick preset; trainings mostly stop early, hence the root."""
    asked = sum(settings[part]["max_epochs"] for part in _PARTS_OF_TRAINING)
    usual = sum(QUICK[part]["max_epochs"] for part in _PARTS_OF_TRAINING)
    tries = (len(settings["penalties"]) + len(settings["adversary_weights"])) / 2
    return (asked / usual) ** 0.5 * (0.5 + 0.5 * tries)


def _seconds_per_unit(spec: AuditSpec) -> float | None:
    """Look at the small files of recent audits of the same data."""
    for run in islice(own_audits(), 30):
        same = (run.spec.data, run.spec.twin, run.spec.options) == (spec.data, spec.twin, spec.options)
        if not (same and run.result_file.exists()):
            continue
        try:
            last = read_lines(run.progress_file, last_bytes=4096)[-1]
            units = sum(float(cell["cost"]) for cell in read_json(run.plan_file)["cells"])
            return float(last["elapsed"]) / (units * _effort(run.spec.settings))
        except (OSError, ValueError, KeyError, IndexError, TypeError, ZeroDivisionError):
            continue
    return None
