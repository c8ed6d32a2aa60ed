"""Which features are dropped for which sensitive attribute: the matrix, its words, and the paper's list."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.dropping import Dropping
from diffoci.audit.result import PaperDropped, PaperFigures
from diffoci.audit.words import listed
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, VERMILLION, beside, shortened, titled
from diffoci.inputs import Ints
from diffoci.plain_text import counted

ROW_PIXELS = 25
MOST_NAMED = 60  # features in a sentence
_GAP = 0.015  # between conditions, of the whole width
_ABOVE, _HEADING_LINE = 100, 18  # pixels for the title and a heading's first line, and for each attribute below it


def condition_title(given: Sequence[str]) -> str:
    """How a condition is called.

    >>> condition_title([]), condition_title(["sex", "race"])
    ('without attributes', 'accounting for sex + race')
    """
    return f"accounting for {' + '.join(given)}" if given else "without attributes"


def condition_clause(given: Sequence[str]) -> str:
    """How a sentence about a condition begins.

    >>> condition_clause([]), condition_clause(["sex", "race"])
    ('Without accounting for any attribute', 'Accounting for sex and race')
    """
    return f"Accounting for {listed(given)}" if given else "Without accounting for any attribute"


def titles(found: Dropping) -> list[str]:
    """How the conditions are called."""
    return [condition_title(given) for given in found.conditions]


def matrix(found: Dropping) -> Drawing:
    """Features by conditions: a bar for the weight; dropped ones hollow, crossed and counted; only-together boxed."""
    order: Ints = np.argsort(found.theta[0] if len(found.theta) else [], kind="stable")
    names = [found.names[k] for k in order]
    numbers = range(1, len(found.conditions) + 1)  # as Plotly counts axes
    widest = 1.75 * float(found.theta.max())
    layout: dict[str, Any] = {
        "title": titled(
            f"Weight θ of each feature, mean over {counted(found.seeds[0], 'repetition')}\n✕ dropped: |θ| at most "
            f"{found.cutoff:.2f} in more than half of the repetitions, with their number; dashed: cutoff"
        ),
        "height": 190 + ROW_PIXELS * len(names),
        "margin": {
            "t": _ABOVE + _HEADING_LINE * max(map(len, found.conditions)),
            "l": beside(map(shortened, names)),
            "b": 54,
        },
        "bargap": 0.25,
        "barmode": "overlay",
        "showlegend": False,
        "yaxis": {
            "tickvals": list(range(len(names))),
            "ticktext": [escape(shortened(name)) for name in names],
            "range": [-0.7, len(names) - 0.3],
            "automargin": False,
        },
        **_columns(found.conditions, widest),
        "shapes": [_cutoff_line(found, k) for k in numbers]
        + [_box(names.index(name), numbers[-1]) for name in found.only_together],
    }
    bars = [_bars(found, order, k) for k in numbers]
    figure = go.Figure([*bars, *(_whole_rows(bar, widest) for bar in bars)], layout)
    return Drawing(figure, matrix_data(found), sentence(found))


def _columns(conditions: Sequence[Sequence[str]], widest: float) -> dict[str, Any]:
    """A column for each condition: its axis, and its name above it."""
    width = (1 + _GAP) / len(conditions)
    axes: dict[str, Any] = {}
    headings = []
    for k, given in enumerate(conditions, start=1):
        domain = ((k - 1) * width, k * width - _GAP)
        axes[f"xaxis{k}"] = {
            "domain": domain,
            "anchor": "y",
            "range": [0, widest],
            "showgrid": False,
            "nticks": 3,
            "title": {"text": "|θ|"},
            "automargin": False,
        }
        headings.append(
            {
                "text": f"accounting<br>for {'<br>+ '.join(map(escape, given))}" if given else "without<br>attributes",
                "x": sum(domain) / 2,
                "xref": "paper",
                "xanchor": "center",
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "font": {"size": 14},
            }
        )
    return {**axes, "annotations": headings}


def _bars(found: Dropping, order: Ints, number: int) -> dict[str, Any]:
    """The bars of one condition; conditions are counted from 1, as Plotly counts axes."""
    theta, count, gone = (every[number - 1] for every in (found.theta, found.count, found.dropped))
    title, seeds = titles(found)[number - 1], found.seeds[number - 1]
    return {
        "type": "bar",
        "x": theta[order],
        "y": list(range(len(order))),
        "orientation": "h",
        "marker": {
            "color": ["rgba(0,0,0,0)" if gone[k] else BLUE for k in order],
            "line": {"color": [GREY if gone[k] else BLUE for k in order], "width": 1},
        },
        "text": [
            f"{'✕ ' if gone[k] else ''}{theta[k]:.2f}{f' · {count[k]:.0f}/{seeds}' if count[k] else ''}" for k in order
        ],
        "textposition": "outside",
        "cliponaxis": False,
        "unselected": {"marker": {"opacity": 1}, "textfont": {"color": GREY}},  # else others fade after a click
        "customdata": [found.names[k] for k in order],
        "hovertext": [
            f"<b>{escape(found.names[k])}</b>: {escape(found.labels[k])}<br>{escape(title)}: mean |θ| {theta[k]:.3f}, "
            f"dropped in {count[k]:.0f} of {counted(seeds, 'repetition')}"
            for k in order
        ],
        "hoverinfo": "text",
        "name": title,
        "xaxis": f"x{number}",
    }


def _whole_rows(bar: dict[str, Any], widest: float) -> dict[str, Any]:
    """Unseen bars over the whole width: a dropped feature's own bar is too short to point at."""
    same = {name: bar[name] for name in ("type", "y", "orientation", "customdata", "hovertext", "hoverinfo", "xaxis")}
    return {**same, "x": [widest] * len(bar["y"]), "marker": {"color": "rgba(0,0,0,0)"}, "name": "row"}


