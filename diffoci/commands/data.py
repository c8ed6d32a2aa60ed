"""``diffoci data``: list, fetch and show data sources, and fit simulated twins."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from diffoci.data.fetch import draw_bar, fetch
from diffoci.data.sources import is_at_hand, list_sources, load, published_files
from diffoci.data.summary import summarise

_OPTIONS = (
    "state", "year", "horizon", "race", "threshold", "paper_ages", "subject", "grades", "duration", "label",
    "positive", "separator", "encoding", "leave_out_unusable", "rows", "seed",
)  # fmt: skip


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("data", help="list, fetch and show data sources")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="every source by name")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=run_list)
    fetching = actions.add_parser("fetch", help="download a source's files, unless they are here already")
    fetching.add_argument("name")
    _add_place(fetching)
    fetching.set_defaults(run=run_fetch)
    showing = actions.add_parser("show", help="rows, features, groups, missing values, label rates")
    showing.add_argument("name", help="a source, or csv:PATH for your own CSV or Parquet file")
    _add_place(showing)
    _add_show_options(showing)
    showing.set_defaults(run=run_show)
    fitting = actions.add_parser("fit-twins", help="fit the simulated twins to the real files")
    fitting.add_argument("--from", dest="origin", type=Path, required=True, metavar="DIR")
    fitting.add_argument("--to", dest="target", type=Path, metavar="DIR", help="default: in the package")
    fitting.set_defaults(run=run_fit_twins)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", help="ACS: postal code, several with commas, or all (default AL)")
    parser.add_argument("--year", type=int, help="ACS: 2014 to 2024 (default 2018)")
    parser.add_argument("--horizon", help="ACS: 1-Year (default) or 5-Year")
    parser.add_argument("--subject", help="student: mat (default) or por")


def _add_show_options(parser: argparse.ArgumentParser) -> None:
    switch: dict[str, Any] = {"action": "store_true", "default": None}
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--twin", action="store_true", help="the simulated twin, with no file and no network")
    parser.add_argument("--sensitive", action="extend", nargs="+", metavar="ATTRIBUTE")
    parser.add_argument("--drop", action="extend", nargs="+", default=[], metavar="FEATURE")
    parser.add_argument("--race", help="ACS: grouped (default) or recorded")
    parser.add_argument("--threshold", type=float, help="acs-income: the income that counts as high")
    parser.add_argument("--paper-ages", **switch, help="ACS: only ages 16 to 90")
    parser.add_argument("--grades", **switch, help="student: keep G1 and G2")
    parser.add_argument("--duration", **switch, help="bank: keep the length of the call")
    parser.add_argument("--label", help="your own file: the column to predict")
    parser.add_argument("--positive", help="your own file: the positive class, or a cut such as '>50000'")
    parser.add_argument("--separator", help="your own file: the sign between cells, where detection fails")
    parser.add_argument("--encoding", help="your own file: its encoding, where detection fails")
    parser.add_argument("--leave-out-unusable", **switch, help="your own file: leave out free text and dates")
    parser.add_argument("--rows", type=int, help="truth and twins: how many rows")
    parser.add_argument("--seed", type=int, help="truth and twins: of the random draw")


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    values = vars(arguments)
    return {name: values[name] for name in _OPTIONS if values.get(name) is not None}


def run_list(arguments: argparse.Namespace) -> None:
    sources = list_sources()
    if arguments.json:
        rows = [
            {
                "name": source.name,
                "title": source.title,
                "sensitive": list(source.sensitive),
                "options": dict(source.options),
                "twin": source.twin,
                "at_hand": is_at_hand(source.name),
            }
            for source in sources
        ]
        print(json.dumps(rows, ensure_ascii=False))
        return
    for source in sources:
        here = "on this machine" if is_at_hand(source.name) else "to be fetched"
        twin = ", simulated twin" if source.twin else ""
        print(f"{source.name:20} {source.summary} ({here}{twin})")
    print(f"{'csv:PATH':20} your own CSV or Parquet file; name its label with --label")


def run_fetch(arguments: argparse.Namespace) -> None:
    files = published_files(arguments.name, **_given(arguments))
    if not files:
        print(f"{arguments.name} needs no file.")
    for file in files:
        local = fetch(file, progress=partial(draw_bar, file.archive_name))
        print(local.path)
        for note in local.notes:
            print(note)


def run_show(arguments: argparse.Namespace) -> None:
    own = arguments.name.startswith("csv:")
    sensitive = arguments.sensitive
    if sensitive and not own:  # names of ours hold no comma, those of a file may
        sensitive = [name for text in sensitive for name in text.split(",") if name]
    dataset = load(
        arguments.name,
        sensitive=sensitive,
        twin=arguments.twin,
        drop=arguments.drop,
        **_given(arguments),
    )
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
        f"label: {summary['label']}, {_percent(summary['label_rate'])}",
    ]
    for name, groups in summary["sensitive"].items():
        lines.append(f"{name}:")
        rates = summary["label_rate_by_group"][name]
        lines += [f"  {level:30} {count:>9,} rows, label {_percent(rates[level])}" for level, count in groups.items()]
    missing = summary["missing"]
    lines.append("missing: " + (", ".join(f"{name} {count:,}" for name, count in missing.items()) or "nothing"))
    lines += [f"note: {note}" for note in summary["notes"]]
    return "\n".join([*lines, f"source: {summary['source']} ({summary['licence']})", summary["sha256"]])


def _percent(rate: float | dict[str, float] | None) -> str:
    if isinstance(rate, dict):
        return ", ".join(f"{text} {_percent(share)}" for text, share in rate.items())
    return "no rows" if rate is None else f"{100 * rate:.1f} %"


def run_fit_twins(arguments: argparse.Namespace) -> None:
    from diffoci.data import twins

    target = arguments.target or Path(twins.__file__).parent / "twin_parameters"
    for path in twins.fit_twins(arguments.origin, target):
        print(path)
