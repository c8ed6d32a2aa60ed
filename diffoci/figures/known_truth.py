"""Generated data: what is there by construction beside what was found, column by column and group by group."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from diffoci.audit.dropping import Dropping
from diffoci.audit.result import AuditResult
from diffoci.audit.words import interval_text, listed, score_text
from diffoci.data.known import Known, KnownColumn
from diffoci.figures.decisions.rates import Compared
from diffoci.figures.drawing import Drawing
from diffoci.figures.features import titles
from diffoci.figures.template import GREY
from diffoci.figures.view import View, rows_of

if TYPE_CHECKING:  # what computes them loads torch
    from diffoci.audit.before_training.proxies import Traces

THERE, TELLS = "There by construction", "Predicts the outcome by construction"
AGREED, MISSED, MISTAKEN, QUIET = "found", "missed", "named by mistake", "nothing there, nothing named"


def way(one: KnownColumn) -> str:
    """How a column leaks.

    >>> way(KnownColumn("a", "only together", "b", 0.5, False)), way(KnownColumn("c", "", None, 0.5, False))
    ('leaks only together with b', 'does not leak')
    """
    if not one.way:
        return "does not leak"
    return f"leaks {one.way} with {one.partner}" if one.partner else f"leaks {one.way}"


def columns_found(known: Known, traces: Traces) -> pd.DataFrame:
    """Every column: whether it leaks, whether that was found, and how well it can be guessed from, at best and here."""
    rows = []
    for one in known.columns:
        evidence = traces.columns.get(one.name)
        if evidence is None:
            continue
        partners = traces.partners(one.name)
        if evidence.reveals():
            found = "reveals"
        else:
            found = f"reveals together with {listed(partners)}" if partners else "not detected"
        named = evidence.reveals() or bool(partners)
        right = (one.partner in partners or evidence.reveals()) if one.partner else named
        answer = (AGREED if right else MISSED) if one.way else (MISTAKEN if named else QUIET)
        rows.append(
            {
                "Column": one.name,
                "Verdict": answer,
                THERE: way(one),
                "Found here": found,
                "Best AUC alone": round(one.auc, 3),
                "AUC here": None if evidence.auc is None else round(evidence.auc, 3),
            }
        )
    return pd.DataFrame(rows, columns=["Column", "Verdict", THERE, "Found here", "Best AUC alone", "AUC here"])


def columns_said(table: pd.DataFrame) -> str:
    """How much of what is there was found, and what was named by mistake."""
    counts = table["Verdict"].value_counts()
    there, mistaken = int(counts.get(AGREED, 0) + counts.get(MISSED, 0)), int(counts.get(MISTAKEN, 0))
    first = _found_of(int(counts.get(AGREED, 0)), there) if there else "No column leaks"
    other = len(table) - there
    if not other:
        return f"{first}."
    return f"{first}; of the {other} that do not, {mistaken or 'none'} {'were' if mistaken > 1 else 'was'} named."


def _found_of(found: int, there: int) -> str:
    """How many of the columns that leak were found.

    >>> _found_of(4, 4), _found_of(2, 4)
    ('All 4 columns that leak were found', '2 of the 4 columns that leak were found')
    """
    if there == 1:
        return f"The one column that leaks was {'found' if found else 'not found'}"
    return f"{'All' if found == there else f'{found} of the'} {there} columns that leak were found"


def ceilings(known: Known, result: AuditResult, view: View) -> pd.DataFrame:
    """The best that anybody could do, beside what each method's representation allowed; in the score of the view."""
    rows = [
        {
            "Method": "the best possible, from all columns",
            f"{known.attribute} guessed": score_text(known.guessed.score(view.score), view.score),
            "outcome predicted": score_text(known.predicted.score(view.score), view.score),
        }
    ]
    for row in rows_of(result, view):
        rows.append(
            {
                "Method": row.called,
                f"{known.attribute} guessed": interval_text(row.s, view.score),
                "outcome predicted": interval_text(row.y, view.score),
            }
        )
    return pd.DataFrame(rows)


def ceilings_said(known: Known, view: View) -> str:
    """Both ceilings in a sentence."""
    guessed, predicted = (score_text(best.score(view.score), view.score) for best in (known.guessed, known.predicted))
    from_all = " (from all columns, those left out included)" if known.left_out else ""
    leaking = f"Leaking: {listed(known.leaking)}" if known.leaking else "No column leaks"
    return (
        f"By construction nobody can guess {known.attribute} from these columns better than {guessed}, nor predict the "
        f"outcome better than {predicted}{from_all}, apart from chance in the rows tested. {leaking}."
    )


def with_ceilings(drawing: Drawing, known: Known, view: View) -> Drawing:
    """The plane of Compare with a line at each ceiling."""
    guessed, predicted = known.guessed.score(view.score), known.predicted.score(view.score)
    figure = drawing.figure
    line = {"color": GREY, "width": 2, "dash": "longdash"}
    figure.add_vline(x=guessed, line=line, name="ceiling")
    figure.add_hline(y=predicted, line=line, name="ceiling")
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="lines",
        line=line,
        hoverinfo="skip",
        legendrank=2001,
        name=(
            f"the best possible: {escape(known.attribute)} {score_text(guessed, view.score)}, outcome "
            f"{score_text(predicted, view.score)}"
        ),
    )
    for axis, value in ((figure.layout.xaxis, guessed), (figure.layout.yaxis, predicted)):
        low, high = axis.range
        room = 0.03 * (high - low)
        axis.range = (min(low, value - room), max(high, value + room))
    return Drawing(figure, drawing.data, f"{drawing.alt} {ceilings_said(known, view)}")


def features_dropped(known: Known, found: Dropping) -> pd.DataFrame:
    """Every feature: whether it leaks and tells the outcome, and under which conditions it was dropped."""
    by_name = {one.name: one for one in known.columns}
    rows = []
    for k, name in enumerate(found.names):
        if (one := by_name.get(name)) is None:
            continue
        row = {
            "Feature": name,
            THERE: way(one),
            "Predicts the outcome by construction": "yes" if one.tells_outcome else "no",
        }
        for condition, title in enumerate(titles(found)):
            seeds = f"{found.count[condition][k]:.0f} of {found.seeds[condition]}"
            row[title] = f"dropped ({seeds})" if found.dropped[condition][k] else f"kept (dropped in {seeds})"
        rows.append(row)
    return pd.DataFrame(rows)


def decided(known: Known, compared: Compared) -> pd.DataFrame:
    """Every group: who has the outcome and whom the best prediction selects, beside what was found."""
    rows = []
    for name, group in known.groups.items():
        row = {
            "Group": name,
            "With the outcome, by construction": f"{100 * group.outcome:.1f} %",
            "Predicted yes by the best possible prediction": f"{100 * group.selected:.1f} %",
        }
        for title, comparison in compared.items():
            found = next((one for one in comparison.groups if one.label == name), None)
            if found is None or not found.n:
                continue
            row.setdefault("With the outcome, of those tested", f"{100 * found.positives / found.n:.1f} %")
            row[f"Predicted yes: {title}"] = f"{100 * found.selected / found.n:.1f} %"
        rows.append(row)
    return pd.DataFrame(rows)
