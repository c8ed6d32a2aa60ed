"""Tables and sentences of a model audit that pages and the report share."""

from __future__ import annotations

import pandas as pd

from diffoci.audit.result import Path
from diffoci.audit.words import listed, sentence_case
from diffoci.figures.decisions.weighted import weighted_table
from diffoci.figures.model_audit import SHORT
from diffoci.model_audit.result import (
    Carriers,
    Curve,
    ModelAuditResult,
    ModelComparison,
    OfAttribute,
    OneModel,
    StandardisedGap,
    WhatIf,
)
from diffoci.model_audit.words import (
    ERRORS,
    MEASURES,
    RATES,
    answer_words,
    interval_words,
    measure_words,
    no_choice,
)
from diffoci.report.writing.blocks import NOTHING

FEW_GROUPS = 4  # that stand beside each other on a page without scrolling sideways


def rate_frame(one: OneModel, comparison: ModelComparison) -> pd.DataFrame:
    """Rates with their intervals: a column for each of a few groups, or a row for each of many."""
    frame = _by_group(one, comparison)
    if len(comparison.groups) > FEW_GROUPS:
        return frame
    turned = frame.drop(columns="Model").set_index("Group").astype("str").T
    turned = turned.rename_axis(index="Rate", columns=None).reset_index()
    turned.insert(1, "Model", one.name)
    return turned


def _by_group(one: OneModel, comparison: ModelComparison) -> pd.DataFrame:
    shown = [name for name in RATES if any(name in group.rates for group in comparison.judged)]
    errors = [name for name in ERRORS if any(name in group.errors for group in comparison.judged)]
    rows = []
    for group in comparison.groups:
        row: dict[str, object] = {"Group": group.label, "Model": one.name, "People": f"{group.n:,}"}
        for name in shown:
            row[RATES[name].capitalize()] = measure_words(name, group.rates.get(name)) if group.judged else "not judged"
        for name in errors:
            row[ERRORS[name].capitalize()] = (
                measure_words(name, group.errors.get(name)) if group.judged else "not judged"
            )
        if any(other.auc is not None for other in comparison.judged):
            row["AUC"] = (
                NOTHING if group.auc is None else f"{group.auc.value:.2f} ({group.auc.low:.2f} to {group.auc.high:.2f})"
            )
        rows.append(row)
    return pd.DataFrame(rows)


def weighted_frame(comparison: ModelComparison) -> pd.DataFrame:
    """Rates and gaps of the population, every row counted by its weight; empty where rows have none."""
    return weighted_table(
        {group.label: group.weighted for group in comparison.judged},
        {group.label: group.rates for group in comparison.judged},
        comparison.weighted,
        RATES,
    )


def against_frame(comparison: ModelComparison) -> pd.DataFrame:
    """Gaps and ratios against the reference."""
    return pd.DataFrame(
        [
            {
                "Rate": RATES[entry.rate].capitalize(),
                "Group": entry.group,
                "Difference": interval_words(entry.difference),
                "Ratio": NOTHING if entry.ratio is None else interval_words(entry.ratio, scale=1, unit="", digits=2),
            }
            for entry in comparison.against
        ]
    )


def ratio_frame(comparison: ModelComparison) -> pd.DataFrame:
    """Four-fifths ratios and their verdicts; empty where everybody is selected, of which no ratio is a verdict."""
    if no_choice(comparison):
        return pd.DataFrame()
    return pd.DataFrame(
        [
            {
                "Group": entry.label,
                "Ratio": f"{entry.value:.2f}",
                "Interval": f"{entry.low:.2f} and more"
                if entry.high is None
                else f"{entry.low:.2f} to {entry.high:.2f}",
                "Against": entry.reference,
                "Verdict": entry.verdict,
            }
            for entry in comparison.four_fifths
        ]
    )


def calibration_frame(comparison: ModelComparison) -> pd.DataFrame:
    """How often it happened, by score and group."""
    return pd.DataFrame(
        [
            {
                "Group": group.label,
                "Scores": f"{one.low:g}" if one.low == one.high else f"{one.low:g} to {one.high:g}",
                "Mean score": f"{one.mean_score:.3g}",
                "Have the outcome": measure_words("base_rate", one.observed),
                "People": one.observed.n,
            }
            for group in comparison.judged
            for one in group.calibration
        ]
    )


def criteria_table(result: ModelAuditResult) -> pd.DataFrame:
    """Every criterion of every model and attribute, in words."""
    frame = result.criteria_frame()
    return pd.DataFrame(
        {
            "Attribute": frame["attribute"],
            "Criterion": [SHORT[name] for name in frame["criterion"]],
            "Departure": [
                answer_words(found)
                for one in result.models
                for about in one.attributes.values()
                for found in about.criteria.values()
            ],
            "Model": frame["model"],
            "T (shuffling gives up to)": [
                f"{decimals(value)} ({NOTHING if limit is None or limit != limit else decimals(limit)})"
                for value, limit in zip(frame["T"], frame["shuffled_limit"], strict=True)
            ],
            "p-value": [NOTHING if value is None or value != value else f"{value:.3f}" for value in frame["p_value"]],
        }
    )


