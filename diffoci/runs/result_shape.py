"""What result.json and its neighbours must look like before a stranger's are believed: everything pages read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diffoci.audit.presets import PRESETS
from diffoci.runs.option_shapes import check_options
from diffoci.runs.shapes import (
    Shape,
    anything,
    between,
    flag,
    list_of,
    mapping_of,
    moment,
    number,
    one_of,
    or_none,
    positive,
    record,
    text,
    whole,
)

_MEAN = record(mean=or_none(number), low=or_none(number), high=or_none(number), values=list_of(or_none(number)))
_RATES = {"accuracy": _MEAN, "balanced_accuracy": _MEAN, "auc": _MEAN}
_LEAKAGE = record(
    **_RATES,
    majority=number,
    null_auc_low=or_none(number),
    null_auc_high=or_none(number),
    below_chance=flag,
    probe=text,
    probes=mapping_of(record(**_RATES)),
    T=_MEAN,
    p_value=or_none(number),
    not_judged=list_of(text),
    test_rows=whole,
    verdict=one_of("detected", "not detected", "insufficient evidence"),
)
_NUMBERS: dict[str, Shape] = {
    "seeds": list_of(whole, fewest=1),
    "y": record(**_RATES, majority=number, probe=list_of(text), probes=mapping_of(record(**_RATES))),
    "leakage": record(by_attribute=mapping_of(mapping_of(_LEAKAGE), fewest=1)),
}
_METHOD = record(
    name=text,
    title=text,
    needs_sensitive_at_prediction=flag,
    chosen=list_of(mapping_of(anything)),
    decisions=mapping_of(anything),
    **_NUMBERS,
)
_CONDITION = record(
    given=list_of(text),
    theta=list_of(number),
    values=list_of(list_of(number)),
    dropped=list_of(text),
    frequency=list_of(number),
    cutoff=number,
)
_SPEC = record(
    data=text,
    sensitive=list_of(text),
    methods=list_of(text),
    seeds=list_of(whole, fewest=1),
    preset=one_of(*PRESETS),
    twin=flag,
    options=mapping_of(anything),
    settings=mapping_of(anything),
    device=text,
)
RESULT = record(
    schema=whole,
    id=text,
    spec=_SPEC,
    provenance=record(
        sha256=text, rows=whole, real=flag, name=text, title=text, source=text, licence=text, citation=text,
        notes=list_of(text), versions=mapping_of(text), device=text, seconds=number,
    ),
    label=record(name=text, classes=list_of(text, fewest=2)),
    groups=mapping_of(mapping_of(record(rows=positive, label_rate=or_none(number))), fewest=1),
    methods=list_of(_METHOD),
    curve=mapping_of(list_of(record(weight=number, **_NUMBERS))),
    features=record(
        names=list_of(text), labels=list_of(text), conditions=list_of(_CONDITION), only_together=list_of(text),
        exact=or_none(mapping_of(anything)),
    ),
    paper=mapping_of(anything),
    failures=mapping_of(text),
)  # fmt: skip
SPEC_FILE = record(schema=whole, id=text, created=moment, digest=text, spec=_SPEC)
PLAN_FILE = record(
    schema=whole, digest=text, sha256=text, cells=list_of(record(id=text, stage=text, method=text, seed=whole))
)
STATE_FILE = record(schema=whole, state=one_of("done"), message=text)
CELL_FILE = record(
    schema=whole, cell=text, digest=text, data=text, files=mapping_of(text), summary=mapping_of(anything)
)
FAILED_FILE = record(schema=whole, cell=text, error=text)


def check_spec(spec: Mapping[str, Any]) -> None:
    """Check what a specification asks for, beyond its shape: options that its source has, and shares of rows."""
    check_options(spec["data"], spec["options"])
    fractions = spec["settings"].get("fractions")
    list_of(between(1e-6, 1), length=3)(fractions, "The setting 'fractions' of the audit")


def check_result(result: Mapping[str, Any]) -> None:
    """Check a result's shape and that its parts speak of the same attributes, seeds and features."""
    RESULT(result, "result.json")
    check_spec(result["spec"])
    attributes, features = set(result["groups"]), len(result["features"]["names"])
    points = [point for line in result["curve"].values() for point in line]
    for one in [*result["methods"], *points]:
        if not set(one["leakage"]["by_attribute"]) <= attributes:
            raise ValueError("result.json measures an attribute whose groups it does not name.")
        if any(len(one["y"][score]["values"]) > len(one["seeds"]) for score in _RATES):
            raise ValueError("result.json has more scores than seeds.")
    for condition in result["features"]["conditions"]:
        lists = [condition["theta"], condition["frequency"], *condition["values"]]
        if any(len(one) != features for one in lists):
            raise ValueError("result.json has weights that do not belong to its features.")
