"""``diffoci data``: list, fetch, show and forget data, and fit simulated twins."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from diffoci.commands.forgetting import add_forgetting
from diffoci.commands.source_options import add_any_option, add_source_options, given_options
from diffoci.data.fetching.files import draw_bar
from diffoci.data.sources import fetch_source, list_sources, load, source_of
from diffoci.data.summary import summarise
from diffoci.data.twins import PARAMETERS_FOLDER


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("data")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="every source by name")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=run_list)
    fetching = actions.add_parser("fetch", help="download a source's files, unless they are here already")
    fetching.add_argument("data", metavar="name")
    add_source_options(fetching, lambda option: option.place)
    fetching.set_defaults(run=run_fetch)
    showing = actions.add_parser("show", help="rows, features, groups, missing values, outcome rates")
    showing.add_argument("data", metavar="name", help="a source, or csv:PATH for your own CSV or Parquet file")
    showing.add_argument("--json", action="store_true", help="one JSON object")
    showing.add_argument("--twin", action="store_true", help="the simulated twin, with no file and no network")
    showing.add_argument("--sensitive", action="extend", nargs="+", metavar="ATTRIBUTE")
    showing.add_argument("--drop", action="extend", nargs="+", default=[], metavar="FEATURE")
    add_source_options(showing, lambda option: option.kind != "kinds")
    add_any_option(showing)
    showing.set_defaults(run=run_show)
    add_forgetting(actions)
    fitting = actions.add_parser("fit-twins", help="fit the simulated twins to the real files")
    fitting.add_argument("--from", dest="origin", type=Path, required=True, metavar="DIR")
    fitting.add_argument("--to", dest="target", type=Path, metavar="DIR", help="default: in the package")
    fitting.set_defaults(run=run_fit_twins)


def run_list(arguments: argparse.Namespace) -> None:
    sources = list_sources()
    if arguments.json:
        rows = [
            {
                "name": source.name,
                "title": source.title,
                "sensitive": list(source.sensitive),
                "options": {option.name: option.described() for option in source.options},
                "twin": source.twin is not None,
                "simulated": source.simulated,
                "takes_file": source.takes_file,
                "licence": source.licence,
                "at_hand": source.at_hand({}),
            }
            for source in sources
        ]
        print(json.dumps(rows, ensure_ascii=False))
        return
    for source in sources:
        if source.takes_file:
            print(f"{source.at('PATH'):20} {source.summary}")
            continue
        here = "on this machine" if source.at_hand({}) else "to be fetched"
        twin = ", simulated twin" if source.twin else ""
        print(f"{source.name:20} {source.summary} ({here}{twin})")


def run_fetch(arguments: argparse.Namespace) -> None:
    source = source_of(arguments.data)
    options = given_options(arguments, source)
    source.check_options(options, twin=False)
    if not source.published(options):
        print(f"{source.name} needs no file.")
    for local in fetch_source(arguments.data, progress=draw_bar, **options):
        print(local.path)
        for note in local.notes:
            print(note)


def run_show(arguments: argparse.Namespace) -> None:
    source, sensitive = source_of(arguments.data), arguments.sensitive
    if sensitive and not source.takes_file:  # names of ours hold no comma, those of a file may
        sensitive = [name for text in sensitive for name in text.split(",") if name]
    options = {"drop": arguments.drop, **given_options(arguments, source)}
    dataset = load(arguments.data, sensitive=sensitive, twin=arguments.twin, **options)
    summary = summarise(dataset)
    if arguments.json:
        print(json.dumps(summary, ensure_ascii=False))
    else:
        print(_as_text(summary))


def _as_text(summary: dict[str, Any]) -> str:
    kind = "real data" if summary["real"] else "SIMULATED data"
    lines = [
        f"{summary['title']} ({kind})",
        f"{summary['rows']:,} rows, {summary['features']:,} features",
        f"outcome: {summary['label']}, {_percent(summary['label_rate'])}"
        if summary["label"]
        else "outcome: none named",
    ]
    for name, groups in summary["sensitive"].items():
        lines.append(f"{name}:")
        rates = summary["label_rate_by_group"][name]
        said = {level: f", outcome {_percent(rate)}" if summary["label"] else "" for level, rate in rates.items()}
        lines += [f"  {level:30} {count:>9,} rows{said[level]}" for level, count in groups.items()]
    missing = summary["missing"]
    lines.append("missing: " + (", ".join(f"{name} {count:,}" for name, count in missing.items()) or "nothing"))
    lines += [f"note: {note}" for note in summary["notes"]]
    return "\n".join([*lines, f"source: {summary['source']} ({summary['licence']})", summary["sha256"]])


def _percent(rate: float | dict[str, float] | None) -> str:
    if isinstance(rate, dict):
        return ", ".join(f"{text} {_percent(share)}" for text, share in rate.items())
    return "no rows" if rate is None else f"{100 * rate:.1f} %"


def run_fit_twins(arguments: argparse.Namespace) -> None:
    from diffoci.data.twins.fit import fit_twins

    origins = [origin for source in list_sources() for origin in source.origins]
    for path in fit_twins(origins, arguments.origin, arguments.target or PARAMETERS_FOLDER):
        print(path)
