"""A model's scores in pictures: rates by group, the criteria at once, gaps within factors, curves along a number."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.figures._error_bars import error_bars
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BAND, GREY, GROUP_COLOURS, GROUP_MARKERS, VERMILLION, beside, shortened, titled
from diffoci.model_audit.result import (
    Criterion,
    CriterionName,
    Curve,
    ModelAuditResult,
    ModelComparison,
    OneModel,
    StandardisedGap,
)
from diffoci.model_audit.what_if import LAW
from diffoci.model_audit.words import MEASURES, QUANTITIES, RATES, SHORT

__all__ = ["GOALS", "LAW", "SHORT", "calibrated", "criteria", "curve", "gap_by_stratum", "model_rates"]

GOALS = {
    "selection": "Every group selected equally often",
    "true_positive_rate": "Every group selected equally often, of those with the outcome",
    "both": "Equally often of those with the outcome, and of those without it",
    "levelling_up": "Every group selected as often as the one selected most; whoever is selected now stays selected",
}
_ROW = 34  # pixels
FEWEST_IN_BIN = 10  # people; of fewer the picture would show chance
DEPARTS = 0.05  # p-value of a stretch that is marked
_BRIEF: dict[CriterionName, str] = {"given_factors": "given the factors"}  # beside a picture room is short
_Marked = tuple[float, str, CriterionName, Criterion]  # how high it stands, attribute, criterion
MOST_LINES = 8  # groups that colours and markers tell apart


def model_rates(result: ModelAuditResult, attributes: tuple[str, ...]) -> Drawing:
    """Rates by group with their intervals, every model with a mark of its own."""
    shown = [name for name in RATES if any(name in g.rates for one in result.models for g in _groups(one, attributes))]
    groups = list(dict.fromkeys(g.label for one in result.models for g in _groups(one, attributes)))[::-1]
    traces, rows = [], []
    for k, one in enumerate(result.models):
        for block, name in enumerate(shown):
            known = [(g, g.rates[name]) for g in _groups(one, attributes) if name in g.rates]
            shift = 0.3 * (0.5 - (k + 0.5) / len(result.models))
            traces.append(
                {
                    **_look(one.name, k),
                    "x": [found.value for _, found in known],
                    "y": [groups.index(g.label) - block * (len(groups) + 1) + shift for g, _ in known],
                    "error_x": error_bars(((f.value, f.low, f.high) for _, f in known), color=_colour(k)),
                    "hovertext": [
                        f"<b>{escape(one.name)}</b>, {escape(g.label)}<br>{RATES[name]}: {100 * f.value:.1f} % "
                        f"({100 * f.low:.1f} to {100 * f.high:.1f} %), {f.k:,} of {f.n:,}"
                        for g, f in known
                    ],
                    "showlegend": block == 0,
                }
            )
            rows += [(one.name, g.label, name, f.value, f.low, f.high, f.n) for g, f in known]
    by = escape(" × ".join(attributes))
    layout = {
        "title": titled(f"Rates by {by}\n{result.provenance.rows:,} people, 95 % intervals"),
        "height": 150 + _ROW * len(shown) * (len(groups) + 1),
        "margin": {"t": 84, "l": beside(map(shortened, groups)), "b": 56},
        "xaxis": {"range": [-0.03, 1.03], "tickformat": ".0%", "nticks": 11, "automargin": False},
        "yaxis": {
            "tickvals": [p - block * (len(groups) + 1) for block in range(len(shown)) for p in range(len(groups))],
            "ticktext": [escape(shortened(group)) for group in groups] * len(shown),
            "range": [-(len(shown) - 1) * (len(groups) + 1) - 0.6, len(groups) + 0.6],
            "automargin": False,
        },
        "annotations": [
            _words(RATES[name], len(groups) - 0.1 - block * (len(groups) + 1)) for block, name in enumerate(shown)
        ],
    }
    frame = pd.DataFrame(rows, columns=["model", "group", "rate", "value", "low", "high", "n"])
    told = [f"{g} {100 * v:.1f} % ({m})" for m, g, name, v, *_ in rows if name == "selection_rate"]
    return Drawing(go.Figure(traces, layout), frame, f"Selected by {by}: {', '.join(told) or 'nothing to count'}.")


def criteria(result: ModelAuditResult) -> Drawing:
    """T of every criterion, attribute and model; a grey bar is what shuffling gives up to."""
    names = [name for name in SHORT if any(name in about.criteria for about in _abouts(result))]
    lines = [(attribute, name) for attribute in result.sensitive for name in names][::-1]
    traces: list[dict[str, Any]] = []
    rows = []
    for k, one in enumerate(result.models):
        shift = 0.5 * (0.5 - (k + 0.5) / len(result.models))
        known = [
            (line + shift, attribute, name, found)
            for line, (attribute, name) in enumerate(lines)
            if attribute in one.attributes and (found := one.attributes[attribute].criteria.get(name)) is not None
        ]
        traces += [
            {**_shuffled_bars(known), "width": 0.45 / len(result.models), "showlegend": k == 0},
            {**_look(one.name, k), **_criterion_marks(one.name, known)},
        ]
        rows += [(one.name, a, name, f.T, f.limit, f.p_value, f.answer) for _, a, name, f in known]
    columns = ["model", "attribute", "criterion", "T", "shuffled_limit", "p_value", "answer"]
    told = "; ".join(f"{m}, {a}, {SHORT[name]}: T {t:.2f}, {answer}" for m, a, name, t, *_, answer in rows)
    figure = go.Figure(traces, _criteria_layout([f"{shortened(a)}, {_BRIEF.get(name, name)}" for a, name in lines]))
    return Drawing(figure, pd.DataFrame(rows, columns=columns), f"The criteria: {told or 'none'}.")


def _shuffled_bars(known: Sequence[_Marked]) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "base": [found.median or 0.0 for *_, found in known],
        "x": [max(0.0, (found.limit or 0.0) - (found.median or 0.0)) for *_, found in known],
        "y": [y for y, *_ in known],
        "marker": {"color": BAND},
        "hoverinfo": "skip",
        "name": "shuffled: from the middle to what 19 in 20 keep below",
    }


def _criterion_marks(model: str, known: Sequence[_Marked]) -> dict[str, Any]:
    return {
        "x": [found.T for *_, found in known],
        "y": [y for y, *_ in known],
        "hovertext": [
            f"<b>{escape(model)}</b>, {escape(attribute)}, {SHORT[name]}<br>T = {found.T:.3f}, shuffling "
            f"gives up to {0 if found.limit is None else found.limit:.3f}: {found.answer}"
            for _, attribute, name, found in known
        ],
    }


def _criteria_layout(labels: Sequence[str]) -> dict[str, Any]:
    return {
        "title": titled(
            "The criteria of a score: T, 0 where each holds\n"
            "right of its grey bar: more than shuffling gives; the table also looks at ranks"
        ),
        "height": 194 + 40 * max(len(labels), 2),
        "margin": {"t": 84, "l": beside(labels), "b": 110},
        "xaxis": {"automargin": False},  # a title would lie on the numbers in a narrow window
        "yaxis": {
            "tickvals": list(range(len(labels))),
            "ticktext": [escape(label) for label in labels],
            "range": [-0.6, len(labels) - 0.4],
            "automargin": False,
        },
        "barmode": "overlay",
    }


def calibrated(comparison: ModelComparison, model: str) -> Drawing | None:
    """How often the outcome is there, by score, one line for each of the largest groups; None without scores."""
    groups = sorted((g for g in comparison.judged if g.calibration), key=lambda g: -g.n)[:MOST_LINES]
    if not groups:
        return None
    bins = [part for group in groups for part in group.calibration]
    traces: list[dict[str, Any]] = []
    if all(part.low >= 0 and part.high <= 1 for part in bins):
        line = {"color": GREY, "dash": "dash"}
        traces.append(
            {"type": "scatter", "x": [0, 1], "y": [0, 1], "mode": "lines", "line": line, "name": "as its score says",
             "hoverinfo": "skip"}
        )  # fmt: skip
    for k, group in enumerate(groups):
        parts = [part for part in group.calibration if part.observed.n >= FEWEST_IN_BIN]
        told = [
            f"<b>{escape(group.label)}</b>, mean score {p.mean_score:.3g}<br>{100 * p.observed.value:.1f} % of "
            f"{p.observed.n:,} have the outcome"
            for p in parts
        ]
        limits = ((p.observed.value, p.observed.low, p.observed.high) for p in parts)
        traces.append(
            {**_look(group.label, k), "mode": "lines+markers", "line": {"color": _colour(k), "width": 2},
             "x": [p.mean_score for p in parts], "y": [p.observed.value for p in parts],
             "error_y": error_bars(limits, color=_colour(k)), "hovertext": told}
        )  # fmt: skip
    layout = {
        "title": titled(
            f"Does a score of {escape(shortened(model))} mean the same in each group?\n95 % intervals; scores that "
            f"fewer than {FEWEST_IN_BIN} people of a group have are in the table only"
        ),
        "height": 420,
        "margin": {"t": 84, "b": 86},
        "xaxis": {"title": {"text": "score"}},
        "yaxis": {"title": {"text": "have the outcome"}, "tickformat": ".0%", "range": [-0.02, 1.02]},
    }
    rows = [
        (g.label, p.low, p.high, p.mean_score, p.observed.value, p.observed.low, p.observed.high, p.observed.n)
        for g in comparison.judged
        for p in g.calibration
    ]
    frame = pd.DataFrame(rows, columns=["group", "from", "to", "mean_score", "observed", "low", "high", "n"])
    ends = "; ".join(f"{g.label} {100 * g.calibration[-1].observed.value:.1f} %" for g in groups)
    return Drawing(go.Figure(traces, layout), frame, f"Have the outcome among the highest scores: {ends}.")


def gap_by_stratum(gap: StandardisedGap) -> Drawing:
    """The gap within every stratum of the factors, beside the raw and the standardised one."""
    entries = [
        (one.name, 100 * (one.group.value - one.reference.value), one.group.n + one.reference.n) for one in gap.strata
    ]
    rows = [("raw", 100 * gap.raw.value, 0)]
    if gap.standardised is not None:
        rows.append(("within strata", 100 * gap.standardised.value, 0))
    rows += entries
    names = [name for name, *_ in rows][::-1]
    whole = len(rows) - len(entries)
    found = [gap.raw, *([gap.standardised] if gap.standardised is not None else [])]
    traces = [
        {
            **_look("altogether", 0),
            "x": [100 * one.value for one in found],
            "y": [len(names) - 1 - k for k in range(whole)],
            "error_x": error_bars(((100 * f.value, 100 * f.low, 100 * f.high) for f in found), color=_colour(0)),
            "hovertext": [f"{100 * f.value:.1f} points ({100 * f.low:.1f} to {100 * f.high:.1f})" for f in found],
        },
        {
            **_look("one stratum", 1),
            "x": [value for _, value, _ in entries],
            "y": [len(names) - 1 - whole - k for k in range(len(entries))],
            "hovertext": [f"{escape(name)}: {value:.1f} points, {n:,} people" for name, value, n in entries],
        },
    ]
    title = f"{gap.group} minus {gap.reference}, in points of being selected"
    layout = {
        "title": titled(f"{escape(title)}\n95 % intervals"),
        "height": 170 + _ROW * len(names),
        "margin": {"t": 84, "l": beside(map(shortened, names)), "b": 56},
        "xaxis": {"zeroline": True, "zerolinecolor": GREY, "automargin": False},
        "yaxis": {
            "tickvals": list(range(len(names))),
            "ticktext": [escape(shortened(name)) for name in names],
            "range": [-0.6, len(names) - 0.4],
            "automargin": False,
        },
    }
    told = "; ".join(f"{name} {value:.1f}" for name, value, _ in rows)
    frame = pd.DataFrame(rows, columns=["stratum", "gap in points", "people"])
    return Drawing(go.Figure(traces, layout), frame, f"{title}: {told}.")


def curve(found: Curve, attribute: str) -> Drawing:
    """One rate or error along a number, with its band and the stretch that departs most."""
    at = [point.at for point in found.points]
    words, share = MEASURES[found.rate], found.rate not in QUANTITIES
    traces = [
        {
            "type": "scatter",
            "x": [*at, *at[::-1]],
            "y": [*(p.high for p in found.points), *(p.low for p in reversed(found.points))],
            "fill": "toself",
            "fillcolor": BAND,
            "line": {"width": 0},
            "hoverinfo": "skip",
            "name": "95 % interval of each point",
        },
        {
            "type": "scatter",
            "x": at,
            "y": [point.value for point in found.points],
            "mode": "lines",
            "line": {"color": _colour(0), "width": 2.5},
            "name": words,
            "showlegend": False,
        },
    ]
    shapes = []
    if found.worst is not None and found.worst.p_value <= DEPARTS:
        stretch = {"x0": found.worst.low, "x1": found.worst.high, "y0": 0, "y1": 1, "yref": "paper"}
        shapes.append({"type": "rect", **stretch, "line": {"color": VERMILLION, "dash": "dash", "width": 1.5}})
    name = escape(shortened(attribute))
    layout = {
        "title": titled(f"{words.capitalize()}, by {name}\nthe people nearest to each value"),
        "height": 360,
        "xaxis": {"title": {"text": name}},
        "yaxis": {"tickformat": ".0%" if share else "", "rangemode": "tozero"},
        "shapes": shapes,
    }
    rows = [(point.at, point.value, point.low, point.high, point.people) for point in found.points]
    frame = pd.DataFrame(rows, columns=[attribute, "value", "low", "high", "people"])
    low, high = min(found.points, key=lambda p: p.value), max(found.points, key=lambda p: p.value)
    ends = [f"{100 * p.value:.1f} % at {p.at:g}" if share else f"{p.value:.4g} at {p.at:g}" for p in (low, high)]
    alt = f"{words.capitalize()} along {attribute}: from {ends[0]} to {ends[1]}."
    return Drawing(go.Figure(traces, layout), frame, alt)


def _groups(one: OneModel, attributes: tuple[str, ...]) -> list[Any]:
    return [g for c in one.comparisons if c.attributes == attributes for g in c.groups if g.judged]


def _abouts(result: ModelAuditResult) -> list[Any]:
    return [about for one in result.models for about in one.attributes.values()]


def _colour(k: int) -> str:
    return GROUP_COLOURS[k % len(GROUP_COLOURS)]


def _look(name: str, k: int) -> dict[str, Any]:
    marker = {"symbol": GROUP_MARKERS[k % len(GROUP_MARKERS)], "size": 11, "color": _colour(k)}
    return {
        "type": "scatter",
        "mode": "markers",
        "marker": marker,
        "name": escape(name),
        "legendgroup": name,
        "hoverinfo": "text",
    }


def _words(text: str, y: float) -> dict[str, Any]:
    return {"text": text, "x": 0, "xref": "paper", "xanchor": "left", "y": y, "yanchor": "middle", "font": {"size": 14}}
