"""``python -m tests.measure.same_numbers KEPT [--now NOW]``: three audits give the numbers they gave before.

KEPT holds their results from before: student.json, truth.json and acs.json (``diffoci audit … --json``). Without NOW
the three audits are run again, on generated data; with it the results in that folder are compared. They are run with
the quick preset as it was then, value by value, since presets change on purpose.

Against results from before one-column T went by sorting, dF2 and dF3+penalty differ: sorting sums in another order than
all pairs do, and training makes more of the last digit. Everything else is to be the same.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

AUDITS = {
    "student": "--data student --twin --sensitive sex --preset quick --seeds 3",
    "truth": "--data truth --preset quick --seeds 2",
    "acs": "--data acs-income --twin --option rows=6000 --sensitive sex,race --preset quick --seeds 2",
}
# Values of the quick preset at the commit whose results are kept: random splits, and how penalties were trained.
THEN = (
    "fold_rows=0",
    "penalties=[0.3]",
    "dF2_penalties=[0.3]",
    'penalised={penalty_beta = 10.0, measure = "T-codes", neighbours = "all", batch_size = 1024, least_batches = 8, '
    "rows_for_sharpness = 64, small_data_epochs = 4}",
)
# What no two runs have in common.
IGNORED = re.compile(r"id|provenance\.seconds")
# Entries with another name now: the one before, the one now ("" where it is gone on purpose), and why. A list's entries
# are meant by [].
RENAMED: dict[str, tuple[str, str]] = {
    f"features.exact.columns.harmless_{k}": (
        f"features.exact.columns.useful_{k}",
        "what such a column is, not a promise",
    )
    for k in (1, 2, 3)
}
MOST_SHOWN = 20


@dataclass(frozen=True)
class Comparison:
    """How two results compare: paths of entries, with both values where they differ."""

    equal: int
    different: list[str] = field(default_factory=list)
    reworded: list[str] = field(default_factory=list)
    only_before: list[str] = field(default_factory=list)
    only_now: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether every number is still there and the same."""
        return not self.different and not self.only_before


def compare(before: Any, now: Any, *, renamed: dict[str, tuple[str, str]] = RENAMED) -> Comparison:
    """Compare two results entry by entry.

    Examples
    --------
    >>> compare({"T": 0.5, "n": 3, "curve": {}}, {"T": 0.25, "n": 3, "curve": None, "new": 1})
    Comparison(equal=2, different=['T: 0.5 -> 0.25'], reworded=[], only_before=[], only_now=['new: 1'])
    """
    old = {name: value for path, value in _entries(before) if (name := _named_now(path, renamed))}
    new = dict(_entries(now))
    both = [path for path in old if path in new]
    changed = [path for path in both if not _same(old[path], new[path])]
    texts = {path for path in changed if isinstance(old[path], str) and isinstance(new[path], str)}
    return Comparison(
        equal=len(both) - len(changed),
        different=[f"{path}: {old[path]!r} -> {new[path]!r}" for path in changed if path not in texts],
        reworded=[f"{path}: {old[path]!r} -> {new[path]!r}" for path in changed if path in texts],
        only_before=[f"{path}: {value!r}" for path, value in old.items() if path not in new],
        only_now=[f"{path}: {value!r}" for path, value in new.items() if path not in old],
    )


def _entries(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number, text and absence with its path; an empty object is an absence."""
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            yield from _entries(entry, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for k, entry in enumerate(value):
            yield from _entries(entry, f"{path}[{k}]")
    elif not IGNORED.fullmatch(path):
        yield path, None if value == {} else value


def _named_now(path: str, renamed: dict[str, tuple[str, str]]) -> str:
    for before, (now, _) in renamed.items():
        pattern = re.escape(before).replace(r"\[\]", r"(\[\d+\])")
        if found := re.match(rf"{pattern}(?=[.\[]|$)", path):
            return now and now.replace("[]", "{}").format(*found.groups()) + path[found.end() :]
    return path


def _same(before: Any, now: Any) -> bool:
    """To the last digit; true and 1 are two things."""
    return isinstance(before, bool) == isinstance(now, bool) and bool(before == now)


def run_again(options: str) -> dict[str, Any]:
    """Run an audit as anybody would, without real data, and return its result."""
    environment = {name: value for name, value in os.environ.items() if name != "DIFFOCI_DATA"}
    with tempfile.TemporaryDirectory(prefix="diffoci-same-") as folder:
        settings = [word for value in THEN for word in ("--setting", value)]
        words = [
            sys.executable,
            "-m",
            "diffoci",
            "audit",
            *options.split(),
            *settings,
            "--out",
            f"{folder}/run",
            "--json",
        ]
        run = subprocess.run(words, env=environment, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(run.stdout))


def report(name: str, found: Comparison) -> None:
    """Say what is the same and what is not, with the first entries of each kind."""
    print(f"{name}: {found.equal:,} entries are equal")
    kinds = {
        "have another value": found.different,
        "are another text": found.reworded,
        "were there before only": found.only_before,
        "are there now only": found.only_now,
    }
    for words, lines in kinds.items():
        if lines:
            print(f"  {len(lines):,} {words}")
            print("".join(f"    {line[:200]}\n" for line in lines[:MOST_SHOWN]), end="")
            if len(lines) > MOST_SHOWN:
                print(f"    and {len(lines) - MOST_SHOWN:,} more")


def main() -> int:
    """Compare the three audits; 1 where a number differs or is gone."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("kept", type=Path)
    reading.add_argument("--now", type=Path)
    asked = reading.parse_args()
    holds = True
    for name, options in AUDITS.items():
        before = json.loads((asked.kept / f"{name}.json").read_text())
        now = json.loads((asked.now / f"{name}.json").read_text()) if asked.now else run_again(options)
        found = compare(before, now)
        report(name, found)
        holds = holds and found.holds
    for before, (now, why) in RENAMED.items():
        print(f"{before} is {now or 'gone'} now: {why}")
    print("Every number is the same." if holds else "Numbers differ or are gone.")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
