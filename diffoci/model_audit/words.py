"""A model audit in words: the headline, and what each criterion asks for."""

from __future__ import annotations

from collections.abc import Sequence

from diffoci.audit.decisions.intervals import Interval, Rate
from diffoci.audit.words import listed
from diffoci.model_audit.result import Criterion, CriterionName, ModelAuditResult, ModelComparison, OneModel
from diffoci.model_audit.spec import Roles

RATES = {
    "selection_rate": "selected",
    "true_positive_rate": "selected, of those with the outcome",
    "false_positive_rate": "selected, of those without the outcome",
    "false_negative_rate": "passed over, of those with the outcome",
    "positive_predictive_value": "with the outcome, of those selected",
    "false_omission_rate": "with the outcome, of those passed over",
    "accuracy": "decided correctly",
    "base_rate": "with the outcome",
}
ERRORS = {
    "mean_error": "mean error",
    "mean_absolute_error": "mean size of the error",
    "over_predicted": "predicted too high",
    "under_predicted": "predicted too low",
}
MEASURES = {**RATES, **ERRORS}
QUANTITIES = ("mean_error", "mean_absolute_error")  # in the unit of the outcome; all other measures are shares
CRITERIA: dict[CriterionName, str] = {
    "independence": "Independence: the score says nothing about the attribute. T(S, R)",
    "separation": "Separation: among people of one outcome, the score says nothing about the attribute. T(S, R | Y)",
    "sufficiency": "Sufficiency: among people of one score, the attribute says nothing about the outcome. T(Y, S | R)",
    "given_factors": "Given the factors: among people alike in them, it says nothing about the attribute. T(S, R | L)",
}
SHORT: dict[CriterionName, str] = {
    "independence": "independence",
    "separation": "separation",
    "sufficiency": "sufficiency",
    "given_factors": "independence given the factors",
}
_SELECTED = "demographic_parity_difference"


def headline(result: ModelAuditResult) -> str:
    """What was found of the first model and attribute, in a sentence or two."""
    one = result.models[0]
    if one.comparisons:
        return gap_sentence(one, one.comparisons[0])
    (attribute, about), *_ = one.attributes.items()
    found = about.criteria.get("independence")
    if found is None or found.answer == "too few people":
        return f"Too few people to say whether {one.name} says anything about {attribute}."
    says = "says something" if found.answer == "found" else "was not found to say anything"
    numbers = f"T {found.T:.3f}, shuffling gives up to {found.limit or 0:.3f}".replace("-0.000", "0.000")
    return f"{one.name} {says} about {attribute} ({numbers.replace('-', '−')})."


def population_words(result: ModelAuditResult) -> tuple[str, ...]:
    """Where rows have weights: the gap of every model in the population, by the attribute it is widest by."""
    said = []
    for one in result.models:
        alone = [by for by in one.comparisons if len(by.attributes) == 1]
        gaps = [(by, gap) for by in alone for gap in by.weighted if gap.rate == "selection_rate"]
        if not gaps:
            continue
        by, gap = max(gaps, key=lambda found: abs(found[1].difference.value))
        shares = {group.label: group.weighted["selection_rate"].value for group in by.judged}
        beside = f", “{gap.reference}” {100 * shares[gap.reference]:.1f} %" if gap.reference in shares else ""
        said.append(
            f"Counted by the weights '{result.spec.roles.weights}', {one.name} selects of “{gap.group}” "
            f"{100 * shares[gap.group]:.1f} %{beside}: {interval_words(gap.difference)} against “{gap.reference}”. "
            "What does not speak of weights counts every row once."
        )
    return tuple(said)


