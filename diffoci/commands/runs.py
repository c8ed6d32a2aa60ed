"""``diffoci runs``: list, show, name, resume, cancel and delete runs, of whatever study."""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from diffoci.commands.access import note
from diffoci.commands.foreground import add_means, go_on, means_of, show_result
from diffoci.commands.late import put_off
from diffoci.commands.run_table import progress_line, result_text
from diffoci.runs.deletion import check_deletable, deletable_runs, delete_run, id_in
from diffoci.runs.files import read_json
from diffoci.runs.launch import start
from diffoci.runs.names import LONGEST_NAME, LONGEST_NOTE, give_name, named
from diffoci.runs.progress import read_progress
from diffoci.runs.queue import standing, waiting, withdraw
from diffoci.runs.retention import seconds_of
from diffoci.runs.run_files import is_id
from diffoci.runs.store import Run, list_runs, run_with_id, runs_root

# What tables are read with: a list of runs names their data and reads none.
_LATE = ("pandas", "pyarrow", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet")
_DAMAGED = "damaged"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("runs")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="every run of this machine, or those below a folder")
    listing.add_argument("folder", type=Path, nargs="?", metavar="DIR", help="default: DIFFOCI_RUNS or the user's data")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=run_list)
    showing = _add_action(actions, "show", "how far a run is, or its result")
    showing.add_argument("--json", action="store_true")
    showing.set_defaults(run=run_show)
    naming = _add_action(actions, "name", "give a run a name and a note; an empty name takes it away")
    naming.add_argument("name", metavar="NAME", help=f"at most {LONGEST_NAME} letters")
    naming.add_argument("--note", metavar="TEXT", help=f"at most {LONGEST_NOTE} letters; without it the note stays")
    naming.set_defaults(run=run_name)
    resuming = _add_action(actions, "resume", "continue a run; what is finished is kept")
    add_means(resuming)
    resuming.add_argument("--detach", action="store_true", help="in the background")
    resuming.set_defaults(run=run_resume)
    cancelling = _add_action(actions, "cancel", "stop a run, or take it out of the queue; what is finished is kept")
    cancelling.set_defaults(run=run_cancel)
    deleting = actions.add_parser("delete", help="delete runs with everything in them, for good")
    deleting.add_argument("which", nargs="+", metavar="ID|DIR", help="id, its first digits, or run directory")
    deleting.set_defaults(run=run_delete)
    purging = actions.add_parser("purge", help="delete the runs of this machine that nobody worked on for long")
    purging.add_argument("--older-than", required=True, metavar="AGE", help="such as 12h, 30d or 8w")
    purging.add_argument("--dry-run", action="store_true", help="only say which")
    purging.set_defaults(run=run_purge)


def _add_action(actions: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text)
    parser.add_argument("which", metavar="ID|DIR", help="id, its first digits, or run directory")
    return parser


def find(which: str) -> Run:
    """Return the run meant by an id, the beginning of one, or a folder."""
    if is_id(which):
        return run_with_id(which)
    if (Path(which) / "spec.json").exists():
        return Run.open(Path(which))
    if re.fullmatch(r"[0-9a-f]{4,31}", which):
        found = [run for run in list_runs() if run.id.startswith(which)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ValueError(f"{len(found)} runs begin with {which}; give more digits.")
    raise ValueError(f"There is no run '{which}': it is neither an id nor a run directory.")


def find_audit(which: str) -> Run:
    """Return the run meant, if it is an audit."""
    from diffoci.audit.study import AUDIT

    run = find(which)
    if run.study.name != AUDIT.name:
        raise ValueError(f"'{which}' is no audit: it is a run of another study, {run.study.title}.")
    return run


def run_list(arguments: argparse.Namespace) -> None:
    for library in _LATE:
        put_off(library)
    rows = [_row(run) for run in list_runs()] if arguments.folder is None else _below(arguments.folder)
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["created"]))
        name = row["id"] if arguments.folder is None else Path(row["folder"]).name
        called = f"{row['name']}  " if row["name"] else ""
        print(f"{name}  {row['state']:11}  {begun}  {row['study']}  {called}{row['title']}")
    if not rows:
        print("There is no run yet.")


def _below(folder: Path) -> list[dict[str, Any]]:
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder}.")
    rows = []
    for path in sorted(folder.glob("*/spec.json")):
        try:
            rows.append(_row(Run.open(path.parent)))
        except (ValueError, OSError) as problem:  # one that is damaged must not hide the others
            unknown = {
                "id": "", "created": 0.0, "study": "unknown", "name": "", "note": "", "title": "unknown", "spec": {},
            }  # fmt: skip
            rows.append({**unknown, "folder": str(path.parent), "state": _DAMAGED, "message": str(problem)})
    return rows


