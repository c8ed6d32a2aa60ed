"""The report's first page: who, through which columns, what was tried, what it costs, how sure; with the picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from diffoci.audit.result import AuditResult, FeatureView, Guessed, MethodFinding, MethodResult, Revealed
from diffoci.audit.words import VERDICTS, beside_chance, listed, points_text, score_text, sentence_case
from diffoci.audit.words.verdicts import headline, joint_sentence
from diffoci.figures.before_training.proxy_map import LEVEL
from diffoci.figures.compare import plane
from diffoci.figures.view import View, rows_of
from diffoci.report.summary import SURE, answers
from diffoci.report.writing.blocks import Answer, Block, Follows, Picture, Section, Sentence, Words

WHO, COLUMNS, TRIED, COSTS = (
    "Who can be told apart?",
    "Through which columns?",
    "What was tried?",
    "What does it cost?",
)
FEW = 2  # attributes that have room for all their words; of more, those with the same answer share a sentence
MOST_NAMED, MOST_OF_MANY = 5, 3  # columns of one attribute
HEIGHT, LOW = 470, 370  # of the picture: lower than on its own page, so that all answers and it fit one sheet of paper
Numbers = tuple[tuple[str, Follows], ...]


def page_one(result: AuditResult) -> Section:
    """Five answers and the picture of Compare for the first attribute."""
    blocks: list[Block] = [
        Answer(WHO, tuple(_who(result))),
        Answer(COLUMNS, tuple(_columns(result))),
        Answer(TRIED, tuple(_tried(result))),
        Answer(COSTS, tuple(_costs(result))),
        Answer(SURE, tuple(Sentence(text) for text in answers(result)[SURE])),
    ]
    view = View(result.attributes[0])
    if result.methods and rows_of(result, view):
        drawing = plane(result, view)
        drawing.figure.update_layout(height=HEIGHT if len(result.attributes) <= FEW else LOW)
        blocks.append(Picture(drawing, None))
    else:
        blocks.append(Words("There is nothing to draw: no method was measured."))
    return Section("The answer on one page", tuple(blocks))


def _who(result: AuditResult) -> Iterator[Sentence]:
    if not result.provenance.real:
        yield Sentence("Nobody here is real: this is what one would say if the people were.")
    few = [name for name in result.attributes if _answer(result, name) == "too few people"]
    for attribute in result.attributes if result.methods else ():
        finding = result.findings.guessed.get(attribute, {}).get("representation")
        found = None if finding is None else result.method(finding.reference).leakage.of(attribute)
        numbers = () if found is None else _guessing_numbers(result, attribute, found)
        if attribute not in few[1:]:
            yield Sentence(f"{headline(result, attribute, also=few[1:])}.", numbers)
        yield from _gap(result, attribute)
    if not result.methods:
        yield Sentence("No method finished, so nothing was found.")


def _answer(result: AuditResult, attribute: str) -> str | None:
    finding = result.findings.guessed.get(attribute, {}).get("representation")
    return None if finding is None else finding.answer


def _guessing_numbers(result: AuditResult, attribute: str, found: Guessed) -> Numbers:
    groups = result.groups[attribute]
    largest = max(group.rows for group in groups.values()) / sum(group.rows for group in groups.values())
    return (
        (score_text(found.accuracy.mean, "accuracy"), Follows(found.accuracy, "percent", "mean")),
        (score_text(largest, "accuracy"), Follows(groups, "largest share")),
        *_auc_numbers(found),
    )


def _auc_numbers(found: Guessed) -> Numbers:
    area, high = beside_chance(found.auc.mean, found.null_auc_high)
    written = "two digits" if area == score_text(found.auc.mean, "auc") else "three digits"
    return (area, Follows(found.auc, written, "mean")), (high, Follows(found, written, "null_auc_high"))


def _gap(result: AuditResult, attribute: str) -> Iterator[Sentence]:
    """Whom a classifier would favour, where that is beyond chance; the next section says it of every attribute."""
    gap = result.findings.selection.get(attribute)
    if gap is None or gap.answer != "beyond chance" or gap.value is None or gap.limit is None:
        return
    size, limit = f"{100 * gap.value:.1f}", f"{100 * gap.limit:.1f}"
    text = (
        f"A classifier trained here, which is not your own model, predicts yes more often for “{gap.highest}” than for "
        f"“{gap.lowest}”: {size} points, where shuffled groups give up to {limit}."
    )
    yield Sentence(text, ((size, Follows(gap, "points", "value")), (limit, Follows(gap, "points", "limit"))))


def _columns(result: AuditResult) -> Iterator[Sentence]:
    views, features = result.features.exact, len(result.features.names)
    if views is None:
        yield Sentence("What single columns reveal was not measured in this audit.")
        return
    most = MOST_NAMED if len(result.attributes) <= FEW else MOST_OF_MANY
    quiet = []
    for attribute in result.attributes:
        if alone := _alone(attribute, views.columns):
            yield _columns_of(attribute, alone, features, most)
        else:
            quiet.append(attribute)
    if quiet:
        yield Sentence(
            f"{sentence_case(listed(quiet))}: T found no single one of {features:,} columns to reveal "
            f"{'it' if len(quiet) == 1 else 'any of them'} beyond chance; several together may."
        )


def _alone(attribute: str, columns: Mapping[str, FeatureView]) -> list[tuple[str, Revealed]]:
    """Columns that reveal an attribute by themselves, the strongest first."""
    found = [(name, view.sensitive[attribute]) for name, view in columns.items() if attribute in view.sensitive]
    alone = [(name, one) for name, one in found if one.p_value is not None and one.p_value <= LEVEL]
    return sorted(alone, key=lambda item: -item[1].T)


def _columns_of(attribute: str, alone: Sequence[tuple[str, Revealed]], features: int, most: int) -> Sentence:
    named = [(f"{name} (T {one.T:.2f})", f"{one.T:.2f}", one) for name, one in alone[:most]]
    more = f" and {len(alone) - most} more" if len(alone) > most else ""
    words = ", ".join(text for text, _, _ in named) if more else listed([text for text, _, _ in named])
    return Sentence(
        f"{sentence_case(attribute)}: {len(alone)} of {features:,} columns reveal it on their own: {words}{more}.",
        tuple((f"(T {size})", Follows(one, "T in brackets", "T")) for _, size, one in named),
    )


def _tried(result: AuditResult) -> Iterator[Sentence]:
    names = [one.called for one in result.methods]
    methods = "1 method" if len(names) == 1 else f"{len(names)} methods"
    yield Sentence(f"{methods}: {listed(names)}." if names else "Every method failed.")
    alike: dict[str, list[str]] = {}
    for attribute in result.attributes if names else ():
        found = [(one.called, one.leakage.of(attribute)) for one in result.methods]
        said = [
            f"{words} in {len(names)}{f' ({listed(names)})' if verdict == 'not detected' else ''}"
            for verdict, words in VERDICTS.items()
            if (names := [called for called, one in found if one is not None and one.verdict == verdict])
        ]
        alike.setdefault(", ".join(said) or "not measured", []).append(attribute)
    for words, attributes in alike.items():
        yield Sentence(f"{sentence_case(listed(attributes))}: {words}.")


def _costs(result: AuditResult) -> Iterator[Sentence]:
    by_best: dict[str | None, list[str]] = {}
    for attribute in result.attributes if result.methods else ():
        finding = result.findings.guessed.get(attribute, {}).get("representation")
        by_best.setdefault(None if finding is None else finding.best, []).append(attribute)
    for name, attributes in by_best.items():
        if name is None:
            yield Sentence(f"{sentence_case(listed(attributes))}: nothing was tried but the data as they are.")
        else:
            yield _cost_of(result, result.method(name), attributes)
    if not result.methods:
        yield Sentence("Nothing can be said about the cost.")


def _cost_of(result: AuditResult, best: MethodResult, attributes: Sequence[str]) -> Sentence:
    """What the method to speak of first costs, and what it gains for each of these attributes."""
    cost = result.findings.guessed[attributes[0]]["representation"].methods[best.name]
    found = [leak for name in attributes if (leak := best.leakage.of(name)) is not None]
    numbers = (*_cost_numbers(cost), *(pair for leak in found for pair in _auc_numbers(leak)))
    who = listed(attributes)
    needs = f" It needs {who} of every person at prediction." if best.needs_sensitive_at_prediction else ""
    return Sentence(f"{joint_sentence(result, best, attributes)}{needs}", numbers)


def _cost_numbers(found: MethodFinding) -> Numbers:
    if found.difference is None:
        return ()
    text = points_text(found.difference.value, found.difference.low, found.difference.high)
    return ((text, Follows(found.difference, "points with interval")),)