def criteria_headline(result: ModelAuditResult) -> str:
    """Which criteria each model departs from, for the first attribute that any model departs for."""
    attributes = [name for name in result.sensitive if any(_departures(one, name) for one in result.models)]
    attribute = (attributes or list(result.sensitive))[0]
    found, rest, few = [], [], []
    for one in result.models:
        criteria = one.attributes[attribute].criteria if attribute in one.attributes else {}
        if not criteria or all(entry.answer == "too few people" for entry in criteria.values()):
            few.append(one.name)
        elif departs := _departures(one, attribute):
            given = criteria.get("given_factors")
            within = (
                "; given the factors, no departure was found"
                if given is not None and given.answer == "not found"
                else ""
            )
            found.append(f"{one.name} departs from {listed(departs)}{within}")
        else:
            rest.append(one.name)
    if not found and not rest:
        return f"Too few people to say whether a criterion holds by {attribute}"
    if not found:
        # Coefficients look at some of the rows, gaps at all: what these show is not passed over.
        gaps = [(one, by) for one in result.models for by in one.comparisons if _beyond_chance(by)]
        if gaps:
            return gap_sentence(*gaps[0]).rstrip(".")
        return f"No departure from a criterion was found by {listed(result.sensitive)}, for {listed(rest)}"
    if rest:
        found.append(f"no departure was found for {listed(rest)}")
    return f"By {attribute}, {'; '.join(found)}"


def _beyond_chance(comparison: ModelComparison) -> bool:
    gap = comparison.between.get(_SELECTED)
    return gap is not None and gap.value is not None and gap.chance is not None and gap.value > gap.chance.limit


def _departures(one: OneModel, attribute: str) -> list[str]:
    criteria = one.attributes[attribute].criteria if attribute in one.attributes else {}
    return [SHORT[name] for name, entry in criteria.items() if entry.answer == "found"]


def answer_words(found: Criterion) -> str:
    """Whether a departure was found, and by which of the two looks where T alone shows none.

    >>> weak = Criterion(T=0.0, rows=99, neighbours=9, strata=1, median=0.0, limit=0.01, p_value=0.01, answer="found")
    >>> answer_words(weak)
    'found by ranks'
    """
    by_ranks = found.answer == "found" and found.limit is not None and found.limit >= found.T
    return "found by ranks" if by_ranks else found.answer


def power_words(result: ModelAuditResult) -> str:
    """What “not found” leaves open: how large a T these people would hardly have shown."""
    left = [
        entry
        for one in result.models
        for about in one.attributes.values()
        for entry in about.criteria.values()
        if entry.answer == "not found" and entry.limit is not None
    ]
    if not left:
        return ""
    limit, rows = max(entry.limit or 0.0 for entry in left), min(entry.rows for entry in left)
    everyone = result.provenance.rows
    drawn = f"{rows:,} people" if rows == everyone else f"{rows:,} of {everyone:,} people"
    return (
        f"“Not found” does not say that there is none: on {drawn}, shuffling alone gives a T of up to "
        f"{max(limit, 0.0):.3f}, so a departure of that size or smaller can go unseen."
    )


def basis_words(one: OneModel, roles: Roles) -> str:
    """Who counts as selected."""
    if one.basis == "recorded":
        chosen = f" ({one.decision} is {' or '.join(roles.selected)})" if roles.selected else f" in {one.decision}"
        return f"as recorded{chosen}"
    if one.basis == "half":
        return f"the upper half (score of at least {one.threshold:g})"
    return "–" if one.threshold is None else f"score of at least {one.threshold:g}"


def gap_sentence(one: OneModel, comparison: ModelComparison) -> str:
    """The gap in being selected under one model, in words that hold where nobody is selected, too."""
    by = listed(comparison.attributes)
    if len(comparison.judged) < 2:
        return f"Too few people to compare groups by {by}."
    gap = comparison.between.get(_SELECTED)
    if gap is None:
        return _error_sentence(one, comparison, by)
    if gap.found is None or gap.chance is None:
        return f"Too few people to compare groups by {by}."
    if who := no_choice(comparison):
        return f"{who} by {by} is selected under {one.name}, so there is no gap to judge."
    rates = {group.label: group.rates["selection_rate"].value for group in comparison.judged}
    high, low = str(gap.highest), str(gap.lowest)
    size = f"{100 * gap.found.value:.1f} points"
    limits = f"interval {100 * gap.found.low:.1f} to {100 * gap.found.high:.1f}"
    if _beyond_chance(comparison):
        return (
            f"“{high}” is selected more often than “{low}” under {one.name}: {100 * rates[high]:.1f} against "
            f"{100 * rates[low]:.1f} %, a gap of {size} ({limits})."
        )
    return (
        f"The gap in being selected by {by} under {one.name} is {size} ({limits}); shuffled groups give up to "
        f"{100 * gap.chance.limit:.1f}."
    )


