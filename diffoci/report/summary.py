"""The summary in words: who could be harmed, what was found, how sure that is, and what was not judged."""

from __future__ import annotations

from collections.abc import Iterator

from diffoci.audit.disparities import Disparity
from diffoci.figures.reading import Entry, Result, View, attributes, entries, places
from diffoci.figures.verdict_words import best, headline, sentence
from diffoci.figures.words import listed, points_text, score_text
from diffoci.report.blocks import Block, Heading, Points, Section
from diffoci.report.stored_decisions import missing_in_law, stored_comparisons

HARMED, FOUND, SURE, NOT_JUDGED = (
    "Who could be harmed?",
    "What was found?",
    "How sure is this?",
    "What was not judged?",
)
# Verdicts say "guessable" where fewer than one in a hundred shuffled labellings score as high.
_FALSE_ALARMS = 0.01


def summary(result: Result) -> Section:
    """The four answers as a section."""
    blocks: list[Block] = []
    for question, sentences in answers(result).items():
        blocks += [Heading(question), Points(tuple(sentences))]
    return Section("Summary", tuple(blocks))


def answers(result: Result) -> dict[str, list[str]]:
    """Each question with its sentences; a result without methods still has something to say."""
    return {
        HARMED: list(_harmed(result)),
        FOUND: list(_found(result)),
        SURE: list(_sure(result)),
        NOT_JUDGED: list(_not_judged(result)),
    }


def people(result: Result, attribute: str) -> str:
    """The groups of an attribute with their sizes."""
    return listed([f"{level} ({group['rows']:,})" for level, group in result["groups"][attribute].items()])


def selection_gap(result: Result, method: str, attribute: str) -> Disparity | None:
    """The gap in being selected between groups of one attribute under one method."""
    for one in result["methods"]:
        for comparison in stored_comparisons(one) if one["name"] == method else ():
            if comparison.attributes == (attribute,):
                return next(gap for gap in comparison.between if gap.name == "demographic_parity_difference")
    return None


def first_method(result: Result) -> str:
    """The method that stands for the data as they are: the standardised data where they were audited."""
    names = [str(one["name"]) for one in result["methods"]]
    return "standard" if "standard" in names else names[0]


def chosen_method(result: Result) -> str:
    """The representation to speak of beside the data: the best for the first attribute, else the first there is."""
    for attribute in attributes(result):
        if (found := best(result, View(attribute))) is not None:
            return found.name
    return first_method(result)


def _harmed(result: Result) -> Iterator[str]:
    if not result["provenance"]["real"]:
        yield "Nobody: the people in these rows are simulated. What follows is what one would say if they were real."
    for attribute in attributes(result):
        yield f"Groups by {attribute}: {people(result, attribute)}. {_exposed(result, attribute)}"
        if result["methods"] and (gap := selection_gap(result, first_method(result), attribute)) is not None:
            yield _gap_words(result, gap, attribute)


def _exposed(result: Result, attribute: str) -> str:
    verdicts = {entry.name: entry.found["verdict"] for entry in entries(result, View(attribute))}
    if not verdicts:
        return "Nothing was measured for them."
    verdict, of = verdicts.get(first_method(result), "insufficient evidence"), _of(result)
    if verdict == "detected":
        return (
            f"Whoever holds {of} can guess {attribute} better than chance without being told it, so a model "
            f"trained on them can treat these groups differently although {attribute} is not among its inputs."
        )
    if verdict == "not detected":
        return (
            f"The probes did not find {attribute} in {of} above chance; harm through guessing it is less likely, "
            "not excluded."
        )
    return f"Too few people to say whether {attribute} can be guessed, so harm can neither be shown nor excluded."


def _of(result: Result) -> str:
    """The data as they are, or what was audited in their place."""
    name = first_method(result)
    title = next(one["title"] for one in result["methods"] if one["name"] == name)
    return "these columns" if name == "standard" else f"what “{title}” makes of these columns"


def _gap_words(result: Result, gap: Disparity, attribute: str) -> str:
    label = result["label"]["name"]
    if gap.found is None or gap.chance is None:
        return f"Too few people to say whom a classifier of “{label}” would favour by {attribute}."
    size = points_text(gap.found.value, gap.found.low, gap.found.high).removeprefix("+")
    words = f"A classifier of “{label}” on {_of(result)} selects {gap.highest} more often than {gap.lowest}: {size}"
    limit = f"{100 * gap.chance.limit:.1f} points"
    if gap.found.value <= gap.chance.limit:
        return f"{words}. Shuffled groups of the same sizes give gaps up to {limit}, so this is no evidence of a gap."
    return (
        f"{words}, more than the {limit} of shuffled groups. Where being selected is a benefit {gap.lowest} goes "
        f"short; where it is a burden {gap.highest} bears it."
    )


