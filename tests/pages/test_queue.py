"""The queue: one audit at a time, in order, through restarts."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from diffoci.runs.store import Run
from diffoci.ui import queue


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder: names.append(folder.name))
    return names


def test_an_audit_starts_at_once_where_none_runs(audit_in: Callable[[str], Run], started: list[str]) -> None:
    run = audit_in("waiting")
    queue.enqueue(run)
    assert started == [run.id]
    assert queue.waiting() == ()


def test_a_second_audit_waits_and_starts_when_the_first_ends(
    audit_in: Callable[[str], Run], started: list[str]
) -> None:
    first, second = audit_in("waiting"), audit_in("cancelled")
    with first.lock():
        queue.enqueue(second)
        queue.enqueue(second)  # a second tab
        time.sleep(0.8)
        assert started == []
        assert queue.waiting() == (second.id,)
        assert queue.standing(second).state == "waiting"
    deadline = time.monotonic() + 10
    while not started and time.monotonic() < deadline:
        time.sleep(0.05)
    assert started == [second.id]


def test_waiting_survives_a_restart_of_the_server(audit_in: Callable[[str], Run], started: list[str]) -> None:
    first, second = audit_in("waiting"), audit_in("waiting")
    with first.lock():
        queue.enqueue(second)
    queue._watchers.clear()  # the server that watched is gone
    queue.advance()
    assert started == [second.id]


def test_cancelling_takes_an_audit_out_of_the_queue(audit_in: Callable[[str], Run], started: list[str]) -> None:
    first, second = audit_in("waiting"), audit_in("waiting")
    with first.lock():
        queue.enqueue(second)
        queue.withdraw(second)
        assert queue.waiting() == ()
    assert queue.standing(second).state == "cancelled"
    queue.advance()
    assert started == []


def test_an_audit_that_is_gone_does_not_hold_up_the_next(audit_in: Callable[[str], Run], started: list[str]) -> None:
    first, gone, third = (audit_in("waiting") for _ in range(3))
    with first.lock():
        queue.enqueue(gone)
        queue.enqueue(third)
        (gone.folder / "spec.json").unlink()
    queue.advance()
    assert started == [third.id]
