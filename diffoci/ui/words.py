"""How pages say things: names of data, times, verdicts, and names of columns that can do no harm."""

from __future__ import annotations

import time

from diffoci.plain_text import counted, letter_by_letter

STATES = {
    "waiting": "waiting",
    "running": "running",
    "done": "finished",
    "failed": "failed",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}


def plain_markdown(text: object) -> str:
    r"""Escape a text (a column's name, say) so that Streamlit shows it letter by letter.

    Examples
    --------
    >>> plain_markdown("<b>$x_1$")
    '&lt;b&gt;\\$x\\_1\\$'
    """
    return letter_by_letter(text, streamlit=True)


def duration(seconds: float) -> str:
    """Say a time span as a person would.

    Examples
    --------
    >>> duration(3), duration(42.3), duration(170), duration(8000)
    ('a few seconds', '40 seconds', '3 minutes', '2.2 hours')
    """
    if seconds < 8:
        return "a few seconds"
    if seconds < 90:
        return f"{5 * max(2, round(seconds / 5))} seconds"
    return f"{max(2, round(seconds / 60))} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def clock(seconds: float) -> str:
    """Say a time that runs on.

    Examples
    --------
    >>> clock(7.9), clock(3725)
    ('0:07', '1:02:05')
    """
    minutes, second = divmod(max(0, int(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{second:02d}" if minutes >= 60 else f"{minutes}:{second:02d}"


def ago(moment: float, *, now: float | None = None) -> str:
    """Say how long ago something was.

    Examples
    --------
    >>> ago(0, now=30), ago(0, now=7200), ago(0, now=200_000)
    ('just now', '2 hours ago', '2 days ago')
    """
    passed = (time.time() if now is None else now) - moment
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if passed >= size:
            return f"{counted(int(passed // size), word)} ago"
    return "just now"
