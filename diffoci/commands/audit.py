"""``diffoci audit``: train, measure and compare, in a run directory; one audit or a whole sweep."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path

from diffoci.audit.make_spec import make_spec, with_repetitions
from diffoci.audit.presets import PRESETS
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.audit.sweep import PlannedAudit, read_sweep
from diffoci.commands.foreground import add_means, go_on, go_on_apart, go_on_in_turn, means_of, show_result
from diffoci.commands.runs import title_of
from diffoci.commands.source_options import (
    add_any_option,
    add_source_options,
    given_options,
    read_value,
    split_assignments,
)
from diffoci.data.dataset import Dataset
from diffoci.data.sources import resolved, source_of
from diffoci.name_lists import join_names, split_names
from diffoci.runs.files import write_json
from diffoci.runs.lock import AlreadyRunning
from diffoci.runs.run_files import SCHEMA
from diffoci.runs.store import Run, Status


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("audit")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--data", metavar="NAME", help="a source (see diffoci data list), or csv:PATH for your own file")
    what.add_argument("--sweep", type=Path, metavar="FILE.toml", help="many audits from one file, each below --out")
    parser.add_argument("--sensitive", metavar="ATTRIBUTE,…", help="default: the source's own")
    parser.add_argument("--preset", default="standard", choices=tuple(PRESETS))
    parser.add_argument("--methods", metavar="NAME,…", help="representations to compare (default: the preset's)")
    parser.add_argument(
        "--splits",
        "--seeds",
        dest="seeds",
        type=int,
        metavar="N",
        help="repetitions of each method, each with its own split (default: the preset's)",
    )
    parser.add_argument("--twin", action="store_true", help="use the simulated twin of the source")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda", "mps"))
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run directory; an audit begun there is resumed")
    parser.add_argument(
        "--queue",
        action="store_true",
        help="wait for a turn among the runs of this machine, those from the pages included, and share the cores with "
        "them; Ctrl-C takes the audit out again",
    )
    add_means(parser)
    add_source_options(parser, lambda option: option.flag)
    add_any_option(parser)
    parser.add_argument("--drop", metavar="COL,…", help="features to leave out; quote a name that has a comma in it")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="a number of the preset")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> None:
    if arguments.queue and any((arguments.sweep, arguments.out, arguments.jobs, arguments.cluster)):
        raise ValueError(
            "The queue is that of this machine's folder of runs and shares out the cores itself: give --queue without "
            "--sweep, --out, --jobs and --cluster."
        )
    if arguments.sweep is not None:
        run_sweep(arguments)
        return
    means = means_of(arguments)
    source_of(arguments.data)  # a name that there is not is said at once
    if not arguments.queue:
        means.load_ahead(AUDIT)  # beside reading the specification, which loads much of the same here
    spec = _ready(_spec(arguments), sized=arguments.seeds is None)
    run = _run_for(spec, arguments.out)
    try:
        status = go_on_in_turn(run) if arguments.queue else go_on(run, means)
    except (ValueError, OSError):
        run.discard()
        raise
    if status.state == "failed":
        run.discard()  # which keeps whatever got as far as a plan
    show_result(run, status, as_json=arguments.json)
    if not arguments.json:
        print(f"kept in {run.folder}")


def _ready(spec: AuditSpec, *, sized: bool) -> AuditSpec:
    """Look at the rows before anything is trained: how many repetitions they ask for, and what decides the outcome."""
    try:
        dataset = AUDIT.load(spec)
    except (ValueError, OSError):
        return spec  # what cannot be loaded is said by the audit itself
    warn_of_deciding(spec, dataset)
    return with_repetitions(spec, len(dataset)) if sized else spec


def warn_of_deciding(spec: AuditSpec, dataset: Dataset) -> None:
    """Say which columns decide the outcome by themselves."""
    from diffoci.audit.before_training.deciding import deciding_columns

    for one in deciding_columns(dataset):
        before = spec.options.get("drop", ())
        left_out = shlex.quote(join_names([*([before] if isinstance(before, str) else before), one.column]))
        print(f"warning: {one.sentence(dataset.label_name)} Leave it out? --drop {left_out}", file=sys.stderr)


def _spec(arguments: argparse.Namespace) -> AuditSpec:
    source = source_of(arguments.data)
    options = given_options(arguments, source)
    if arguments.drop is not None:
        options["drop"] = split_names(arguments.drop)
    source.check_options(options, twin=arguments.twin)
    return make_spec(
        resolved(arguments.data),
        sensitive=_named(arguments.sensitive, "--sensitive"),
        preset=arguments.preset,
        methods=_named(arguments.methods, "--methods"),
        seeds=arguments.seeds,
        twin=arguments.twin,
        options=options,
        settings={name: read_value(text) for name, text in split_assignments(arguments.setting).items()},
        device=arguments.device,
    )


def _named(text: str | None, flag: str) -> list[str] | None:
    """The names of a flag that was given; it must hold one."""
    if text is None:
        return None
    if not (names := split_names(text)):
        raise ValueError(f"{flag} names nothing; give at least one name, or leave the flag out.")
    return names


def _run_for(spec: AuditSpec, folder: Path | None) -> Run:
    """Open the run of this specification in `folder`, or begin one."""
    if folder is None or not (folder / "spec.json").exists():
        if folder is not None and (folder / "sweep.json").exists():
            raise ValueError(f"{folder} holds a sweep; choose another folder with --out.")
        return Run.create(AUDIT, spec, folder=folder)
    run = Run.open(folder)
    if run.spec.digest() != spec.digest():
        raise ValueError(f"{folder} holds another run ({title_of(run)}); choose another folder with --out.")
    return run


def run_sweep(arguments: argparse.Namespace) -> None:
    """Run every audit of a sweep file that is not done yet; one that fails does not stop the others."""
    if arguments.out is None:
        raise ValueError("A sweep needs a folder to write to: give it with --out.")
    if (arguments.out / "spec.json").exists():
        raise ValueError(f"{arguments.out} holds a single audit; choose another folder with --out.")
    audits = read_sweep(arguments.sweep)
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
        if (folder / "result.json").exists() and (done := Run.open(folder)).status() == Status("done"):
            spec = with_repetitions(audit.spec, done.result().provenance.rows) if audit.sized else audit.spec
        else:  # one whose parts all succeeded is not even looked at again
            spec = _ready(audit.spec, sized=audit.sized)
        run = _run_for(spec, folder)
        status = run.status()
        if status != Status("done"):
            status = go_on_apart(run, means_of(arguments))
    except AlreadyRunning as problem:
        return "running", str(problem)
    except (ValueError, OSError) as problem:
        return "failed", str(problem)
    return status.state, status.message
