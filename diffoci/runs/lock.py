"""A lock that lives exactly as long as the process that holds it, so a killed run is seen to be dead."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from diffoci.runs.files import said_in_words


class AlreadyRunning(ValueError):
    """Another live process works on this run."""

    def __init__(self) -> None:
        super().__init__("It is already running in another process; wait for it or cancel it.")


class RunLock:
    """Exclusive hold on a run directory.

    The kernel drops the lock when the last process holding its descriptor ends, however it ends; a process
    number in a file could not tell a dead worker from a stranger who got its number.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        os.set_inheritable(descriptor, False)  # else the processes of a pool would keep a dead run alive

    @classmethod
    def acquire(cls, path: Path, *, patience: float = 1.0) -> Self:
        """Take the lock, or raise `AlreadyRunning`. Others only looking hold it for microseconds, hence `patience`."""
        with said_in_words(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600)
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return cls(descriptor)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(descriptor)
                    raise AlreadyRunning from None
                time.sleep(0.02)

    @property
    def descriptor(self) -> int:
        """For handing the lock to a child process, which then holds it too."""
        return self._descriptor

    def close(self) -> None:
        """Let go. Closing, not unlocking: a child that was given the descriptor keeps the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def is_locked(path: Path) -> bool:
    """Say whether a live process holds the lock."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
