"""Rates and gaps of a population in a table: every row by its weight, beside every row once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from diffoci.audit.decisions.intervals import Rate
from diffoci.audit.decisions.weighting import Weighted, WeightedGap
from diffoci.audit.words import sentence_case
from diffoci.model_audit.words import interval_words

SAID = (
    "Every row counts for as many people as its weight says; intervals redraw rows with their weights. Beside it every "
    "row counts once. Effective people: how many equally weighted people would give the rate as precisely."
)
_NOTHING = "–"


def weighted_table(
    weighted: Mapping[str, Mapping[str, Weighted]],
    plain: Mapping[str, Mapping[str, Rate | None]],
    gaps: Sequence[WeightedGap],
    words: Mapping[str, str],
) -> pd.DataFrame:
    """One row for each rate and group; rates by group and name, `words` says which to show and how to call them."""
    of_pair = {(gap.rate, gap.group): gap.difference for gap in gaps}
    against = f"Gap against {gaps[0].reference}" if gaps else "Gap"
    rows = []
    for name, called in words.items():
        for group, rates in weighted.items():
            if (found := rates.get(name)) is None:
                continue
            gap, once = of_pair.get((name, group)), plain[group].get(name)
            rows.append(
                {
                    "Rate": sentence_case(called),
                    "Group": group,
                    "Of the population": _percent(found.value, found.low, found.high),
                    against: _NOTHING if gap is None else interval_words(gap),
                    "Effective people": f"{found.effective:,.0f}",
                    "Of the rows": _NOTHING if once is None else _percent(once.value, once.low, once.high),
                }
            )
    return pd.DataFrame(rows)


def _percent(value: float, low: float, high: float) -> str:
    return f"{100 * value:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
