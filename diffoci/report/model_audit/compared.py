"""Two models on the same people in tables and sentences: gaps of their decisions, and coefficients of their scores."""

from __future__ import annotations

import pandas as pd

from diffoci.figures.model_audit import SHORT
from diffoci.model_audit.paired_criteria import judge_pairs
from diffoci.model_audit.result import ModelAuditResult, PairedCriterion
from diffoci.model_audit.words import RATES, interval_words
from diffoci.report.model_audit.shown import decimals

PAIRED = (
    "Both coefficients are computed on the same people and on the same halves of them, so what the models have in "
    "common cancels. “Departs less” is said where the difference is more than noise among all that were looked at "
    "(Holm) and the larger coefficient is a departure itself."
)


def pair_answer(low: float, high: float) -> str:
    """Whether the second gap is smaller, larger, or not told apart.

    >>> pair_answer(-0.2, -0.1), pair_answer(-0.1, 0.1)
    ('smaller gap', 'not told apart')
    """
    return "smaller gap" if high < 0 else "larger gap" if low > 0 else "not told apart"


def pair_frame(result: ModelAuditResult) -> pd.DataFrame:
    """Gaps of every two models on the same people."""
    return pd.DataFrame(
        [
            {
                "Models": f"{pair.second} against {pair.first}",
                "More than noise?": pair_answer(pair.difference.low, pair.difference.high),
                "Gap": f"{' × '.join(pair.attributes)}: {RATES[pair.rate]}",
                "Gaps of both": f"{100 * pair.gap_second:.1f} against {100 * pair.gap_first:.1f} points",
                "Difference": interval_words(pair.difference),
            }
            for pair in result.pairs
        ]
    )


def criterion_pair_frame(result: ModelAuditResult) -> pd.DataFrame:
    """Coefficients of every two models on the same people."""
    return pd.DataFrame(
        [
            {
                "Models": f"{pair.second} against {pair.first}",
                "More than noise?": judged,
                "Criterion": f"{pair.attribute}, {SHORT[pair.criterion]}",
                "T of both": f"{decimals(pair.T_second)} against {decimals(pair.T_first)}",
                "Difference": interval_words(pair.difference, scale=1, unit="", digits=3),
            }
            for pair, judged in zip(result.paired_criteria, judge_pairs(result), strict=True)
        ]
    )


def compared_words(result: ModelAuditResult) -> tuple[str, ...]:
    """Which model departs less from which criterion by more than noise; one sentence where none does."""
    if not result.paired_criteria:
        return ()
    judged = zip(result.paired_criteria, judge_pairs(result), strict=True)
    told = tuple(_sentence(pair) for pair, answer in judged if answer in ("departs less", "departs more"))
    looked = len(result.paired_criteria)
    none = (
        f"No model departs less from a criterion than another by more than noise (differences looked at: {looked:,})."
    )
    return told or (none,)


def _sentence(pair: PairedCriterion) -> str:
    (one, low), (other, high) = sorted(((pair.second, pair.T_second), (pair.first, pair.T_first)), key=lambda s: s[1])
    apart = sorted((abs(pair.difference.low), abs(pair.difference.high)))
    return (
        f"By {pair.attribute}, {one} departs less from {SHORT[pair.criterion]} than {other}: T {decimals(low)} against "
        f"{decimals(high)}, a difference of {decimals(high - low)} ({decimals(apart[0])} to {decimals(apart[1])})."
    )
