"""The impact-ratio tables that New York City's Local Law 144 asks for: by sex, by race/ethnicity, and crossed.

Definitions follow the final rule (6 RCNY § 5-300 and § 5-301). The table is what the law wants published, whatever the
size of a category; whether its numbers could be chance is for `diffoci.audit.decisions`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
from msgspec import Meta
from numpy.typing import ArrayLike

from diffoci.audit.decisions.grouping import UNKNOWN, group_by
from diffoci.audit.kinds import MOST_GROUPS, AttributeNames, Count, Number, People, Share, Stored, Text
from diffoci.inputs import Ints, check_lengths

SMALL_SHARE = 0.02
_SEX = ("sex", "gender")
_RACE = ("race", "ethnicity", "raceethnicity", "ethnicgroup", "rac1p")


class Category(Stored, frozen=True):
    """One row. `impact_ratio` is None where excluded or where nobody was selected; `small` marks under 2 %."""

    category: Text
    applicants: People
    selected: Count
    rate: Share
    impact_ratio: Share | None
    small: bool


class ImpactTable(Stored, frozen=True):
    """Categories by one attribute or two crossed, and how many applicants are not in it."""

    attributes: AttributeNames
    categories: Annotated[tuple[Category, ...], Meta(max_length=MOST_GROUPS)]
    unknown: Count
    note: Text


class ImpactTables(Stored, frozen=True):
    """The tables; `rate` is "selection rate", or "scoring rate" with the median that scores must be above."""

    rate: Literal["selection rate", "scoring rate"]
    median: Number | None
    tables: Annotated[tuple[ImpactTable, ...], Meta(max_length=3)]
    missing: AttributeNames


def local_law_144(
    sensitive: pd.DataFrame,
    *,
    selected: ArrayLike | None = None,
    score: ArrayLike | None = None,
    sex: str | None = "sex",
    race: str | None = "race",
    exclude_small: bool = False,
) -> ImpactTables:
    """Tabulate selections, or scores above the median of all applicants.

    Parameters
    ----------
    sensitive : DataFrame
        Holds the columns named by `sex` and `race`. Missing or "unknown" applicants are counted below the table.
    selected : array of 0 and 1, optional
        Who was selected.
    score : array of float, optional
        Scores instead of selections: the scoring rate is the share above the sample's median score.
    sex, race : str or None
        Columns; None or a column that is not there is said in `missing`, since the law asks for both.
    exclude_small : bool
        Leave categories under 2 % of the applicants in the table out of the impact ratio, as the rule lets an auditor
        do with a justification; their numbers and rates stay. Otherwise they are only marked.

    Examples
    --------
    >>> people = pd.DataFrame({"sex": ["f"] * 4 + ["m"] * 4 + [None]})
    >>> found = local_law_144(people, selected=[1, 0, 0, 0, 1, 1, 0, 0, 1])
    >>> [(row.category, row.rate, row.impact_ratio) for row in found.tables[0].categories], found.tables[0].unknown
    ([('f', 0.25, 0.5), ('m', 0.5, 1.0)], 1)
    >>> found.missing
    ('race/ethnicity',)
    """
    chosen, median = _chosen(selected, score)
    check_lengths(sensitive=len(sensitive), **{"selected" if score is None else "score": len(chosen)})
    columns = {"sex": sex, "race/ethnicity": race}
    present = [column for column in columns.values() if column is not None and column in sensitive.columns]
    crossings = [[column] for column in present] + ([present] if len(present) == 2 else [])
    return ImpactTables(
        rate="selection rate" if score is None else "scoring rate",
        median=median,
        tables=tuple(_table(sensitive, crossing, chosen, exclude_small) for crossing in crossings),
        missing=tuple(name for name, column in columns.items() if column not in present),
    )


def law_columns(sensitive: pd.DataFrame) -> tuple[str | None, str | None]:
    """Which columns the law means by sex and by race/ethnicity, going by their names.

    Examples
    --------
    >>> law_columns(pd.DataFrame(columns=["Gender", "age", "Race/Ethnicity"]))
    ('Gender', 'Race/Ethnicity')
    """
    plain = {str(name): "".join(filter(str.isalnum, str(name).lower())) for name in sensitive}
    sex, race = (next((name for name, word in plain.items() if word in words), None) for words in (_SEX, _RACE))
    return sex, race


def _chosen(selected: ArrayLike | None, score: ArrayLike | None) -> tuple[Ints, float | None]:
    if (selected is None) == (score is None):
        raise ValueError("Give either who was selected or everyone's score, and not both.")
    if selected is not None:
        chosen = np.asarray(selected)
        if not np.isin(chosen, (0, 1)).all():
            raise ValueError("selected must be 0 or 1 for every applicant; recode it.")
        return chosen.astype(np.int64), None
    scores = np.asarray(score, dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("Every applicant needs a score; leave out those without one.")
    median = float(np.median(scores))
    return (scores > median).astype(np.int64), median


def _table(sensitive: pd.DataFrame, attributes: list[str], chosen: Ints, exclude_small: bool) -> ImpactTable:
    groups = group_by(sensitive, attributes)
    counts = groups.counts(chosen, sizes=(2,))
    known = np.array([all(level.strip().lower() != UNKNOWN for level in levels) for levels in groups.levels])
    applicants, successes = counts.sum(1), counts[:, 1]
    small = applicants < SMALL_SHARE * applicants[known].sum()
    compared = known & ~small if exclude_small else known
    rates = successes / applicants
    highest = rates[compared].max(initial=0.0)
    categories = tuple(
        Category(
            category=groups.labels[k],
            applicants=int(applicants[k]),
            selected=int(successes[k]),
            rate=float(rates[k]),
            impact_ratio=float(rates[k] / highest) if compared[k] and highest > 0 else None,
            small=bool(small[k]),
        )
        for k in np.flatnonzero(known)
    )
    unknown = int(applicants[~known].sum())
    return ImpactTable(tuple(attributes), categories, unknown, _note(attributes, unknown, small[known], exclude_small))


def _note(attributes: list[str], unknown: int, small: np.ndarray, exclude_small: bool) -> str:
    people = "1 applicant" if unknown == 1 else f"{unknown} applicants"
    sentences = [f"{people} with unknown {' or '.join(attributes)} not in the table."]
    if small.any():
        done = "left out of" if exclude_small else "may be left out of"
        sentences.append(f"Categories under 2 % of the applicants {done} the impact ratio: {int(small.sum())}.")
    return " ".join(sentences)
