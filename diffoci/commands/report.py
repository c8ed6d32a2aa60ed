"""``diffoci report``, ``card``, ``tables`` and ``verify``: what a finished audit found, to take away and to check."""

from __future__ import annotations

import argparse
from pathlib import Path

from diffoci.commands.access import note
from diffoci.commands.keys import add_demanded, add_sign, key_of
from diffoci.commands.runs import find, find_audit
from diffoci.model_audit.study import MODEL_AUDIT
from diffoci.runs.files import write_atomically
from diffoci.runs.store import Run


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to the parser."""
    report = _add(commands, "report", "report.html")
    add_sign(report)
    report.set_defaults(run=run_report)
    card = _add(commands, "card", "card.md")
    card.add_argument(
        "--method", metavar="NAME", help="a representation or a model; default: the first that the report speaks of"
    )
    add_sign(card)
    card.set_defaults(run=run_card)
    taken = _add(commands, "tables", "tables.zip")
    taken.add_argument("--format", default="csv", choices=("csv", "parquet"))
    taken.set_defaults(run=run_tables)
    checked = commands.add_parser("verify")
    checked.add_argument("report", type=Path, metavar="FILE", help="a report; or a signed card, or a shared zip")
    checked.add_argument("--rerun", action="store_true", help="run the audit again with the same seeds and compare")
    checked.add_argument("--file", type=Path, metavar="FILE", help="where the audited CSV or Parquet file lies now")
    add_demanded(checked)
    checked.set_defaults(run=run_verify)


def _add(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, out: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name)
    parser.add_argument("which", metavar="RUN", help="id of an audit, its first digits, or run directory")
    parser.add_argument("--out", type=Path, default=Path(out), metavar="FILE", help=f"default: {out}")
    return parser


def _find_either(which: str) -> Run:
    """The fairness audit or model audit that is meant."""
    run = find(which)
    return run if run.study.name == MODEL_AUDIT.name else find_audit(which)


def _find_reported(which: str) -> Run:
    """Whichever run has a report: those of the labs have one as well."""
    from diffoci.report.labs.known import LAB_REPORTS

    run = find(which)
    return run if run.study.name in LAB_REPORTS else _find_either(which)


# Figures and engine take seconds to import, so each command imports what it needs when it runs.
def run_report(arguments: argparse.Namespace) -> None:
    from diffoci.report.taken_away import report_file

    run, key = _find_reported(arguments.which), key_of(arguments)
    content = report_file(run.result(), created=run.created, key=key)
    note("exported", "report", run.id)
    _write(arguments.out, content)


def run_card(arguments: argparse.Namespace) -> None:
    from diffoci.report.taken_away import card_file

    suffix = arguments.out.suffix.lower()
    if suffix not in (".md", ".html"):
        raise ValueError(f"A model card is Markdown or HTML: let {arguments.out} end in .md or .html.")
    run, key = _find_either(arguments.which), key_of(arguments)
    content = card_file(run.result(), arguments.method, kind="md" if suffix == ".md" else "html", key=key)
    note("exported", "card", run.id)
    _write(arguments.out, content)


def run_tables(arguments: argparse.Namespace) -> None:
    from diffoci.report.table_files import packed, zipped

    run = _find_either(arguments.which)
    result = run.result()
    note("exported", "tables", run.id)
    if arguments.out.suffix.lower() == ".zip":
        _write(arguments.out, zipped(result, arguments.format))
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, content in packed(result, arguments.format).items():
        _write(arguments.out / name, content)


def run_verify(arguments: argparse.Namespace) -> None:
    from diffoci.commands.verify import run_verify as verify

    verify(arguments)


def _write(path: Path, content: bytes) -> None:
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {path.parent}; make it first, or choose another with --out.")
    write_atomically(path, content)
    print(f"{path} ({len(content) / 1e6:.1f} MB)" if len(content) > 1e5 else f"{path} ({len(content) / 1e3:.1f} kB)")
