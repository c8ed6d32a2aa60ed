"""Before training: what each feature tells of the sensitive attributes and of y."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from diffoci.figures.drawing import Drawing
from diffoci.figures.labels import label_places
from diffoci.figures.template import BLUE, GREY, SHADES, VERMILLION, titled
from diffoci.figures.words import listed, sentence_case

Views = Mapping[str, Any]
LEVEL = 0.05
HARMLESS, TELLING, USELESS = "useful and harmless", "useful but telling", "useless for y"
_LOOK = {HARMLESS: (BLUE, "circle"), TELLING: (VERMILLION, "diamond"), USELESS: (GREY, "x")}
_CORNERS = {HARMLESS: ("left", "top"), TELLING: ("right", "top"), USELESS: ("right", "bottom")}
ROW_PIXELS = 26


def proxy_table(views: Views, attribute: str, labels: Mapping[str, str]) -> pd.DataFrame:
    """Features with what each tells of y and of one attribute, the most telling first."""
    rows = []
    for name, entry in views["columns"].items():
        telling = entry["sensitive"].get(attribute)
        if telling is None:
            continue
        rows.append(
            {
                "feature": name,
                "meaning": labels.get(name, name),
                "T_y": entry["T_y"],
                "p_y": entry.get("p_value_y"),
                "T_s": telling["T"],
                "p_s": telling["p_value"],
                "T_y_given": telling["T_y_given"],
                "region": region(entry.get("p_value_y"), telling["p_value"]),
            }
        )
    columns = ["feature", "meaning", "T_y", "p_y", "T_s", "p_s", "T_y_given", "region"]
    return pd.DataFrame(rows, columns=columns).sort_values("T_s", ascending=False, ignore_index=True)


def region(p_y: float | None, p_s: float | None) -> str:
    """Which of the three kinds a feature is.

    >>> region(0.01, 0.01), region(0.01, 0.4), region(0.3, 0.01)
    ('useful but telling', 'useful and harmless', 'useless for y')
    """
    if p_y is None or p_y > LEVEL:
        return USELESS
    return TELLING if p_s is not None and p_s <= LEVEL else HARMLESS


def heat_map(views: Views, labels: Mapping[str, str]) -> Drawing:
    """T(S_k, X_j) of every attribute and feature with its p-value; what shuffled labels could give is left unshaded."""
    attributes = list(next(iter(views["columns"].values()))["sensitive"]) if views["columns"] else []
    strongest = {
        name: max((one["T"] for one in entry["sensitive"].values()), default=0.0)
        for name, entry in views["columns"].items()
    }
    names = sorted(strongest, key=lambda name: strongest[name])
    cells = [[views["columns"][name]["sensitive"][attribute] for attribute in attributes] for name in names]
    found = [[cell["p_value"] is not None and cell["p_value"] <= LEVEL for cell in row] for row in cells]
    figure = go.Figure(
        go.Heatmap(
            z=[
                [max(cell["T"], 0.0) if seen else None for cell, seen in zip(row, line, strict=True)]
                for row, line in zip(cells, found, strict=True)
            ],
            x=[escape(name) for name in attributes],
            y=[escape(name) for name in names],
            colorscale=SHADES,
            zmin=0,
            xgap=2,
            ygap=2,
            hoverongaps=True,
            hovertext=[
                [
                    f"<b>{escape(name)}</b>: {escape(labels.get(name, name))}<br>T({escape(attribute)}, "
                    f"{escape(name)}) = {cell['T']:.3f}, p = {_p(cell['p_value'])}<br>"
                    f"0: says nothing about {escape(attribute)}; 1: gives it away entirely"
                    for attribute, cell in zip(attributes, row, strict=True)
                ]
                for name, row in zip(names, cells, strict=True)
            ],
            hoverinfo="text",
            colorbar={"title": {"text": "T"}, "thickness": 12},
        )
    )
    flat = [(k, n) for k in range(len(names)) for n in range(len(attributes))]
    figure.add_scatter(
        x=[escape(attributes[n]) for _, n in flat],
        y=[escape(names[k]) for k, _ in flat],
        mode="text",
        text=[_cell_text(cells[k][n], found[k][n]) for k, n in flat],
        hoverinfo="skip",
        showlegend=False,
    )
    # Said to be categories: columns of the names "1", "2", "10" would else be put where those numbers are.
    figure.update_yaxes(showgrid=False, dtick=1, range=[-0.5, len(names) - 0.5], type="category")
    figure.update_xaxes(showgrid=False, side="top", type="category")
    figure.update_layout(
        title=titled(
            f"How far each feature gives an attribute away: T(S, X)\n{views['rows']:,} rows; "
            "· = what shuffled labels give one of the features as well (p above 0.05)"
        ),
        height=150 + ROW_PIXELS * len(names),
        margin={"t": 92},
    )
    data = pd.DataFrame(
        [
            {"feature": name, "attribute": attribute, "T": cell["T"], "p_value": cell["p_value"]}
            for name, row in zip(names[::-1], cells[::-1], strict=True)
            for attribute, cell in zip(attributes, row, strict=True)
        ]
    )
    first = [name for name, line in zip(names[::-1], found[::-1], strict=True) if any(line)][:3]
    return Drawing(figure, data, f"T of every feature for {listed(attributes)}; strongest: {listed(first)}.")


def scatter(table: pd.DataFrame, attribute: str, *, rows: int) -> Drawing:
    """T(Y, X_j) against T(S, X_j), with the three kinds of features named."""
    figure = go.Figure()
    x_range, y_range = (_padded(table[name]) for name in ("T_s", "T_y"))
    top = (table["T_s"].rank(ascending=False) <= 6) | (table["T_y"].rank(ascending=False) <= 6)
    shown = [name if named else "" for name, named in zip(table["feature"], top, strict=True)]
    where = label_places(
        table["T_s"].tolist(), table["T_y"].tolist(), shown, x_range=x_range, y_range=y_range, width=430, height=300
    )
    for kind, (colour, marker) in _LOOK.items():
        inside = (table["region"] == kind).tolist()
        some = table[inside]
        figure.add_scatter(
            x=some["T_s"].tolist(),
            y=some["T_y"].tolist(),
            mode="markers+text",
            text=[escape(name) for name, here in zip(shown, inside, strict=True) if here],
            textposition=[place for place, here in zip(where, inside, strict=True) if here] or None,
            textfont={"size": 12},
            marker={"symbol": marker, "size": 11, "color": colour},
            customdata=some[["feature"]].to_numpy(),
            name=f"{kind} ({len(some)})",
            hovertext=[
                f"<b>{escape(row['feature'])}</b>: {escape(row['meaning'])}<br>T(y, X) = {row['T_y']:.3f}, "
                f"p = {_p(row['p_y'])}<br>T({escape(attribute)}, X) = {row['T_s']:.3f}, p = {_p(row['p_s'])}<br>{kind}"
                for row in some.to_dict("records")
            ],
            hoverinfo="text",
        )
    corners = (
        ("left", 0.0, "top", 1.0, HARMLESS),
        ("right", 1.0, "top", 1.0, TELLING),
        ("right", 1.0, "bottom", 0.0, USELESS),
    )
    for x_anchor, x, y_anchor, y, text in corners:
        figure.add_annotation(
            x=x, y=y, xref="paper", yref="paper", xanchor=x_anchor, yanchor=y_anchor, text=f"<i>{text}</i>",
            showarrow=False,
        )  # fmt: skip
    figure.add_vline(x=0, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.add_hline(y=0, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.update_xaxes(title_text=f"how far the feature gives {escape(attribute)} away: T(S, X) →", range=x_range)
    figure.update_yaxes(title_text="how far it tells y: T(Y, X)", range=y_range)
    figure.update_layout(
        title=titled(
            f"Useful, telling, or neither\n{rows:,} rows; judged by tests that allow for the {len(table)} features "
            "looked at (p at most 0.05)"
        ),
        height=470,
        clickmode="event+select",
    )
    counts = [f"{(table['region'] == kind).sum()} {kind}" for kind in _LOOK]
    return Drawing(figure, table, f"Features by what they tell of y and of {attribute}: {listed(counts)}.")


def headline(table: pd.DataFrame, attribute: str) -> str:
    """The answer of the page in one line."""
    telling = table[table["p_s"].notna() & (table["p_s"] <= LEVEL)]
    if telling.empty:
        return f"No single feature gives {attribute} away beyond chance; several together still may"
    first: Sequence[str] = telling["feature"].tolist()[:3]
    return sentence_case(f"{attribute} shows in {len(telling)} of {len(table)} features, most in {listed(list(first))}")


def _padded(values: pd.Series) -> tuple[float, float]:
    """Room for names and for the regions' words beyond the outermost points."""
    low, high = min(float(values.min()), 0.0), float(values.max())
    room = max(high - low, 0.02)
    return low - 0.18 * room, high + 0.22 * room


def _cell_text(cell: Mapping[str, Any], seen: bool) -> str:
    return f"{cell['T']:.2f} (p {_p(cell['p_value'])})" if seen else f"· (p {_p(cell['p_value'])})"


def _p(value: float | None) -> str:
    return "unknown" if value is None or value != value else f"{value:.2f}"
