"""The queue: few runs at a time, people in turn, through restarts and changes of the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from diffoci.runs import queue
from diffoci.runs.store import Run, runs_root

NewRun = Callable[..., Run]


def cancelled(run: Run) -> Run:
    run.record("cancelled")
    return run


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(queue, "start", lambda folder, jobs: names.append(folder.name))
    return names


def test_a_run_starts_at_once_where_none_runs(new_run: NewRun, started: list[str]) -> None:
    run = new_run()
    queue.enqueue(run)
    assert started == [run.id]
    assert queue.waiting() == ()


def test_a_second_run_waits_and_starts_when_the_first_ends(new_run: NewRun, started: list[str]) -> None:
    first, second = new_run(), cancelled(new_run())
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


def test_waiting_survives_a_restart_of_the_server(new_run: NewRun, started: list[str]) -> None:
    first, second = new_run(), new_run()
    with first.lock():
        queue.enqueue(second)
    queue._watchers.clear()  # the server that watched is gone
    queue.advance()
    assert started == [second.id]


def test_cancelling_takes_a_run_out_of_the_queue(new_run: NewRun, started: list[str]) -> None:
    first, second = new_run(), new_run()
    with first.lock():
        queue.enqueue(second)
        queue.withdraw(second)
        assert queue.waiting() == ()
    assert queue.standing(second).state == "cancelled"
    queue.advance()
    assert started == []


def test_a_run_that_is_gone_does_not_hold_up_the_next(new_run: NewRun, started: list[str]) -> None:
    first, gone, third = (new_run() for _ in range(3))
    with first.lock():
        queue.enqueue(gone)
        queue.enqueue(third)
        (gone.folder / "spec.json").unlink()
    queue.advance()
    assert started == [third.id]


def test_people_take_turns(new_run: NewRun, started: list[str]) -> None:
    running, *others = (new_run() for _ in range(5))
    with running.lock():
        for run, who in zip(others, ("ann", "ann", "ann", "bob"), strict=True):
            queue.enqueue(run, who=who)
        first, second, third, fourth = others
        assert queue.waiting() == (first.id, fourth.id, second.id, third.id)
        (runs_root() / "queue-served").write_text("ann")
        assert queue.waiting() == (fourth.id, first.id, second.id, third.id)


def test_a_clock_set_back_does_not_change_the_order(
    new_run: NewRun, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    running, second, third = (new_run() for _ in range(3))
    with running.lock():
        queue.enqueue(second)
        monkeypatch.setattr(time, "time_ns", lambda: 5)
        queue.enqueue(third)
        assert queue.waiting() == (second.id, third.id)


def test_a_full_queue_says_so(new_run: NewRun, started: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_MOST_WAITING", "1")
    running, second, third = (new_run() for _ in range(3))
    with running.lock():
        queue.enqueue(second)
        with pytest.raises(ValueError, match="1 runs wait already, and this machine takes no more"):
            queue.enqueue(third)


def test_several_runs_share_the_cores(new_run: NewRun, started: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFFOCI_AT_ONCE", "2")
    shares: list[int] = []
    monkeypatch.setattr(queue, "start", lambda folder, jobs: shares.append(jobs))
    monkeypatch.setattr(queue, "cpu_count", lambda: 8)
    first, second, third = (new_run() for _ in range(3))
    with first.lock():
        queue.enqueue(second)
        assert shares == [4]
        with second.lock():
            queue.enqueue(third)
            assert shares == [4]


def test_one_person_cannot_take_every_place(
    new_run: NewRun, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIFFOCI_MOST_WAITING", "4")
    running, *others = (new_run() for _ in range(5))
    with running.lock():
        for run in others[:2]:
            queue.enqueue(run, who="ann")
        with pytest.raises(ValueError, match="2 of your runs wait already, half of the 4 places; the rest are kept"):
            queue.enqueue(others[2], who="ann")
        with pytest.raises(ValueError, match="2 of your runs wait already"):
            queue.check_room(who="ann")
        queue.enqueue(others[0], who="ann")  # resumed from another tab: it waits already
        queue.enqueue(others[3], who="bob")
        assert len(queue.waiting()) == 3
