"""Choices for a set of columns are remembered for their owner alone, and only so many of them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from diffoci.runs import remembered
from diffoci.runs.store import runs_root

FILE = Path("/uploads/ann/abc/people.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path))


def test_the_same_columns_in_another_order_are_remembered() -> None:
    remembered.remember(["a", "b"], {"label": "a"}, file=FILE, owner="ann")
    assert remembered.remembered(["b", "a"], owner="ann") == {"label": "a"}
    assert remembered.remembered(["a", "b", "c"], owner="ann") is None


def test_nobody_else_is_told() -> None:
    remembered.remember(["a", "b"], {"label": "a"}, file=FILE, owner="ann")
    assert remembered.remembered(["a", "b"], owner="bob") is None
    assert remembered.remembered(["a", "b"], owner="") is None


def test_the_oldest_are_forgotten_of_each_owner_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST", 2)
    now = time.time()
    remembered.remember(["x"], {}, file=FILE, owner="bob")
    for age, name in enumerate(("new", "older", "oldest")):
        remembered.remember([name], {}, file=FILE, owner="ann")
        os.utime(max((runs_root() / "remembered").rglob("*.json"), key=os.path.getmtime), (now - 100 * age - 100,) * 2)
    remembered.remember(["newest"], {}, file=FILE, owner="ann")
    known = [name for name in ("newest", "new", "older", "oldest") if remembered.remembered([name], owner="ann") == {}]
    assert known == ["newest", "new"]
    assert remembered.remembered(["x"], owner="bob") == {}


@pytest.mark.parametrize("content", [b"", b"[]", b'{"schema": 1, "owner": "ann", "choices": 3}', b'{"schema": 9}'])
def test_a_damaged_file_is_nothing_remembered(content: bytes) -> None:
    remembered.remember(["a"], {"label": "a"}, file=FILE, owner="ann")
    next((runs_root() / "remembered").rglob("*.json")).write_bytes(content)
    assert remembered.remembered(["a"], owner="ann") is None


def test_what_was_chosen_long_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    remembered.remember(["a"], {"label": "a"}, file=FILE, owner="ann")
    path = next((runs_root() / "remembered").rglob("*.json"))
    os.utime(path, (0, 0))
    assert remembered.remembered(["a"], owner="ann") is None
    monkeypatch.setenv("DIFFOCI_ROLES_DAYS", "none")
    assert remembered.remembered(["a"], owner="ann") == {"label": "a"}
    monkeypatch.delenv("DIFFOCI_ROLES_DAYS")
    assert remembered.forget_old_roles() == 1
    assert not path.exists()


def test_deleting_a_file_deletes_what_was_chosen_for_it() -> None:
    remembered.remember(["a"], {}, file=FILE, owner="ann")
    remembered.remember(["b"], {}, file=Path("/uploads/ann/def/other.csv"), owner="ann")
    assert remembered.forget_roles_of(FILE.parent) == 1
    assert remembered.remembered(["a"], owner="ann") is None
    assert remembered.remembered(["b"], owner="ann") == {}
