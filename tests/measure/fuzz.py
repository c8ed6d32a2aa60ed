"""Damage files at random for ten minutes (or so many) and keep what breaks a reader in tests/fuzz/corpus."""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import tempfile
import time
import traceback
from collections import Counter

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.damage import Edit, TreeEdit, damaged_bytes, damaged_tree, edits, tree_edits
from tests.fuzz.readers import READERS
from tests.fuzz.test_readers import CORPUS, GENERATED, taken_or_refused
from tests.made_once import SHARED

AT_ONCE = 20


def main() -> None:
    """Take turns among the readers until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float, nargs="?", default=10)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory() as folder:
        os.environ[SHARED] = folder
        tried: Counter[str] = Counter()
        broken: dict[str, str] = {}
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            for name in READERS:
                _try(name, tried, broken)
    for name, count in tried.items():
        print(
            f"{name:12} {count:7,} damaged files, {sum(where.startswith(name) for where in broken):,} broke the reader"
        )
    for where, words in broken.items():
        print(f"\n{where}\n{words}")
    if broken:
        raise SystemExit(1)


def _try(name: str, tried: Counter[str], broken: dict[str, str]) -> None:
    """Some damaged files for one reader."""
    reader = READERS[name]
    files = reader.begin()

    @seed(random.getrandbits(64))
    @settings(GENERATED, max_examples=AT_ONCE)
    @given(st.sampled_from(files), edits, tree_edits, st.booleans())
    def damage(content: bytes, done: list[Edit], changes: list[TreeEdit], structured: bool) -> None:
        if structured and reader.tree is not None:
            content = reader.tree(content, lambda tree: damaged_tree(tree, changes))
        else:
            content = damaged_bytes(content, done)
        tried[name] += 1
        try:
            taken_or_refused(reader, content)
        except Exception:  # whatever it is, it is a finding
            where = traceback.format_exc().splitlines()
            last = next(
                (line.strip() for line in reversed(where) if line.strip().startswith("File") and "diffoci" in line), ""
            )
            if f"{name} {last}" not in broken:
                broken[f"{name} {last}"] = "\n".join(where[-6:])
                kept = CORPUS / name / hashlib.sha256(content).hexdigest()[:12]
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(content)

    damage()


if __name__ == "__main__":
    main()
