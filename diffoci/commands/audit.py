"""``diffoci audit``: train, measure and compare, in a run directory; one audit or a whole sweep."""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

from diffoci.audit.spec import AuditSpec
from diffoci.commands.foreground import add_means, go_on, go_on_apart, means_of, show_result
from diffoci.data.sources import list_sources
from diffoci.name_lists import split_names
from diffoci.runs.files import write_json
from diffoci.runs.job import engine_named
from diffoci.runs.lock import AlreadyRunning
from diffoci.runs.schema import SCHEMA
from diffoci.runs.store import Run, Status
from diffoci.runs.sweep import PlannedAudit, read_sweep

_OPTIONS = ("state", "year", "horizon", "subject", "duration", "label", "positive", "rows")


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("audit", help="train, measure and compare on one source, or on many (--sweep)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--data", metavar="NAME", help="a source (see diffoci data list), or csv:PATH for your own file")
    what.add_argument("--sweep", type=Path, metavar="FILE.toml", help="many audits from one file, each below --out")
    parser.add_argument("--sensitive", metavar="ATTRIBUTE,…", help="default: the source's own")
    parser.add_argument("--preset", default="standard", choices=("quick", "standard", "paper"))
    parser.add_argument("--methods", metavar="NAME,…", help="representations to compare (default: the preset's)")
    parser.add_argument("--seeds", type=int, metavar="N", help="splits and trainings of each (default: the preset's)")
    parser.add_argument("--twin", action="store_true", help="use the simulated twin of the source")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda", "mps"))
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run directory; an audit begun there is resumed")
    add_means(parser)
    _add_source_options(parser)
    parser.set_defaults(run=run_command)


def _add_source_options(parser: argparse.ArgumentParser) -> None:
    source = parser.add_argument_group("of the source")
    source.add_argument("--state", help="ACS: postal code, several with commas, or all (default AL)")
    source.add_argument("--year", type=int, help="ACS: 2014 to 2024 (default 2018)")
    source.add_argument("--horizon", help="ACS: 1-Year (default) or 5-Year")
    source.add_argument("--subject", help="student: mat (default) or por")
    source.add_argument("--duration", action="store_true", default=None, help="bank: keep the length of the call")
    source.add_argument("--label", help="your own file: the column to predict")
    source.add_argument("--positive", help="your own file: the positive class, or a cut such as '>50000'")
    source.add_argument("--drop", metavar="COL,…", help="features to leave out; quote a name that has a comma in it")
    source.add_argument("--rows", type=int, help="truth and twins: how many rows")
    source.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="any other option")
    source.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="a number of the preset")


def run_command(arguments: argparse.Namespace) -> None:
    if arguments.sweep is not None:
        run_sweep(arguments)
        return
    means = means_of(arguments)
    if arguments.data.startswith("csv:") or arguments.data in {source.name for source in list_sources()}:
        means.load_ahead()  # beside reading the specification, which loads much of the same here
    run = _run_for(_spec(arguments), arguments.out)
    try:
        status = go_on(run, means)
    except (ValueError, OSError):
        run.discard()
        raise
    show_result(run, status, as_json=arguments.json)
    if not arguments.json:
        print(f"kept in {run.folder}")


def _spec(arguments: argparse.Namespace) -> AuditSpec:
    values = vars(arguments)
    options: dict[str, Any] = {name: values[name] for name in _OPTIONS if values[name] is not None}
    if arguments.drop is not None:
        options["drop"] = split_names(arguments.drop)
    data = arguments.data
    if data.startswith("csv:"):
        data = f"csv:{Path(data.removeprefix('csv:')).expanduser().resolve()}"  # resumed from wherever
    return engine_named(arguments.engine).make_spec(
        data,
        sensitive=None if arguments.sensitive is None else split_names(arguments.sensitive),
        preset=arguments.preset,
        methods=None if arguments.methods is None else split_names(arguments.methods),
        seeds=arguments.seeds,
        twin=arguments.twin,
        options={**options, **_assignments(arguments.option)},
        settings=_assignments(arguments.setting),
        device=arguments.device,
    )


def _assignments(texts: list[str]) -> dict[str, Any]:
    """Read NAME=VALUE; a value is a number, true, false or a list as in TOML, else a text."""
    values: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise ValueError(f"'{text}' is not of the form NAME=VALUE.")
        try:
            values[name] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            values[name] = value
    return values


def _run_for(spec: AuditSpec, folder: Path | None) -> Run:
    """Open the run of this specification in `folder`, or begin one."""
    if folder is None or not (folder / "spec.json").exists():
        if folder is not None and (folder / "sweep.json").exists():
            raise ValueError(f"{folder} holds a sweep; choose another folder with --out.")
        return Run.create(spec, folder=folder)
    run = Run.open(folder)
    if run.spec.digest() != spec.digest():
        raise ValueError(f"{folder} holds another audit ({run.spec.data}); choose another folder with --out.")
    return run


def run_sweep(arguments: argparse.Namespace) -> None:
    """Run every audit of a sweep file that is not done yet; one that fails does not stop the others."""
    if arguments.out is None:
        raise ValueError("A sweep needs a folder to write to: give it with --out.")
    if (arguments.out / "spec.json").exists():
        raise ValueError(f"{arguments.out} holds a single audit; choose another folder with --out.")
    audits = read_sweep(arguments.sweep, engine=arguments.engine)
    arguments.out.mkdir(parents=True, exist_ok=True)
    states: dict[str, dict[str, str]] = {audit.name: {"state": "waiting", "message": ""} for audit in audits}
    for audit in audits:
        state, message = _run_one(audit, arguments)
        states[audit.name] = {"state": state, "message": message}
        content = {"schema": SCHEMA, "audits": [{"name": name, **entry} for name, entry in states.items()]}
        write_json(arguments.out / "sweep.json", content, indent=1)
        if not arguments.json:
            print(f"{audit.name}  {state}  {message}".rstrip(), flush=True)
    if arguments.json:
        print(json.dumps(content, ensure_ascii=False, indent=1))
    unfinished = sum(entry["state"] != "done" for entry in states.values())
    if unfinished:
        raise ValueError(f"{unfinished} of {len(audits)} audits have no result; run the same command again to resume.")


def _run_one(audit: PlannedAudit, arguments: argparse.Namespace) -> tuple[str, str]:
    folder = arguments.out / audit.name
    try:
        run = _run_for(audit.spec, folder)
        status = run.status()
        if status != Status("done"):  # one whose parts all succeeded is not even looked at again
            status = go_on_apart(run, means_of(arguments))
    except AlreadyRunning as problem:
        return "running", str(problem)
    except (ValueError, OSError) as problem:
        return "failed", str(problem)
    return status.state, status.message
