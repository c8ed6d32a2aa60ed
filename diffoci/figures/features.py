"""Which features are dropped for which sensitive attribute: the matrix, weights by seed, and the paper's list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.reading import Result
from diffoci.figures.template import BLUE, GREY, VERMILLION, beside, shortened, titled
from diffoci.figures.words import listed
from diffoci.inputs import Floats

ROW_PIXELS = 25
MOST_NAMED = 60  # features in a sentence
_GAP = 0.015  # between conditions, of the whole width


@dataclass(frozen=True, eq=False)
class Dropping:
    """What a cutoff drops. `theta` is the mean size by condition and feature, `count` in how many seeds it is dropped.

    `values` are the weights of every seed, none where a report was made without them; `seeds` is how many there are.

    `dropped` is True where more than half of the seeds drop the feature; `only_together` are those dropped given all
    attributes together and under no other condition.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    conditions: tuple[tuple[str, ...], ...]
    cutoff: float
    values: tuple[Floats, ...]
    seeds: tuple[int, ...]
    seed_numbers: tuple[tuple[int, ...], ...]
    theta: Floats
    count: Floats
    dropped: np.ndarray
    only_together: tuple[str, ...]

    @property
    def titles(self) -> list[str]:
        return [condition_title(given) for given in self.conditions]


def condition_title(given: Sequence[str]) -> str:
    """How a condition is called.

    >>> condition_title([]), condition_title(["sex", "race"])
    ('given nothing', 'given sex + race')
    """
    return f"given {' + '.join(given)}" if given else "given nothing"


def dropping(result: Result, cutoff: float) -> Dropping:
    """Drop features anew from the weights of every seed that the audit kept."""
    features, kept = result["features"], result["features"]["conditions"]
    values = tuple(np.array(one["values"], dtype=np.float64).reshape(-1, len(features["names"])) for one in kept)
    seeds = tuple(len(one["values"]) or int(one.get("trainings", 0)) for one in kept)
    theta, count = (np.array([_of_seeds(one, cutoff)[k] for one in kept]) for k in (0, 1))
    dropped = np.array([n > number / 2 for n, number in zip(count, seeds, strict=True)])
    conditions = tuple(tuple(one["given"]) for one in features["conditions"])
    return Dropping(
        names=tuple(features["names"]),
        labels=tuple(features["labels"]),
        conditions=conditions,
        cutoff=cutoff,
        values=values,
        seeds=seeds,
        seed_numbers=tuple(_seed_numbers(result, one) for one in kept),
        theta=theta,
        count=count,
        dropped=dropped,
        only_together=_only_together(features["names"], conditions, dropped),
    )


def _seed_numbers(result: Result, condition: Mapping[str, Any]) -> tuple[int, ...]:
    """Which seeds the weights of a condition are of: all but those whose training failed."""
    name = f"vec-{'+'.join(condition['given'])}" if condition["given"] else "vec"
    kept = tuple(seed for seed in result["spec"]["seeds"] if f"{name}.{seed}" not in result["failures"])
    return kept if len(kept) == len(condition["values"]) else tuple(range(len(condition["values"])))


def _of_seeds(condition: Mapping[str, Any], cutoff: float) -> tuple[Floats, Floats]:
    """Mean size of every weight, and in how many seeds it is at most the cutoff."""
    if not condition["values"] and cutoff == condition["cutoff"]:
        count = np.round(np.array(condition["frequency"]) * int(condition.get("trainings", 0)))
        return np.array(condition["theta"], dtype=np.float64), count
    theta = np.abs(np.array(condition["values"], dtype=np.float64))
    return theta.mean(axis=0), (theta <= cutoff).sum(axis=0).astype(np.float64)


