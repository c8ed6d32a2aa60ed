"""What a run of the lab found, in sentences."""

from __future__ import annotations

from collections import Counter

from diffoci.audit.noise import without_width
from diffoci.audit.result import Mean
from diffoci.audit.words import listed
from diffoci.labs.spurious.differences import Change, Measured, changes
from diffoci.labs.spurious.result import CellSize, Outcome, SpuriousResult
from diffoci.plain_text import counted

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
        return f"{_one(result, result.methods[0])}." if result.methods else f"{result.title}: nothing was trained."
    said = _one(result, plain)
    if penalised is None:
        return f"{said}."
    average, worst_group = percent(penalised.average_by_training_groups), percent(penalised.worst_group)
    return f"{said}. With the penalty: {average} on average, {worst_group} in the worst group."


def shortcut_sentence(result: SpuriousResult) -> str:
    """What a rule reaches that knows the group alone, and where it is always wrong."""
    total = sum(size.train for size in result.sizes)
    if not total:
        return ""
    best = {group: max(own, key=lambda size: size.train) for group, own in _by_group(result).items()}
    share = f"{100 * sum(size.train for size in best.values()) / total:.1f} %"
    if len({size.label for size in best.values()}) == 1:
        return (
            f"A rule that knows the {result.group_name} and nothing else is right for {share} of training rows, as is "
            f"one that always says “{next(iter(best.values())).label}”: the {result.group_name} alone is no shortcut."
        )
    wrong = [f"“{size.name}”" for size in result.sizes if size not in best.values()]
    return (
        f"A rule that looks at the {result.group_name} and nothing else is right for {share} of training rows, and "
        f"always wrong for {listed(wrong)}. A network that finds it first has little reason to look further."
    )


def _by_group(result: SpuriousResult) -> dict[str, list[CellSize]]:
    found: dict[str, list[CellSize]] = {}
    for size in result.sizes:
        found.setdefault(size.group, []).append(size)
    return found


def worst_cell(result: SpuriousResult, one: Outcome) -> str:
    """The label and the group that a method does worst on; of repetitions that differ, where it does so most often."""
    found: Counter[str] = Counter()
    for repetition in one.repetitions:
        known = [
            (value, size.name) for value, size in zip(repetition.cells, result.sizes, strict=True) if value is not None
        ]
        if known:
            found[min(known)[1]] += 1
    if not found:
        return "no group"
    (name, times), *_ = found.most_common()
    return f"“{name}”" if times == len(one.repetitions) else f"most often “{name}”"


def _one(result: SpuriousResult, one: Outcome) -> str:
    average, worst_group = percent(one.average_by_training_groups), percent(one.worst_group)
    rows = "rows like those it learnt from"
    if one.average_by_training_groups.mean is None:  # a group that it learnt from has no test rows
        average, rows = percent(one.average), "test rows"
    if average == worst_group:
        return f"{result.title}: {one.title} is right for {average} of {rows}, and of its worst group"
    return (
        f"{result.title}: {one.title} is right for {average} of {rows}, but for {worst_group} of its worst group, "
        f"{worst_cell(result, one)}"
    )


def group_sentences(result: SpuriousResult) -> list[str]:
    """Whether the task itself is hard, what the penalty changes, and what these rows cannot tell."""
    said = [_task(result), *_all_changed(result, ("worst group", "average"))]
    same = [one.title for one in result.methods if _without_width(one.worst_group)]
    if same:
        said.append(f"The worst group of {listed(same)} came out equal in every repetition, which is no proof.")
    for rows, where in (("train", "training"), ("validation", "validation"), ("test", "test")):
        empty = [f"“{size.name}”" for size in result.sizes if not getattr(size, rows)]
        if empty:
            said.append(f"There are no {where} rows of {listed(empty)}: {_MISSING[rows]}.")
    return said


_MISSING = {
    "train": "no network has seen such a row",
    "validation": "the epoch was chosen without it",
    "test": "how a network does there is not known, and the worst group is the worst of the others",
}


def _task(result: SpuriousResult) -> str:
    """Whether the oracle says that a failure shows the shortcut and not the difficulty."""
    oracle = result.find("oracle")
    if oracle is None or oracle.worst_group.mean is None:
        return "No oracle was trained, so nobody knows how much of what is wrong is the shortcut and how much the task."
    found = oracle.worst_group
    start = f"Without the correlation the same network reaches {percent(found)} in its worst group"
    if oracle.worst_group.mean < EASY:
        return f"{start}, less than {100 * EASY:.0f} %: some of what others get wrong may be the task’s difficulty."
    if found.low is None:
        return f"{start}, in the one repetition: there it is not the task that is hard."
    if found.low < EASY:
        return f"{start} on average over repetitions, but it may be less than {100 * EASY:.0f} % ({_limits(found)})."
    return f"{start}: it is not the task that is hard."


def _changed(one: Change, many: int) -> str:
    """One difference in a sentence, with its interval, and whether it may be chance.

    What rounds to nothing is called the same only together with how large it may be. An interval of its own may exclude
    nothing where `many` comparisons do not: of many, some are large by chance.
    """
    what = {"worst group": "worst group", "average": "average", "saliency": "share of saliency on the object"}[one.what]
    found, size = one.difference, f"{abs(100 * one.difference.value):.1f}"
    side = "higher" if found.value > 0 else "lower"
    start = f"With the penalty {one.plain.title}’s {what} is "
    start += f"{size} points {side}" if float(size) else "the same to a tenth of a point"
    if found.low is None or found.high is None:
        repeated = min(len(one.plain.repetitions), len(one.penalised.repetitions)) > 1
        return f"{start}; {'equal repetitions are' if repeated else 'one repetition is'} no proof."
    limits = f" ({_points(found.low)} to {_points(found.high)})"
    if one.judgement == "more than noise":
        return f"{start}{limits}."
    among = f" among {counted(many, 'comparison')}" if one.judgement == "perhaps" else ""
    return f"{start}{limits}, which may be chance{among}."


def _all_changed(result: SpuriousResult, wanted: tuple[Measured, ...]) -> list[str]:
    found = changes(result)
    return [_changed(one, len(found)) for one in found if one.what in wanted]


def _points(value: float) -> str:
    """A difference in points.

    >>> _points(-0.0204), _points(-0.0001)
    ('−2.0', '0.0')
    """
    return f"{round(100 * value, 1) + 0.0:.1f}".replace("-", "−")  # nothing has no sign


def _limits(found: Mean) -> str:
    return "" if found.low is None or found.high is None else f"{100 * found.low:.1f} to {100 * found.high:.1f}"


def _without_width(found: Mean) -> bool:
    return found.low is not None and found.high is not None and without_width(found.low, found.high)


def saliency_sentences(result: SpuriousResult) -> list[str]:
    """How much of the saliency lies on the object, and what the penalty changes of it."""
    shown = [one for one in result.methods if one.saliency_on_object.mean is not None]
    if not shown:
        return []
    told = listed([f"{percent(one.saliency_on_object)} of {one.title}’s" for one in shown])
    return [
        f"The object covers {percent(result.area)} of the pixels and holds this much of the saliency: {told}.",
        *_all_changed(result, ("saliency",)),
    ]


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
