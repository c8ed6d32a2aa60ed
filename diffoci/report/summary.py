"""The summary in words: who could be harmed, what was found, how sure that is, and what was not judged."""

from __future__ import annotations

from collections.abc import Iterator

from diffoci.audit.findings import NO_CHOICE
from diffoci.audit.methods import REFERENCE
from diffoci.audit.result import AuditResult, SelectionGap, Sureness
from diffoci.audit.splitting import are_folds
from diffoci.audit.verdicts import FEWEST_ROWS, LEVEL
from diffoci.audit.words import listed, points_text, score_text
from diffoci.audit.words.verdicts import headline, sentence
from diffoci.figures.features import condition_clause
from diffoci.plain_text import counted
from diffoci.report.writing.blocks import Block, Heading, Points, Section

HARMED, FOUND, SURE, NOT_JUDGED = (
    "Who could be harmed?",
    "What was found?",
    "How sure is this?",
    "What was not judged?",
)
MOST_NAMED = 8  # features in a sentence


def summary(result: AuditResult) -> Section:
    """What page one has no room for, as a section."""
    said = answers(result)
    blocks: list[Block] = []
    for question in (HARMED, NOT_JUDGED):
        blocks += [Heading(question), Points(tuple(said[question]))]
    return Section("Who could be harmed, and what was not judged", tuple(blocks))


def answers(result: AuditResult) -> dict[str, list[str]]:
    """Each question with its sentences; a result without methods still has something to say."""
    return {
        HARMED: list(_harmed(result)),
        FOUND: list(_found(result)),
        SURE: list(_sure(result)),
        NOT_JUDGED: list(_not_judged(result)),
    }


def _harmed(result: AuditResult) -> Iterator[str]:
    if not result.provenance.real:
        yield "Nobody: the people in these rows are simulated. What follows is what one would say if they were real."
    for attribute, groups in result.groups.items():
        people = listed([f"{level} ({group.rows:,})" for level, group in groups.items()])
        yield f"Groups by {attribute}: {people}. {_exposed(result, attribute)}"
        if (gap := result.findings.selection.get(attribute)) is not None:
            yield _gap_words(result, gap, attribute)


def _exposed(result: AuditResult, attribute: str) -> str:
    finding = result.findings.guessed.get(attribute, {}).get("representation")
    if finding is None:
        return "Nothing was measured for them."
    reference = result.findings.reference
    found = result.method(reference).leakage.of(attribute) if reference in finding.methods else None
    if found is None or reference is None or found.verdict == "insufficient evidence":
        return f"Too few people to say whether {attribute} can be guessed, so harm can neither be shown nor excluded."
    of = _columns(result, reference)
    if found.verdict == "detected":
        return (
            f"Whoever holds {of} can guess {attribute} better than chance without being told it, so a model "
            f"trained on them can treat these groups differently although {attribute} is not among its inputs."
        )
    return (
        f"The probes did not find {attribute} in {of} above chance; harm through guessing it is less likely, "
        "not excluded."
    )


def _columns(result: AuditResult, reference: str) -> str:
    """The data as they are, or what was audited in their place."""
    return (
        "these columns" if reference == REFERENCE else f"what “{result.method(reference).title}” makes of these columns"
    )


def _gap_words(result: AuditResult, gap: SelectionGap, attribute: str) -> str:
    label, reference = result.label.name, result.findings.reference
    if gap.value is None or gap.limit is None or reference is None:
        return f"Too few people to say whom a classifier of “{label}” would favour by {attribute}."
    size = points_text(gap.value, gap.low, gap.high).removeprefix("+")
    who = f"A classifier of “{label}” trained here on {_columns(result, reference)}, which is not your own model,"
    if gap.answer in NO_CHOICE:
        everyone = gap.answer.removesuffix(" selected")
        return f"{who} predicts yes for {everyone} in the groups by {attribute}, so there is no gap to judge."
    if gap.highest is None:
        return f"{who} predicts yes equally often for all groups by {attribute}, which is no proof that others would."
    words = f"{who} predicts yes more often for “{gap.highest}” than for “{gap.lowest}”: {size}"
    limit = f"{100 * gap.limit:.1f} points"
    if gap.answer == "within chance":
        return f"{words}. Shuffled groups of the same sizes give gaps up to {limit}, so this is no evidence of a gap."
    return (
        f"{words}, more than the {limit} of shuffled groups. Where a yes is a benefit, “{gap.lowest}” goes "
        f"short; where it is a burden, “{gap.highest}” bears it."
    )


def _found(result: AuditResult) -> Iterator[str]:
    if not result.methods:
        yield "No method finished, so nothing was found."
    for attribute in result.attributes if result.methods else ():
        yield from _found_of(result, attribute)
    for condition in result.features.conditions:
        names = condition.dropped
        count = f"{len(names)} of {len(result.features.names)} features"
        told = f": {listed(names[:MOST_NAMED])}" if names else ""
        more = " and more" if len(names) > MOST_NAMED else ""
        yield f"{condition_clause(condition.given)}, difFOCI dropped {count}{told}{more}."


