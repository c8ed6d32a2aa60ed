"""A document as one HTML file: nothing is fetched, nothing a user wrote can run, tables read without scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from typing import Any

from plotly.offline import get_plotlyjs

from diffoci.figures import Drawing, themed
from diffoci.report._document import Document
from diffoci.report.writing._self_check import BOX, ONLY_VERIFY, WAITING, self_check_script
from diffoci.report.writing._style import STYLE
from diffoci.report.writing.blocks import (
    Answer,
    Block,
    Code,
    Follows,
    Heading,
    Picture,
    Points,
    Section,
    Sentence,
    Table,
    Words,
    cell_text,
    is_number_text,
)
from diffoci.report.writing.embedded import ELEMENT, safe_json
from diffoci.report.writing.pointers import Pointers

FIGURES = "diffoci-figures"
# A table of so few rows is not split between printed pages.
SHORT_TABLE = 14
# A table of more columns is printed smaller, so that none is cut.
MANY_COLUMNS = 6
APPENDIX = (
    "Every further number of the audit, folded: open what you want to see. Folded parts are not printed; to print "
    "some, open them first, then print as usual."
)
OPEN_ALL = "open-all"
_OPEN_BUTTON = f'<p><button id="{OPEN_ALL}" type="button" hidden>Open every part</button></p>'
# Charts appear only where scripts run; elsewhere their tables stand alone and no empty frames are left. Those in a
# folded part are drawn when it is opened: before, they have no width.
_DRAW = f"""
const figures = JSON.parse(document.getElementById("{FIGURES}").textContent);
const draw = (part) => {{
  for (const place of part.querySelectorAll(".chart[hidden]")) {{
    if (place.closest("details:not([open])")) continue;
    const figure = figures[place.id];
    place.hidden = false;
    Plotly.newPlot(place, figure.data, figure.layout, {{displaylogo: false, responsive: true,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"]}});
  }}
}};
draw(document);
for (const part of document.querySelectorAll("details")) part.addEventListener("toggle", () => draw(part));
"""
_OPEN = f"""
const button = document.getElementById("{OPEN_ALL}");
button.hidden = false;
button.addEventListener("click", () => {{
  for (const part of document.querySelectorAll("details")) part.open = true;
}});
"""


def page(document: Document, *, embedded: str | None = None) -> str:
    """Write the file.

    Parameters
    ----------
    embedded : str, optional
        What `diffoci.report.writing.embedded.embed` gave.
    """
    drawings = [
        block.drawing for section in document.sections for block in section.blocks if isinstance(block, Picture)
    ]
    scripts = [get_plotlyjs(), _DRAW] if drawings else []
    if any(section.folded for section in document.sections):
        scripts.append(_OPEN)
    if embedded is not None:
        scripts.append(self_check_script())
    data = [_data(ELEMENT, embedded)] if embedded is not None else []
    if drawings:
        data.append(_data(FIGURES, safe_json(figures(drawings))))
    simulated = (
        '<p class="simulated bar">SIMULATED DATA: nobody in these rows is real.</p>' if document.simulated else ""
    )
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{escape(document.title)}</title><style>{STYLE}</style></head><body>",
            simulated,
            f'<header><p class="kicker">{escape(document.kicker)}</p><h1>{escape(document.title)}</h1>',
            f"{_self_check() if embedded is not None else ''}</header><main>",
            _Body(document.pointers).render(document.sections),
            "</main>",
            *data,
            *(f"<script>{script}</script>" for script in scripts),
            "</body></html>\n",
        ]
    )


def figures(drawings: Sequence[Drawing]) -> dict[str, Any]:
    """The figures by the id of the element that shows each."""
    found = {}
    for k, drawing in enumerate(drawings):
        figure = themed(drawing.figure, dark=False).to_plotly_json()
        found[chart_id(k)] = _plain({"data": figure["data"], "layout": {**figure["layout"], "autosize": True}})
    return found


def chart_id(number: int) -> str:
    """The id of the element that shows a chart."""
    return f"chart-{number + 1}"


def _plain(value: Any) -> Any:
    from diffoci.runs.files import plain

    if hasattr(value, "to_plotly_json"):
        value = value.to_plotly_json()
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return plain(value, finite=True)


def _policy(scripts: Sequence[str]) -> str:
    """Only our own scripts run, known by their digests, and nothing is fetched, whatever a name contains."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    rest = "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {allowed}; {rest}"


def data_tag(element: str) -> str:
    """What stands before data that scripts read."""
    return f'<script type="application/json" id="{element}">'


def _data(element: str, content: str) -> str:
    return f"{data_tag(element)}{content}</script>"


def _self_check() -> str:
    """Where the script says what it found, and what it cannot find."""
    return (
        f'<aside id="{BOX}"><p role="status">{escape(WAITING)}</p>'
        f"<details><summary>What this shows, and what only verify can prove</summary><p>{escape(ONLY_VERIFY)}</p>"
        "</details></aside>"
    )


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 2:
        return ""
    lines = "".join(
        f'<li><a href="#part-{k}">{escape(section.title)}</a></li>' for k, section in enumerate(sections, start=1)
    )
    return f'<nav aria-label="Contents"><ol>{lines}</ol></nav>'


class _Body:
    """Renders sections, counting charts as it goes."""

    def __init__(self, pointers: Pointers) -> None:
        self.charts, self.pointers = 0, pointers

    def render(self, sections: Sequence[Section]) -> str:
        """The first section, what else there is, the rest, and folded ones at the end."""
        parts = [self.section(k, section) for k, section in enumerate(sections, start=1)]
        folded = [part for part, section in zip(parts, sections, strict=True) if section.folded]
        opened = parts[: len(parts) - len(folded)]
        appendix = [f"<section><h2>Appendix</h2><p>{escape(APPENDIX)}</p>{_OPEN_BUTTON}</section>"] if folded else []
        return "\n".join([*opened[:1], _contents(sections), *opened[1:], *appendix, *folded])

    def section(self, number: int, section: Section) -> str:
        blocks = "".join(map(self.block, section.blocks))
        name, title = f"part-{number}", f"<h2>{escape(section.title)}</h2>"
        if section.folded:  # a link to what is inside opens it
            return f'<details><summary>{title}</summary><section id="{name}">{blocks}</section></details>'
        return f'<section id="{name}">{title}{blocks}</section>'

    def block(self, block: Block) -> str:
        match block:
            case Words(text, loud):
                kind = (
                    "" if not loud else ' class="loud simulated"' if text.startswith("SIMULATED") else ' class="loud"'
                )
                return f"<p{kind}>{escape(text)}</p>"
            case Heading(text):
                return f"<h3>{escape(text)}</h3>"
            case Points(items):
                return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
            case Code(text):
                return f"<pre><code>{escape(text)}</code></pre>"
            case Picture(drawing, table):
                return self.picture(drawing) + ("" if table is None else html_table(table, self.pointers))
            case Table():
                return html_table(block, self.pointers)
            case Answer(question, sentences):
                lines = "".join(f"<p>{self.sentence(one)}</p>" for one in sentences)
                return f'<div class="answer"><h3>{escape(question)}</h3><div>{lines}</div></div>'

    def sentence(self, sentence: Sentence) -> str:
        """A sentence with its numbers marked one after the other; one that does not stand in it is passed over."""
        rest, marked = sentence.text, ""
        for number, follows in sentence.numbers:
            before, found, after = rest.partition(number)
            if found:
                marked += f"{escape(before)}<span{_source(follows, self.pointers)}>{escape(number)}</span>"
                rest = after
        return marked + escape(rest)

    def picture(self, drawing: Drawing) -> str:
        name = chart_id(self.charts)
        self.charts += 1
        height = int(drawing.figure.layout.height or 450)
        return (
            f'<figure><div class="chart" id="{name}" role="img" aria-label="{escape(drawing.alt)}" '
            f'style="height:{height}px" hidden></div>'
            f"<noscript><p>{escape(drawing.alt)} The table below has the numbers.</p></noscript></figure>"
        )


def _source(follows: Follows | None, pointers: Pointers) -> str:
    """Attributes that say where a text comes from, for whoever reads it with a script."""
    pointer = None if follows is None else pointers.of(follows)
    if pointer is None or follows is None:
        return ""
    return f' data-from="{escape(pointer)}" data-as="{escape(follows.how)}"'


def html_table(table: Table, pointers: Pointers) -> str:
    """A table whose rows and columns have headings, in a frame that scrolls where it is wider than the window."""
    cells = [[cell_text(value) for value in row] for row in table.frame.itertuples(index=False, name=None)]
    number = [k > 0 and all(is_number_text(row[k]) for row in cells) for k in range(len(table.frame.columns))]
    head = "".join(
        f'<th scope="col"{_kind(number[k])}>{escape(str(name))}</th>' for k, name in enumerate(table.frame.columns)
    )
    body = "".join(f"<tr>{_row(row, number, _sources(table, k, pointers))}</tr>" for k, row in enumerate(cells))
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    frame = "held short" if len(cells) <= SHORT_TABLE else "held"
    if len(table.frame.columns) > MANY_COLUMNS:
        frame += " wide"
    caption = f"<caption>{escape(table.caption)}</caption>"
    return (
        f'<div class="{frame}"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}'
    )


def _sources(table: Table, row: int, pointers: Pointers) -> list[str]:
    """What each cell of a row says of where it comes from."""
    columns = [table.follows.get(str(name)) for name in table.frame.columns]
    return ["" if column is None else _source(column[row], pointers) for column in columns]


def _row(cells: Sequence[str], number: Sequence[bool], sources: Sequence[str]) -> str:
    first = f'<th scope="row">{escape(cells[0])}</th>'
    return first + "".join(
        f"<td{_kind(number[k])}{sources[k]}>{_number(text) if number[k] else escape(text)}</td>"
        for k, text in enumerate(cells[1:], start=1)
    )


def _number(text: str) -> str:
    """A number and its interval, which may stand on a line each but are not broken themselves."""
    value, bracket, limits = text.partition(" (")
    return f"<span>{escape(value)}</span>" + (f" <span>({escape(limits)}</span>" if bracket else "")


def _kind(number: bool) -> str:
    return ' class="number"' if number else ""
