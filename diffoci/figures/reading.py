"""Read a result for one view: a sensitive attribute, a place and a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diffoci.figures.words import PLACES, SCORES

Result = Mapping[str, Any]
SHORT = {
    "standard": "Standard data",
    "dF3+penalty": "dF3 + penalty",
    "correlation-remover": "CorrelationRemover",
    "leace": "LEACE",
    "adversary": "Adversary",
    "prototypes": "Prototypes",
}


@dataclass(frozen=True)
class View:
    """Which sensitive attribute, guessed from which place, in which score."""

    attribute: str
    place: str = "representation"
    score: str = "auc"


@dataclass(frozen=True)
class Entry:
    """One method (or one weight of the trade-off curve) in a view; `y` and `s` are means with intervals."""

    name: str
    title: str
    seeds: tuple[int, ...]
    y: Mapping[str, Any]
    s: Mapping[str, Any]
    found: Mapping[str, Any]
    accuracy: Mapping[str, Any]
    needs_sensitive: bool = False

    @property
    def short(self) -> str:
        return SHORT.get(self.name, self.name)

    def judged(self, result: Result, view: View) -> bool:
        """Whether enough people of some groups were seen for a verdict."""
        return not set(result["groups"][view.attribute]) <= set(self.found["not_judged"])

    def by_seed(self) -> list[tuple[int, float, float]]:
        """Seed, y and S of every seed that has both."""
        y, s = self.y["values"], self.s["values"]
        if not len(y) == len(s) == len(self.seeds):
            return []
        return [one for one in zip(self.seeds, y, s, strict=True) if None not in one]


def attributes(result: Result) -> list[str]:
    """Sensitive attributes of the audit."""
    return list(result["groups"])


def places(result: Result) -> list[str]:
    """Where leakage was measured for at least one method, the representation first."""
    found = {place for m in result["methods"] for by in m["leakage"]["by_attribute"].values() for place in by}
    return [place for place in PLACES if place in found]


def scores() -> list[str]:
    """Scores a view can have."""
    return list(SCORES)


def entries(result: Result, view: View) -> list[Entry]:
    """Methods measured in this view, in the order of the audit."""
    return [entry for one in result["methods"] if (entry := _entry(one["name"], one["title"], one, view)) is not None]


def curve_entries(result: Result, view: View) -> dict[str, list[tuple[float, Entry]]]:
    """Weights of the trade-off curve with what each gave, by method."""
    found: dict[str, list[tuple[float, Entry]]] = {}
    for name, points in result["curve"].items():
        for point in points:
            entry = _entry(name, SHORT.get(name, name), point, view)
            if entry is not None:
                found.setdefault(name, []).append((float(point["weight"]), entry))
    return found


def y_reference(result: Result, view: View) -> float:
    """What always predicting the commonest class gives in this score."""
    if view.score == "accuracy":
        return float(result["methods"][0]["y"]["majority"])
    return 0.5 if view.score == "auc" else 1 / len(result["label"]["classes"])


def s_reference(result: Result, view: View) -> float:
    """What always guessing the commonest group gives in this score."""
    groups = result["groups"][view.attribute]
    if view.score == "accuracy":
        return float(max(group["rows"] for group in groups.values()) / sum(group["rows"] for group in groups.values()))
    return 0.5 if view.score == "auc" else 1 / len(groups)


def people_tested(found: list[Entry]) -> int:
    """How many people were in the test rows of any seed."""
    return max((int(entry.found["test_rows"]) for entry in found), default=0)


def chance_band(found: list[Entry]) -> tuple[float, float, float] | None:
    """What shuffled labels give for the AUC: the lowest limit, and the smallest and largest upper limit of a method.

    A verdict follows the method's own limit, which lies between the last two.
    """
    lows = [entry.found["null_auc_low"] for entry in found if entry.found["null_auc_low"] is not None]
    highs = [entry.found["null_auc_high"] for entry in found if entry.found["null_auc_high"] is not None]
    return (min(lows), min(highs), max(highs)) if lows and highs else None


def paper_points(result: Result, view: View) -> dict[str, tuple[float, float]]:
    """The paper's accuracies of y and S by method, where this view and these data are the paper's."""
    known = result["paper"].get("accuracy")
    networks = result["spec"]["settings"].get("model", "nn") == "nn"  # the paper's study is of NN-dF3
    papers = view.score == "accuracy" and view.place == "last_layer" and networks
    if not known or not papers or known["attribute"] != view.attribute or not result["provenance"]["real"]:
        return {}
    return {name: (pair["y"] / 100, pair["sensitive"] / 100) for name, pair in known["methods"].items()}


def paper_elsewhere(result: Result, view: View) -> bool:
    """Whether another view of the same attribute has the paper's values, and this one does not."""
    papers = View(view.attribute, "last_layer", "accuracy")
    return "last_layer" in places(result) and bool(paper_points(result, papers)) and not paper_points(result, view)


def _entry(name: str, title: str, one: Mapping[str, Any], view: View) -> Entry | None:
    found = one["leakage"]["by_attribute"].get(view.attribute, {}).get(view.place)
    if found is None or one["y"][view.score]["mean"] is None:
        return None
    return Entry(
        name=name,
        title=title,
        seeds=tuple(one["seeds"]),
        y=one["y"][view.score],
        s=found[view.score],
        found=found,
        accuracy=one["y"]["accuracy"],
        needs_sensitive=bool(one.get("needs_sensitive_at_prediction")),
    )