def _error_sentence(one: OneModel, comparison: ModelComparison, by: str) -> str:
    """How far predictions of a quantity are off, for the two groups that differ most."""
    errors = {group.label: group.errors["mean_error"] for group in comparison.judged if "mean_error" in group.errors}
    if len(errors) < 2:
        return f"{one.name} predicts a quantity; its errors by {by} are in the table."
    low, high = min(errors, key=lambda name: errors[name].value), max(errors, key=lambda name: errors[name].value)
    told = [f"{interval_words(errors[name], scale=1, unit='', digits=2)} for “{name}”" for name in (high, low)]
    return f"Prediction minus outcome under {one.name}, on average: {told[0]}, {told[1]}."


def no_choice(comparison: ModelComparison) -> str:
    """“Everybody” or “Nobody”, where that is who is selected in all groups; else nothing."""
    rates = {found.value for group in comparison.judged if (found := group.rates.get("selection_rate")) is not None}
    return "Everybody" if rates == {1.0} else "Nobody" if rates == {0.0} else ""


def measure_words(name: str, found: Interval | Rate | None, nothing: str = "–") -> str:
    """A rate or an error with its interval.

    >>> measure_words("mean_error", Interval(-1.5, -2.0, -1.0)), measure_words("accuracy", Interval(0.5, 0.25, 0.75))
    ('−1.5 (−2 to −1)', '50.0 % (25.0 to 75.0 %)')
    """
    if found is None:
        return nothing
    if name in QUANTITIES:
        return f"{found.value:.4g} ({found.low:.4g} to {found.high:.4g})".replace("-", "−")
    return f"{100 * found.value:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f} %)"


def interval_words(found: Interval, *, scale: float = 100, unit: str = " points", digits: int = 1) -> str:
    """A number with its interval.

    >>> interval_words(Interval(-0.142, -0.17, -0.11))
    '−14.2 points (−17.0 to −11.0)'
    """
    value, low, high = (_signed(scale * x, digits) for x in (found.value, found.low, found.high))
    return f"{value}{unit} ({low} to {high})"


def _signed(value: float, digits: int) -> str:
    """So many digits; what rounds to nothing has no sign.

    >>> _signed(-0.04, 1), _signed(-0.06, 1)
    ('0.0', '−0.1')
    """
    shown = f"{value:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", "−")


def _told_apart(rates: Sequence[Rate]) -> bool:
    """Whether shares of different people differ by more than chance, by the chi-square of their table."""
    from scipy import stats  # takes a while to load

    table = [[rate.k for rate in rates], [rate.n - rate.k for rate in rates]]
    if min(map(sum, table)) == 0:
        return False
    return float(stats.chi2_contingency(table).pvalue) <= 0.05


def exclusion(result: ModelAuditResult, attribute: str) -> str:
    """Why the criteria cannot all hold, with this table's own base rates; empty where there is no yes-or-no outcome."""
    if result.outcome is None or result.outcome.kind != "classes" or attribute not in result.groups:
        return ""
    comparison = next((c for c in result.models[0].comparisons if c.attributes == (attribute,)), None)
    if comparison is None or len(comparison.judged) < 2:
        return ""
    rates = {group.label: group.rates["base_rate"] for group in comparison.judged if "base_rate" in group.rates}
    told = listed([f"{100 * rate.value:.1f} % of “{name}”" for name, rate in rates.items()])
    if not _told_apart(list(rates.values())):
        return (
            f"These people do not show that the outcome is more common in one group than in another ({told}). Where it "
            "is equally common, the three criteria can hold together."
        )
    return (
        f"The outcome is not equally common: {told}. Then no score that says anything about the outcome can meet "
        "independence and sufficiency together, nor separation and sufficiency unless it never errs."
    )