def _found_of(result: AuditResult, attribute: str) -> Iterator[str]:
    yield f"{headline(result, attribute)}."
    finding = result.findings.guessed.get(attribute, {}).get("representation")
    if finding is not None and finding.best is not None:
        said = sentence(result, result.method(finding.best), attribute)
        yield f"The representation to look at first is {_uncapitalised(said)}"
    measured = [(one.called, one.leakage.of(attribute)) for one in result.methods]
    alarms = [called for called, found in measured if found is not None and found.below_chance]
    if alarms:
        yield f"A warning sign: guessing {attribute} is clearly worse than chance for {listed(alarms)}; check the run."


def _uncapitalised(text: str) -> str:
    """A sentence as another goes on with it; a word with further capitals is a name and keeps them.

    >>> _uncapitalised("Standard data"), _uncapitalised("XyzRemover: y")
    ('standard data', 'XyzRemover: y')
    """
    further = text.split(maxsplit=1)[0][1:]
    return text[:1].lower() + text[1:] if further == further.lower() else text


def _sure(result: AuditResult) -> Iterator[str]:
    sure = result.findings.sureness
    if sure is None:
        yield "Nothing was measured, so there is nothing to be sure of."
        return
    yield _splits(sure, result)
    if sure.widest > 0.1:
        yield (
            f"The intervals are wide: up to {100 * sure.widest:.0f} points from end to end for the accuracy of the "
            "outcome. Smaller differences between methods are not evidence of a difference."
        )
    if sure.verdicts:
        yield (
            f"{sure.verdicts} verdicts are given here. Where nothing is to be found, each says “guessable” about once "
            f"in {1 / LEVEL:.0f} times, so about {sure.false_alarms:.1f} of them are expected to by chance alone."
        )
    if sure.noticed_from is not None:
        yield (
            f"“Not detected above chance” is no proof of absence: with these rows a probe had to reach an AUC of "
            f"{score_text(sure.noticed_from, 'auc')} to be noticed (0.50 is guessing, 1.00 is certainty)."
        )
    yield "The representation named first was picked by its test figures; expect a little less on new people."


def _splits(sure: Sureness, result: AuditResult) -> str:
    rows = result.provenance.rows
    folds = are_folds(result.spec.settings, rows)
    if sure.seeds == 1:
        limits = "One repetition gives no interval: run more."
    elif folds:
        limits = (
            "Each tests different people, with models that never saw them. Intervals are at 95 % over the repetitions."
        )
    else:
        limits = "Intervals are at 95 % over the repetitions and allow for their overlap."
    kind, each = ("a" if folds else "a random"), ("" if sure.seeds == 1 else "each ")
    said = f"{counted(sure.seeds, 'repetition')}, {each}{kind} split of {rows:,} people"
    return f"{said}; {sure.tested:,} of them were tested. {limits}"


def _not_judged(result: AuditResult) -> Iterator[str]:
    for attribute, groups in result.groups.items():
        measured = [(one, found) for one, name, _, found in result.measured() if name == attribute]
        small = {level for _, found in measured for level in found.not_judged}
        if small:
            named = [level for level in groups if level in small]
            people = f"fewer than {FEWEST_ROWS} tested people"
            yield f"By {attribute}, {people} in a method, so no verdict on: {listed(named)}."
        verdicts = {one.called: one.leakage.of(attribute) for one, _ in measured}
        too_few = [name for name, found in verdicts.items() if found and found.verdict == "insufficient evidence"]
        if too_few:
            yield f"Too few people to say whether {attribute} can be guessed: {listed(too_few)}."
    if result.failures:
        failed, are = counted(len(result.failures), "part"), "is" if len(result.failures) == 1 else "are"
        yield f"{failed} of the audit failed and {are} missing: {listed(list(result.failures))}."
    yield from _not_decided(result)
    yield (
        f"Only {listed(result.attributes)} {'was' if len(result.attributes) == 1 else 'were'} audited; nothing is "
        "said about any other attribute, nor about attackers who hold other data as well."
    )
    yield (
        f"Whether “{result.label.name}” is a just thing to predict, and whether it was recorded equally well for "
        "every group, cannot be seen from these rows."
    )


def _not_decided(result: AuditResult) -> Iterator[str]:
    if len(result.label.classes) != 2:
        yield "Decisions: the outcome has more than two classes, and predicting yes needs two."
    elif result.methods and (missing := missing_in_law(result)):
        yield f"Local Law 144 also asks for {listed(missing)}, which this audit does not have."


def missing_in_law(result: AuditResult) -> tuple[str, ...]:
    """What Local Law 144 asks for and the audit does not have."""
    decided = result.methods[0].decisions
    law = None if decided is None else decided.local_law_144
    return ("sex", "race/ethnicity") if law is None else law.missing
