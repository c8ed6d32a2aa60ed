"""Numbers and verdicts as an analyst reads them: 77.6 %, AUC 0.58, differences in points with their interval."""

from __future__ import annotations

from collections.abc import Sequence

from diffoci.audit.noise import without_width
from diffoci.audit.probes import PROBES
from diffoci.audit.result import Mean, Place, Score, Verdict

VERDICTS: dict[Verdict, str] = {
    "detected": "guessable",
    "not detected": "not detected above chance",
    "insufficient evidence": "too few people to say",
}
PLACES: dict[Place, str] = {"representation": "the representation", "last_layer": "the classifier's last layer"}
SCORES: dict[Score, str] = {"auc": "AUC", "accuracy": "Accuracy", "balanced_accuracy": "Balanced accuracy"}
UNKNOWN = "not measured"
# What is said in place of an interval without width.
ALIKE = "equal in every repetition: no proof"


def probe_title(name: str) -> str:
    """What a probe is called, or its name where it is not known here.

    >>> probe_title("boosting"), probe_title("of another package")
    ('boosted trees', 'of another package')
    """
    return PROBES[name].title if name in PROBES else name


def score_text(value: float | None, score: str) -> str:
    """A score in its own unit.

    >>> score_text(0.7761, "accuracy"), score_text(0.5834, "auc"), score_text(None, "auc")
    ('77.6 %', '0.58', 'not measured')
    """
    if value is None:
        return UNKNOWN
    return f"{value:.2f}" if score == "auc" else f"{100 * value:.1f} %"


def beside_chance(area: float | None, high: float | None) -> tuple[str, str]:
    """An AUC and the end of chance, with a third digit where two would not tell them apart.

    >>> beside_chance(0.5834, 0.5577), beside_chance(0.5589, 0.5577), beside_chance(0.6, None)
    (('0.58', '0.56'), ('0.559', '0.558'), ('0.60', 'not measured'))
    """
    if area is None or high is None or f"{area:.2f}" != f"{high:.2f}":
        return score_text(area, "auc"), score_text(high, "auc")
    return f"{area:.3f}", f"{high:.3f}"


def interval_text(found: Mean, score: str) -> str:
    """A mean with its interval.

    >>> interval_text(Mean(0.7, 0.6, 1.2, ()), "accuracy"), interval_text(Mean(0.7, 0.7, 0.7, (0.7, 0.7)), "auc")
    ('70.0 % (60.0 to 100.0 %)', '0.70 (equal in every repetition: no proof)')
    """
    mean = score_text(found.mean, score)
    if found.mean is None or found.low is None or found.high is None:
        return mean
    if without_width(found.low, found.high):
        return f"{mean} ({ALIKE})"
    low, high = max(0.0, found.low), min(1.0, found.high)
    limits = f"{low:.2f} to {high:.2f}" if score == "auc" else f"{100 * low:.1f} to {100 * high:.1f} %"
    return f"{mean} ({limits})"


def points_text(value: float, low: float | None, high: float | None) -> str:
    """A difference of two shares in points.

    >>> points_text(-0.002, -0.009, 0.005), points_text(0.0, 0.0, 0.0)
    ('−0.2 points, interval −0.9 to 0.5', '0.0 points, equal in every repetition: no proof')
    """
    text = f"{_signed(100 * value)} points"
    if low is None or high is None:
        return text
    if without_width(low, high):
        return f"{text}, {ALIKE}"
    low, high = max(low, -1.0), min(high, 1.0)  # shares differ by no more
    return f"{text}, interval {_minus(100 * low)} to {_minus(100 * high)}"


def sentence_case(text: str) -> str:
    """The first letter large, the rest as it is (an acronym stays one).

    >>> sentence_case("sex can"), sentence_case("OCCP")
    ('Sex can', 'OCCP')
    """
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def _minus(value: float) -> str:
    text = f"{value:.1f}"
    return "0.0" if text == "-0.0" else text.replace("-", "−")


def _signed(value: float) -> str:
    text = _minus(value)
    return text if text.startswith("−") or text == "0.0" else f"+{text}"
