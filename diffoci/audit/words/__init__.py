"""Words of an audit: numbers as an analyst reads them, and what was found in sentences (`verdicts`)."""

from diffoci.audit.words._numbers import (
    ALIKE,
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
)

__all__ = [
    "ALIKE",
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
]
