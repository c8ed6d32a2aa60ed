"""``diffoci log``: show the access log, and find out whether a line of it was removed or changed."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import msgspec

from diffoci.access_log import (
    BEGIN,
    Checked,
    Entry,
    Mark,
    check_log,
    head_file,
    log_file,
    read_log,
    set_aside,
)

_MARK = re.compile(r"(\d{1,15}):([0-9a-f]{64})")
_MOST_SHOWN = 20


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("log")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    checking = actions.add_parser("verify", help="whether a line was removed, changed, moved or cut off")
    checking.add_argument("--known", type=_mark, metavar="N:SHA256", help="what an earlier check said at its end")
    checking.add_argument(
        "--since", type=_mark, default=BEGIN, metavar="N:SHA256", help="the lines up to this one were taken away"
    )
    checking.set_defaults(run=run_verify)
    rotating = actions.add_parser("rotate", help="go on in a new file, whose first line follows the last of the old")
    rotating.set_defaults(run=run_rotate)
    showing = actions.add_parser("show", help="its lines, the oldest first")
    showing.add_argument("--last", type=int, metavar="N", help="only so many of the newest")
    showing.add_argument("--json", action="store_true", help="one JSON object per line")
    showing.set_defaults(run=run_show)
    for one in (checking, rotating):
        one.add_argument("--head", type=Path, metavar="FILE", help="where its head lies (default: beside the log)")
    for one in (checking, showing, rotating):
        one.add_argument("--log", type=Path, metavar="FILE", help="default: DIFFOCI_ACCESS_LOG, or below the runs")


def _mark(text: str) -> Mark:
    found = _MARK.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError("is the number of a line, a colon and 64 digits, as log verify prints them")
    return Mark(lines=int(found[1]), sha256=found[2])


def run_verify(arguments: argparse.Namespace) -> None:
    log, head = _files(arguments)
    checked = check_log(log, head, known=arguments.known, since=arguments.since)
    print(_extent(checked))
    for problem in checked.problems[:_MOST_SHOWN]:
        print(f"  {problem}")
    if len(checked.problems) > _MOST_SHOWN:
        print(f"  and {len(checked.problems) - _MOST_SHOWN:,} more")
    if checked.problems:
        raise ValueError(f"The access log {log} is not as it was written: {_first(checked.problems[0])}")
    print("No line was removed, changed, moved or cut off, as far as the log and its head can tell.")
    print(f"Note this elsewhere, and the next check can tell whether both were written anew: --known {checked.mark}")


def run_rotate(arguments: argparse.Namespace) -> None:
    log, head = _files(arguments)
    done = set_aside(log, head)
    if done is None:
        raise ValueError(f"The access log {log} has no line yet, so there is nothing to set aside.")
    older, mark = done
    print(f"{older}: the lines so far; {log} goes on after them")
    print(f"Where you take that file away, check what is left with: log verify --since {mark}")


def _files(arguments: argparse.Namespace) -> tuple[Path, Path]:
    log = arguments.log or log_file()
    beside = log.with_name(f"{log.name}.head") if arguments.log else head_file()
    return log, arguments.head or beside


def _extent(checked: Checked) -> str:
    if checked.first is None or checked.last is None:
        return "no line"
    lines = "1 line" if checked.lines == 1 else f"{checked.lines:,} lines"
    return f"{lines}, from {checked.first.time} to {checked.last.time}"


def _first(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:] if sentence.startswith("Line") else sentence


def run_show(arguments: argparse.Namespace) -> None:
    if arguments.last is not None and arguments.last < 1:
        raise ValueError("--last is how many lines to show: at least 1.")
    entries = read_log(arguments.log or log_file())
    for entry in entries[-(arguments.last or len(entries)) :]:
        print(json.dumps(msgspec.to_builtins(entry)) if arguments.json else _in_words(entry))


def _in_words(entry: Entry) -> str:
    who = entry.name or "somebody who is not signed in"
    thing = f"{entry.what} {entry.id}".strip()
    more = ", ".join(filter(None, (entry.why, f"{entry.times:,} times" if entry.times > 1 else "")))
    return f"{entry.n:6}  {entry.time}  {entry.event:8}  {thing}  {who}" + (f"  ({more})" if more else "")
