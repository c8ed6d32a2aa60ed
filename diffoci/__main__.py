"""The command line: ``python -m diffoci`` or ``diffoci``."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from diffoci.commands import audit, coefficients, compare, data, export, report, runs, sharing
from diffoci.commands.terminal import Harmless, harmless
from diffoci.runs.files import in_words


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="diffoci",
        description="Audit data for what it gives away about sensitive attributes.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (coefficients, data, audit, runs, export, report, sharing, compare):
        module.register(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; bad input ends with one sentence on standard error and exit code 2."""
    arguments = build_parser().parse_args(argv)
    try:
        with contextlib.redirect_stdout(Harmless(sys.stdout)):
            arguments.run(arguments)
    except (ValueError, OSError) as problem:
        said = in_words(problem, Path(problem.filename or ".")) if isinstance(problem, OSError) else problem
        print(harmless(f"diffoci: {said}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
