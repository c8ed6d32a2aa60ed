"""Results taken apart and put together again, for tests that ask what would be said of other numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from diffoci.audit.findings import conclude
from diffoci.audit.result import AuditResult
from diffoci.runs.store import Run

Content = dict[str, Any]


def plain(result: AuditResult) -> Content:
    """The content of result.json, to be changed at will."""
    content: Content = json.loads(json.dumps(msgspec.to_builtins(result)))
    return content


def found(run: Run) -> Content:
    """Everything an audit found, without what tells one run from another."""
    content = plain(run.result())
    del content["id"], content["provenance"]["seconds"]
    return content


def typed(content: Content) -> AuditResult:
    """The result of these values with the findings that follow from them, however odd they are together."""
    result = msgspec.convert({**content, "findings": {}}, AuditResult)
    return msgspec.structs.replace(result, findings=conclude(result))


def changed(result: AuditResult, change: Callable[[Content], object]) -> AuditResult:
    """The result with other values."""
    content = plain(result)
    change(content)
    return typed(content)


def leak(content: Content, method: int = 0, attribute: str = "sex", place: str = "representation") -> Content:
    """What content says of guessing an attribute from one method."""
    found: Content = content["methods"][method]["leakage"]["by_attribute"][attribute][place]
    return found