def _row(run: Run) -> dict[str, Any]:
    try:
        status = standing(run)
        state, message = str(status.state), status.message
    except (ValueError, OSError) as problem:
        state, message = _DAMAGED, str(problem)
    given = named(run)
    return {
        "id": run.id,
        "folder": str(run.folder),
        "state": state,
        "message": message,
        "created": run.created,
        "study": run.study.name,
        "name": given.name,
        "note": given.note,
        "title": title_of(run),
        "spec": run.spec.to_dict(),
    }


def title_of(run: Run) -> str:
    """Name a run in one line."""
    simulated = "simulated" if run.study.is_simulated(run.spec) else ""
    return ", ".join(filter(None, (run.study.describe(run.spec), simulated, run.study.details(run.spec))))


def run_show(arguments: argparse.Namespace) -> None:
    run = find(arguments.which)
    note("opened", "audit", run.id)
    progress = read_progress(run.folder)
    if arguments.json:
        content = {**_row(run), "progress": asdict(progress)}
        if progress.state == "done":
            run.result()  # what cannot be read is not printed either
            content["result"] = read_json(run.result_file)
        print(json.dumps(content, ensure_ascii=False, indent=1))
        return
    given = named(run)
    print("  ".join(filter(None, (run.id, given.name, title_of(run)))))
    if given.note:
        print(given.note)
    if progress.state == "done":
        print(result_text(run))
        return
    print(progress_line(progress))
    for cell in progress.cells:
        message = f"  {cell.message}" if cell.message else ""
        print(f"  {cell.state:8} {100 * cell.fraction:4.0f} %  {cell.title}, seed {cell.seed}{message}")
    if progress.message:
        print(progress.message)


def run_name(arguments: argparse.Namespace) -> None:
    run = find(arguments.which)
    given = give_name(run, arguments.name, note=arguments.note)
    print(f"{run.id}  {given.name}" if given.name else f"{run.id} has no name any more.")


def run_resume(arguments: argparse.Namespace) -> None:
    run = find(arguments.which)
    if arguments.detach:
        if arguments.cluster is not None:
            raise ValueError("A run on a cluster cannot be detached; leave out --detach.")
        note("started", "audit", run.id)
        start(run.folder, jobs=arguments.jobs)
        print(f"Running in the background: python -m diffoci runs show {run.folder}")
        return
    show_result(run, go_on(run, means_of(arguments)), as_json=arguments.json)


def run_cancel(arguments: argparse.Namespace) -> None:
    run = find(arguments.which)
    state = run.status().state
    if state not in ("running", "waiting"):
        raise ValueError(f"This run does not go on: it is {state}.")
    if run.id in waiting():
        withdraw(run)
    else:
        run.cancel()
    deadline = time.monotonic() + 10.0
    while run.is_running() and time.monotonic() < deadline:
        time.sleep(0.1)
    state = run.status().state
    print(f"The run is {state}." if state != "running" else "The run was asked to stop and will.")


def run_delete(arguments: argparse.Namespace) -> None:
    folders = list(dict.fromkeys(_folder_of(which) for which in arguments.which))
    for folder in folders:  # before anything is deleted
        check_deletable(folder)
    for folder in folders:
        said = described(folder)
        note("deleted", "audit", id_in(folder))
        delete_run(folder)
        print(f"Deleted: {said}")


def _folder_of(which: str) -> Path:
    """Return the directory of the run meant; a damaged one is found by its id, or where it lies."""
    if is_id(which) and (runs_root() / which).is_dir():
        return runs_root() / which
    if (Path(which) / "spec.json").exists():
        return Path(which).resolve()
    return find(which).folder


def run_purge(arguments: argparse.Namespace) -> None:
    folders = deletable_runs(older_than=seconds_of(arguments.older_than))
    for folder in folders:
        said = described(folder)
        if arguments.dry_run:
            print(f"Would be deleted: {said}")
        else:
            note("deleted", "audit", id_in(folder))
            delete_run(folder)
            print(f"Deleted: {said}")
    if not folders:
        print(f"There is no run that nobody worked on for {arguments.older_than}.")


def described(folder: Path) -> str:
    """Name the run of a directory in one line, a damaged one by its folder."""
    try:
        run = Run.open(folder)
        return f"{run.id}  {title_of(run)}"
    except (ValueError, OSError):
        return f"{folder.name}  {_DAMAGED}"
