"""Every table that can be reproduced, by its name, in the paper's order."""

from __future__ import annotations

from diffoci.labs.fairness import paper_tables as fairness
from diffoci.labs.feature_selection import observations
from diffoci.labs.feature_selection import paper_tables as features
from diffoci.labs.reproducible import PaperTable
from diffoci.labs.shift.paper_tables import SHIFT
from diffoci.labs.spurious.paper_tables import SPURIOUS

TABLES: dict[str, PaperTable] = {
    table.name: table
    for table in (
        observations.TABLE,
        features.PRODUCT,
        features.SYNTHETIC,
        features.TOY,
        features.UCI,
        features.BETA,
        fairness.FAIRNESS,
        fairness.DROPPED,
        SHIFT,
        SPURIOUS,
    )
}
