"""A document as one HTML file: nothing is fetched, nothing a user wrote can run, tables read without scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from typing import Any

from plotly.offline import get_plotlyjs

from diffoci.figures import Drawing, themed
from diffoci.report.blocks import (
    Block,
    Code,
    Heading,
    Picture,
    Points,
    Section,
    Table,
    Words,
    cell_text,
    is_number_text,
)
from diffoci.report.document import Document
from diffoci.report.embedded import ELEMENT, safe_json
from diffoci.report.style import STYLE

FIGURES = "diffoci-figures"
# A table of so few rows is not split between printed pages.
SHORT_TABLE = 14
# A table of more columns is printed smaller, so that none is cut.
MANY_COLUMNS = 7
# Charts appear only where scripts run; elsewhere their tables stand alone and no empty frames are left.
_DRAW = f"""
const figures = JSON.parse(document.getElementById("{FIGURES}").textContent);
for (const [name, figure] of Object.entries(figures)) {{
  const place = document.getElementById(name);
  place.hidden = false;
  Plotly.newPlot(place, figure.data, figure.layout, {{displaylogo: false, responsive: true,
    modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"]}});
}}
"""


def page(document: Document, *, embedded: str | None = None) -> str:
    """Write the file.

    Parameters
    ----------
    embedded : str, optional
        What `diffoci.report.embedded.embed` gave.
    """
    drawings = [
        block.drawing for section in document.sections for block in section.blocks if isinstance(block, Picture)
    ]
    scripts = [get_plotlyjs(), _DRAW] if drawings else []
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
            f"{_contents(document.sections)}</header><main>",
            _Body().render(document.sections),
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


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 2:
        return ""
    lines = "".join(
        f'<li><a href="#part-{k}">{escape(section.title)}</a></li>' for k, section in enumerate(sections, start=1)
    )
    return f'<nav aria-label="Contents"><ol>{lines}</ol></nav>'


class _Body:
    """Renders sections, counting charts as it goes."""

    def __init__(self) -> None:
        self.charts = 0

    def render(self, sections: Sequence[Section]) -> str:
        return "\n".join(self.section(k, section) for k, section in enumerate(sections, start=1))

    def section(self, number: int, section: Section) -> str:
        blocks = "".join(map(self.block, section.blocks))
        return f'<section id="part-{number}"><h2>{escape(section.title)}</h2>{blocks}</section>'

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
                return self.picture(drawing) + html_table(table)
            case Table():
                return html_table(block)

    def picture(self, drawing: Drawing) -> str:
        name = chart_id(self.charts)
        self.charts += 1
        height = int(drawing.figure.layout.height or 450)
        return (
            f'<figure><div class="chart" id="{name}" role="img" aria-label="{escape(drawing.alt)}" '
            f'style="height:{height}px" hidden></div>'
            f"<noscript><p>{escape(drawing.alt)} The table below has the numbers.</p></noscript></figure>"
        )


def html_table(table: Table) -> str:
    """A table whose rows and columns have headings, in a frame that scrolls where it is wider than the window."""
    cells = [[cell_text(value) for value in row] for row in table.frame.itertuples(index=False, name=None)]
    number = [k > 0 and all(is_number_text(row[k]) for row in cells) for k in range(len(table.frame.columns))]
    head = "".join(
        f'<th scope="col"{_kind(number[k])}>{escape(str(name))}</th>' for k, name in enumerate(table.frame.columns)
    )
    body = "".join(f"<tr>{_row(row, number)}</tr>" for row in cells)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    frame = "held short" if len(cells) <= SHORT_TABLE else "held"
    if len(table.frame.columns) > MANY_COLUMNS:
        frame += " wide"
    caption = f"<caption>{escape(table.caption)}</caption>"
    return (
        f'<div class="{frame}"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}'
    )


def _row(cells: Sequence[str], number: Sequence[bool]) -> str:
    first = f'<th scope="row">{escape(cells[0])}</th>'
    return first + "".join(
        f"<td{_kind(number[k])}>{_number(text) if number[k] else escape(text)}</td>"
        for k, text in enumerate(cells[1:], start=1)
    )


def _number(text: str) -> str:
    """A number and its interval, which may stand on a line each but are not broken themselves."""
    value, bracket, limits = text.partition(" (")
    return f"<span>{escape(value)}</span>" + (f" <span>({escape(limits)}</span>" if bracket else "")


def _kind(number: bool) -> str:
    return ' class="number"' if number else ""