def _cutoff_line(found: Dropping, number: int) -> dict[str, Any]:
    line = {"color": VERMILLION, "dash": "dash", "width": 1.5}
    ends = {"xref": f"x{number}", "x0": found.cutoff, "x1": found.cutoff, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "line": line, **ends}


def _box(position: int, number: int) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": f"x{number} domain",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": position - 0.48,
        "y1": position + 0.48,
        "line": {"color": VERMILLION, "width": 2.5},
        "name": "only together",
    }


def matrix_data(found: Dropping) -> pd.DataFrame:
    """The matrix as a table: one row per feature, mean weight and repetitions that drop it under each condition."""
    table = pd.DataFrame({"feature": found.names, "meaning": found.labels})
    for k, title in enumerate(titles(found)):
        table[f"theta {title}"] = found.theta[k]
        table[f"repetitions dropping it {title}"] = [f"{n:.0f} of {found.seeds[k]}" for n in found.count[k]]
        table[f"dropped {title}"] = found.dropped[k]
    table["dropped only together"] = [name in found.only_together for name in found.names]
    return table


def headline(found: Dropping) -> str:
    """How many features each attribute costs."""
    counts = [f"{int(gone.sum())} {title}" for title, gone in zip(titles(found), found.dropped, strict=True)]
    return f"Of {len(found.names)} features, the training drops {listed(counts)}"


def sentence(found: Dropping) -> str:
    """What is dropped under each condition, in words."""
    parts = []
    for k, title in enumerate(titles(found)):
        names = found.names_dropped(k)
        told = listed(names) if len(names) <= MOST_NAMED else f"{', '.join(names[:MOST_NAMED])} and more"
        parts.append(f"{title}: {told} ({len(names)} of {len(found.names)})")
    return f"Dropped at cutoff {found.cutoff:.2f}. {'; '.join(parts)}."


def paper_sentences(paper: PaperFigures, found: Dropping) -> list[str]:
    """What the paper dropped on these data, each line beside what this audit dropped."""
    lines = []
    for entry in paper.dropped:
        ours = [k for k, condition in enumerate(found.conditions) if set(condition) == set(entry.given)]
        if ours:
            said = _paper_words(entry, found.names_dropped(ours[0]), len(found.names))
            lines.append(f"{condition_clause(entry.given)}, the paper dropped {said}.")
    return lines


def _paper_words(entry: PaperDropped, mine: Sequence[str], features: int) -> str:
    if entry.names:
        shared = [name for name in entry.names if name in mine]
        if len(entry.names) == 1:
            return f"{entry.names[0]}; here it is {'dropped, too' if shared else 'kept'}"
        return f"{listed(entry.names)}; here {len(shared)} of these {len(entry.names)}"
    of = f"{entry.count} of {entry.of}" if entry.of else str(entry.count)
    more = f" ({entry.more_than_unconditioned} more than without attributes)"
    return f"{of} features{more}; here {len(mine)} of {features}"
