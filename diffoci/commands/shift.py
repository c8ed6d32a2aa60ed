"""``diffoci shift``: what a selection of features made in one domain loses in another, for features of your own."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from diffoci.commands.foreground import add_means, means_of
from diffoci.commands.reproduce import finished, kept_runs
from diffoci.commands.run_table import aligned
from diffoci.labs.reproducible import Asked
from diffoci.labs.shift.paper_tables import shift_rows
from diffoci.labs.shift.spec import Domain, ShiftSpec
from diffoci.labs.shift.study import DOMAIN_SHIFT
from diffoci.runs.files import plain


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("shift")
    parser.add_argument("inside", type=Path, metavar="INSIDE.npz", help="features x and classes y to learn from")
    parser.add_argument("outside", type=Path, metavar="OUTSIDE.npz", help="the same of another domain")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="repetitions (5)")
    add_means(parser)
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.seeds <= 1000:
        raise ValueError(f"The number of repetitions (seeds) must be from 1 to 1000, not {arguments.seeds}.")
    inside, outside = (Domain(file=str(path.resolve())) for path in (arguments.inside, arguments.outside))
    title = f"{arguments.inside.name} to {arguments.outside.name}"
    spec = ShiftSpec(title=title, inside=inside, outside=outside, seeds=tuple(range(arguments.seeds)))
    asked = Asked(DOMAIN_SHIFT, spec)
    run = finished(asked, means_of(arguments), kept_runs([asked]))
    rows = shift_rows([run.result()])
    if arguments.json:
        print(json.dumps(plain({"id": run.id, "rows": [row.to_dict() for row in rows]}, finite=True)))
        return 0
    cells = [[row.method, row.measure, f"{row.value.mean:.1f}", _limits(row.value.low, row.value.high)] for row in rows]
    print("\n".join([title, *aligned([["features", "measure", "here", "95 % interval"], *cells])]))
    return 0


def _limits(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.1f} to {high:.1f}"
