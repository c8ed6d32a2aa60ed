"""The specification and result inside a report: written so that no browser runs them, read back by `verify`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Annotated, Any, Generic

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from diffoci.audit.kinds import Text
from diffoci.runs.provenance import versions
from diffoci.runs.run_files import SCHEMA, check_schema
from diffoci.runs.study import Result, ResultT, Spec
from diffoci.runs.typed_json import convert

ELEMENT = "diffoci-result"
# The id of an audit opens it on its server; a report is for strangers, who get enough of it to name the audit.
_ID_DIGITS = 8
# Seconds since 1970, up to a year that every calendar knows.
_Moment = Annotated[float, Meta(ge=0, le=4e9)]


class _Content(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of the script element."""

    schema: int
    written_by: Text
    created: _Moment | None
    sha256: Text
    result: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Embedded(Generic[ResultT]):
    """What a report carries; `intact` says whether it is what was written, `written_by` by which version."""

    result: ResultT
    created: float | None
    intact: bool
    written_by: str

    @property
    def of_another_version(self) -> bool:
        """Whether another version wrote the report, whose markup and style nobody here can tell from added ones."""
        return self.written_by != versions()["diffoci"]


def public(result: ResultT, portable: Spec) -> ResultT:
    """The result as strangers may have it: with a specification that names no folder here, and a shortened id."""
    return replace(result, id=result.id[:_ID_DIGITS], spec=portable)


def embed(result: Result, *, created: float | None) -> str:
    """The content of the script element: JSON in which nothing can end the element."""
    written_by, plain = versions()["diffoci"], msgspec.to_builtins(result)
    head = {"schema": SCHEMA, "written_by": written_by, "created": created}
    return safe_json({**head, "sha256": digest(plain, created, written_by), "result": plain})


def digest(result: Mapping[str, Any], created: float | None, written_by: str) -> str:
    """Of everything embedded."""
    content = {"created": created, "result": result, "written_by": written_by}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def safe_json(value: Any) -> str:
    r"""JSON for a script element: ``<``, ``>`` and ``&`` as escapes, so that ``</script>`` cannot occur.

    >>> safe_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def has_result(report: str) -> bool:
    """Whether a file carries a result, as reports do and cards do not."""
    return script_content(report, ELEMENT) is not None


def study_in(report: str) -> str:
    """The name of the study whose result a report carries, as far as it says one."""
    content = _content(report)
    return str(content["result"].get("study")) if content is not None else ""


def read_embedded(report: str, read: Callable[[Mapping[str, Any], str], ResultT]) -> Embedded[ResultT]:
    """Read a report's own result, checked by `read`, or say in a sentence why there is none."""
    if not has_result(report):
        raise ValueError("This is not a report of diffoci: it carries no result.")
    content = _content(report)
    if content is None:
        raise ValueError("The result in this report is damaged: it is not JSON of the right form.")
    check_schema(content, "The report")
    result = read(content["result"], "The result.json in this report")
    head = convert(content, _Content, "The report")
    intact = head.sha256 == digest(content["result"], content["created"], head.written_by)
    return Embedded(result, head.created, intact, head.written_by)


def _content(report: str) -> dict[str, Any] | None:
    """What the script element holds, where it is JSON with a result in it."""
    try:
        content = json.loads(script_content(report, ELEMENT) or "", parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and isinstance(content.get("result"), dict) else None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON.")


def read_report(path: Path) -> str:
    """The text of a report file, its line ends as they are: names may have some, and every letter is compared."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a report of diffoci: it is not a text file.") from None


def script_content(text: str, element: str) -> str | None:
    """The text of a script element by its id."""
    return _scripts(text).get(element)


@lru_cache(maxsize=1)  # of one report several elements are asked for, and reading megabytes takes a while
def _scripts(text: str) -> Mapping[str, str]:
    finder = _ScriptFinder()
    finder.feed(text)
    return finder.found


class _ScriptFinder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._inside: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = {value for name, value in attrs if name == "id" and value} if tag == "script" else set()

    def handle_data(self, data: str) -> None:
        for element in self._inside:
            self.found[element] = self.found.get(element, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._inside = set()
