"""How far the bar of a run stands: what was reported, and between two reports on at the pace so far."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_AHEAD = 0.03  # of the bar: the most that is given before it is reported
_FIRST = 10.0  # seconds that a start usually takes, before there is a pace


@dataclass
class Advance:
    """A share of 1 that never falls and, while nothing is reported, grows ever more slowly.

    Examples
    --------
    >>> now = [0.0]
    >>> bar = Advance(clock=lambda: now[0])
    >>> shown = [bar.at(0.0)]
    >>> for now[0] in (2.0, 4.0, 60.0):
    ...     shown.append(bar.at(0.0))
    >>> shown == sorted(set(shown)), shown[-1] < 0.03
    (True, True)
    >>> bar.at(0.5), bar.at(1.0)
    (0.5, 1.0)
    """

    clock: Callable[[], float] = time.monotonic
    _reported: float = 0.0
    _first: float = 0.0
    _shown: float = 0.0
    _begun: float = field(init=False)
    _reported_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._begun = self._reported_at = self.clock()

    def begin_at(self, reported: float) -> None:
        """Measure the pace from here: what an earlier session did was not done now."""
        self._reported = self._first = reported
        self._begun = self._reported_at = self.clock()

    def at(self, reported: float) -> float:
        """Where the bar stands when this much is reported."""
        now = self.clock()
        if reported > self._reported:
            self._reported, self._reported_at = reported, now
        room = min(_AHEAD, (1 - reported) / 2)
        if room > 0:
            gained = reported - self._first
            pace = gained / (now - self._begun) if gained > 0 and now > self._begun else room / _FIRST
            reported += room * (1 - math.exp(-pace * (now - self._reported_at) / room))
        self._shown = max(self._shown, reported)
        return self._shown
