"""``diffoci spurious``: the spurious lab on a Waterbirds folder or features of your own, beside the paper's figures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from msgspec.structs import replace

from diffoci.commands.foreground import add_means, means_of
from diffoci.commands.reproduce import finished, kept_runs
from diffoci.commands.run_table import aligned
from diffoci.labs.reproducible import Asked
from diffoci.labs.spurious.data.waterbirds import BACKBONES
from diffoci.labs.spurious.methods import METHODS
from diffoci.labs.spurious.paper import BENCHMARKS, worst_groups
from diffoci.labs.spurious.paper_tables import lab_rows
from diffoci.labs.spurious.spec import SpuriousSpec, Training
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.labs.spurious.words import percent
from diffoci.runs.files import plain

_METHODS = ("ERM", "ERM+dF2", "DRO", "DRO+dF2")


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("spurious")
    parser.add_argument("path", type=Path, metavar="PATH", help="a Waterbirds folder, or an .npz file of features")
    parser.add_argument("--backbone", choices=BACKBONES, help="learn from its features of the folder's images")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="of the backbone (default: torch's hub folder)")
    parser.add_argument("--methods", default=",".join(_METHODS), metavar="A,B", help=f"default {','.join(_METHODS)}")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="repetitions (3)")
    parser.add_argument("--last-layer", action="store_true", help="train a last layer on features, and no hidden one")
    parser.add_argument("--paper", choices=BENCHMARKS, metavar="BENCHMARK", help=f"beside: {', '.join(BENCHMARKS)}")
    add_means(parser)
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
    path, is_folder = arguments.path.resolve(), arguments.path.is_dir()
    options = {"path": str(path)}
    if arguments.backbone:
        options["backbone"] = arguments.backbone
    if arguments.weights:
        options["weights"] = str(arguments.weights.resolve())
    if len(options) > 1 and not is_folder:
        raise ValueError("A backbone reads images: name a Waterbirds folder, not a file.")
    return SpuriousSpec(
        data="waterbirds" if is_folder else "features",
        options=options,
        methods=tuple(arguments.methods.split(",")),
        seeds=tuple(range(arguments.seeds)),
        training=replace(Training(), **({"hidden": 0} if arguments.last_layer else {})),
    )
