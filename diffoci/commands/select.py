"""``diffoci select``: the features of a table that determine one of its columns, with a bound on false ones."""

from __future__ import annotations

import argparse
import json

import msgspec

from diffoci.commands.run_table import aligned
from diffoci.commands.source_options import add_any_option, given_options
from diffoci.data.sources import resolved, source_of

SHOWN = 30


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("select")
    parser.add_argument("--data", required=True, metavar="NAME", help="a source, or csv:PATH for your own file")
    parser.add_argument("--y", default="", metavar="COL", help="the column to predict (default: the source's outcome)")
    parser.add_argument("--kind", default="auto", choices=("auto", "class", "number"), help="what it holds")
    parser.add_argument("--max-false", type=float, default=1.0, metavar="N", help="false features to expect (1)")
    parser.add_argument("--threshold", type=float, default=0.9, metavar="SHARE", help="of halves that agree (0.9)")
    parser.add_argument("--pairs", type=int, default=25, metavar="N", help="how often rows are cut in two (25)")
    parser.add_argument("--seed", type=int, default=0, help="of the cuts (0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_any_option(parser)
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> None:
    from diffoci.labs.feature_selection.choose import choose  # torch takes seconds to import
    from diffoci.labs.feature_selection.table import load_rows

    data = resolved(arguments.data)
    table = load_rows(data, given_options(arguments, source_of(data)), arguments.y, arguments.kind)
    found = choose(
        table,
        max_false=arguments.max_false,
        threshold=arguments.threshold,
        pairs=arguments.pairs,
        seed=arguments.seed,
        n_jobs=arguments.jobs,
    )
    if arguments.json:
        print(json.dumps(msgspec.to_builtins(found)))
        return
    print(f"{found.data}: {found.y}, {found.rows:,} rows")
    print(f"selected: {', '.join(found.selected) or 'none'}")
    print(f"false features to expect: on average at most {found.expected_false:.2g} ({found.pairs} pairs of halves)")
    lines = [["feature", "chosen", "selected", "FOCI", "F test alone"]]
    for name, share in list(found.frequency.items())[:SHOWN]:
        marks = ["yes" if name in names else "" for names in (found.selected, found.foci, found.one_by_one)]
        lines.append([name, f"{100 * share:.0f} %", *marks])
    print("\n".join(aligned(lines)))
    for note in found.notes:
        print(f"note: {note}")
