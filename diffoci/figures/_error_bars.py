"""Error bars: the arms from a value to both ends of its interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def error_bars(limits: Iterable[tuple[float, float, float]], **look: Any) -> dict[str, Any]:
    """Plotly's error bars for values with their limits, each as (value, low, high).

    >>> error_bars([(0.5, 0.25, 1.0)], thickness=1)
    {'type': 'data', 'symmetric': False, 'array': [0.5], 'arrayminus': [0.25], 'thickness': 1}
    """
    known = list(limits)
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value for value, _, high in known],
        "arrayminus": [value - low for value, low, _ in known],
        **look,
    }
