"""The result that reports are made from, a report of it, and one in which a stranger chose every name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from diffoci.report.build import build_report
from tests.sample_audit import sample

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "=cmd()|'x'!A1",
)


@pytest.fixture(scope="session")
def result() -> dict[str, Any]:
    return sample().result()


@pytest.fixture(scope="session")
def report(result: dict[str, Any]) -> str:
    return build_report(result, created=1.7e9)


@pytest.fixture(scope="session")
def hostile(result: dict[str, Any]) -> dict[str, Any]:
    """The same numbers under hostile names: attributes, groups, features, label, data, notes, failures, options."""
    text = json.dumps(result)
    for old, new in (
        ('"sex"', HOSTILE[0]), ('"address"', HOSTILE[1]), ('"F"', HOSTILE[2]), ('"M"', HOSTILE[3]), ('"age"', "-1+1"),
        ('"absences"', "@SUM(A1)"), ('"12 or more"', HOSTILE[0]),
    ):  # fmt: skip
        text = text.replace(old, json.dumps(new))
    changed = json.loads(text)
    for name in ("title", "source", "licence", "citation"):
        changed["provenance"][name] = f"{HOSTILE[0]} {HOSTILE[1]}"
    changed["provenance"]["notes"] = list(HOSTILE)
    changed["label"]["name"] = HOSTILE[2]
    changed["features"]["labels"] = [HOSTILE[k % 4] for k in range(len(changed["features"]["labels"]))]
    changed["failures"] = {HOSTILE[0]: HOSTILE[1]}
    changed["spec"]["options"] = {"drop": [HOSTILE[1], HOSTILE[0]]}
    return changed
