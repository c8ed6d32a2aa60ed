"""How long what people bring and make is kept: one limit for each kind, set by whoever runs the server."""

from __future__ import annotations

import math
import os
import re
import time
from dataclasses import dataclass

_DAY = 86_400.0
_UNITS = {"h": 3600.0, "d": _DAY, "w": 7 * _DAY}
_MOST_DAYS = 36_500


@dataclass(frozen=True)
class Limit:
    """After how many days one kind of thing is deleted.

    `otherwise` holds where the operator says nothing. `since` is what the days are counted from, where the things
    themselves do not say it.
    """

    variable: str
    otherwise: int
    things: str
    since: str = ""

    @property
    def days(self) -> int | None:
        """The days that hold; None where things are kept until somebody deletes them."""
        text = self._given()
        if text == "none":
            return None
        return int(text) if _is_days(text) else self.otherwise

    @property
    def seconds(self) -> float:
        """The same in seconds."""
        return math.inf if self.days is None else self.days * _DAY

    @property
    def sentence(self) -> str:
        """What people are told.

        >>> UPLOADS.sentence
        'Uploaded files are deleted after 30 days.'
        """
        if self.days is None:
            return f"{self.things} are kept until somebody deletes them."
        days = f"{self.days:,} {'day' if self.days == 1 else 'days'}"
        when = f"{days} after {self.since}" if self.since else f"after {days}"
        return f"{self.things} are deleted {when}."

    @property
    def problem(self) -> str | None:
        """What is wrong with the operator's setting; until it is put right, `otherwise` holds."""
        text = self._given()
        if text in ("", "none") or _is_days(text):
            return None
        return (
            f"The server's setting {self.variable} is neither a whole number of days from 1 to {_MOST_DAYS} nor "
            f"“none”; {self.otherwise} days hold until it is put right."
        )

    def is_over(self, since: float) -> bool:
        """Say whether something of that time, in seconds since 1970, is too old."""
        return time.time() - since > self.seconds

    def _given(self) -> str:
        return os.environ.get(self.variable, "").strip().lower()


UPLOADS = Limit("DIFFOCI_UPLOAD_DAYS", 30, "Uploaded files")
DRAFTS = Limit("DIFFOCI_DRAFT_DAYS", 28, "Choices on the Data page", since="they were made")
AUDITS = Limit("DIFFOCI_AUDIT_DAYS", 365, "Audits", since="they were last worked on")
CACHES = Limit("DIFFOCI_CACHE_DAYS", 180, "Published files kept here, downloaded or brought by hand,")
ROLES = Limit("DIFFOCI_ROLES_DAYS", 200, "Roles proposed for files of the same columns", since="they were chosen")
LIMITS = (UPLOADS, DRAFTS, AUDITS, CACHES, ROLES)


def _is_days(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,5}", text) is not None and 1 <= int(text) <= _MOST_DAYS


def seconds_of(age: str) -> float:
    """Return the seconds of an age as people write it on the command line.

    >>> seconds_of("30d") / 86_400, seconds_of("12h") / 3600
    (30.0, 12.0)
    """
    found = re.fullmatch(r"([0-9]{1,6})([hdw])", age.strip())
    if found is None:
        raise ValueError(f"'{age[:40]}' is not an age; give hours, days or weeks, such as 12h, 30d or 8w.")
    return int(found[1]) * _UNITS[found[2]]
