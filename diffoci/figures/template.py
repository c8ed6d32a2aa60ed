"""The one Plotly template of pages and report: Okabe-Ito colours, how families of methods look, light and dark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from diffoci.audit.methods import METHODS
from diffoci.audit.methods.families import Family, family_named

BLUE, GREY, ORANGE, GREEN, VERMILLION = "#0072B2", "#7F7F7F", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, YELLOW = "#56B4E9", "#CC79A7", "#F0E442"
# Groups of people never take the colours of methods' families, but for the two that differ most in lightness.
GROUP_COLOURS = (BLUE, ORANGE, PURPLE, GREEN, SKY, VERMILLION, YELLOW, GREY)
GROUP_MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "star", "pentagon", "cross")
BAND = "rgba(127,127,127,0.24)"  # seen on a dark page, too
# From nothing to a blue that dark and white text both stand out from.
SHADES = ((0.0, "rgba(0,114,178,0.04)"), (1.0, "rgba(0,114,178,0.60)"))
FONT_SIZE = 14
SUBTITLE_LETTERS = 68
_TOP = {"x": 0, "xanchor": "left", "yref": "container", "y": 1.0, "yanchor": "top", "pad": {"t": 8}}
_LONGEST_NAME = 24  # letters


def look(family: str, marker: str = "") -> Family:
    """How to draw a method of a family, with its own marker where it has one.

    >>> look("linear", "cross").title, look("linear", "cross").marker, look("no family of ours").title
    ('Linear erasers', 'cross', 'Other')
    """
    kind = family_named(family)
    return replace(kind, marker=marker or kind.marker)


def method_class(name: str) -> Family:
    """How to draw a method that is known by its name only."""
    method = METHODS.get(name)
    return look("") if method is None else look(method.family, method.marker)


def titled(text: str) -> dict[str, Any]:
    r"""A title whose further lines are set smaller, and broken where a telephone's width ends.

    >>> titled("T by epoch\n30 rows")
    {'text': 'T by epoch', 'subtitle': {'text': '30 rows'}}
    """
    first, *more = text.split("\n")
    lines = [line for part in more for line in wrap(part.replace(" %", "\u00a0%"), SUBTITLE_LETTERS)]
    return {"text": first, "subtitle": {"text": "<br>".join(lines)}}


def shortened(name: str) -> str:
    """A name as an axis has room for it; the whole one is said on hovering.

    >>> shortened("OCCP"), shortened("a column whose name is a sentence")
    ('OCCP', 'a column whose name is …')
    """
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def beside(labels: Iterable[str]) -> int:
    """Pixels that the longest of some tick labels needs beside its axis.

    For figures drawn anew while a slider moves: finding the room itself, Plotly draws everything twice.

    >>> beside(["Male", "Widowed, separated"]), beside([])
    (151, 16)
    """
    widths = {**dict.fromkeys("ijlI.,:;|'()[] ", 4.0), **dict.fromkeys("mwMW@%&", 12.0)}
    longest = max((sum(widths.get(c, 9.0 if c.isupper() else 7.6) for c in label) for label in labels), default=0)
    return 16 + round(longest)


def themed(figure: go.Figure, *, dark: bool) -> go.Figure:
    """The figure with the template of one theme; its own choices stay."""
    return figure.update_layout(template=template(dark=dark))


@cache
def template(*, dark: bool) -> go.layout.Template:
    """Text, lines and grid for a light or dark page. Backgrounds are the page's."""
    text, line, grid, paper = (
        ("#FAFAFA", "#9AA0A6", "rgba(255,255,255,0.13)", "#262730")
        if dark
        else ("#1F2328", "#6B7280", "rgba(0,0,0,0.09)", "#FFFFFF")
    )
    axis = {
        "gridcolor": grid,
        "zeroline": False,
        "linecolor": line,
        "showline": True,
        "ticks": "outside",
        "tickcolor": line,
        "automargin": True,
        "title": {"standoff": 10, "font": {"size": FONT_SIZE}},
        "tickfont": {"size": FONT_SIZE - 1},
    }
    return go.layout.Template(
        layout={
            "font": {"size": FONT_SIZE, "color": text, "family": '"Source Sans", "Source Sans Pro", sans-serif'},
            "title": {
                "font": {"size": FONT_SIZE + 2},
                "subtitle": {"font": {"size": FONT_SIZE - 1}},
                "x": 0,
                "xanchor": "left",
                **_TOP,
            },
            "colorway": [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION, GREY],
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 10, "r": 10, "t": 64, "b": 10},
            "legend": {
                "orientation": "h",
                "yref": "container",
                "yanchor": "bottom",
                "y": 0,
                "x": 0,
                "font": {"size": FONT_SIZE - 1},
            },
            "hoverlabel": {"font": {"size": FONT_SIZE, "color": text}, "bgcolor": paper, "align": "left"},
            "hovermode": "closest",
            "annotationdefaults": {"font": {"size": FONT_SIZE - 1}, "showarrow": False},
        }
    )
