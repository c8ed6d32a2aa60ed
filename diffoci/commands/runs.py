"""``diffoci runs``: list, show, resume and cancel audits."""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from diffoci.commands.foreground import add_means, go_on, means_of, show_result
from diffoci.commands.run_table import progress_line, result_table
from diffoci.runs.launch import start
from diffoci.runs.progress import read_progress
from diffoci.runs.store import Run, is_id, list_runs, run_with_id

_DAMAGED = "damaged"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("runs", help="list, show, resume and cancel audits")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="every audit of this machine, or those below a folder")
    listing.add_argument("folder", type=Path, nargs="?", metavar="DIR", help="default: DIFFOCI_RUNS or the user's data")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=run_list)
    showing = _add_action(actions, "show", "how far an audit is, or its result")
    showing.add_argument("--json", action="store_true")
    showing.set_defaults(run=run_show)
    resuming = _add_action(actions, "resume", "continue an audit; what is finished is kept")
    add_means(resuming)
    resuming.add_argument("--detach", action="store_true", help="in the background")
    resuming.set_defaults(run=run_resume)
    cancelling = _add_action(actions, "cancel", "stop an audit; what is finished is kept")
    cancelling.set_defaults(run=run_cancel)


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
            raise ValueError(f"{len(found)} audits begin with {which}; give more digits.")
    raise ValueError(f"There is no audit '{which}': it is neither an id nor a run directory.")


def run_list(arguments: argparse.Namespace) -> None:
    rows = [_row(run) for run in list_runs()] if arguments.folder is None else _below(arguments.folder)
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["created"]))
        name = row["id"] if arguments.folder is None else Path(row["folder"]).name
        print(f"{name}  {row['state']:11}  {begun}  {row['data']} ({', '.join(row['sensitive'])}), {row['preset']}")
    if not rows:
        print("There is no audit yet.")


def _below(folder: Path) -> list[dict[str, Any]]:
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder}.")
    rows = []
    for path in sorted(folder.glob("*/spec.json")):
        try:
            rows.append(_row(Run.open(path.parent)))
        except (ValueError, OSError) as problem:  # one that is damaged must not hide the others
            unknown = {"id": "", "created": 0.0, "data": "unknown", "sensitive": [], "preset": "unknown"}
            rows.append({**unknown, "folder": str(path.parent), "state": _DAMAGED, "message": str(problem)})
    return rows


def _row(run: Run) -> dict[str, Any]:
    state, message = _DAMAGED, ""
    try:
        state, message = run.status().state, run.status().message
    except (ValueError, OSError) as problem:
        message = str(problem)
    return {
        "id": run.id,
        "folder": str(run.folder),
        "state": state,
        "message": message,
        "created": run.created,
        "data": run.spec.data + (" (simulated twin)" if run.spec.twin else ""),
        "sensitive": list(run.spec.sensitive),
        "preset": run.spec.preset,
    }


def run_show(arguments: argparse.Namespace) -> None:
    run = find(arguments.which)
    progress = read_progress(run.folder)
    if arguments.json:
        content = {**_row(run), "progress": asdict(progress)}
        if progress.state == "done":
            content["result"] = run.result()
        print(json.dumps(content, ensure_ascii=False, indent=1))
        return
    print(f"{run.id}  {run.spec.data}, {', '.join(run.spec.sensitive)}, {run.spec.preset}")
    if progress.state == "done":
        print(result_table(run.result()))
        return
    print(progress_line(progress))
    for cell in progress.cells:
        message = f"  {cell.message}" if cell.message else ""
        print(f"  {cell.state:8} {100 * cell.fraction:4.0f} %  {cell.stage} {cell.method}, seed {cell.seed}{message}")
    if progress.message:
        print(progress.message)


def run_resume(arguments: argparse.Namespace) -> None:
    run = find(arguments.which)
    if arguments.detach:
        if arguments.cluster is not None:
            raise ValueError("A run on a cluster cannot be detached; leave out --detach.")
        start(run.folder, jobs=arguments.jobs, engine=arguments.engine)
        print(f"Running in the background: python -m diffoci runs show {run.folder}")
        return
    show_result(run, go_on(run, means_of(arguments)), as_json=arguments.json)


def run_cancel(arguments: argparse.Namespace) -> None:
    run = find(arguments.which)
    state = run.status().state
    if state not in ("running", "waiting"):
        raise ValueError(f"This audit is not running: it is {state}.")
    run.cancel()
    deadline = time.monotonic() + 10.0
    while run.is_running() and time.monotonic() < deadline:
        time.sleep(0.1)
    state = run.status().state
    print(f"The audit is {state}." if state != "running" else "The audit was asked to stop and will.")
