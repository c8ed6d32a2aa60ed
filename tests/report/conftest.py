"""The result that reports are made from, a report of it, and one in which a stranger chose every name."""

from __future__ import annotations

import json

import pytest

from diffoci.audit.result import AuditResult
from diffoci.report.build import build_report
from diffoci.runs.store import Run
from tests.labs.small_runs import finished_run, specs
from tests.plain_result import plain, typed
from tests.sample_audit import sample

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "=cmd()|'x'!A1",
)


@pytest.fixture(scope="session")
def result() -> AuditResult:
    return sample().result()


@pytest.fixture(scope="session")
def report(result: AuditResult) -> str:
    return build_report(result, created=1.7e9)


@pytest.fixture(scope="session")
def hostile(result: AuditResult) -> AuditResult:
    """The same numbers under hostile names: attributes, groups, features, label, data, notes, failures, options."""
    text = json.dumps(plain(result))
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
    for one in changed["methods"]:
        one |= {word: f"{HOSTILE[0]} {one[word]}" for word in ("title", "short", "description", "citation")}
    return typed(changed)


@pytest.fixture(scope="session")
def lab_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A finished run of every lab, by its name."""
    folder = tmp_path_factory.mktemp("labs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIFFOCI_CACHE", str(folder / "cache"))
        return {name: finished_run(name, folder / name) for name in specs()}
