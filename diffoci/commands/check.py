"""``diffoci check``: rules on the numbers of a result, for a pipeline that must stop when one fails."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from diffoci.commands.runs import find
from diffoci.plain_text import letter_by_letter
from diffoci.runs.files import read_json, write_atomically
from diffoci.runs.run_files import FIRST_STUDY, check_schema
from diffoci.runs.study import Result, study_named

if TYPE_CHECKING:
    from diffoci.report.rules import Judged

_MARKS = {"holds": "ok", "fails": "FAIL", "insufficient evidence": "?"}


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("check")
    parser.add_argument("which", metavar="RUN|result.json", help="id, run directory, or the file of a result")
    parser.add_argument("--rules", type=Path, required=True, metavar="rules.toml")
    parser.add_argument("--against", metavar="RUN|result.json", help="another run, for rules that compare")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write what CI services read as tests")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a table")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Judge, print and write; the exit code is the worst answer."""
    from diffoci.report.rules import EXIT_CODES, as_builtins, judge, read_rules, worst

    rules = read_rules(arguments.rules)
    against = None if arguments.against is None else _result(arguments.against)
    judged = judge(rules, _result(arguments.which), against=against)
    if arguments.junit is not None:
        write_atomically(arguments.junit, _junit(judged))
    if arguments.markdown is not None:
        write_atomically(arguments.markdown, _markdown(judged).encode())
    if arguments.json:
        print(json.dumps(as_builtins(judged), ensure_ascii=False, indent=1))
    else:
        for one in judged:
            print(f"{_MARKS[one.answer]:5} {one.rule.called}: {one.answer}, {one.why}")
    return EXIT_CODES[worst(judged)]


def _result(which: str) -> Result:
    path = Path(which)
    if not path.is_file():
        found: Result = find(which).result()
        return found
    content = read_json(path)
    check_schema(content, f"The file {path}")
    read: Result = study_named(str(content.get("study", FIRST_STUDY))).read_result(content, path.name)
    return read


def _junit(judged: Sequence[Judged]) -> bytes:
    failed = sum(one.answer == "fails" for one in judged)
    skipped = sum(one.answer == "insufficient evidence" for one in judged)
    counts = {"tests": str(len(judged)), "failures": str(failed), "skipped": str(skipped)}
    suite = ElementTree.Element("testsuite", {"name": "diffoci check", **counts})
    for one in judged:
        case = ElementTree.SubElement(suite, "testcase", classname="diffoci.check", name=one.rule.called)
        if one.answer != "holds":
            kind = "failure" if one.answer == "fails" else "skipped"
            ElementTree.SubElement(case, kind, message=f"{one.answer}: {one.why}")
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _markdown(judged: Sequence[Judged]) -> str:
    rows = [(one.rule.called, one.answer, one.why) for one in judged]
    lines = ["| rule | answer | why |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(letter_by_letter, row))} |" for row in rows)]) + "\n"