def _found(result: Result) -> Iterator[str]:
    if not result["methods"]:
        yield "No method finished, so nothing was found."
    for attribute in attributes(result) if result["methods"] else ():
        view = View(attribute)
        yield f"{headline(result, view)}."
        if (entry := best(result, view)) is not None:
            yield f"Of the representations, {_uncapitalised(sentence(result, view, entry))}"
        fooled = [e.short for e in entries(result, view) if e.found["below_chance"]]
        if fooled:
            yield f"An alarm: guessing {attribute} is clearly worse than chance for {listed(fooled)}; check the run."
    for condition in result["features"]["conditions"]:
        given, names = " and ".join(condition["given"]) or "nothing", condition["dropped"]
        count = f"{len(names)} of {len(result['features']['names'])} features"
        yield f"Given {given}, difFOCI dropped {count}{': ' + listed(names[:8]) if names else ''}" + (
            " and more." if len(names) > 8 else "."
        )


def _uncapitalised(text: str) -> str:
    return (
        text if text[:2].isupper() or text.startswith(("dF", "LEACE", "CorrelationR")) else text[:1].lower() + text[1:]
    )


def _all_entries(result: Result) -> list[tuple[View, Entry]]:
    views = [View(attribute, place) for attribute in attributes(result) for place in places(result)]
    return [(view, entry) for view in views for entry in entries(result, view)]


def _sure(result: Result) -> Iterator[str]:
    found = _all_entries(result)
    if not found:
        yield "Nothing was measured, so there is nothing to be sure of."
        return
    seeds = max(len(entry.seeds) for _, entry in found)
    tested, rows = max(entry.found["test_rows"] for _, entry in found), result["provenance"]["rows"]
    yield (
        f"{seeds} random {'split' if seeds == 1 else 'splits'} of {rows:,} people; {tested:,} of them were tested. "
        + (
            "One split gives no interval: repeat with more seeds."
            if seeds == 1
            else "Intervals are at 95 % over the splits and allow for their overlap."
        )
    )
    widest = max((e.accuracy["high"] - e.accuracy["low"] for _, e in found if e.accuracy["low"] is not None), default=0)
    if widest > 0.1:
        yield (
            f"The intervals are wide: up to {100 * widest:.0f} points from end to end for the accuracy of y. Smaller "
            "differences between methods are not evidence of a difference."
        )
    judged = [entry for _, entry in found if entry.found["verdict"] != "insufficient evidence"]
    if judged:
        yield (
            f"{len(judged)} verdicts are given here. Where nothing is to be found, each says “guessable” about once "
            f"in a hundred times, so about {len(judged) * _FALSE_ALARMS:.1f} of them would by chance alone."
        )
    quiet = [e.found["null_auc_high"] for _, e in found if e.found["verdict"] == "not detected"]
    if quiet:
        yield (
            f"“Not detected above chance” is no proof of absence: with these rows a probe had to reach an AUC of "
            f"{score_text(max(quiet), 'auc')} to be noticed (0.50 is guessing, 1.00 is certainty)."
        )
    yield "The representation named first was picked by its test figures; expect a little less on new people."


def _not_judged(result: Result) -> Iterator[str]:
    for attribute in attributes(result):
        small: set[str] = set()
        for view, entry in _all_entries(result):
            if view.attribute == attribute:
                small |= set(entry.found["not_judged"])
        if small:
            named = [level for level in result["groups"][attribute] if level in small]
            yield f"By {attribute}, fewer than 30 tested people in a method, so no verdict on: {listed(named)}."
        too_few = [e.short for e in entries(result, View(attribute)) if e.found["verdict"] == "insufficient evidence"]
        if too_few:
            yield f"Too few people to say whether {attribute} can be guessed: {listed(too_few)}."
    if result["failures"]:
        failed = list(result["failures"])
        yield f"{len(failed)} parts of the audit failed and are missing: {listed(failed)}."
    if len(result["label"]["classes"]) != 2:
        yield "Decisions: the label has more than two classes, and who is selected is defined for two."
    elif result["methods"] and (missing := missing_in_law(result["methods"][0])):
        yield f"Local Law 144 also asks for {listed(missing)}, which this audit does not have."
    yield (
        f"Only {listed(attributes(result))} {'was' if len(attributes(result)) == 1 else 'were'} audited; nothing is "
        "said about any other attribute, nor about attackers who hold other data as well."
    )
    yield (
        f"Whether “{result['label']['name']}” is a just thing to predict, and whether it was recorded equally well for "
        "every group, cannot be seen from these rows."
    )