def matrix(found: Dropping) -> Drawing:
    """Features by conditions: a bar for the weight; dropped ones hollow, crossed and counted; only-together boxed."""
    order = np.argsort(found.theta[0] if len(found.theta) else [], kind="stable")
    names = [found.names[k] for k in order]
    columns = range(1, len(found.conditions) + 1)
    width = (1 + _GAP) / len(columns)
    layout: dict[str, Any] = {
        "title": titled(
            f"Weight θ of each feature given …, mean over {found.seeds[0]} seeds\n✕ dropped: |θ| at most "
            f"{found.cutoff:.2f} in more than half of the seeds, with their number; dashed: cutoff"
        ),
        "height": 190 + ROW_PIXELS * len(names),
        "margin": {"t": 136, "l": beside(map(shortened, names)), "b": 54},
        "bargap": 0.25,
        "barmode": "overlay",
        "showlegend": False,
        "yaxis": {
            "tickvals": list(range(len(names))),
            "ticktext": [escape(shortened(name)) for name in names],
            "range": [-0.7, len(names) - 0.3],
            "automargin": False,
        },
        "annotations": [],
        "shapes": [_cutoff_line(found, k) for k in columns]
        + [_box(names.index(n), columns[-1]) for n in found.only_together],
    }
    for k, given in zip(columns, found.conditions, strict=True):
        domain = ((k - 1) * width, k * width - _GAP)
        layout[f"xaxis{k}"] = {
            "domain": domain,
            "anchor": "y",
            "range": [0, 1.75 * float(found.theta.max())],
            "showgrid": False,
            "nticks": 3,
            "title": {"text": "|θ|"},
            "automargin": False,
        }
        layout["annotations"].append(
            {
                "text": "<br>+ ".join(map(escape, given)) or "nothing",
                "x": sum(domain) / 2,
                "xref": "paper",
                "xanchor": "center",
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "font": {"size": 16},
            }
        )
    bars = [_column(found, order, k) for k in columns]
    figure = go.Figure([*bars, *(_whole_rows(bar, layout) for bar in bars)], layout)
    return Drawing(figure, matrix_data(found), sentence(found))


def weights(found: Dropping, condition: int) -> Drawing:
    """Weights under one condition: a bar for the mean, a dot for each seed, the cutoff on both sides of 0."""
    theta = found.values[condition]
    order = np.argsort(-np.abs(theta).mean(axis=0), kind="stable")
    names = [shortened(found.names[k]) for k in order]
    places = list(range(len(names)))
    seeds = found.seed_numbers[condition]
    bars = {
        "type": "bar",
        "x": places,
        "y": theta.mean(axis=0)[order],
        "marker": {
            "color": [GREY if found.dropped[condition, k] else BLUE for k in order],
            "opacity": 0.5,
            "pattern": {"shape": ["/" if found.dropped[condition, k] else "" for k in order]},
        },
        "name": "mean",
        "hovertext": [
            f"<b>{escape(found.names[k])}</b>: {escape(found.labels[k])}<br>mean θ {theta[:, k].mean():.2f}, "
            f"dropped in {found.count[condition, k]:.0f} of {len(theta)} seeds"
            for k in order
        ],
        "hoverinfo": "text",
    }
    dots = [
        {
            "type": "scatter",
            "x": places,
            "y": row[order],
            "mode": "markers",
            "marker": {"size": 7, "color": BLUE, "line": {"color": "white", "width": 1}},
            "name": f"seed {seed}",
            "hovertemplate": f"seed {seed}: θ = %{{y:.2f}}<extra></extra>",
        }
        for seed, row in zip(seeds, theta, strict=True)
    ]
    band = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": -found.cutoff, "y1": found.cutoff}
    figure = go.Figure(
        [bars, *dots],
        {
            "title": titled(
                f"θ {escape(found.titles[condition])}, {len(theta)} seeds\nhatched = dropped; band = cutoff",
            ),
            "height": 420,
            "margin": {"l": 64, "b": 10 + round(0.75 * beside(names))},
            "showlegend": False,
            "xaxis": {
                "tickvals": places,
                "ticktext": list(map(escape, names)),
                "tickangle": -45,
                "automargin": False,
                "showgrid": False,
            },
            "yaxis": {"title": {"text": "θ"}, "automargin": False},
            "shapes": [{**band, "fillcolor": VERMILLION, "opacity": 0.15, "line": {"width": 0}, "layer": "below"}],
        },
    )
    data = pd.DataFrame(theta[:, order].T, columns=[f"seed {seed}" for seed in seeds])
    data.insert(0, "feature", [found.names[k] for k in order])
    return Drawing(figure, data, f"Weights of {len(names)} features {found.titles[condition]}, seed by seed.")


