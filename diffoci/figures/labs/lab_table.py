"""The feature lab's selectors as a table to read: one row each, numbers with as many digits as they carry."""

from __future__ import annotations

import math

import pandas as pd

from diffoci.audit.result import Mean
from diffoci.audit.words import sentence_case
from diffoci.labs.feature_selection.downstream import WORDS
from diffoci.labs.feature_selection.paper import figure_of
from diffoci.labs.feature_selection.result import LabResult
from diffoci.labs.feature_selection.words import best_of

_NOTHING = "–"


def selector_table(result: LabResult) -> pd.DataFrame:
    """What each selector reached, beside the paper; columns that say nothing of any are left out.

    How much larger an error is than the lowest one is told on the same draws or splits.
    """
    rows, best = [], best_of(result)
    for one in result.methods:
        first, *others = sorted(one.scores.items(), key=lambda item: item[0] != result.measure)
        paper = figure_of(result.spec, one.name)
        more = None if best is None or one is best else result.more(one, best)
        rows.append(
            {
                "Selector": one.label,
                sentence_case(WORDS[first[0]]): _with_interval(first[1], least=0.0),
                "More than the lowest": _NOTHING if more is None else _with_interval(more),
                "The paper": _NOTHING if paper is None else f"{paper:.3f}",
                **{sentence_case(WORDS[name]): _number(score.mean) for name, score in others},
                "Features": _NOTHING if one.size.mean is None else f"{round(one.size.mean, 1):g}",
                "Stability": _number(one.stability, digits=2),
                "Exactly the right ones": _NOTHING if one.exact is None else f"{100 * one.exact:.0f} %",
                "Soft T": _number(one.T.mean, digits=2),
                "Seconds": _NOTHING if one.seconds.mean is None else f"{one.seconds.mean:.2g}",
            }
        )
    table = pd.DataFrame(rows)
    return table.loc[:, [name for name in table if (table[name] != _NOTHING).any()]]


def _with_interval(found: Mean, *, least: float = -math.inf) -> str:
    """A mean with its interval, which ends at what it can be at least; of one repetition there is none."""
    mean = _number(found.mean)
    if found.low is None or found.high is None:
        return mean
    return f"{mean} ({_number(max(least, found.low))} to {_number(found.high)})"


def _number(value: float | None, *, digits: int = 3) -> str:
    """A number, without a sign where it rounds to nothing.

    >>> _number(-0.0169, digits=2), _number(-0.0001), _number(None)
    ('−0.02', '0.000', '–')
    """
    if value is None:
        return _NOTHING
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")
