"""The impact-ratio tables that New York City's Local Law 144 asks for: by sex, by race/ethnicity, and crossed.

Definitions follow the final rule (6 RCNY § 5-300 and § 5-301). The table is what the law wants published, whatever the
size of a category; whether its numbers could be chance is for `diffoci.audit.decisions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import msgspec
import numpy as np
import pandas as pd
from msgspec import Meta
from numpy.typing import ArrayLike

from diffoci.audit.decisions.grouping import CROSS, UNKNOWN, group_by
from diffoci.audit.kinds import MOST_GROUPS, AttributeNames, Count, Number, People, Share, Stored, Text
from diffoci.inputs import Ints, check_lengths
from diffoci.plain_text import counted

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


@dataclass(frozen=True)
class Counted:
    """How many applicants of one group there were, and how many of them were selected."""

    levels: tuple[str, ...]
    applicants: int
    selected: int

    @property
    def label(self) -> str:
        return CROSS.join(self.levels)


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
    crossings, missing = _crossings(sensitive, sex, race)
    return ImpactTables(
        rate="selection rate" if score is None else "scoring rate",
        median=median,
        tables=tuple(_table(sensitive, crossing, chosen, exclude_small) for crossing in crossings),
        missing=missing,
    )


def _crossings(
    attributes: Iterable[object], sex: str | None, race: str | None
) -> tuple[list[list[str]], tuple[str, ...]]:
    """What tables are by, and what the law asks for and is not there."""
    columns, known = {"sex": sex, "race/ethnicity": race}, list(attributes)
    present = [column for column in columns.values() if column is not None and column in known]
    crossings = [[column] for column in present] + ([present] if len(present) == 2 else [])
    return crossings, tuple(name for name, column in columns.items() if column not in present)


def law_columns(sensitive: Iterable[object]) -> tuple[str | None, str | None]:
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
    people = groups.counts(chosen, sizes=(2,)).tolist()
    counted = [Counted(levels, sum(pair), pair[1]) for levels, pair in zip(groups.levels, people, strict=True)]
    return _tabulated(attributes, counted, exclude_small)


def counted_again(
    tables: ImpactTables, groups: Mapping[tuple[str, ...], Sequence[Counted]], attributes: Sequence[str]
) -> ImpactTables:
    """The same tables from people by group.

    Who scored above the median is counted in no group and is believed, and so are people of groups that are not there:
    of three attributes no two are crossed.
    """
    crossings, missing = _crossings(attributes, *law_columns(attributes))
    stated = {table.attributes: table for table in tables.tables}
    again = []
    for crossing in map(tuple, crossings):
        said = _people_of(stated[crossing]) if crossing in stated else []
        counted = groups.get(crossing, said)
        if tables.median is not None:
            above = {one.label: one.selected for one in said}
            counted = [replace(one, selected=above.get(one.label, 0)) for one in counted]
        again.append(_tabulated(crossing, counted, exclude_small=False))
    return msgspec.structs.replace(tables, tables=tuple(again), missing=missing)


def _people_of(table: ImpactTable) -> list[Counted]:
    known = [Counted((row.category,), row.applicants, row.selected) for row in table.categories]
    return [*known, Counted((UNKNOWN,), table.unknown, 0)] if table.unknown else known


def _tabulated(attributes: Sequence[str], counted: Sequence[Counted], exclude_small: bool) -> ImpactTable:
    known = [one for one in counted if all(level.strip().lower() != UNKNOWN for level in one.levels)]
    everybody = sum(one.applicants for one in known)
    small = [one.applicants < SMALL_SHARE * everybody for one in known]
    compared = [not (exclude_small and little) for little in small]
    rates = [one.selected / one.applicants for one in known]
    highest = max((rate for rate, counts in zip(rates, compared, strict=True) if counts), default=0.0)
    categories = tuple(
        Category(
            category=one.label,
            applicants=one.applicants,
            selected=one.selected,
            rate=rates[k],
            impact_ratio=rates[k] / highest if compared[k] and highest > 0 else None,
            small=small[k],
        )
        for k, one in enumerate(known)
    )
    unknown = sum(one.applicants for one in counted) - everybody
    note = _note(attributes, unknown, sum(small), exclude_small)
    return ImpactTable(tuple(attributes), categories, unknown, note)


def _note(attributes: Sequence[str], unknown: int, small: int, exclude_small: bool) -> str:
    what, are = " or ".join(attributes), "is" if unknown == 1 else "are"
    missing = f"{counted(unknown, 'applicant')} with unknown {what} {are} missing from the table."
    sentences = [missing if unknown else f"No applicant's {what} is unknown."]
    if small:
        done = "left out of" if exclude_small else "may be left out of"
        sentences.append(f"Categories under 2 % of the applicants {done} the impact ratio: {small}.")
    return " ".join(sentences)
