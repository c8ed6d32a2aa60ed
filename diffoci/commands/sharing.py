"""``diffoci share`` and ``diffoci open``: an audit as one zip file, to another machine and from one."""

from __future__ import annotations

import argparse
from pathlib import Path

from diffoci.commands.run_table import result_table
from diffoci.commands.runs import find
from diffoci.runs.files import write_atomically


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to the parser."""
    sharing = commands.add_parser("share", help="a finished audit as one zip file, without the data")
    sharing.add_argument("which", metavar="RUN", help="id, its first digits, or run directory")
    sharing.add_argument("--out", type=Path, required=True, metavar="FILE.zip")
    sharing.set_defaults(run=run_share)
    opening = commands.add_parser("open", help="check a shared audit and put it among this machine's")
    opening.add_argument("file", type=Path, metavar="FILE.zip")
    opening.set_defaults(run=run_open)


def run_share(arguments: argparse.Namespace) -> None:
    from diffoci.runs.sharing import pack

    if arguments.out.exists():
        raise ValueError(f"{arguments.out} is there already; choose another name with --out.")
    content = pack(find(arguments.which))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(arguments.out, content)
    print(f"{arguments.out}, {len(content) / 1e6:.1f} MB; open it elsewhere with: python -m diffoci open FILE.zip")


def run_open(arguments: argparse.Namespace) -> None:
    from diffoci.runs.sharing import open_shared

    if not arguments.file.is_file():
        raise ValueError(f"There is no file {arguments.file}.")
    with arguments.file.open("rb") as file:
        run = open_shared(file)
    print(f"{run.id}  {run.spec.data}, {', '.join(run.spec.sensitive)}, {run.spec.preset}")
    print(result_table(run.result()))
    print(f"kept in {run.folder}")
