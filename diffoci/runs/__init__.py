"""Runs: audits in directories of their own, that can be watched, cancelled, killed and resumed."""

from diffoci.runs.launch import start
from diffoci.runs.lock import AlreadyRunning
from diffoci.runs.progress import CellProgress, Progress, read_history, read_progress
from diffoci.runs.runner import Means, run_audit
from diffoci.runs.store import Run, Status, list_runs, run_with_id, runs_root

__all__ = [
    "AlreadyRunning",
    "CellProgress",
    "Means",
    "Progress",
    "Run",
    "Status",
    "list_runs",
    "read_history",
    "read_progress",
    "run_audit",
    "run_with_id",
    "runs_root",
    "start",
]
