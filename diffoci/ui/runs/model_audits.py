"""Model audits on pages: the one of the address, its people, and what it found, each read once."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from diffoci.audit.decisions.grouping import Grouping, group_by
from diffoci.data.dataset import Dataset
from diffoci.inputs import Ints
from diffoci.model_audit.load import load_people
from diffoci.model_audit.people import People, decided
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.spec import ModelAuditSpec
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.runs.run_files import PlanFile, read_file
from diffoci.runs.store import Run
from diffoci.ui.runs.own_runs import own_runs


def is_model_audit(run: Run | None) -> bool:
    """Say whether a run is an audit of a model's scores."""
    return run is not None and run.study.name == MODEL_AUDIT.name


def model_result_of(run: Run) -> ModelAuditResult:
    """Return the result of a finished model audit."""
    return _result(run.id, run.result_file.stat().st_mtime_ns, run)


def people_of(spec: ModelAuditSpec) -> People:
    """Return the people of a specification."""
    asked = {key: value for key, value in spec.to_dict().items() if key not in ("settings", "answers", "device")}
    return _people(json.dumps(asked, sort_keys=True), spec)


def people_of_run(run: Run) -> People:
    """Return the people of an audit, or say that they are not the same any more."""
    MODEL_AUDIT.check_local(run.spec)
    people = people_of(run.spec)
    if run.plan_file.exists() and people.sha256 != read_file(run.plan_file, PlanFile).sha256:
        raise ValueError("The data changed since this audit was made; put the old data back, or audit the new ones.")
    return people


def decisions_beside(run: Run, dataset: Dataset) -> dict[str, Ints]:
    """Decisions, about the rows of a fairness audit, of models that were audited on the same table."""
    found: dict[str, Ints] = {}
    for other in own_runs():
        if not is_model_audit(other) or other.spec.data != run.spec.data or not other.result_file.exists():
            continue
        try:
            people = people_of_run(other)
        except (ValueError, OSError):  # its rows are gone or changed: it cannot stand beside these
            continue
        if not _same_rows(people, dataset):
            continue
        for one in people.models:
            decision = decided(one, other.spec.settings)
            if decision.selected is not None:
                how = "as recorded" if decision.threshold is None else f"from {decision.threshold:g}"
                found.setdefault(f"{one.name} ({how})", decision.selected)
    return found


def _same_rows(people: People, dataset: Dataset) -> bool:
    """The same people in the same order: as many, alike in every attribute that both have, and in the outcome."""
    shared = [name for name in people.groups if name in dataset.sensitive]
    if len(people) != len(dataset) or not shared:
        return False
    label = people.two_classes
    return all(_equal(people.groups[name], dataset.sensitive[name]) for name in shared) and (
        label is None or people.outcome is None or people.outcome.name != dataset.label_name
        or bool((label == dataset.label.to_numpy()).all())
    )  # fmt: skip


def _equal(one: pd.Series, other: pd.Series) -> bool:
    return bool((one.astype(str).to_numpy() == other.astype(str).to_numpy()).all())


def grouping_of(people: People, attributes: tuple[str, ...]) -> Grouping:
    """Return everybody's group, found once however often a slider moves."""
    return _grouping(people.sha256, attributes, people)


@st.cache_resource(max_entries=8, show_spinner=False)
def _result(identifier: str, written: int, _run: Run) -> ModelAuditResult:
    result: ModelAuditResult = _run.result()
    return result


@st.cache_resource(max_entries=4, show_spinner="Reading the table …")
def _people(asked: str, _spec: ModelAuditSpec) -> People:
    return load_people(_spec)


@st.cache_resource(max_entries=16, show_spinner=False)
def _grouping(sha256: str, attributes: tuple[str, ...], _people: People) -> Grouping:
    return group_by(_people.groups, list(attributes))
