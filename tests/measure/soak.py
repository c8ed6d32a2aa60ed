"""Fifty people reading for half an hour while an audit always runs; then 200 kills of server, worker and pool."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import psutil

from diffoci.audit.make_spec import make_spec
from diffoci.audit.spec import AuditSpec
from diffoci.audit.study import AUDIT
from diffoci.runs.queue import enqueue, standing, waiting
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run, now_running
from tests.browser.conftest import Server, free_port
from tests.measure.load import start_long_audits
from tests.measure.page_views import ADDRESSES
from tests.measure.same_numbers import compare, report
from tests.measure.sessions import Read, person
from tests.plain_result import found
from tests.sample_audit import make_sample

WARM = 0.2  # of the time: until then every page was drawn for the first time
MOST_GROWTH = 0.10
AUDITS = 4


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.soak", description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--killing", type=float, default=60, help="minutes after which nothing more is killed")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="diffoci-soak-"))
    os.environ.update(DIFFOCI_RUNS=str(folder / "runs"), DIFFOCI_CACHE=str(folder / "cache"), DIFFOCI_AT_ONCE="1")
    wrong = []
    if arguments.minutes:
        wrong += read(folder, arguments.people, arguments.minutes)
    if arguments.kills:
        wrong += kill(folder, arguments.kills, arguments.killing)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(" ".join(wrong) or 0)


def read(folder: Path, people: int, minutes: float) -> list[str]:
    """Let people read; return what was not as promised."""
    finished = make_sample()
    server = Server(folder, free_port())
    server.start()
    (long,) = start_long_audits(1)
    try:
        seen, memory = asyncio.run(_everybody(server, finished.id, people, minutes * 60))
        ran = long.id in now_running()
    finally:
        long.cancel()
        time.sleep(3.5)
        server.stop()
    median, most = np.quantile(seen.seconds, [0.5, 0.95])
    warm, end = memory[int(WARM * len(memory))], memory[-1]
    growth = end / warm - 1
    print(f"{people} people, {minutes:g} minutes, {seen.sessions} sessions, {len(seen.seconds)} pages read")
    print(f"half within {median:.2f} s, 95 % within {most:.2f} s, slowest {max(seen.seconds):.2f} s")
    print(f"memory of the server: {warm:.0f} MB when warm, {end:.0f} MB at the end ({growth:+.1%})")
    print(f"errors: {len(seen.errors)}")
    for error, count in Counter(seen.errors).most_common(5):
        print(f"  {count} x {error}")
    wrong = [f"{len(seen.errors)} errors."] if seen.errors else []
    wrong += ["No audit ran at the end."] if not ran else []
    return wrong + ([f"Memory grew by {growth:.1%}."] if growth > MOST_GROWTH else [])


async def _everybody(server: Server, audit: str, people: int, seconds: float) -> tuple[Read, list[float]]:
    assert server.process is not None
    seen, memory, until = Read(), [], time.monotonic() + seconds
    query = f"audit={audit}&first={audit}"
    reading = asyncio.gather(
        *(person(server.address, list(ADDRESSES.values()), query, seen, until=until, number=k) for k in range(people))
    )
    while not reading.done():
        await asyncio.wait([reading], timeout=5)
        memory.append(psutil.Process(server.process.pid).memory_info().rss / 1e6)
    await reading
    return seen, memory


def kill(folder: Path, kills: int, minutes: float) -> list[str]:
    """Kill processes while audits run, resume what was interrupted; return what was lost or is another number."""
    server = Server(folder, free_port())
    server.start()
    undisturbed = Run.create(AUDIT, _audit(), folder=folder / "undisturbed")
    execute(undisturbed, Means(jobs=2))
    expected, chance = found(undisturbed), random.Random(0)
    killed: Counter[str] = Counter()
    runs = [Run.create(AUDIT, _audit()) for _ in range(AUDITS)]
    finished: list[Run] = []
    begun, tried = time.monotonic(), True
    try:
        while tried or any(run.status().state != "done" for run in runs):
            for run in runs:
                # One that was just made is "waiting" as well: whether it has a place in the queue is another matter.
                if run.id not in waiting() and standing(run).state not in ("running", "done"):
                    enqueue(run)
            tried = killed.total() < kills and time.monotonic() - begun < 60 * minutes
            if not tried:
                time.sleep(0.5)
                continue
            time.sleep(chance.uniform(0.1, 2.5))
            if (who := _kill_one(server, chance)) is not None:
                killed[who] += 1
                if killed.total() % 20 == 0:
                    print(f"{killed.total()} kills after {(time.monotonic() - begun) / 60:.1f} minutes", flush=True)
                if who == "server":
                    server.start()
            for number, run in enumerate(runs):
                if run.status().state == "done":
                    finished.append(run)
                    runs[number] = Run.create(AUDIT, _audit())
    finally:
        for run in runs:
            run.cancel()
        server.stop()
    finished += runs
    # A part whose process is killed twice is given up, and the result says so; resuming the audit computes it.
    incomplete = [run for run in finished if run.result().failures]
    for run in incomplete:
        execute(run, Means(jobs=2))
    other = [run for run in finished if found(run) != expected]
    print(f"{killed.total()} kills: " + ", ".join(f"{who} {count}" for who, count in killed.items()))
    print(f"{len(finished)} audits finished, {len(incomplete)} of them with a part given up until they were resumed")
    for run in other:
        report(run.id, compare(expected, found(run)))
    return [f"{len(other)} of {len(finished)} audits have other numbers."] if other else []


def _kill_one(server: Server, chance: random.Random) -> str | None:
    """Kill the server, a worker or one of its pool, whichever chance says and is there."""
    assert server.process is not None
    workers = [child for child in psutil.process_iter(["cmdline"]) if _is_worker(child)]
    pools = [child for worker in workers for child in worker.children(recursive=True)]
    choices = {"worker": workers, "pool": pools, "server": [psutil.Process(server.process.pid)]}
    who = chance.choice(["worker", "pool", "server"])
    victims = choices[who]
    if not victims:
        return None
    try:
        os.kill(chance.choice(victims).pid, signal.SIGKILL)
    except ProcessLookupError:
        return None
    if who == "server":
        server.process.wait()
    return who


def _is_worker(process: psutil.Process) -> bool:
    words = process.info["cmdline"] or []
    return "diffoci.runs.worker" in words and os.environ["DIFFOCI_RUNS"] in " ".join(words)


def _audit() -> AuditSpec:
    short = {"max_epochs": 3, "patience": 3, "hidden": (16,)}
    settings = {"probe": short, "network": short, "vec": {"max_epochs": 20}, "curve": (), "null_draws": 100}
    return make_spec(
        "student", sensitive=["sex"], twin=True, preset="quick", methods=["standard", "dF3", "leace"], seeds=3,
        settings=settings, device="cpu",
    )  # fmt: skip


if __name__ == "__main__":
    main()
