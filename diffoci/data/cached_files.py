"""Published files kept on this machine: which there are, and deleting them with the copies made of them.

Only folders that belong to a source are looked at: whatever else lies in the cache folder is not ours to delete. The
folder that DIFFOCI_DATA names belongs to whoever filled it; nothing in it is ever deleted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath

from diffoci.data.fetching.files import COPIES, cache_folder, data_folder
from diffoci.data.sources import list_sources


def cached_files() -> tuple[Path, ...]:
    """Return every file in the cache that was fetched, brought by hand or made of one; half ones included."""
    found = (path for folder in _folders() for path in folder.rglob("*") if path.is_file())
    return tuple(sorted(path for path in found if path.suffix != ".lock"))


def forget_cached(path: Path) -> None:
    """Delete a file of the cache, and the copies of whatever its source has, which are made again where needed."""
    forget_copies(path)
    path.unlink(missing_ok=True)
    _remove_empty(path.parent)


def forget_copies(path: Path) -> int:
    """Delete the copies that the cache holds of a source's files, given one of them; return how many there were."""
    copies = [copy for folder in _copies_beside(path) for copy in folder.rglob("*") if copy.is_file()]
    for copy in copies:
        copy.unlink(missing_ok=True)
        _remove_empty(copy.parent)
    return len(copies)


def forget_old_cached(is_over: Callable[[float], bool], *, needed: Callable[[], Collection[Path]]) -> int:
    """Delete what is too old by its time, but nothing that is needed; return how many files."""
    old = [path for path in cached_files() if is_over(_written(path))]
    kept = needed() if old else ()
    unneeded = [path for path in old if path.resolve() not in kept]
    for path in unneeded:
        forget_cached(path)
    return len(unneeded)


def _folders() -> Iterator[Path]:
    """Every folder of the cache that a source keeps files in, by the first part of its path."""
    names: set[str] = set()
    for source in list_sources():
        with contextlib.suppress(ValueError):
            names |= {PurePosixPath(file.folder).parts[0] for file in source.published({})}
    return (cache_folder() / name for name in sorted(names))


def _copies_beside(path: Path) -> Iterator[Path]:
    for root in filter(None, (data_folder(), cache_folder())):
        with contextlib.suppress(ValueError):
            yield cache_folder() / path.resolve().relative_to(root.resolve()).parts[0] / COPIES


def _written(path: Path) -> float:
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_mtime
    return float("inf")  # gone meanwhile


def _remove_empty(folder: Path) -> None:
    """Delete a folder that became empty, and those above it up to the cache's own."""
    with contextlib.suppress(OSError, ValueError):
        while folder.relative_to(cache_folder()).parts:
            folder.rmdir()
            folder = folder.parent
