"""Two models on the same people in tables and sentences: gaps of their decisions, and coefficients of their scores."""

from __future__ import annotations

import pandas as pd

from diffoci.figures.model_audit import SHORT
from diffoci.model_audit.judging import judge_pairs
from diffoci.model_audit.result import ModelAuditResult, PairedCriterion, PairedGap
from diffoci.model_audit.words import RATES, interval_words
from diffoci.report.model_audit.shown import decimals

TOGETHER = (
    "More than noise is said of a difference among all that were looked at together, of gaps and of coefficients "
    "(Holm); “perhaps” of one that would be more than noise had it been the only one. An interval is that of its "
    "difference alone."
)
PAIRED = (
    "Both coefficients are computed on the same people and on the same halves of them, so what the models have in "
    "common cancels. “Departs less” is said where the difference is more than noise and the larger coefficient is a "
    "departure itself."
)


def pair_frame(result: ModelAuditResult) -> pd.DataFrame:
    """Gaps of every two models on the same people."""
    return pd.DataFrame(
        [
            {
                "Models": f"{pair.second} against {pair.first}",
                "More than noise?": judged,
                "Gap": f"{' × '.join(pair.attributes)}: {RATES[pair.rate]}",
                "Gaps of both": f"{100 * pair.gap_second:.1f} against {100 * pair.gap_first:.1f} points",
                "Difference": interval_words(pair.difference),
            }
            for pair, judged in zip(result.pairs, judge_pairs(result).gaps, strict=True)
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
            for pair, judged in zip(result.paired_criteria, judge_pairs(result).criteria, strict=True)
        ]
    )


def compared_words(result: ModelAuditResult) -> tuple[str, ...]:
    """Which model has the smaller gap, or departs less, by more than noise; one sentence where none does."""
    judged = judge_pairs(result)
    if not judged.looked_at:
        return ()
    gaps = zip(result.pairs, judged.gaps, strict=True)
    coefficients = zip(result.paired_criteria, judged.criteria, strict=True)
    told = (
        *(_gap_sentence(pair) for pair, answer in gaps if answer in ("smaller gap", "larger gap")),
        *(_sentence(pair) for pair, answer in coefficients if answer in ("departs less", "departs more")),
    )
    if told:
        return told
    less = " or departs less from a criterion" if result.paired_criteria else ""
    return (
        f"No model has a smaller gap{less} than another by more than noise (differences looked at: "
        f"{judged.looked_at:,}).",
    )


def _gap_sentence(pair: PairedGap) -> str:
    both = ((pair.second, pair.gap_second), (pair.first, pair.gap_first))
    (one, low), (other, high) = sorted(both, key=lambda side: side[1])
    apart = sorted((abs(pair.difference.low), abs(pair.difference.high)))
    return (
        f"By {' × '.join(pair.attributes)}, {one} has a smaller gap than {other} ({RATES[pair.rate]}): "
        f"{100 * low:.1f} against {100 * high:.1f} points, a difference of {100 * (high - low):.1f} "
        f"({100 * apart[0]:.1f} to {100 * apart[1]:.1f})."
    )


def _sentence(pair: PairedCriterion) -> str:
    (one, low), (other, high) = sorted(((pair.second, pair.T_second), (pair.first, pair.T_first)), key=lambda s: s[1])
    apart = sorted((abs(pair.difference.low), abs(pair.difference.high)))
    return (
        f"By {pair.attribute}, {one} departs less from {SHORT[pair.criterion]} than {other}: T {decimals(low)} against "
        f"{decimals(high)}, a difference of {decimals(high - low)} ({decimals(apart[0])} to {decimals(apart[1])})."
    )
