"""Words: one word for one thing in everything a user reads, in English as it is spoken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "diffoci").rglob("*.py"))]
# One document lists the words that are not said, one is of versions that said them.
DOCUMENTS = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in ("CONTRIBUTING.md", "CHANGELOG.md")),
]
# What is not said, with what is said instead.
INSTEAD = {
    r"\bgiven nothing\b": "without",
    r"\bgiven (sex|race|the attribute)\b": "accounting for sex",
    r"\b(bar|column|file|line|row|seeds|steps|weight|weights|repetitions) an? "
    r"(attribute|column|feature|level|method|pass|person|point|source|step|table)\b": "one weight per feature",
    r"\bRows a step\b": "batch size",
    r"\bfound out\b": "detected",
    r"\bheld-out\b": "validation",
    r"\b([Aa]n?|[Tt]he|its|of|two|more|\d+|three|five|every|each|which|seed by) seeds?\b": "repetitions",
    r"[a-z,] \{x\} seeds\b": "repetitions",
    r"\b([Aa]n?|[Tt]he|of|its|no|predicts?|named?|choose|this) label\b": "outcome",
    r"\b[Ll]abel:|\blabel rates?\b|\bthe label's\b": "outcome",
    r"\b[Hh]ow well y\b|\by accuracy\b|\b(AUC|accuracy|prediction) of y\b|\bpredict(s|ing)? y\b": "outcome",
    r" (harmless|unbiased|debiased)\b": "nothing detected",
    r"\b(is|are|be|more|looks?) fair\b": "no verdict of fairness",
    r"\b(attribute|sex|race|traces?|leakage|bias) (is|are|was|were) removed\b": "not detected",
    r"\b(gives?|giving|gave) (it|them|something|nothing|more|less|an attribute|the attribute|\{x\}) away\b": "reveals",
    r"\b(gives?|giving|gave) away\b": "reveals",
    r"\b(tells?|told) (of )?(y|the label|the outcome|the attribute|the group)\b": "says about, predicts",
    r"\b(is|are|being|be|was|were|everybody|nobody|gets?) selected\b": "predicted yes",
    r"\b(dF3 \+ penalty|dF3 with (a )?leakage penalty|Adversarial network|Standardised data)\b": "one name per method",
}
# A law has words of its own, and what large reports leave out is named in them as it always was.
OWN_WORDS = {"diffoci/audit/decisions/local_law_144.py", "diffoci/report/_shortening.py"}
# As results have them: pages say the answers in other words, and `verify` compares a source's notes letter by letter.
STORED = {
    "everybody selected",
    "nobody selected",
    "every seed",
    "The grades of the first two periods (G1, G2) are among the features; they all but decide the label.",
}
# Of a model that exists, somebody is selected: it has decided, and nothing was predicted here.
OF_DECISIONS = ("diffoci/model_audit/", "diffoci/figures/model_audit.py", "diffoci/figures/two_audits/model_",
                "diffoci/report/model_audit/_document.py",
                "docs/model-audits.md")  # fmt: skip
OF_SEEDS = {"architecture.md", "library.md", "methods.md", "paper.md", "performance.md", "results.md"}  # as files do


def test_everything_a_user_reads_is_in_the_words_agreed_on() -> None:
    assert [
        f"{path.relative_to(ROOT)}, line {line}: {text!r}: say {better!r}"
        for path in CODE
        if str(path.relative_to(ROOT)) not in OWN_WORDS
        for line, text in texts_of(path)
        for better in wrong(text)
        if text not in STORED and better != selected_in(path)
    ] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_use_the_words_agreed_on(path: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`", lambda code: "\n" * code[0].count("\n"), path.read_text(), flags=re.DOTALL)
    found = [(number, better) for number, line in enumerate(prose.splitlines(), start=1) for better in wrong(line)]
    allowed = {"repetitions" if path.name in OF_SEEDS else "", selected_in(path)}
    assert [f"line {number}: say {better!r}" for number, better in found if better not in allowed] == []


def test_the_words_that_are_not_said_are_found() -> None:
    assert wrong("Weight of each feature given nothing") == ["without"]
    assert wrong("one weight a feature (vec)") == ["one weight per feature"]
    assert wrong("the label says which") == ["outcome"]
    assert wrong("what shuffled labels give") == []


def selected_in(path: Path) -> str:
    """What need not be said instead in a file about the decisions of a model that exists."""
    return "predicted yes" if str(path.relative_to(ROOT)).startswith(OF_DECISIONS) else ""


def wrong(text: str) -> list[str]:
    return [better for pattern, better in INSTEAD.items() if re.search(pattern, text)]


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Every text of a module but its docstrings; what is put into a text stands as {x}."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    elsewhere = parts | documentation
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            said = [str(part.value) if isinstance(part, ast.Constant) else "{x}" for part in node.values]
            yield node.lineno, "".join(said)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in elsewhere:
            yield node.lineno, node.value
