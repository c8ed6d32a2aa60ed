"""View: a sensitive attribute, a place and a score, and the rows a result has for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from diffoci.audit.certificates.certificate import Certificate
from diffoci.audit.certificates.words import ceiling_in
from diffoci.audit.findings import largest_group_share
from diffoci.audit.methods.families import Family
from diffoci.audit.result import AuditResult, CurvePoint, Guessed, Mean, MethodResult, Place, Score
from diffoci.figures.template import look
from diffoci.plain_text import counted


@dataclass(frozen=True)
class View:
    """Which sensitive attribute, guessed from which place, in which score."""

    attribute: str
    place: Place = "representation"
    score: Score = "auc"


@dataclass(frozen=True)
class Row:
    """One method, or one weight of its trade-off curve, in a view; `y` and `s` are means with intervals.

    A certificate speaks of the representation's cells, so only a view of that place has it.
    """

    name: str
    called: str
    title: str
    look: Family
    seeds: tuple[int, ...]
    y: Mean
    s: Mean
    found: Guessed
    accuracy: Mean
    needs_sensitive: bool = False
    certificate: Certificate | None = None

    def ceiling(self, view: View) -> float | None:
        """What nobody exceeds who receives the method's cells, in the score of the view."""
        return ceiling_in(self.certificate, view.attribute, view.score)

    def judged(self, result: AuditResult, view: View) -> bool:
        """Whether enough people of some groups were seen for a verdict."""
        return not set(result.groups[view.attribute]) <= set(self.found.not_judged)

    def by_seed(self) -> list[tuple[int, float, float]]:
        """Seed, y and S of every seed that has both."""
        y, s = self.y.values, self.s.values
        if not len(y) == len(s) == len(self.seeds):
            return []
        both = zip(self.seeds, y, s, strict=True)
        return [(seed, one, other) for seed, one, other in both if one is not None and other is not None]

    def point(self) -> tuple[float, float] | None:
        """Means of S and y; None where too few people were seen."""
        return None if self.s.mean is None or self.y.mean is None else (self.s.mean, self.y.mean)


def rows_of(result: AuditResult, view: View) -> list[Row]:
    """Methods measured in this view, in the order of the audit."""
    found = [_row(one, view, **_drawn(one), title=one.title) for one in result.methods]
    return [row for row in found if row is not None]


def curve_rows(result: AuditResult, view: View) -> dict[str, list[tuple[float, Row]]]:
    """Weights of the trade-off curve with what each gave, by method."""
    found: dict[str, list[tuple[float, Row]]] = {}
    for name, points in result.curve.items():
        method = next((one for one in result.methods if one.name == name), None)
        drawn = {"name": name, "called": name, "look": look("")} if method is None else _drawn(method)
        for point in points:
            if (row := _row(point, view, **drawn, title=str(drawn["called"]))) is not None:
                found.setdefault(name, []).append((point.weight, row))
    return found


def over_repetitions(count: int) -> str:
    """What a mark stands for.

    >>> over_repetitions(5), over_repetitions(1)
    ('means of 5 repetitions', '1 repetition')
    """
    return f"means of {count} repetitions" if count > 1 else counted(count, "repetition")


def called_in(result: AuditResult, name: str) -> str:
    """The short name of a method; its name where it is not among those that finished."""
    return next((one.called for one in result.methods if one.name == name), name)


def y_reference(result: AuditResult, view: View) -> float:
    """What always predicting the commonest class gives in this score."""
    if view.score == "accuracy":
        return result.methods[0].y.majority
    return 0.5 if view.score == "auc" else 1 / len(result.label.classes)


def s_reference(result: AuditResult, view: View) -> float:
    """What always guessing the commonest group gives in this score."""
    if view.score == "accuracy":
        return largest_group_share(result, view.attribute)
    return 0.5 if view.score == "auc" else 1 / len(result.groups[view.attribute])


def people_tested(rows: Sequence[Row]) -> int:
    """How many people were in the test rows of any seed."""
    return max((row.found.test_rows for row in rows), default=0)


def chance_band(rows: Sequence[Row]) -> tuple[float, float, float] | None:
    """What shuffled labels give for the AUC: the lowest limit, and the smallest and largest upper limit of a method.

    A verdict follows the method's own limit, which lies between the last two.
    """
    lows = [row.found.null_auc_low for row in rows if row.found.null_auc_low is not None]
    highs = [row.found.null_auc_high for row in rows if row.found.null_auc_high is not None]
    return (min(lows), min(highs), max(highs)) if lows and highs else None


def paper_points(result: AuditResult, view: View) -> dict[str, tuple[float, float]]:
    """The paper's accuracies of y and S by method, where this view and these data are the paper's."""
    known = result.paper.accuracy
    networks = result.spec.settings.get("model", "nn") == "nn"  # the paper's study is of NN-dF3
    papers = view.score == "accuracy" and view.place == "last_layer" and networks
    if known is None or not papers or known.attribute != view.attribute or not result.provenance.real:
        return {}
    return {name: (pair.y / 100, pair.sensitive / 100) for name, pair in known.methods.items()}


def paper_elsewhere(result: AuditResult, view: View) -> bool:
    """Whether another view of the same attribute has the paper's values, and this one does not."""
    papers = View(view.attribute, "last_layer", "accuracy")
    return "last_layer" in result.places and bool(paper_points(result, papers)) and not paper_points(result, view)


def _drawn(method: MethodResult) -> dict[str, Any]:
    return {"name": method.name, "called": method.called, "look": look(method.family, method.marker)}


def _row(one: MethodResult | CurvePoint, view: View, *, name: str, called: str, title: str, look: Family) -> Row | None:
    found = one.leakage.of(view.attribute, view.place)
    y = one.y.score(view.score)
    if found is None or y.mean is None or one.y.accuracy.mean is None:
        return None
    return Row(
        name=name,
        called=called,
        title=title,
        look=look,
        seeds=one.seeds,
        y=y,
        s=found.score(view.score),
        found=found,
        accuracy=one.y.accuracy,
        needs_sensitive=isinstance(one, MethodResult) and one.needs_sensitive_at_prediction,
        certificate=one.certificate if isinstance(one, MethodResult) and view.place == "representation" else None,
    )
