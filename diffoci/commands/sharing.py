"""``diffoci share`` and ``diffoci open``: an audit as one zip file, to another machine and from one."""

from __future__ import annotations

import argparse
from pathlib import Path

from diffoci.commands.access import note
from diffoci.commands.keys import add_demanded, add_sign, demand, key_of, signed_words
from diffoci.commands.run_table import result_text
from diffoci.commands.runs import find, title_of
from diffoci.runs.files import write_atomically


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to the parser."""
    sharing = commands.add_parser("share")
    sharing.add_argument("which", metavar="RUN", help="id, its first digits, or run directory")
    sharing.add_argument("--out", type=Path, required=True, metavar="FILE.zip")
    add_sign(sharing)
    sharing.set_defaults(run=run_share)
    opening = commands.add_parser("open")
    opening.add_argument("file", type=Path, metavar="FILE.zip")
    add_demanded(opening)
    opening.set_defaults(run=run_open)


def run_share(arguments: argparse.Namespace) -> None:
    from diffoci.runs.sharing import pack

    if arguments.out.exists():
        raise ValueError(f"{arguments.out} is there already; choose another name with --out.")
    run = find(arguments.which)
    content = pack(run, key=key_of(arguments))
    note("shared", "zip", run.id)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(arguments.out, content)
    print(f"{arguments.out}, {len(content) / 1e6:.1f} MB; open it elsewhere with: python -m diffoci open FILE.zip")


def run_open(arguments: argparse.Namespace) -> None:
    from diffoci.runs.sharing import open_shared, signer_of

    if not arguments.file.is_file():
        raise ValueError(f"There is no file {arguments.file}.")
    with arguments.file.open("rb") as file:
        signer = signer_of(file)
        demand(arguments, signer)
        run = open_shared(file)
    note("opened", "zip", run.id)
    if signer is not None:
        print(signed_words(signer, arguments))
    print(f"{run.id}  {title_of(run)}")
    print(result_text(run))
    print(f"kept in {run.folder}")
