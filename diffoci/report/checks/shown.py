"""What a report shows, sentence by sentence and cell by cell, read back from its HTML."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

from diffoci.report.checks.agreement import Leaf
from diffoci.report.writing.embedded import safe_json, script_content
from diffoci.report.writing.page import FIGURES, data_tag

_CAPTURED = ("h1", "h2", "h3", "p", "li", "pre", "caption", "th", "td", "title")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def shown(text: str) -> dict[str, Leaf]:
    """Everything a reader can read: texts by where they stand."""
    reader = _Reader()
    reader.feed(text)
    return dict(reader.found)


def drawn(text: str) -> Any:
    """What the pictures of a report are drawn from; a sentence where that cannot be read."""
    content = script_content(text, FIGURES)
    try:
        return None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return "what pictures are drawn from is damaged"


def is_as_written(text: str, rebuilt: str) -> bool:
    """Whether a file is the one the program writes, letter by letter, but for the numbers its pictures are drawn from.

    Those are compared as numbers, since another machine may differ in their last digit; nothing else may stand there.
    """
    tag = data_tag(FIGURES)
    start = rebuilt.index(tag) + len(tag) if tag in rebuilt else len(rebuilt)
    end = rebuilt.index("</script>", start) if tag in rebuilt else len(rebuilt)
    after = rebuilt[end:]
    if not text.startswith(rebuilt[:start]) or not text.endswith(after) or len(text) < start + len(after):
        return False
    figures = text[start : len(text) - len(after)]
    try:
        return not figures or safe_json(json.loads(figures)) == figures
    except (ValueError, RecursionError):
        return False


def numbers_in(found: dict[str, Leaf]) -> int:
    """How many numbers that is, those within texts counted one by one."""
    return sum(len(_NUMBER.findall(value)) if isinstance(value, str) else value is not None for value in found.values())


class _Reader(HTMLParser):
    """Collects texts; a cell is known by its table's caption, its row's and its column's heading."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._seen: Counter[str] = Counter()
        self._text: list[str] | None = None
        self._section = self._caption = self._row = ""
        self._columns: list[str] = []
        self._column = 0
        self._in_body = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._columns, self._in_body = [], False
        elif tag == "tbody":
            self._in_body = True
        elif tag == "tr":
            self._column, self._row = 0, ""
        label = dict(attrs).get("aria-label")
        if label:
            self._keep("words of a picture", label)
        if tag in _CAPTURED:
            self._text = []

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _CAPTURED or self._text is None:
            return
        text, self._text = "".join(self._text), None
        if tag == "h2":
            self._section = text
        if tag == "caption":
            self._caption = text
        if tag in ("th", "td"):
            self._cell(text)
        else:
            self._keep({"li": "point", "p": "sentence"}.get(tag, tag), text)

    def _cell(self, text: str) -> None:
        if not self._in_body:
            self._columns.append(text)
            self._keep(f"table “{self._caption}”, heading", text)
            return
        column = self._columns[self._column] if self._column < len(self._columns) else str(self._column)
        self._column += 1
        self._row = self._row or text
        self._keep(f"table “{self._caption}”, row “{self._row}”, column “{column}”", text)

    def _keep(self, what: str, text: str) -> None:
        where = f"{self._section or 'top'}: {what}"
        self._seen[where] += 1
        number = self._seen[where]
        self.found[where if number == 1 else f"{where} ({number})"] = text
