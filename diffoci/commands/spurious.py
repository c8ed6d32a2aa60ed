"""``diffoci spurious``: the spurious lab on any data and settings, beside the paper's figures of a benchmark."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from diffoci.commands.foreground import add_means, means_of
from diffoci.commands.reproduce import finished, kept_runs
from diffoci.commands.run_table import aligned
from diffoci.commands.source_options import (
    add_any_option,
    add_source_options,
    given_flags,
    given_options,
    read_value,
    split_assignments,
)
from diffoci.data.sources import resolved, source_of
from diffoci.labs.reproducible import Asked
from diffoci.labs.spurious.data.examples import Kind
from diffoci.labs.spurious.data.kinds import KINDS
from diffoci.labs.spurious.data.waterbirds import BACKBONES
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.paper import BENCHMARKS, worst_groups
from diffoci.labs.spurious.paper_tables import lab_rows
from diffoci.labs.spurious.spec import SpuriousSpec, Training
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.labs.spurious.words import percent
from diffoci.name_lists import split_names
from diffoci.runs.files import plain

_METHODS = ("ERM", "ERM+dF2", "DRO", "DRO+dF2")
_DRAWN = tuple(name for name, kind in KINDS.items() if kind.drawn is not None)


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("spurious")
    parser.add_argument(
        "data",
        metavar="DATA",
        help="birds or digits; a Waterbirds folder; an .npz file of features; or a table: a source "
        "(see diffoci data list), or csv:PATH",
    )
    parser.add_argument("--methods", metavar="A,B", help=f"default {','.join(_METHODS)}, and the oracle where there is")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="repetitions (3)")
    parser.add_argument("--first-seed", type=int, default=0, metavar="SEED", help="that they begin with (0)")
    parser.add_argument("--lambdas", default="", metavar="X,Y", help="also train ERM+dF2 with these weights")
    parser.add_argument("--betas", default="", metavar="X,Y", help="also train ERM+dF2 with these sharpnesses")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="a number of the training")
    parser.add_argument("--last-layer", action="store_true", help="train a last layer on features, and no hidden one")
    parser.add_argument("--backbone", choices=BACKBONES, help="learn from its features of the folder's images")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="of the backbone (default: torch's hub folder)")
    parser.add_argument("--group", metavar="ATTRIBUTE", help="of a table (default: the source's first)")
    parser.add_argument("--twin", action="store_true", help="of a table: use the simulated twin of the source")
    parser.add_argument("--drop", metavar="COL,…", help="of a table: features to leave out")
    parser.add_argument("--paper", choices=BENCHMARKS, metavar="BENCHMARK", help=f"beside: {', '.join(BENCHMARKS)}")
    add_means(parser)
    add_source_options(parser, lambda option: option.flag)
    add_any_option(parser)
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    asked = Asked(SPURIOUS_LAB, spec_of(arguments))
    run = finished(asked, means_of(arguments), kept_runs([asked]))
    result = run.result()
    figures = worst_groups(arguments.paper) if arguments.paper else {}
    paper = {name: figures[one.paper].value / 100 for name, one in METHODS.items() if one.paper in figures}
    rows = lab_rows(result, paper=paper if arguments.paper else None)
    if arguments.json:
        print(json.dumps(plain({"id": run.id, "rows": [row.to_dict() for row in rows]}, finite=True)))
        return 0
    cells = [
        [row.method, percent(row.more["average"]), percent(row.value), "–" if row.paper is None else f"{row.paper:.1%}"]
        for row in rows
    ]
    print("\n".join([result.title, *aligned([["method", "average", "worst group", "paper, worst group"], *cells])]))
    return 0


def spec_of(arguments: argparse.Namespace) -> SpuriousSpec:
    """What the words of the command line ask for."""
    if not 1 <= arguments.seeds <= 1000:
        raise ValueError(f"The number of repetitions (seeds) must be from 1 to 1000, not {arguments.seeds}.")
    if arguments.first_seed < 0:
        raise ValueError(f"The first seed must be 0 or more, not {arguments.first_seed}.")
    data = _data(arguments)
    oracle = ("oracle",) if data["data"] in _DRAWN else ()
    asked = {
        **data,
        "methods": [*oracle, *_METHODS] if arguments.methods is None else split_names(arguments.methods),
        "seeds": list(range(arguments.first_seed, arguments.first_seed + arguments.seeds)),
        "training": _training(arguments),
        "lambdas": _numbers(arguments.lambdas, "--lambdas"),
        "betas": _numbers(arguments.betas, "--betas"),
    }
    try:
        return msgspec.convert(asked, SpuriousSpec)
    except msgspec.ValidationError as problem:
        raise ValueError(f"This cannot be trained: {problem}.") from None


def _data(arguments: argparse.Namespace) -> dict[str, Any]:
    """The kind of data with its options; what belongs to another kind is refused."""
    path = Path(arguments.data)
    weights = None if arguments.weights is None else str(arguments.weights.resolve())
    images = _given({"backbone": arguments.backbone, "weights": weights})
    of_table = _given({"group": arguments.group, "twin": arguments.twin or None, "drop": arguments.drop})
    of_source = given_flags(arguments) | split_assignments(arguments.option)
    if arguments.data in _DRAWN:
        rows = of_source.pop("rows", None)
        _refuse(images | of_table | of_source, KINDS[arguments.data])
        return {"data": arguments.data, "rows": None if rows is None else read_value(rows)}
    if path.is_dir():
        _refuse(of_table | of_source, KINDS["waterbirds"])
        return {"data": "waterbirds", "options": {"path": str(path.resolve()), **images}}
    if path.is_file() or path.suffix == ".npz":
        if images:
            raise ValueError("A backbone reads images: name a Waterbirds folder, not a file.")
        _refuse(of_table | of_source, KINDS["features"])
        return {"data": "features", "options": {"path": str(path.resolve())}}
    _refuse(images, KINDS["table"])
    source = source_of(arguments.data)
    of_source = given_options(arguments, source)
    if "drop" in of_table:
        of_source["drop"] = split_names(of_table.pop("drop"))
    options = {"source": resolved(arguments.data), "of_source": of_source}
    if "group" in of_table:
        options["attribute"] = of_table.pop("group")
    return {"data": "table", "options": options | of_table}


def _refuse(given: Mapping[str, Any], kind: Kind) -> None:
    """Say which flag belongs to other data."""
    for name in given:
        raise ValueError(f"--{name.replace('_', '-')} is not for {kind.title}.")


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _training(arguments: argparse.Namespace) -> dict[str, Any]:
    changed = {name: read_value(text) for name, text in split_assignments(arguments.setting).items()}
    usual: dict[str, Any] = msgspec.to_builtins(Training())
    if strange := set(changed) - set(usual):
        raise ValueError(f"{sorted(strange)[0]!r} is no number of the training; choose from {', '.join(usual)}.")
    if arguments.last_layer:
        changed["hidden"] = 0
    return usual | changed


def _numbers(text: str, flag: str) -> list[float]:
    try:
        return [float(one) for one in text.split(",") if one.strip()]
    except ValueError:
        raise ValueError(f"{flag} takes numbers with commas between, not {text!r}.") from None
