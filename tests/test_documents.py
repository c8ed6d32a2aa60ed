"""README and docs/ are true: their Python runs, their commands parse, their links lead somewhere."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from diffoci import plugins
from diffoci.__main__ import build_parser
from diffoci.audit.presets import PAPER, QUICK, STANDARD

ROOT = Path(__file__).parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
# What commands write here (artefacts) is not part of the project.
TOP_LEVEL = {path.name for path in ROOT.iterdir()} - {"artefacts"}
LARGEST_README = 7000
# Named for the reader to write; nobody's copy of the project has it.
READERS_OWN = {".streamlit/secrets.toml"}
ENTRY_POINTS = {plugins.METHODS, plugins.PROBES, plugins.SOURCES, plugins.STUDIES}

FENCE = re.compile(r"^```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
SHORT_CODE = re.compile(r"(?<!`)`(?P<text>[^`\n]+)`(?!`)")
HEADING = re.compile(r"^#{1,6} +(?P<title>.+?) *$", re.MULTILINE)
A_MACHINES_PATH = re.compile(r"(?<![\w.])/(?:home|root|work|tmp|mnt|Users|private)/|[A-Z]:\\\\?Users")
A_REGISTRY = re.compile(r"pypi\.org|pythonhosted|anaconda\.(?:org|com)|conda-forge|pytorch\.org/whl")

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


@dataclass(frozen=True)
class Block:
    """A fenced piece of a document: its language, its text and the line it begins on."""

    language: str
    text: str
    line: int


@cache
def blocks(path: Path) -> tuple[Block, ...]:
    text = path.read_text()
    return tuple(
        Block(found["language"].strip(), found["text"], text.count("\n", 0, found.start("text")))
        for found in FENCE.finditer(text)
    )


def prose(path: Path) -> str:
    """A document without its fenced pieces."""
    return FENCE.sub("", path.read_text())


def short_codes(path: Path) -> list[str]:
    return [found["text"] for found in SHORT_CODE.finditer(prose(path))]


def commands(path: Path) -> Iterator[list[str]]:
    """The arguments of every diffoci command that a document shows, in a fence or in a sentence."""
    shown = [code for code in short_codes(path) if code.startswith("python -m diffoci ") and "COMMAND" not in code]
    for block in blocks(path):
        if not block.language.startswith(("python", "toml")):
            shown += block.text.replace("\\\n", " ").splitlines()
    for line in shown:
        words = shlex.split(line, comments=True) if re.search(r"\bdiffoci\s", line) else []
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            del words[0]
        if words[:3] == ["python", "-m", "diffoci"]:
            yield words[3:]
        elif words[:1] == ["diffoci"]:
            yield words[1:]


def complaint(words: list[str]) -> str:
    """What the command line says against some arguments."""
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.suppress(SystemExit):
        build_parser().parse_args(words)
    return said.getvalue()


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and those of its commands, theirs included."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from parsers(one)


def anchors(path: Path) -> set[str]:
    """The names that links can lead to within a document, as GitHub makes them of headings."""
    titles = [re.sub(r"[^\w\- ]", "", found["title"].lower()) for found in HEADING.finditer(prose(path))]
    return {title.replace(" ", "-") for title in titles}


@every_document
def test_python_of_a_document_runs_from_top_to_bottom(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DIFFOCI_DATA", raising=False)  # what is shown needs no file of anybody's
    for name in ("DIFFOCI_RUNS", "DIFFOCI_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(path):
        if block.language == "python":
            exec(compile("\n" * block.line + block.text, path.name, "exec"), names)
            assert capsys.readouterr().out, f"the Python at line {block.line} shows nothing"


@every_document
def test_every_command_of_a_document_parses(path: Path) -> None:
    for words in commands(path):
        assert not complaint(words), shlex.join(words)


@every_document
def test_every_link_of_a_document_leads_somewhere(path: Path) -> None:
    for found in LINK.finditer(prose(path)):
        place, _, anchor = found["target"].partition("#")
        if "://" in place:
            continue
        target = path if not place else path.parent / place
        assert target.exists(), found["target"]
        assert not anchor or anchor in anchors(target), found["target"]


@every_document
def test_every_path_that_a_document_names_exists(path: Path) -> None:
    for code in short_codes(path):
        looks_like_one = re.fullmatch(r"[\w.-]+(?:/[\w.-]+)*/?", code) and code not in READERS_OWN
        if looks_like_one and code.split("/")[0] in TOP_LEVEL:
            assert (ROOT / code).exists(), code


@every_document
def test_every_module_that_a_document_names_exists(path: Path) -> None:
    named = {code for code in short_codes(path) if re.fullmatch(r"diffoci(?:\.\w+)+", code)} - ENTRY_POINTS
    named |= set(re.findall(r"python -m (tests(?:\.\w+)+)", path.read_text())) - {"tests.measure.NAME"}
    for name in named:
        package, _, last = name.rpartition(".")
        assert find_spec(package), name
        assert find_spec(name) or hasattr(__import__(package, fromlist=[last]), last), name


@every_document
def test_a_document_speaks_of_no_machine_and_no_registry(path: Path) -> None:
    text = path.read_text()
    assert not A_MACHINES_PATH.search(text)
    assert not A_REGISTRY.search(text)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= LARGEST_README


def test_the_readme_leads_to_every_document() -> None:
    linked = {found["target"] for found in LINK.finditer(prose(ROOT / "README.md"))}
    assert {f"docs/{path.name}" for path in DOCUMENTS[1:]} <= linked


def test_the_readme_shows_the_library_in_ten_lines_or_so() -> None:
    (block,) = [block for block in blocks(ROOT / "README.md") if block.language == "python"]
    assert len([line for line in block.text.splitlines() if line.strip()]) <= 12


def test_the_readme_shows_a_first_audit_on_the_command_line() -> None:
    assert "audit" in {words[0] for words in commands(ROOT / "README.md")}


def test_every_command_and_flag_is_explained() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text()
    for parser in parsers(build_parser()):
        command = parser.prog.removeprefix("diffoci").strip()
        assert f"diffoci {command}" in text or not command, parser.prog
        for action in parser._actions:
            if action.help is not argparse.SUPPRESS and "--help" not in action.option_strings:
                for flag in action.option_strings:
                    assert re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text), f"{parser.prog} {flag}"


def test_every_variable_of_the_environment_is_explained() -> None:
    text = (ROOT / "docs" / "server.md").read_text()
    source = "".join(path.read_text() for path in (ROOT / "diffoci").rglob("*.py"))
    for name in set(re.findall(r'"(DIFFOCI_[A-Z_]+)"', source)):
        assert f"`{name}" in text, name


def test_the_table_of_settings_has_every_value_of_every_preset() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text().split("\n## Settings of an audit\n")[1]
    told = {row[0].strip("`"): row[1:4] for row in _table(text)}
    for place, preset in enumerate((QUICK, STANDARD, PAPER)):
        written = {name: _value(values[place]) for name, values in told.items() if values[place] != "–"}
        assert written == dict(_flat(preset))


def _table(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return None if text == "none" else text


def _flat(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{entry}", one) for entry, one in _flat(value))
        else:
            yield name, list(value) if isinstance(value, tuple) else value


def test_every_entry_of_a_result_is_explained() -> None:
    from diffoci.audit.result import AuditResult

    text = (ROOT / "docs" / "results.md").read_text()
    for name in set(_entries(msgspec.inspect.type_info(AuditResult))):
        assert re.search(rf'["`.]{re.escape(name)}["`]', text), name


def _entries(kind: Any) -> Iterator[str]:
    """Names of the entries of a type, and of the types within it."""
    for field in getattr(kind, "fields", ()):
        yield field.encode_name
        yield from _entries(field.type)
    within = [getattr(kind, part) for part in ("item_type", "value_type") if hasattr(kind, part)]
    for one in (*within, *getattr(kind, "types", ()), *getattr(kind, "item_types", ())):
        yield from _entries(one)
