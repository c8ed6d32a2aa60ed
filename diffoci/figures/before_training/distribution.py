"""How one feature is distributed in each group: numbers as densities of people, everything else as shares."""

from __future__ import annotations

import math
from html import escape
from itertools import pairwise
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.data.dataset import Dataset
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import GROUP_COLOURS, titled

MOST_LEVELS = 15
LONG_NAME = 14
LONG_LINE, SHORT_LINE = 26, 9
# A bar's pattern tells groups apart where colours do not.
_PATTERNS = ("", "/", "x", ".", "-", "|", "+", "\\")


def distribution(dataset: Dataset, feature: str, attribute: str) -> Drawing:
    """Shares of each group's people by value of a feature."""
    column = dataset.column(feature)
    groups = dataset.sensitive[attribute].cat.remove_unused_categories()
    counts = pd.crosstab(_binned(dataset, feature), groups)  # in the order of the groups: bands of age follow it
    counts.columns = counts.columns.astype(str)
    shares = counts / counts.sum()
    spread = shares.max(axis=1) - shares.min(axis=1)
    shown = shares.index[spread.rank(ascending=False, method="first").to_numpy() <= MOST_LEVELS]
    sideways = max(len(str(value)) for value in shown) > LONG_NAME
    width = LONG_LINE if sideways else SHORT_LINE
    texts = ["<br>".join(map(escape, wrap(str(value), width) or [""])) for value in shown]
    figure = go.Figure()
    for k, group in enumerate(shares.columns):
        values = shares.loc[shown, group].tolist()
        figure.add_bar(
            x=values if sideways else texts,
            y=texts if sideways else values,
            orientation="h" if sideways else "v",
            name=f"{escape(str(group))} (n = {counts[group].sum():,})",
            marker={"color": GROUP_COLOURS[k % len(GROUP_COLOURS)], "pattern": {"shape": _PATTERNS[k % 8]}},
            hovertext=[
                f"<b>{escape(str(group))}</b>, {escape(str(value))}: {100 * share:.1f} % ({count:,} people)"
                for value, share, count in zip(shown, values, counts.loc[shown, group], strict=True)
            ],
            hoverinfo="text",
        )
    of, named = (figure.update_xaxes, figure.update_yaxes) if sideways else (figure.update_yaxes, figure.update_xaxes)
    of(tickformat=".0%", title_text="share of the group")
    named(title_text="" if sideways else escape(column.label), type="category")
    if sideways:
        figure.update_yaxes(autorange="reversed")
    left_out = len(shares) - len(shown)
    note = f"; the {len(shown)} of {len(shares)} values where groups differ most" if left_out else ""
    meaning = "" if column.label.lower() == feature.lower() else f" ({escape(column.label)})"
    title = f"{escape(feature)}{meaning} by {escape(attribute)}"
    figure.update_layout(
        title=titled(f"{title}\n{counts.to_numpy().sum():,} rows{note}"),
        height=170 + max(230, (12 + 14 * len(shares.columns)) * len(texts) if sideways else 0),
    )
    data = shares.reset_index(names=feature).rename(columns=str)
    return Drawing(figure, data, f"Shares of {feature} by {attribute}; groups differ most at {spread.idxmax()}.")


def _binned(dataset: Dataset, feature: str) -> pd.Series:
    values, column = dataset.features[feature], dataset.column(feature)
    if column.kind == "number":
        if values.nunique() <= MOST_LEVELS:
            named = values.map(lambda value: f"{value:g}", na_action="ignore")
            order = [f"{value:g}" for value in np.sort(values.dropna().unique())]
        else:
            edges = np.linspace(*_middle(values), 13)
            said = _edge_words(edges)
            order = [f"{low} to {high}" for low, high in pairwise(said)]
            order[0], order[-1] = f"up to {said[1]}", f"above {said[-2]}"
            number = np.clip(np.searchsorted(edges, values.to_numpy(), side="left") - 1, 0, len(order) - 1)
            named = pd.Series(np.array(order, dtype=object)[number], index=values.index).where(values.notna())
    else:
        words = values.map(lambda level: str(column.meanings.get(str(level), level)), na_action="ignore").astype(object)
        named = words
        ranked = [str(column.meanings.get(str(level), level)) for level in values.cat.categories]
        order = [level for level in dict.fromkeys(ranked) if (words == level).any()]
    full = list(dict.fromkeys([*order, "missing"]))  # a level may bear that name already
    return pd.Series(pd.Categorical(named.fillna("missing"), categories=full), index=values.index)


def _edge_words(edges: np.ndarray) -> list[str]:
    """Edges of bins with as many decimals as tell two of them apart.

    >>> _edge_words(np.array([1950.0, 1952.5, 1955.0])), _edge_words(np.array([20_800.0, 27_900.0]))
    (['1950.0', '1952.5', '1955.0'], ['20,800', '27,900'])
    """
    decimals = max(0, 1 - math.floor(math.log10(edges[1] - edges[0])))
    grouped = "," if np.abs(edges).max() >= 10_000 else ""  # a year has no comma
    return [f"{edge:{grouped}.{decimals}f}" for edge in edges]


def _middle(values: pd.Series) -> tuple[float, float]:
    """All but the outermost half per cent on both sides, so that one millionaire does not flatten everybody else."""
    low, high = float(values.quantile(0.005)), float(values.quantile(0.995))
    return (low, high) if high > low else (float(values.min()), float(values.max()))
