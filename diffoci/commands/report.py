"""``diffoci report``, ``card``, ``tables`` and ``verify``: what a finished audit found, to take away and to check."""

from __future__ import annotations

import argparse
from pathlib import Path

from diffoci.commands.runs import find
from diffoci.runs.files import write_atomically


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to the parser."""
    report = _add(commands, "report", "one HTML file with everything an audit found", "report.html")
    report.set_defaults(run=run_report)
    card = _add(commands, "card", "a model card for one representation, as Markdown or HTML", "card.md")
    card.add_argument("--method", metavar="NAME", help="default: the representation the report speaks of first")
    card.set_defaults(run=run_card)
    taken = _add(commands, "tables", "every table of an audit, in a folder or a zip file", "tables.zip")
    taken.add_argument("--format", default="csv", choices=("csv", "parquet"))
    taken.set_defaults(run=run_tables)
    checked = commands.add_parser("verify", help="check the numbers of a report, and its data where they are at hand")
    checked.add_argument("report", type=Path, metavar="REPORT.html")
    checked.add_argument("--rerun", action="store_true", help="run the audit again with the same seeds and compare")
    checked.add_argument("--file", type=Path, metavar="FILE", help="where the audited CSV or Parquet file lies now")
    checked.set_defaults(run=run_verify)


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, out: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text)
    parser.add_argument("which", metavar="RUN", help="id of an audit, its first digits, or run directory")
    parser.add_argument("--out", type=Path, default=Path(out), metavar="FILE", help=f"default: {out}")
    return parser


# Figures and engine take seconds to import, so each command imports what it needs when it runs.
def run_report(arguments: argparse.Namespace) -> None:
    from diffoci.report.build import build_report

    run = find(arguments.which)
    _write(arguments.out, build_report(run.result(), created=run.created).encode())


def run_card(arguments: argparse.Namespace) -> None:
    from diffoci.report.markdown import markdown
    from diffoci.report.model_card import model_card
    from diffoci.report.page import page

    card = model_card(find(arguments.which).result(), arguments.method)
    suffix = arguments.out.suffix.lower()
    if suffix not in (".md", ".html"):
        raise ValueError(f"A model card is Markdown or HTML: let {arguments.out} end in .md or .html.")
    _write(arguments.out, (page(card) if suffix == ".html" else markdown(card)).encode())


def run_tables(arguments: argparse.Namespace) -> None:
    from diffoci.report.table_files import packed, zipped

    result = find(arguments.which).result()
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
