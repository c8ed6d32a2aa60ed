"""What a run of the lab found, in sentences."""

from __future__ import annotations

from diffoci.audit.noise import without_width
from diffoci.audit.result import Mean
from diffoci.audit.words import listed
from diffoci.labs.spurious.result import Outcome, SpuriousResult

# From here on the oracle's worst group says that a failure shows the shortcut and not the difficulty.
EASY = 0.95


def percent(value: Mean) -> str:
    """A mean as pages write it.

    >>> percent(Mean(0.9728, None, None, (0.9728,)))
    '97.3 %'
    """
    return "not measured" if value.mean is None else f"{100 * value.mean:.1f} %"


def headline(result: SpuriousResult) -> str:
    """How much an average hides, and what the penalty changes."""
    plain, penalised = result.find("ERM"), result.find("ERM+dF2") or result.find("ERM+dF2-plain")
    if plain is None:
        return _one(result, result.methods[0]) if result.methods else f"{result.title}: nothing was trained."
    said = f"{_one(result, plain)}, “{worst_cell(result, plain)}”"
    if penalised is None:
        return f"{said}."
    average, worst = percent(penalised.average_by_training_groups), percent(penalised.worst_group)
    return f"{said}. With the penalty: {average} on average, {worst} in the worst group."


def worst_cell(result: SpuriousResult, one: Outcome) -> str:
    """The label and the group that a method does worst on."""
    known = [
        (mean.mean, size.name) for mean, size in zip(one.cells, result.sizes, strict=True) if mean.mean is not None
    ]
    return min(known)[1] if known else "no group"


def _one(result: SpuriousResult, one: Outcome) -> str:
    return (
        f"{result.title}: {one.title} is right for {percent(one.average_by_training_groups)} of rows like those "
        f"it learnt from, but for {percent(one.worst_group)} of its worst group"
    )


def points(first: Mean, second: Mean) -> float | None:
    """How many points the first is above the second."""
    return None if first.mean is None or second.mean is None else 100 * (first.mean - second.mean)


def group_sentences(result: SpuriousResult) -> list[str]:
    """What the penalty changes in the worst group and on average, and whether the task itself is hard."""
    said = []
    oracle = result.find("oracle")
    if oracle is not None and oracle.worst_group.mean is not None:
        enough = oracle.worst_group.mean >= EASY
        meaning = "it is not the task that is hard" if enough else "the task itself is hard, whatever the background"
        said.append(
            f"Without the correlation the same network reaches {percent(oracle.worst_group)} in its worst group: "
            f"{meaning}."
        )
    for plain, penalised in (("ERM", "ERM+dF2"), ("DRO", "DRO+dF2")):
        before, after = result.find(plain), result.find(penalised)
        if before is None or after is None:
            continue
        gain = points(after.worst_group, before.worst_group)
        cost = points(after.average_by_training_groups, before.average_by_training_groups)
        if gain is not None and cost is not None:
            said.append(
                f"The penalty {_moved(before.title + '’s', 'worst group', gain)} and {_moved('its', 'average', cost)}."
            )
    same = [one.title for one in result.methods if _without_width(one.worst_group)]
    if same:
        said.append(f"The worst group of {listed(same)} came out equal in every repetition, which is no proof.")
    return said


def _moved(whose: str, what: str, by: float) -> str:
    """What changes by how many points; what rounds to nothing is said not to change.

    >>> _moved("ERM’s", "worst group", -2.04), _moved("its", "average", 0.04)
    ('lowers ERM’s worst group by 2.0 points', 'leaves its average where it is')
    """
    size = f"{abs(by):.1f}"
    if float(size) == 0:
        return f"leaves {whose} {what} where it is"
    return f"{'raises' if by > 0 else 'lowers'} {whose} {what} by {size} points"


def _without_width(found: Mean) -> bool:
    return found.low is not None and found.high is not None and without_width(found.low, found.high)


def saliency_sentence(result: SpuriousResult) -> str:
    """How much of the saliency lies on the object, with and without the penalty."""
    before, after = result.find("ERM"), result.find("ERM+dF2")
    if before is None or after is None or before.saliency_on_object.mean is None:
        return ""
    return (
        f"The object covers {percent(result.area)} of the pixels and holds {percent(before.saliency_on_object)} of the "
        f"saliency of {before.title}, {percent(after.saliency_on_object)} of that of {after.title}."
    )


def feature_sentences(result: SpuriousResult) -> list[str]:
    """Whether the group can be guessed from the features, and what a new last layer makes of them."""
    said = []
    for name in ("ERM", "ERM+dF2", "DFR"):
        one = result.find(name)
        if one is None or one.group_guessed_from_features.mean is None:
            continue
        said.append(
            f"{one.title}: the {result.group_name} is guessed from its features with AUC "
            f"{one.group_guessed_from_features.mean:.2f}; a new last layer would reach "
            f"{percent(one.worst_group_refitted)} in the worst group, its own reaches {percent(one.worst_group)}."
        )
    if result.find("DFR") is not None:
        said.append("DFR changes the last layer alone: its features are those of ERM.")
    return said