def decimals(value: float) -> str:
    """Three digits; what rounds to nothing has no sign.

    >>> decimals(-0.0001), decimals(-0.0123)
    ('0.000', '−0.012')
    """
    return f"{value:.3f}".replace("-0.000", "0.000").replace("-", "−")


def what_if_words(entry: WhatIf) -> str:
    """What a goal would cost."""
    said = f"{entry.newly_selected:,} people would be newly selected, {entry.no_longer_selected:,} no longer selected."
    if not entry.newly_selected and not entry.no_longer_selected:
        said = "Nobody's decision would change."
    if entry.accuracy is None or entry.accuracy_now is None:
        return said
    return f"{said} Decided correctly: {100 * entry.accuracy:.1f} %, now {100 * entry.accuracy_now:.1f} %."


def threshold_frame(entry: WhatIf) -> pd.DataFrame:
    """Every group's thresholds; what concerns no group is left out."""
    table = pd.DataFrame(
        [
            {
                "Group": one.group,
                "Selected from": NOTHING if one.high is None else f"{one.high:g}",
                "By lot from": NOTHING if one.low is None or not 0 < one.share < 1 else f"{one.low:g}",
                "Share of the lot": NOTHING if not 0 < one.share < 1 else f"{100 * one.share:.0f} %",
                "By lot alone": NOTHING if one.by_lot == 0 else f"{100 * one.by_lot:.0f} % of people",
                "Selected": f"{100 * one.selection_rate:.1f} %",
            }
            for one in entry.groups
        ]
    )
    return table.loc[:, [name for name in table if name == "Selected from" or (table[name] != NOTHING).any()]]


def gap_words(gap: StandardisedGap) -> str:
    """The raw gap, and what is left of it within strata."""
    within = "too few people" if gap.standardised is None else interval_words(gap.standardised)
    strata = "1 stratum" if gap.left_out == 1 else f"{gap.left_out} strata"
    were = "was" if gap.left_out == 1 else "were"
    left = f" {strata} ({gap.people_left_out:,} people) {were} too thin." if gap.left_out else ""
    return f"Raw: {interval_words(gap.raw)}. Within strata: {within}.{left}"


def stretch_words(found: Curve) -> str:
    """Where a curve departs most, and whether by more than chance; empty where there is no such stretch."""
    worst = found.worst
    if worst is None:
        return ""
    return (
        f"{sentence_case(MEASURES[found.rate])}: departs most from {worst.low:.4g} to {worst.high:.4g}, "
        f"{measure_words(found.rate, worst.inside)} there ({worst.people:,} people), "
        f"{measure_words(found.rate, worst.outside)} elsewhere. Having looked at every stretch, chance gives as much "
        f"with p = {worst.p_value:.3f}."
    )


def ceiling_frame(about: OfAttribute) -> pd.DataFrame:
    """The largest gap of any threshold between every two groups, and what no threshold exceeds."""
    return pd.DataFrame(
        [
            {
                "Between": f"{entry.groups[0]} and {entry.groups[1]}",
                "Worst threshold": f"{entry.threshold:g}",
                "Gap there": f"{100 * entry.found:.1f} points",
                "No threshold gives more than": _ceiling(entry.most),
            }
            for entry in about.ceilings
        ]
    )


def _ceiling(most: float) -> str:
    return f"{100 * most:.1f} points" if most < 1 else "too few people for a ceiling"


def carrier_frame(carriers: Carriers, attribute: str) -> pd.DataFrame:
    """What every column tells of the attribute and of the score."""
    return pd.DataFrame(
        [
            {
                "Column": name,
                f"T({attribute}, column)": decimals(found.T_attribute),
                "T(score, column)": decimals(found.T_score),
                "Goes with it": NOTHING if found.gone is None else f"{100 * found.gone:.0f} %",
            }
            for name, found in carriers.columns.items()
        ]
    )


def carrier_words(about: OfAttribute, attribute: str) -> str:
    """Which columns FOCI chooses, what the table's last column is, and how much of it may be noise."""
    if about.carriers is None:
        return ""
    paths = [_path_words(path) for path in (about.carriers.path_attribute, about.carriers.path_score)]
    said = (
        f"FOCI chooses {paths[0]} for {attribute}, and {paths[1]} for the score; in brackets T of all chosen so far. "
        f"“Goes with it” is the share of T({attribute}, score) that is gone once the column is known."
    )
    whole = about.criteria.get("independence")
    if whole is None or whole.error is None or whole.T <= 0:
        return said
    noise = 2 * whole.error / whole.T
    return f"{said} {'All of it' if noise >= 1 else f'Less than about {100 * noise:.0f} %'} may be noise."


def _path_words(path: Path) -> str:
    return listed([f"{name} ({decimals(T)})" for name, T in zip(path.names, path.T, strict=True)]) or "none"