def sentence(found: Dropping) -> str:
    """What is dropped under each condition, in words."""
    parts = []
    for title, dropped in zip(found.titles, found.dropped, strict=True):
        names = [name for name, gone in zip(found.names, dropped, strict=True) if gone]
        told = listed(names) if len(names) <= MOST_NAMED else f"{', '.join(names[:MOST_NAMED])} and more"
        parts.append(f"{title}: {told} ({len(names)} of {len(found.names)})")
    return f"Dropped at cutoff {found.cutoff:.2f}. {'; '.join(parts)}."


def matrix_data(found: Dropping) -> pd.DataFrame:
    """The matrix as a table: one row a feature, mean weight and seeds that drop it under each condition."""
    table = pd.DataFrame({"feature": found.names, "meaning": found.labels})
    for k, title in enumerate(found.titles):
        table[f"theta {title}"] = found.theta[k]
        table[f"seeds dropping it {title}"] = [f"{n:.0f} of {found.seeds[k]}" for n in found.count[k]]
        table[f"dropped {title}"] = found.dropped[k]
    table["dropped only together"] = [name in found.only_together for name in found.names]
    return table


def paper_sentences(result: Result, found: Dropping) -> list[str]:
    """What the paper dropped on these data, each line beside what this audit dropped."""
    lines = []
    for entry in result["paper"].get("dropped", []):
        given = tuple(entry["given"])
        ours = [k for k, condition in enumerate(found.conditions) if set(condition) == set(given)]
        if not ours:
            continue
        mine = [name for name, gone in zip(found.names, found.dropped[ours[0]], strict=True) if gone]
        if "names" in entry:
            shared = [name for name in entry["names"] if name in mine]
            theirs = f"{listed(entry['names'])}; here {len(shared)} of these {len(entry['names'])}"
        else:
            more = f" ({entry['more_than_unconditioned']} more than given nothing)"
            of = f"{entry['count']} of {entry['of']}" if "of" in entry else str(entry["count"])
            theirs = f"{of} features{more}; here {len(mine)} of {len(found.names)}"
        lines.append(f"{condition_title(given).capitalize()}, the paper dropped {theirs}.")
    return lines


def _column(found: Dropping, order: np.ndarray, number: int) -> dict[str, Any]:
    """The bars of one condition; conditions are counted from 1, as Plotly counts axes."""
    theta, count, gone = (all_[number - 1] for all_ in (found.theta, found.count, found.dropped))
    title, seeds = found.titles[number - 1], found.seeds[number - 1]
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
            f"dropped in {count[k]:.0f} of {seeds} seeds"
            for k in order
        ],
        "hoverinfo": "text",
        "name": title,
        "xaxis": f"x{number}",
    }


def _whole_rows(bar: dict[str, Any], layout: dict[str, Any]) -> dict[str, Any]:
    """Unseen bars over the whole width: a dropped feature's own bar is too short to point at."""
    place = {name: bar[name] for name in ("type", "y", "orientation", "customdata", "hovertext", "hoverinfo", "xaxis")}
    widest = layout[f"xaxis{bar['xaxis'].removeprefix('x')}"]["range"][1]
    return {**place, "x": [widest] * len(bar["y"]), "marker": {"color": "rgba(0,0,0,0)"}, "name": "row"}


def _cutoff_line(found: Dropping, number: int) -> dict[str, Any]:
    line = {"color": VERMILLION, "dash": "dash", "width": 1.5}
    place = {"xref": f"x{number}", "x0": found.cutoff, "x1": found.cutoff, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "line": line, **place}


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


def _only_together(names: Sequence[str], conditions: Sequence[Sequence[str]], dropped: np.ndarray) -> tuple[str, ...]:
    most = max((len(given) for given in conditions), default=0)
    if most < 2:
        return ()
    together = [len(given) == most for given in conditions].index(True)
    elsewhere = np.any([gone for k, gone in enumerate(dropped) if k != together], axis=0)
    return tuple(name for name, now, before in zip(names, dropped[together], elsewhere, strict=True) if now > before)
