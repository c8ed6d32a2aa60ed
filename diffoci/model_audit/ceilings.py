"""What no threshold on a model's score exceeds, by attribute."""

from __future__ import annotations

from diffoci.audit.decisions.any_threshold import ScoreCeiling, score_ceilings
from diffoci.model_audit.people import Model, People
from diffoci.model_audit.spec import ModelSettings


def ceilings(people: People, model: Model, attribute: str, settings: ModelSettings) -> tuple[ScoreCeiling, ...]:
    """Bound the gap in being selected over all thresholds at once, for every pair of judged groups."""
    if model.score is None or attribute not in people.groups:
        return ()
    values, place = model.values
    groups = people.grouped((attribute,))
    return score_ceilings(values, place, groups, minimum=settings.minimum, confidence=settings.confidence)
