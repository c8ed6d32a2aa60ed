"""The specification and result inside a report: written so that no browser runs them, read back by `verify`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePath
from typing import Any

from diffoci.audit.spec import AuditSpec
from diffoci.figures.reading import Result
from diffoci.runs.provenance import versions
from diffoci.runs.result_shape import check_result
from diffoci.runs.schema import SCHEMA, check_schema

ELEMENT = "diffoci-result"
# The id of an audit opens it on its server; a report is for strangers, who get enough of it to name the audit.
_ID_DIGITS = 8


@dataclass(frozen=True, eq=False)
class Embedded:
    """What a report carries; `intact` says whether it is what was written, `written_by` by which version."""

    result: dict[str, Any]
    created: float | None
    intact: bool
    written_by: str


def public(result: Result) -> dict[str, Any]:
    """The result as strangers may have it: without the folder of the user's own file, and with a shortened id."""
    spec = dict(result["spec"])
    if spec["data"].startswith("csv:"):
        spec["data"] = f"csv:{PurePath(spec['data'][4:].replace(chr(92), '/')).name}"
    return {**result, "id": str(result.get("id", ""))[:_ID_DIGITS], "spec": spec}


def embed(result: Result, *, created: float | None) -> str:
    """The content of the script element: JSON in which nothing can end the element."""
    head = {"schema": SCHEMA, "written_by": versions()["diffoci"], "created": created}
    return safe_json({**head, "sha256": digest(result, created), "result": result})


def digest(result: Result, created: float | None) -> str:
    """Of everything embedded."""
    text = json.dumps({"created": created, "result": result}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def safe_json(value: Any) -> str:
    r"""JSON for a script element: ``<``, ``>`` and ``&`` as escapes, so that ``</script>`` cannot occur.

    >>> safe_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def read_embedded(text: str) -> Embedded:
    """Read a report's own result, or say in a sentence why there is none."""
    found = script_content(text, ELEMENT)
    if found is None:
        raise ValueError("This is not a report of diffoci: it carries no result.")
    try:
        content = json.loads(found)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("result"), dict):
        raise ValueError("The result in this report is damaged: it is not JSON of the right form.")
    check_schema(content, "The report")
    check_result(content["result"])
    AuditSpec.from_dict(content["result"]["spec"])
    result, created = content["result"], content.get("created")
    intact = content.get("sha256") == digest(result, created)
    return Embedded(result, created, intact, str(content.get("written_by", "unknown")))


def read_report(path: Path) -> str:
    """The text of a report file."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a report of diffoci: it is not a text file.") from None


def script_content(text: str, element: str) -> str | None:
    """The text of a script element by its id."""
    finder = _ScriptFinder(element)
    finder.feed(text)
    return finder.found


class _ScriptFinder(HTMLParser):
    def __init__(self, element: str) -> None:
        super().__init__()
        self.element, self._inside = element, False
        self.found: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and ("id", self.element) in attrs

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found = (self.found or "") + data

    def handle_endtag(self, tag: str) -> None:
        self._inside = False
