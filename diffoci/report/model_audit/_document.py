"""The report of a model audit as a document: every section in the order a sceptic asks."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pandas as pd

from diffoci.audit.words import listed
from diffoci.figures import model_audit as figures
from diffoci.figures.decisions.weighted import SAID as WEIGHTED
from diffoci.figures.decisions.words import impact_table
from diffoci.model_audit.criteria import LEVEL
from diffoci.model_audit.guide import QUESTIONS, advice
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.words import (
    CRITERIA,
    MEASURES,
    basis_words,
    criteria_headline,
    exclusion,
    headline,
    measure_words,
    population_words,
    power_words,
)
from diffoci.report._document import Document
from diffoci.report.model_audit.compared import PAIRED, TOGETHER, compared_words, criterion_pair_frame, pair_frame
from diffoci.report.model_audit.shown import (
    against_frame,
    calibration_frame,
    carrier_frame,
    carrier_words,
    ceiling_frame,
    criteria_table,
    gap_words,
    rate_frame,
    ratio_frame,
    stretch_words,
    threshold_frame,
    weighted_frame,
    what_if_words,
)
from diffoci.report.sections.methods import signed
from diffoci.report.writing.blocks import NOTHING, Block, Code, Heading, Picture, Points, Section, Table, Words
from diffoci.signing.keys import PublicKey

MOST_GROUPS = 12
LIMITS = (
    "A coefficient of 0 is what a criterion asks for. “Not found” means that these people, by this test, did not show "
    "a departure; it does not mean that there is none.",
    "Ceilings hold for people whom the model has not learnt from, drawn as these were.",
    "Whether a difference is just is not for a number to say: it depends on what a mistake costs whom, and on whether "
    "the outcome itself can be trusted.",
    "Coefficients and ceilings count every row once, whatever its weight.",
)


def model_document(
    result: ModelAuditResult, *, created: float | None = None, signer: PublicKey | None = None
) -> Document:
    """Everything the report says, from the result alone, and who signed it."""
    models = listed([one.name for one in result.models])
    return Document(
        title=f"What {models} {'does' if len(result.models) == 1 else 'do'} by {listed(result.sensitive)}",
        kicker="difFOCI model audit",
        simulated=not result.provenance.real,
        sections=(
            _summary(result),
            _people(result),
            *(_rates(result, attributes) for attributes in _groupings(result)),
            _criteria(result),
            *_factors(result),
            _ceilings(result),
            *_curves(result),
            *_carriers(result),
            *_pairs(result),
            *_what_ifs(result),
            *_law(result),
            _making(result, created, signer),
        ),
    )


def _summary(result: ModelAuditResult) -> Section:
    blocks: list[Block] = [Words(headline(result), loud=True), *map(Words, population_words(result))]
    blocks.append(Words(f"{criteria_headline(result)}."))
    if result.cannot:
        blocks += [Heading("What these columns cannot tell"), Points(result.cannot)]
    if result.spec.answers:
        rows = [
            {"Question": question.text, "Answer": question.choices[result.spec.answers[question.name]].text}
            for question in QUESTIONS
            if question.name in result.spec.answers
        ]
        blocks.append(Table("What the auditor answered", pd.DataFrame(rows)))
        if matter := tuple(f"{figures.SHORT[one.criterion]}: {one.why}" for one in advice(result.spec.answers)):
            blocks += [Words("So these criteria matter:"), Points(matter)]
    return Section("Summary", tuple(blocks))


def _people(result: ModelAuditResult) -> Section:
    about, outcome = result.provenance, result.outcome
    said = f"{about.rows:,} people from {about.title}."
    if outcome is not None and outcome.kind == "classes":
        said += f" The outcome is “{outcome.name}”: {100 * outcome.mean:.1f} % have it ({outcome.positive})."
    elif outcome is not None:
        said += f" The outcome is “{outcome.name}”, a quantity with mean {outcome.mean:.4g}."
    rows = [
        {
            "Model": one.name,
            "Score": one.score or NOTHING,
            "Decision": one.decision or NOTHING,
            "Selected": basis_words(one, result.spec.roles),
        }
        for one in result.models
    ]
    sizes = [
        {"Attribute": attribute, "Group": group, "People": count}
        for attribute, groups in result.groups.items()
        for group, count in groups.items()
    ]
    blocks: list[Block] = [Words(said), Table("Models", pd.DataFrame(rows))]
    if sizes:
        blocks.append(Table("Groups", pd.DataFrame(sizes)))
    if result.continuous:
        blocks.append(Words(f"Taken as numbers, not cut into groups: {listed(result.continuous)}."))
    if about.notes:
        blocks.append(Points(about.notes))
    return Section("People and models", tuple(blocks))


def _groupings(result: ModelAuditResult) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(c.attributes for one in result.models for c in one.comparisons))


def _rates(result: ModelAuditResult, attributes: tuple[str, ...]) -> Section:
    found = {one.name: c for one in result.models for c in one.comparisons if c.attributes == attributes}
    frame = pd.concat([rate_frame(result.model(name), c) for name, c in found.items()], ignore_index=True)
    table = Table("Rates of every group", frame)
    judged = max(len(c.judged) for c in found.values())
    has_rates = any(group.rates for c in found.values() for group in c.judged)
    blocks: list[Block] = []
    if 0 < judged <= MOST_GROUPS and has_rates:
        blocks.append(Picture(figures.model_rates(result, attributes), table))
    else:
        blocks.append(table)
    for name, comparison in found.items():
        if (weighted := weighted_frame(comparison)).shape[0]:
            blocks.append(Table(f"{name}: the population, every row by its weight", weighted, WEIGHTED))
        if comparison.against:
            blocks.append(
                Table(f"{name}: each group against {comparison.against[0].reference}", against_frame(comparison))
            )
        if (ratios := ratio_frame(comparison)).shape[0]:
            blocks.append(Table(f"{name}: selection rate against the highest group's", ratios))
        if (drawing := figures.calibrated(comparison, name)) is not None:
            bins = Table(f"{name}: does a score mean the same in each group?", calibration_frame(comparison))
            blocks.append(Picture(drawing, bins))
    return Section(f"Rates by {' × '.join(attributes)}", tuple(blocks))


def _criteria(result: ModelAuditResult) -> Section:
    frame = criteria_table(result)
    if frame.empty:
        return Section("The three criteria", (Words("There is no score or decision to judge."),))
    used = next(iter(next(one for one in result.models if one.attributes).attributes.values())).criteria
    first = next(iter(used.values()), None)
    blocks: list[Block] = [
        Words(
            "Three questions are asked of a score, each answered by one coefficient that is 0 where the answer is yes. "
            "No threshold and no groups are needed."
        ),
        Points(
            tuple(
                f"{words} = 0." for name, words in CRITERIA.items() if name in set(result.criteria_frame()["criterion"])
            )
        ),
        Picture(figures.criteria(result), Table("The criteria", frame)),
    ]
    if said := power_words(result):
        blocks.append(Words(said))
    blocks += [Words(f"{name}: {said}") for name in result.groups if (said := exclusion(result, name))]
    if first is not None:
        blocks.append(
            Words(
                f"Computed on {first.rows:,} people, each compared with the {first.neighbours} nearest. “Found” is "
                f"said where at most {100 * LEVEL:g} % of shuffles give as much: the attribute is shuffled among all, "
                "within classes (or bins of about twenty) of the outcome, within strata of the factors, or the outcome "
                "within bins of the score. The p-value takes the larger evidence of T and of a rank test, and pays for "
                "both looks."
            )
        )
    return Section("The three criteria", tuple(blocks))


def _factors(result: ModelAuditResult) -> Iterator[Section]:
    blocks: list[Block] = []
    for one in result.models:
        for attribute, about in one.attributes.items():
            for gap in about.gaps:
                rows = [
                    {
                        "Stratum": s.name,
                        gap.group: measure_words("selection_rate", s.group),
                        gap.reference: measure_words("selection_rate", s.reference),
                        "Gap": f"{100 * (s.group.value - s.reference.value):.1f} points".replace("-", "−"),
                    }
                    for s in gap.strata
                ]
                blocks.append(Heading(f"{one.name}: {attribute}, {gap.group} minus {gap.reference}"))
                blocks.append(Words(gap_words(gap)))
                table = Table("Selected in each stratum", pd.DataFrame(rows))
                blocks.append(Picture(figures.gap_by_stratum(gap), table) if 0 < len(rows) <= 30 else table)
    if blocks:
        factors = listed(result.spec.roles.factors)
        yield Section(f"Given {factors}", tuple(blocks))


def _ceilings(result: ModelAuditResult) -> Section:
    tables = [
        Table(f"{one.name}: ceilings by {attribute}", ceiling_frame(about))
        for one in result.models
        for attribute, about in one.attributes.items()
        if about.ceilings
    ]
    if not tables:
        return Section("Every threshold at once", (Words("There is no score with two groups large enough."),))
    said = (
        "The largest gap in being selected that any threshold on the score gives, and a ceiling that the gap of "
        f"every threshold keeps, at {100 * result.spec.settings.confidence:g} % confidence for all pairs together."
    )
    return Section("Every threshold at once", (Words(said), *tables))


def _curves(result: ModelAuditResult) -> Iterator[Section]:
    blocks: list[Block] = []
    for one in result.models:
        for attribute, about in one.attributes.items():
            for found in about.curves:
                blocks.append(Heading(f"{one.name}: {MEASURES[found.rate]}"))
                drawing = figures.curve(found, attribute)
                blocks.append(Picture(drawing, Table(f"Along {attribute}", drawing.data)))
                if said := stretch_words(found):
                    blocks.append(Words(said))
    if blocks:
        yield Section(f"Along {listed(result.continuous)}", tuple(blocks))


def _carriers(result: ModelAuditResult) -> Iterator[Section]:
    blocks: list[Block] = []
    for one in result.models:
        for attribute, about in one.attributes.items():
            if about.carriers is None:
                continue
            frame = carrier_frame(about.carriers, attribute)
            blocks.append(Table(f"{one.name}: what carries {attribute}", frame))
            blocks.append(Words(carrier_words(about, attribute)))
    if blocks:
        yield Section("Which columns carry it", tuple(blocks))


def _pairs(result: ModelAuditResult) -> Iterator[Section]:
    blocks: list[Block] = []
    if result.pairs:
        blocks.append(Table("Gaps of two models", pair_frame(result)))
    if result.paired_criteria:
        blocks.append(Table("Coefficients of two models", criterion_pair_frame(result), PAIRED))
    if blocks:
        blocks = [Points(compared_words(result)), Words(TOGETHER), *blocks]
        yield Section("Models compared on the same people", tuple(blocks))


def _what_ifs(result: ModelAuditResult) -> Iterator[Section]:
    blocks: list[Block] = []
    for one in result.models:
        for attribute, about in one.attributes.items():
            for entry in about.what_if:
                blocks.append(Heading(f"{one.name}, {attribute}: {figures.GOALS[entry.goal]}"))
                blocks.append(Words(what_if_words(entry)))
                blocks.append(Table("Thresholds", threshold_frame(entry)))
    if blocks:
        yield Section("What could be done", (Words(figures.LAW), *blocks))


def _law(result: ModelAuditResult) -> Iterator[Section]:
    blocks = [
        Table(f"{one.name}: {law.rate} by {' and '.join(table.attributes)}", impact_table(table, law.rate), table.note)
        for one in result.models
        for law in one.law
        for table in law.tables
    ]
    if blocks:
        said = Words(
            "Impact ratios as the city's rule defines them (6 RCNY § 5-300). A published audit needs an independent "
            "auditor and real applicants."
        )
        yield Section("Local Law 144 (New York City)", (said, *blocks))


def _making(result: ModelAuditResult, created: float | None, signer: PublicKey | None) -> Section:
    about, spec = result.provenance, result.spec
    begun = "unknown" if created is None else f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime(created))} UTC"
    facts = {
        "Data (sha256)": about.sha256,
        "Source": about.source,
        "Licence": about.licence,
        "Specification (sha256)": spec.digest(),
        "Shuffles, redraws, seed": f"{spec.settings.permutations}, {spec.settings.replicates}, {spec.settings.seed}",
        "Fewest people judged": str(spec.settings.minimum),
        "Audit begun": begun,
        "Versions": ", ".join(f"{name} {version}" for name, version in about.versions.items()),
    }
    frame = pd.DataFrame({"Fact": list(facts), "Value": list(facts.values())})
    blocks = (Points(LIMITS), Table("How it was made", frame), *_checked(), *signed(signer))
    return Section("Limits, and how it was made", blocks)


def _checked() -> Iterator[Block]:
    yield Heading("Check this report")
    yield Code("python -m diffoci verify report.html")
    yield Words(
        "It reads the result out of this file, writes the file anew from it, compares every letter, and works rates, "
        "gaps, ratios and the slack of ceilings out of the counts. Where the rows are at hand it computes everything "
        "again from them but what shuffling gives, and that, too, with --rerun. Without the rows it believes T and its "
        "shuffles, worst thresholds, worst stretches of a number and how sure gaps of two models are, and says so."
    )
