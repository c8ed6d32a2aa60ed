"""Audit a model from Python: scores as arrays, or an estimator with its data; the answer shows and reports itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec.structs import asdict

from diffoci.inputs import check_lengths
from diffoci.model_audit.compute import audit_people
from diffoci.model_audit.people import About, check_reference
from diffoci.model_audit.read_people import read_people
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.spec import ModelAuditSpec, ModelSettings, Roles
from diffoci.report.model_audit.build import ARRAYS, build_model_report, result_html


class AuditedScores(ModelAuditResult, frozen=True, kw_only=True, omit_defaults=True):
    """What `audit_scores` and `audit_model` return: a result that shows itself in a notebook and writes its report."""

    def report(self, path: str | Path) -> Path:
        """Write one HTML file with everything that was found."""
        target = Path(path)
        target.write_text(build_model_report(self), encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        return result_html(self)


def audit_scores(
    score: Any = None,
    *,
    sensitive: Any,
    label: Any = None,
    decision: Any = None,
    selected: Sequence[Any] = (),
    positive: Any = None,
    weights: Any = None,
    factors: Any = None,
    features: Any = None,
    threshold: float | None = None,
    reference: str = "largest",
    minimum: int = ModelSettings().minimum,
    rows: int = ModelSettings().rows,
    permutations: int = ModelSettings().permutations,
    seed: int = 0,
) -> AuditedScores:
    """Audit the scores or decisions of one or several models.

    Parameters
    ----------
    score : array, Series, DataFrame or mapping, optional
        One model's scores, or a column for each of several: probabilities or any numbers.
    sensitive : array, Series, DataFrame or mapping
        One column for each attribute: names of groups, or numbers such as an age, which are not cut into bands.
    label : array or Series, optional
        What happened: two values, or a number for a model that predicts a quantity.
    decision : array, Series, DataFrame or mapping, optional
        Recorded decisions, in the order of the scores; `selected` says which values count as selected.
    positive : object, optional
        The value of the label that counts as yes.
    weights : array or Series, optional
        How many people of the population each row stands for.
    factors, features : array, Series, DataFrame or mapping, optional
        What may justify a difference, and what the model looked at.
    threshold : float, optional
        People with a score of at least this are selected; otherwise the recorded decision counts, then 0.5, or the
        median of scores that are no probabilities.
    reference : str
        "largest", "overall", or the name of a group that others are compared with.
    minimum, rows, permutations, seed
        See `diffoci.model_audit.spec.ModelSettings`.

    Returns
    -------
    AuditedScores
        Typed, with `to_frame`, `criteria_frame` and `report`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sex = np.repeat(["f", "m"], 200)
    >>> found = audit_scores(rng.random(400) + 0.2 * (sex == "m"), sensitive={"sex": sex}, permutations=99)
    >>> found.model().attributes["sex"].criteria["independence"].answer
    'found'
    """
    table = _Columns()
    roles = Roles(
        scores=table.add(score, "score"),
        decisions=table.add(decision, "decision"),
        selected=tuple(_text(value) for value in selected),
        label=table.one(label, "label"),
        positive=None if positive is None else _text(positive),
        sensitive=table.add(sensitive, "sensitive"),
        weights=table.one(weights, "weights"),
        factors=table.add(factors, "factor"),
        features=table.add(features, "feature"),
    )
    settings = ModelSettings(
        threshold=threshold, reference=reference, minimum=minimum, rows=rows, permutations=permutations, seed=seed
    )
    return _audited(table.arrow(), roles, settings)


def audit_model(
    estimator: Any, X: Any, y: Any = None, *, sensitive: Any, features: bool = True, **options: Any
) -> AuditedScores:
    """Audit a fitted estimator on data that it has not learnt from.

    Parameters
    ----------
    estimator : object
        Has `predict_proba`, `decision_function` or `predict`, as in scikit-learn.
    X : array or DataFrame
        What it predicts from.
    y : array or Series, optional
        The label.
    sensitive : array, Series, DataFrame or mapping
        As in `audit_scores`.
    features : bool
        Whether to look for the columns of X that carry the attribute into the score.
    **options
        Of `audit_scores`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y, sex = (X[:, 0] > 0).astype(int), np.where(X[:, 1] > 0, "m", "f")
    >>> model = LogisticRegression().fit(X, y)
    >>> audit_model(model, X, y, sensitive={"sex": sex}, permutations=99).model().overall.rates["accuracy"].value > 0.9
    True
    """
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X)).add_prefix("x")
    name = type(estimator).__name__
    classes = getattr(estimator, "classes_", None)
    if hasattr(estimator, "predict_proba"):
        found = np.asarray(estimator.predict_proba(X))
        if found.ndim != 2 or found.shape[1] != 2:
            raise ValueError(
                f"{name} predicts more than two classes; audit one of them against the rest with audit_scores."
            )
        scores, known = found[:, 1], {"positive": classes[1]} if classes is not None else {}
    elif hasattr(estimator, "decision_function"):
        scores, known = np.asarray(estimator.decision_function(X)), {"threshold": 0.0}
    elif hasattr(estimator, "predict"):
        scores, known = np.asarray(estimator.predict(X)), {}
    else:
        raise ValueError(
            f"{name} has neither predict_proba nor decision_function nor predict; give its scores instead."
        )
    if y is None:
        known.pop("positive", None)
    looked_at = frame if features else None
    return audit_scores({name: scores}, label=y, sensitive=sensitive, features=looked_at, **{**known, **options})


def _audited(table: pa.Table, roles: Roles, settings: ModelSettings) -> AuditedScores:
    people = read_people(table, roles, About(ARRAYS, "your scores"))
    check_reference(people, settings)
    spec = ModelAuditSpec(data=ARRAYS, roles=roles, settings=settings)
    return AuditedScores(**asdict(audit_people(spec, people)))


class _Columns:
    """Columns from arrays, Series, frames and mappings, every name used once."""

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}

    def add(self, values: Any, name: str) -> tuple[str, ...]:
        """Take the columns, and say what they are called."""
        if values is None:
            return ()
        return tuple(self._named(column, title) for title, column in _split(values, name))

    def one(self, values: Any, name: str) -> str | None:
        """Take a single column."""
        found = self.add(values, name)
        if len(found) > 1:
            raise ValueError(f"{name} must be one column, but it has {len(found)}.")
        return found[0] if found else None

    def arrow(self) -> pa.Table:
        """All columns side by side."""
        if not self._columns:
            raise ValueError("Give scores or decisions, and at least one sensitive attribute.")
        check_lengths(**{name: len(column) for name, column in self._columns.items()})
        try:
            return pa.table({name: _array(column) for name, column in self._columns.items()})
        except pa.ArrowException as problem:
            raise ValueError(f"The columns cannot be read: {problem}.") from problem

    def _named(self, column: Any, title: str) -> str:
        name = title
        while name in self._columns:
            name += "'"
        self._columns[name] = column
        return name


def _split(values: Any, name: str) -> list[tuple[str, Any]]:
    if isinstance(values, pd.DataFrame):
        return [(str(title), values.iloc[:, k]) for k, title in enumerate(values.columns)]
    if isinstance(values, Mapping):
        return [(str(title), column) for title, column in values.items()]
    if isinstance(values, pd.Series):
        return [(str(values.name) if values.name is not None else name, values)]
    array = np.asarray(values)
    if array.ndim == 2:
        return [(f"{name} {k + 1}", array[:, k]) for k in range(array.shape[1])]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one column or a table of columns, but it has {array.ndim} dimensions.")
    return [(name, array)]


def _array(column: Any) -> pa.Array:
    values = column if isinstance(column, pd.Series) else pd.Series(np.asarray(column))
    if values.dtype == object:
        values = values.infer_objects()
    if values.dtype == object:
        values = values.map(lambda value: None if pd.isna(value) else str(value)).astype("str")
    return pa.Array.from_pandas(values)


def _text(value: Any) -> str:
    """A value as a column read from a file has it: 1 and not 1.0 or True."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, float, np.number)):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)
