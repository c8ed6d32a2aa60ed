"""``diffoci reproduce``: run tables of the paper again and put its figures beside ours."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from diffoci.commands.foreground import add_means, go_on, means_of
from diffoci.commands.run_table import aligned, duration
from diffoci.labs.reproducible import PRESETS, Asked, PaperTable, Plan, Reproduced
from diffoci.labs.tables import TABLES
from diffoci.runs.files import plain, write_atomically
from diffoci.runs.runner import Means
from diffoci.runs.store import Run, list_runs

ALL = "all"
STOPPED = ("cancelled", "interrupted")
Kept = Mapping[tuple[str, str], Run]  # by study and digest: runs with the same give the same numbers


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("reproduce")
    parser.add_argument("table", choices=(*TABLES, ALL), metavar="TABLE", help=f"{', '.join(TABLES)}, or {ALL}")
    parser.add_argument("--preset", default="full", choices=PRESETS, help="quick: fewer repetitions (default: full)")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="also write the tables as one HTML file")
    add_means(parser)
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    tables = list(TABLES.values()) if arguments.table == ALL else [TABLES[arguments.table]]
    plans = {table.name: table.plan(arguments.preset) for table in tables}
    kept = kept_runs([asked for plan in plans.values() for asked in plan.asked])
    done: list[Reproduced] = []
    failed: dict[str, str] = {}
    for table in tables:
        try:
            done.append(reproduce(table, plans[table.name], means_of(arguments), kept))
        except (ValueError, OSError) as problem:
            if len(tables) == 1:
                raise
            failed[table.name] = str(problem)
    if arguments.json:
        rows = [{"table": one.table.name, **row.to_dict()} for one in done for row in one.rows]
        notes = {one.table.name: one.notes for one in done}
        seconds = {one.table.name: round(one.seconds, 1) for one in done}
        print(json.dumps(plain({"rows": rows, "notes": notes, "seconds": seconds, "failed": failed}, finite=True)))
    else:
        print("\n\n".join(map(_text, done)))
        print("".join(f"\n{name} failed: {why}" for name, why in failed.items()), end="\n" if failed else "")
    if arguments.out is not None:
        from diffoci.report.labs.paper_tables import paper_page

        write_atomically(arguments.out, paper_page(done, preset=arguments.preset).encode())
        if not arguments.json:
            print(f"written to {arguments.out}")
    return 1 if failed else 0


def reproduce(table: PaperTable, plan: Plan, means: Means, kept: Kept) -> Reproduced:
    """Run everything that a table needs and read its rows from the results."""
    start = time.monotonic()
    runs = [finished(asked, means, kept) for asked in plan.asked]
    results = tuple(run.result() for run in runs)
    return Reproduced(table, tuple(table.rows(results)), plan.notes, time.monotonic() - start, results)


def finished(asked: Asked, means: Means, kept: Kept) -> Run:
    """Run what is asked for to its end, or say in a sentence why it came to none."""
    begun = kept.get(_key(asked))
    if begun is not None and begun.status().state == "done":
        return begun
    run = begun or Run.create(asked.study, asked.spec)
    try:
        status = go_on(run, means)
    except (ValueError, OSError):
        run.discard()
        raise
    if status.state != "done":
        raise ValueError(f"{asked.study.describe(asked.spec)}: the run {status.state}. {status.message}".strip())
    return run


def _key(one: Asked | Run) -> tuple[str, str]:
    return one.study.name, one.spec.digest()


def kept_runs(asked: Sequence[Asked]) -> Kept:
    """What the same command, if it was stopped, has finished and begun; empty where nothing of it was stopped."""
    wanted = {_key(one) for one in asked}
    newest: dict[tuple[str, str], Run] = {}
    for run in list_runs():
        if _key(run) in wanted:
            newest.setdefault(_key(run), run)
    states = {key: run.status().state for key, run in newest.items()}
    if not any(state in STOPPED for state in states.values()):
        return {}
    return {key: run for key, run in newest.items() if states[key] in (*STOPPED, "done")}


def _text(done: Reproduced) -> str:
    header = ["data", "method", "measure", "here", "95 % interval", "paper", ""]
    lines = aligned([header, *_cells(done)])
    notes = [f"note: {note}" for note in done.notes]
    return "\n".join([done.table.title, done.table.about, "", *lines, f"{duration(done.seconds)}", *notes])


def _cells(done: Reproduced) -> Sequence[list[str]]:
    shown = []
    for row in done.rows:
        value = row.value
        limits = "" if value.low is None or value.high is None else f"{value.low:.3f} to {value.high:.3f}"
        agreement = row.agreement if row.agreement != "not in the paper" else ""
        why = f"{agreement}: {row.reason}" if agreement == "differs" and row.reason else agreement
        paper = "-" if row.paper is None else f"{row.paper:g}"
        here = "-" if value.mean is None else f"{value.mean:.3f}"
        shown.append([row.study, row.method, row.measure, here, limits, paper, why])
    return shown
