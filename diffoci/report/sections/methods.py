"""How the numbers were made: settings, seeds, versions, device, time, limits, how to rerun, whom to cite."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from diffoci.audit.methods.diffoci import PAPER
from diffoci.audit.result import AuditResult
from diffoci.audit.settings import said_settings
from diffoci.audit.verdicts import FEWEST_ROWS
from diffoci.audit.words import listed
from diffoci.data.sources import takes_file
from diffoci.report._rerun_command import rerun_command
from diffoci.report.writing.blocks import Block, Code, Heading, Points, Section, Table, Words
from diffoci.signing.keys import PublicKey

LIMITS = (
    "“Not detected above chance” means that three probes (logistic regression, a network, boosted trees), with these "
    "rows, did not find the attribute. It does not mean that nobody can.",
    "dF3 alone lowers what can be guessed; it does not promise independence. dF3 with penalty is an extension "
    "of the paper's method, not part of it.",
    "Chance is measured by shuffling labels of test rows. A verdict holds for these data; other people, places or "
    "years can differ.",
    "Choices within the audit (epoch, penalty, strongest probe) were made on validation rows, never on test rows. The "
    "presets' default settings were settled on validation rows of other tasks and attributes of the Student, Bank and "
    "ACS files.",
    "Hiding an attribute from a representation does not make decisions just: look at the decisions by group as well, "
    "and at what a decision does to people.",
    f"A group of fewer than {FEWEST_ROWS} tested people is not judged. That is no finding in its favour.",
)


def sections(result: AuditResult, *, signer: PublicKey | None) -> Iterator[Section]:
    """What the numbers cannot say, and how to get and check them again."""
    yield _limits(result)
    yield _again(result, signer)


def appendix(result: AuditResult, *, created: float | None) -> Iterator[Section]:
    """Settings, seeds, versions, device and time."""
    yield _making(result, created)


def _limits(result: AuditResult) -> Section:
    own = [] if result.provenance.real else ["The data are simulated: no finding here is about any real person."]
    return Section("Limits", (Points((*own, *LIMITS)),))


def _making(result: AuditResult, created: float | None) -> Section:
    spec, about = result.spec, result.provenance
    facts = {
        "Preset": spec.preset,
        "Methods": ", ".join(spec.methods),
        "Seeds": ", ".join(map(str, spec.seeds)),
        "Computed on": f"{about.device or 'unknown'} (asked for: {spec.device})",
        "Time taken": f"{about.seconds:,.0f} seconds",
        "Audit begun": "unknown" if created is None else f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime(created))} UTC",
        "Options of the source": _json(spec.options) if spec.options else "none",
        "Specification (sha256)": spec.digest(),
    }
    blocks: list[Block] = [Table("How it was run", _frame(facts))]
    blocks.append(Table("Versions", _frame(about.versions)))
    blocks.append(Table("Settings", _frame(said_settings(spec.settings))))
    chosen = {one.name: chosen_words(one.chosen) for one in result.methods if any(one.chosen)}
    if chosen:
        blocks.append(Table("Chosen on validation rows, repetition by repetition", _frame(chosen)))
    if result.left_out:
        blocks.append(
            Words(
                f"This audit is so large that this file does without {listed(result.left_out)}. The tables of the "
                "audit have them: python -m diffoci tables, or the Report page."
            )
        )
    if result.failures:
        blocks.append(Table("Parts that failed", _frame(result.failures)))
    return Section("How the numbers were made", tuple(blocks), folded=True)


def chosen_words(ones: Sequence[Mapping[str, Any]]) -> str:
    """What a method chose on validation rows, repetition by repetition."""
    return "; ".join(", ".join(f"{name} {value}" for name, value in one.items()) for one in ones)


def _again(result: AuditResult, signer: PublicKey | None) -> Section:
    spec = result.spec
    command = rerun_command(spec)
    blocks: list[Block] = [Heading("The same audit again")]
    if command is None:
        blocks.append(Words("Its settings cannot be given as one command; checking this file with --rerun runs them."))
    else:
        blocks.append(Code(command))
    if takes_file(spec.data):
        blocks.append(Words("The file is named without its folder, which is nobody's business but its owner's."))
    blocks += [
        Heading("Check this report"),
        Code("python -m diffoci verify report.html"),
        Code("python -m diffoci verify report.html --rerun"),
        Words(
            "The first reads the specification and the result out of this file, writes the file anew from them, "
            "compares every letter, and compares the data's digest where the data are at hand. The second also runs "
            "the whole audit again with the same seeds and says which numbers agree. Other versions or devices can "
            "differ in the last digits."
        ),
        *signed(signer),
        Heading("Cite"),
        Words(PAPER),
    ]
    if result.provenance.citation:
        blocks.append(Words(f"Data: {result.provenance.citation}"))
    return Section("Run it again, check it, cite it", tuple(blocks))


def signed(signer: PublicKey | None) -> Iterator[Block]:
    """Who signed a report, where somebody did, and how to check that."""
    if signer is not None:
        yield Heading("Who signed it")
        yield Table("Signature", _frame({"Signed by": signer.name, "Fingerprint of the key": signer.fingerprint}))
        yield Code("python -m diffoci verify report.html --key PUBLIC_KEY")
        yield Words(
            "The name is what the owner of the key calls themselves, and anybody can make a key with any name. Compare "
            "the fingerprint with one that you have from them by another way than this file, or check the file with "
            "their public key."
        )


def _frame(facts: Mapping[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({"What": list(facts), "Value": [str(value) for value in facts.values()]})


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
