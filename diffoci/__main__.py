"""The command line: ``python -m diffoci`` or ``diffoci``."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diffoci.commands.terminal import Harmless, harmless
from diffoci.runs.files import in_words

# Every command in the order of the help: the module of diffoci.commands that has it, and what it does. Here and not in
# the modules, because loading them all takes longer than most commands do.
COMMANDS = {
    "coef": ("coefficients", "xi and T of the columns of a CSV file"),
    "foci": ("coefficients", "the columns of a CSV file that determine another one"),
    "data": ("data", "list, fetch and show data sources, and forget files kept here"),
    "audit": ("audit", "train, measure and compare on one source, or on many (--sweep)"),
    "audit-scores": ("audit_scores", "audit the scores and decisions of a model that exists"),
    "runs": ("runs", "list, show, name, resume, cancel and delete audits and other runs"),
    "export": ("export", "a representation as a folder: preprocessing, weights, an example"),
    "report": ("report", "one HTML file with everything an audit found"),
    "card": ("report", "a model card for one representation, or for a model that was audited, as Markdown or HTML"),
    "tables": ("report", "every table of an audit, in a folder or a zip file"),
    "verify": ("report", "check the numbers of a report, its data where they are at hand, and who signed it"),
    "reproduce": ("reproduce", "run tables of the paper again, its figures beside ours"),
    "select": ("select", "the features that determine a column, with a bound on false ones"),
    "share": ("sharing", "a finished audit as one zip file, without the data"),
    "open": ("sharing", "check a shared audit and put it among this machine's"),
    "shift": ("shift", "what a selection of features loses in another domain"),
    "spurious": ("spurious", "the spurious lab on a Waterbirds folder or on features of your own"),
    "two-audits": ("two_audits", "two audits: what changed, and whether it is more than noise"),
    "check": ("check", "rules on the numbers of a result; 0 all hold, 1 one fails, 3 too little evidence, 2 bad input"),
    "keys": ("keys", "make and show keys to sign with"),
    "log": ("log", "show and check the access log"),
    "dashboard": ("dashboard", "start the pages, for the browser of this machine"),
}  # fmt: skip
ALIASES = {"compare": "two-audits"}


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Commands with the help of the table above."""

    def add_parser(self, name: str, **options: Any) -> Any:
        return super().add_parser(name, help=COMMANDS[name][1], **options)


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser of these words: whole where they name a command, a list of commands where not.

    Without words it is the parser of every command.
    """
    parser = argparse.ArgumentParser(
        prog="diffoci",
        description="Audit data for what they reveal about sensitive attributes.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", action=_Commands)
    first = words[0] if words else ""
    asked, _ = COMMANDS.get(ALIASES.get(first, first), ("", ""))
    added = set()
    for name, (module, _) in COMMANDS.items():
        if words is not None and module != asked:
            commands.add_parser(name)  # named in the help and in what is said of a word that is no command
        elif module not in added:
            added.add(module)
            importlib.import_module(f"diffoci.commands.{module}").register(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; bad input ends with one sentence on standard error and exit code 2."""
    words = sys.argv[1:] if argv is None else argv
    arguments = build_parser(words).parse_args(words)
    try:
        with contextlib.redirect_stdout(Harmless(sys.stdout)):
            return arguments.run(arguments) or 0
    except (ValueError, OSError) as problem:
        said = in_words(problem, Path(problem.filename or ".")) if isinstance(problem, OSError) else problem
        print(harmless(f"diffoci: {said}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
