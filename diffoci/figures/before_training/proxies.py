"""Before training: which columns reveal an attribute, which are needed for y, and which to drop first."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from diffoci.audit.result import ExactViews, FeatureView
from diffoci.audit.words import listed, sentence_case
from diffoci.figures._label_positions import place_names
from diffoci.figures.before_training.proxy_map import LEVEL, p_text
from diffoci.figures.drawing import Drawing
from diffoci.figures.template import BLUE, GREY, ORANGE, VERMILLION, shortened, titled

if TYPE_CHECKING:  # what computes them loads torch
    from diffoci.audit.before_training.proxies import Proxies, Traces
    from diffoci.audit.before_training.revealing import Evidence

BOTH, DROP = "useful and revealing", "revealing and not needed: drop these first"
USEFUL, NEITHER = "useful, nothing detected", "neither"
REVEALING, QUIET = "revealing", "nothing detected"  # where no outcome says what is useful
_LOOK = {
    BOTH: (ORANGE, "diamond"),
    DROP: (VERMILLION, "square"),
    USEFUL: (BLUE, "circle"),
    NEITHER: (GREY, "x"),
}
_LOOK_WITHOUT_OUTCOME = {REVEALING: (VERMILLION, "square"), QUIET: (GREY, "x")}
_MOST_RANKED = 30


def kind(*, useful: bool | None, reveals: bool) -> str:
    """Which of the four kinds a column is, or of two while no outcome says what is useful.

    >>> kind(useful=False, reveals=True), kind(useful=None, reveals=True)
    ('revealing and not needed: drop these first', 'revealing')
    """
    if useful is None:
        return REVEALING if reveals else QUIET
    if reveals:
        return BOTH if useful else DROP
    return USEFUL if useful else NEITHER


def proxy_table(found: Proxies, attribute: str, labels: Mapping[str, str]) -> pd.DataFrame:
    """Columns with what each tells of one attribute and of y: what reveals first, by how well it can be guessed."""
    traces = found.attributes[attribute]
    rows = []
    for name in sorted(traces.columns, key=lambda name: _order(traces, name)):
        one, of_y = traces.columns[name], found.y.get(name)
        rows.append(
            {
                "feature": name,
                "verdict": verdict(traces, name),
                "kind": kind(
                    useful=None if of_y is None else of_y.reveals(),
                    reveals=one.reveals() or bool(traces.partners(name)),
                ),
                "meaning": labels.get(name, name),
                "auc_s": one.auc,
                "p_s": one.p_value,
                "T_s": one.T,
                **({} if of_y is None else _of_outcome(of_y, traces.y_beyond[name])),
            }
        )
    return pd.DataFrame(rows)


def _of_outcome(found: Evidence, beyond: float) -> dict[str, float | None]:
    return {"auc_y": found.auc, "p_y": found.p_value, "T_y": found.T, "T_y_given": beyond}


def _order(traces: Traces, column: str) -> tuple[bool, bool, float]:
    """What reveals alone comes first, then what does with others, each by how well the attribute can be guessed."""
    one = traces.columns[column]
    return not one.reveals(), not traces.partners(column), -(one.auc or 0.0)


def verdict(traces: Traces, column: str) -> str:
    """What was found of the attribute in one column."""
    if traces.columns[column].reveals():
        return "reveals"
    partners = traces.partners(column)
    if partners:
        return f"reveals together with {listed(partners)}"
    return nothing_detected(traces.columns[column].smallest_auc)


def nothing_detected(smallest_auc: float | None) -> str:
    """What is said where nothing was found: the smallest effect that would have been."""
    if smallest_auc is None or smallest_auc >= 1:
        return "too few people to say"
    return f"not detected here (an AUC of {smallest_auc:.2f} or more would have been)"


def in_words(table: pd.DataFrame, attribute: str) -> pd.DataFrame:
    """The table as the page shows it, its columns named in words."""
    names = {
        "feature": "Column",
        "verdict": f"About {attribute}",
        "kind": "Kind",
        "meaning": "Meaning",
        "auc_s": f"AUC ({attribute})",
        "p_s": f"p ({attribute})",
        "T_s": f"T({attribute}, X)",
        "auc_y": "AUC (outcome)",
        "p_y": "p (outcome)",
        "T_y": "T(outcome, X)",
        "T_y_given": f"T(outcome, X | {attribute})",
    }
    same = (table["meaning"] == table["feature"]).all()
    return (table.drop(columns="meaning") if same else table).rename(columns=names).round(3)


def stored_table(views: ExactViews, attribute: str, labels: Mapping[str, str]) -> pd.DataFrame:
    """What an audit stored of single columns and one attribute, the most telling first."""
    rows = [
        {
            "Column": name,
            f"About {attribute}": "reveals" if _seen(told.p_value) else "nothing detected with one neighbour",
            "Meaning": labels.get(name, name),
            f"T({attribute}, X)": round(told.T, 3),
            f"p ({attribute})": p_text(told.p_value),
            "T(outcome, X)": round(view.T_y, 3),
            f"T(outcome, X | {attribute})": round(told.T_y_given, 3),
        }
        for name, view in sorted(views.columns.items(), key=lambda item: -_told(item[1], attribute))
        if (told := view.sensitive.get(attribute)) is not None
    ]
    table = pd.DataFrame(rows)
    same = not rows or (table["Meaning"] == table["Column"]).all()
    return table.drop(columns="Meaning", errors="ignore") if same else table


def stored_headline(views: ExactViews, attribute: str) -> str:
    """The answer of the page from what an audit stored."""
    told = {name: view.sensitive[attribute] for name, view in views.columns.items() if attribute in view.sensitive}
    seen = sorted((name for name, one in told.items() if _seen(one.p_value)), key=lambda name: -told[name].T)
    if not seen:
        return f"In this audit no column alone was seen to reveal {attribute}"
    most = listed(seen[:3] if len(seen) <= 3 else [*seen[:3], f"{len(seen) - 3} more"])
    return f"In this audit {len(seen)} of {len(told)} columns reveal {attribute}: {most}"


def _seen(p_value: float | None) -> bool:
    return p_value is not None and p_value <= LEVEL


def _told(view: FeatureView, attribute: str) -> float:
    return view.sensitive[attribute].T if attribute in view.sensitive else 0.0


def pair_table(traces: Traces) -> pd.DataFrame:
    """Pairs of columns that reveal the attribute only together."""
    rows = [
        {"Column": one.columns[0], "Together with": one.columns[1], "T of both": round(one.T, 3), "p": one.p_value}
        for one in sorted(traces.pairs, key=lambda one: -one.T)
    ]
    return pd.DataFrame(rows, columns=["Column", "Together with", "T of both", "p"])


def scatter(table: pd.DataFrame, attribute: str, *, rows: int) -> Drawing:
    """How well y and the attribute can be guessed from each column alone, the four kinds by colour."""
    if "auc_y" not in table:
        return _ranking(table, attribute, rows=rows)
    figure = go.Figure()
    known = table.dropna(subset=["auc_s", "auc_y"])
    x_range, y_range = (_padded(known[name]) for name in ("auc_s", "auc_y"))
    top = (known["auc_s"].rank(ascending=False) <= 6) | (known["auc_y"].rank(ascending=False) <= 6)
    named = top | known["kind"].isin([BOTH, DROP]) & (len(known) <= 30)
    texts = known["feature"].where(named, "")
    x, y = known["auc_s"].tolist(), known["auc_y"].tolist()
    names = place_names(x, y, texts.tolist(), x_range=x_range, y_range=y_range, width=340, height=250)
    drawn = known.assign(text=[name.text for name in names], position=[name.position for name in names])
    for one in _LOOK:
        _add_kind(figure, drawn[drawn["kind"] == one], one, attribute)
    figure.add_vline(x=0.5, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.add_hline(y=0.5, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.update_xaxes(title_text=f"how well {escape(attribute)} can be guessed from it alone: AUC →", range=x_range)
    figure.update_yaxes(title_text="how well the outcome can be guessed: AUC", range=y_range)
    figure.update_layout(
        title=titled(
            f"Useful, revealing, both or neither\n{rows:,} rows; 0.50 is chance; colours follow tests that allow for "
            f"the {len(table)} columns looked at, and pairs that reveal only together"
        ),
        height=470,
        clickmode="event+select",
    )
    counts = [f"{(table['kind'] == one).sum()} {one}" for one in _LOOK]
    return Drawing(figure, table, f"Columns by what they say about the outcome and {attribute}: {listed(counts)}.")


def _ranking(table: pd.DataFrame, attribute: str, *, rows: int) -> Drawing:
    """Without an outcome: columns in the order of how well the attribute can be guessed from each alone."""
    known = table.dropna(subset=["auc_s"]).sort_values("auc_s", ascending=False).head(_MOST_RANKED).iloc[::-1]
    figure = go.Figure()
    for one, (colour, marker) in _LOOK_WITHOUT_OUTCOME.items():
        some = known[known["kind"] == one]
        figure.add_scatter(
            x=some["auc_s"].tolist(),
            y=[escape(shortened(name)) for name in some["feature"]],
            mode="markers",
            marker={"symbol": marker, "size": 11, "color": colour},
            customdata=some[["feature"]].to_numpy(),
            name=f"{one} ({(table['kind'] == one).sum()})",
            hovertext=[
                f"<b>{escape(row['feature'])}</b>: {escape(row['meaning'])}<br>{escape(attribute)}: "
                f"{escape(row['verdict'])}<br>AUC {row['auc_s']:.2f}, T {row['T_s']:.3f}, p = {p_text(row['p_s'])}"
                for row in some.to_dict("records")
            ],
            hoverinfo="text",
        )
    figure.add_vline(x=0.5, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.update_xaxes(title_text=f"how well {escape(attribute)} can be guessed from it alone: AUC →")
    order = [escape(shortened(name)) for name in known["feature"]]
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=order, dtick=1)
    shown = f"the first {len(known)} of {len(table)} columns; " if len(known) < len(table) else ""
    figure.update_layout(
        title=titled(f"Which columns reveal {escape(attribute)}\n{rows:,} rows; {shown}0.50 is chance"),
        height=max(300, 150 + 24 * len(known)),
        clickmode="event+select",
    )
    counts = [f"{(table['kind'] == one).sum()} {one}" for one in _LOOK_WITHOUT_OUTCOME]
    return Drawing(figure, table, f"Columns by what they say about {attribute}: {listed(counts)}.")


def _add_kind(figure: go.Figure, some: pd.DataFrame, one: str, attribute: str) -> None:
    colour, marker = _LOOK[one]
    figure.add_scatter(
        x=some["auc_s"].tolist(),
        y=some["auc_y"].tolist(),
        mode="markers+text",
        text=[escape(text) for text in some["text"]],
        textposition=some["position"].tolist() or None,
        textfont={"size": 12},
        marker={"symbol": marker, "size": 11, "color": colour},
        customdata=some[["feature"]].to_numpy(),
        name=f"{one} ({len(some)})",
        hovertext=[
            f"<b>{escape(row['feature'])}</b>: {escape(row['meaning'])}<br>"
            f"{escape(attribute)}: {escape(row['verdict'])}<br>AUC {row['auc_s']:.2f}, T {row['T_s']:.3f}, "
            f"p = {row['p_s']:.3f}<br>outcome: AUC {row['auc_y']:.2f}, T {row['T_y']:.3f}, "
            f"p = {row['p_y']:.3f}<br>{one}"
            for row in some.to_dict("records")
        ],
        hoverinfo="text",
    )


def headline(found: Proxies, attribute: str) -> str:
    """The answer of the page in one line, pairs included."""
    traces = found.attributes[attribute]
    alone = sorted((one for one in traces.columns.values() if one.reveals()), key=lambda one: -(one.auc or 0.0))
    together = [" with ".join(one.columns) for one in sorted(traces.pairs, key=lambda one: -one.T)]
    if not alone and not together:
        return f"Columns that reveal {attribute}, alone or in pairs: {nothing_detected(traces.smallest_auc)}"
    if not alone:
        return sentence_case(f"{attribute} is revealed by no column alone, but by {_first(together)} together")
    verb = "reveals" if len(alone) == 1 else "reveal"
    most = f"{'' if len(alone) <= 3 else 'most of all '}{listed([one.columns[0] for one in alone[:3]])}"
    pairs = f"; only together: {_first(together)}" if together else ""
    return f"{len(alone)} of {len(traces.columns)} columns {verb} {attribute}: {most}{pairs}"


def _first(names: list[str]) -> str:
    """At most three by name, the rest as a number."""
    return listed([*names[:3], f"{len(names) - 3} more pairs"] if len(names) > 4 else names)


def _padded(values: pd.Series) -> tuple[float, float]:
    """Room for names and for the kinds' words beyond the outermost points."""
    low, high = min(float(values.min()), 0.5), max(float(values.max()), 0.5)
    room = max(high - low, 0.02)
    return low - 0.18 * room, high + 0.22 * room
