"""How one feature is distributed in each group: numbers as densities of people, everything else as shares."""

from __future__ import annotations

from html import escape
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from diffoci.data.dataset import Dataset
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import GROUP_COLOURS

MOST_LEVELS = 15
# A bar's pattern tells groups apart where colours do not.
_PATTERNS = ("", "/", "x", ".", "-", "|", "+", "\\")


def distribution(dataset: Dataset, feature: str, attribute: str) -> Drawing:
    """Shares of each group's people by value of a feature."""
    column = dataset.column(feature)
    groups = dataset.sensitive[attribute].cat.remove_unused_categories()
    binned = _binned(dataset, feature)
    counts = pd.crosstab(binned, groups.astype(str))
    shares = counts / counts.sum()
    figure = go.Figure()
    for k, group in enumerate(shares.columns):
        figure.add_bar(
            x=[escape(str(value)) for value in shares.index],
            y=shares[group],
            name=f"{escape(str(group))} (n = {counts[group].sum():,})",
            marker={"color": GROUP_COLOURS[k % len(GROUP_COLOURS)], "pattern": {"shape": _PATTERNS[k % 8]}},
            hovertext=[
                f"<b>{escape(str(group))}</b>, {escape(feature)} {escape(str(value))}: "
                f"{100 * share:.1f} % ({count:,} people)"
                for value, share, count in zip(shares.index, shares[group], counts[group], strict=True)
            ],
            hoverinfo="text",
        )
    figure.update_yaxes(tickformat=".0%", title_text="share of the group")
    figure.update_xaxes(title_text=escape(column.label), type="category")
    figure.update_layout(
        title_text=f"{escape(feature)} by {escape(attribute)}<br><sup>{counts.to_numpy().sum():,} rows</sup>",
        height=400,
    )
    data = shares.reset_index(names=feature).rename(columns=str)
    widest = shares.max(axis=1) - shares.min(axis=1)
    alt = f"Shares of {feature} by {attribute}; groups differ most at {widest.idxmax()}."
    return Drawing(figure, data, alt)


def _binned(dataset: Dataset, feature: str) -> pd.Series:
    values, column = dataset.features[feature], dataset.column(feature)
    if column.kind == "number":
        if values.nunique() <= MOST_LEVELS:
            named = values.map(lambda value: f"{value:g}", na_action="ignore")
            order = [f"{value:g}" for value in np.sort(values.dropna().unique())]
        else:
            edges = np.linspace(*_middle(values), 13)
            order = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]
            order[0], order[-1] = f"up to {edges[1]:.3g}", f"above {edges[-2]:.3g}"
            place = np.clip(np.searchsorted(edges, values.to_numpy(), side="left") - 1, 0, len(order) - 1)
            named = pd.Series(np.array(order, dtype=object)[place], index=values.index).where(values.notna())
    else:
        words = values.map(lambda level: str(column.meanings.get(str(level), level)), na_action="ignore").astype(object)
        common = words.value_counts().index[:MOST_LEVELS]
        named = words.where(words.isin(common) | words.isna(), "other")
        ranked = [column.meanings.get(str(level), str(level)) for level in values.cat.categories]
        order = [level for level in dict.fromkeys(ranked) if level in set(common)] + ["other"]
    full = [*dict.fromkeys(order), "missing"]
    return pd.Series(pd.Categorical(named.fillna("missing"), categories=full), index=values.index)


def _middle(values: pd.Series) -> tuple[float, float]:
    """All but the outermost half per cent on both sides, so that one millionaire does not flatten everybody else."""
    low, high = float(values.quantile(0.005)), float(values.quantile(0.995))
    return (low, high) if high > low else (float(values.min()), float(values.max()))
