"""``diffoci export``: take a representation away from an audit."""

from __future__ import annotations

import argparse
from pathlib import Path

from diffoci.commands.access import note
from diffoci.commands.runs import find_audit


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("export")
    parser.add_argument("which", metavar="RUN", help="id, its first digits, or run directory")
    parser.add_argument("--method", required=True, metavar="NAME", help="one of the audit's methods, such as dF3")
    parser.add_argument("--seed", type=int, metavar="N", help="which training (default: the first)")
    parser.add_argument("--cells", action="store_true", help="take away its cells only, which the ceiling speaks of")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> None:
    from diffoci.audit.taking_away.export import export  # loads torch

    run = find_audit(arguments.which)
    note("exported", "representation", run.id)
    done = export(run, arguments.method, arguments.out, seed=arguments.seed, cells=arguments.cells)
    model = done.representation.model_
    real = "real data" if model["provenance"]["real"] else "SIMULATED data"
    print(f"{model['title']}, seed {model['seed']}, from an audit of {model['provenance']['rows']:,} rows of {real}")
    columns = len(done.representation.get_feature_names_out())
    print(f"features in: {len(done.representation.feature_names_in_)}, columns out: {columns}")
    print(done.onnx)
    print(f"kept in {done.folder}; example.py there shows how to use it")
