"""Words of an audit: numbers as an analyst reads them, and what was found in sentences (`verdicts`)."""

from diffoci.audit.words._numbers import (
    ALIKE,
    EXACTLY,
    PLACES,
    SCORES,
    UNKNOWN,
    VERDICTS,
    beside_chance,
    interval_text,
    listed,
    points_text,
    probe_title,
    score_text,
    sentence_case,
    without_width,
)

__all__ = [
    "ALIKE",
    "EXACTLY",
    "PLACES",
    "SCORES",
    "UNKNOWN",
    "VERDICTS",
    "beside_chance",
    "interval_text",
    "listed",
    "points_text",
    "probe_title",
    "score_text",
    "sentence_case",
    "without_width",
]
