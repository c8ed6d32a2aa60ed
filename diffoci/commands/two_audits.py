"""``diffoci two-audits``: two finished audits side by side."""

from __future__ import annotations

import argparse
import json

import msgspec
from msgspec import Struct

from diffoci.audit.result import AuditResult
from diffoci.audit.study import AUDIT
from diffoci.commands.access import note
from diffoci.commands.runs import find
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.runs.study import Result


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("two-audits", aliases=["compare"])
    for which in ("first", "second"):
        parser.add_argument(which, metavar=f"RUN_{'A' if which == 'first' else 'B'}", help="id or run directory")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> None:
    from diffoci.figures.two_audits.words import kinds_differ  # figures take seconds to import

    runs = [find(which) for which in (arguments.first, arguments.second)]
    first, second = runs
    if said := kinds_differ(first.study.title, second.study.title):
        raise ValueError(said)
    if first.study.name not in (AUDIT.name, MODEL_AUDIT.name):
        raise ValueError(f"A {first.study.title.lower()} cannot be compared with another.")
    for run in runs:
        note("opened", "audit", run.id)
    say = _fairness if first.study.name == AUDIT.name else _models
    say(first.result(), second.result(), as_json=arguments.json)


def _models(first: ModelAuditResult, second: ModelAuditResult, *, as_json: bool) -> None:
    from diffoci.figures.two_audits import model_words as words
    from diffoci.model_audit.two_audits import compare_model_audits

    found, names = compare_model_audits(first, second), words.names_of(first, second)
    asked = words.asked_differently(first, second)
    if as_json:
        _print_json(first, second, names, found, asked)
        return
    print(f"{words.headline(found, names)}.\n")
    for table in (words.changes_table(found.gaps), words.changes_table(found.groups)):
        for entry in table.to_dict("records"):
            model = f", {entry['Model']}" if "Model" in entry else ""
            scores = f"{entry['First']} → {entry['Second']}, {entry['Difference']}"
            print(f"{entry['Group']}{model}, {entry['What'].lower()}: {scores}: {entry[words.JUDGED]}")
    for entry in words.criteria_table(found).to_dict("records"):
        model = f", {entry['Model']}" if "Model" in entry else ""
        scores = f"T {entry['T']}, {entry['Difference']}"
        print(f"{entry['Criterion']}, {entry['Attribute']}{model}: {scores}: {entry[words.JUDGED]}")
    print(f"\n{words.method_note(found)}")
    _print_asked(asked)


def _fairness(first: AuditResult, second: AuditResult, *, as_json: bool) -> None:
    from diffoci.audit.two_audits.changes import compare_audits
    from diffoci.figures.two_audits import words

    found, names = compare_audits(first, second), words.names_of(first, second)
    asked = words.asked_differently(first, second)
    if as_json:
        _print_json(first, second, names, found, asked)
        return
    print(f"{words.headline(found, names)}.\n")
    for entry in words.rates_table(found).to_dict("records"):
        scores = f"{entry['First']} → {entry['Second']}, {entry['Difference']}"
        print(f"{entry['Group']}, {entry['How often']}: {scores}: {entry['More than noise?']}")
    for title, table in (("guessed (AUC)", words.guessed_table(found)), ("y (accuracy)", words.y_table(found))):
        for entry in table.to_dict("records"):
            who = ", ".join(str(entry[name]) for name in ("Method", "Attribute", "Verdict") if name in entry)
            scores = f"{entry['First']} → {entry['Second']}, {entry['Difference']}"
            print(f"{title:14} {who}: {scores}: {entry['More than noise?']}")
    print(f"\n{words.method_note(found)}")
    for entry in words.dropped_table(found, names).to_dict("records"):
        print(
            f"accounting for {entry['Accounting for']}, {entry['Feature']}: {entry[names[0]]}, then {entry[names[1]]}"
        )
    _print_asked(asked)


def _print_json(first: Result, second: Result, names: tuple[str, str], found: Struct, asked: list[str]) -> None:
    content = {"first": first.id, "second": second.id, "names": names, **msgspec.to_builtins(found), "asked": asked}
    print(json.dumps(content, ensure_ascii=False, indent=1))


def _print_asked(asked: list[str]) -> None:
    print("\nWhat is not the same:" if asked else "\nBoth were asked the same of the same data.")
    for line in asked:
        print(f"- {line}")
