"""The queue: few audits at a time, people in turn, through restarts and changes of the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from diffoci.runs.store import Run
from diffoci.ui import queue


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder, jobs: names.append(folder.name))
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


def test_people_take_turns(audit_in: Callable[[str], Run], started: list[str]) -> None:
    running, *others = (audit_in("waiting") for _ in range(5))
    with running.lock():
        for run, who in zip(others, ("ann", "ann", "ann", "bob"), strict=True):
            queue.enqueue(run, who=who)
        first, second, third, fourth = others
        assert queue.waiting() == (first.id, fourth.id, second.id, third.id)
        (queue.runs_root() / "queue-served").write_text("ann")
        assert queue.waiting() == (fourth.id, first.id, second.id, third.id)


def test_a_clock_set_back_does_not_change_the_order(
    audit_in: Callable[[str], Run], started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    running, second, third = (audit_in("waiting") for _ in range(3))
    with running.lock():
        queue.enqueue(second)
        monkeypatch.setattr(queue.time, "time_ns", lambda: 5)
        queue.enqueue(third)
        assert queue.waiting() == (second.id, third.id)


def test_a_full_queue_says_so(
    audit_in: Callable[[str], Run], started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_MOST_WAITING", "1")
    running, second, third = (audit_in("waiting") for _ in range(3))
    with running.lock():
        queue.enqueue(second)
        with pytest.raises(ValueError, match="1 audits wait already, and this server takes no more"):
            queue.enqueue(third)


def test_several_audits_share_the_cores(
    audit_in: Callable[[str], Run], started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_AT_ONCE", "2")
    shares: list[int] = []
    monkeypatch.setattr(queue, "start", lambda folder, jobs: shares.append(jobs))
    monkeypatch.setattr(queue, "cpu_count", lambda: 8)
    first, second, third = (audit_in("waiting") for _ in range(3))
    with first.lock():
        queue.enqueue(second)
        assert shares == [4]
        with second.lock():
            queue.enqueue(third)
            assert shares == [4]


def test_one_person_cannot_take_every_place(
    audit_in: Callable[[str], Run], started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_MOST_WAITING", "4")
    running, *others = (audit_in("waiting") for _ in range(5))
    with running.lock():
        for run in others[:2]:
            queue.enqueue(run, who="ann")
        with pytest.raises(ValueError, match="2 of your audits wait already, half of the 4 places; the rest are kept"):
            queue.enqueue(others[2], who="ann")
        with pytest.raises(ValueError, match="2 of your audits wait already"):
            queue.check_room(who="ann")
        queue.enqueue(others[0], who="ann")  # resumed from another tab: it waits already
        queue.enqueue(others[3], who="bob")
        assert len(queue.waiting()) == 3
