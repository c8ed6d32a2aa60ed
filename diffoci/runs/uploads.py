"""Files that people brought: where they lie, whose they are, and deleting one with every trace of it.

Whoever signs in has a folder of their own; below it each file has one named by the digest of its content.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from diffoci.runs.deletion import check_deletable, delete_run, files_in_use, folders_reading
from diffoci.runs.drafts import forget_drafts_of
from diffoci.runs.files import remove_folder
from diffoci.runs.retention import UPLOADS
from diffoci.runs.run_files import is_id
from diffoci.runs.store import runs_root

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Needed(ValueError):
    """A file is not deleted while a run needs it that goes on or waits."""

    def __init__(self, title: str) -> None:
        super().__init__(f"A running or waiting run needs {title}; cancel the run or wait for its end.")


@dataclass(frozen=True)
class Upload:
    """One content that was brought, in a folder of its own, under the name or names it was brought by."""

    folder: Path

    @property
    def digest(self) -> str:
        return self.folder.name

    @cached_property
    def files(self) -> tuple[Path, ...]:
        return tuple(sorted(path for path in self.folder.iterdir() if path.is_file()))

    @property
    def title(self) -> str:
        return " or ".join(path.name for path in self.files) or "a file that was never whole"

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.files)

    @property
    def brought(self) -> float:
        """When it was brought last, in seconds since 1970."""
        return max(path.stat().st_mtime for path in (self.files or (self.folder,)))

    def readers(self) -> tuple[Path, ...]:
        """Return the run directories that are computed from it."""
        return folders_reading(self.folder)


def uploads_folder(owner: str = "") -> Path:
    """Return where the files of a person are kept; of everybody where nobody signs in."""
    return runs_root() / "uploads" / owner


def uploads_of(owner: str = "") -> tuple[Upload, ...]:
    """Return what a person brought, the latest first; what everybody brought where nobody signs in."""
    found = {}
    for folder in (folder for parent in _parents(owner) for folder in _digests(parent)):
        with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
            found[Upload(folder)] = Upload(folder).brought
    return tuple(sorted(found, key=found.__getitem__, reverse=True))


def _parents(owner: str) -> list[Path]:
    folder = uploads_folder(owner)
    if owner or not folder.is_dir():
        return [folder]
    return [folder, *(one for one in folder.iterdir() if is_id(one.name))]


def _digests(parent: Path) -> list[Path]:
    return [one for one in parent.iterdir() if _DIGEST.fullmatch(one.name)] if parent.is_dir() else []


def check_not_needed(upload: Upload) -> None:
    """Refuse, in a sentence, to delete a file that a run needs which goes on or waits."""
    if any(path.is_relative_to(upload.folder.resolve()) for path in files_in_use()):
        raise Needed(upload.title)


def forget_upload(upload: Upload, *, with_runs: bool = False) -> tuple[Path, ...]:
    """Delete a file that was brought and the drafts that name it; with `with_runs` also what was computed from it.

    Returns
    -------
    tuple of Path
        The run directories that are computed from it: still there without `with_runs`.

    Raises
    ------
    Needed
        If a run that goes on or waits needs the file; nothing is deleted then.
    """
    check_not_needed(upload)
    readers = upload.readers()
    if with_runs:
        for folder in readers:
            check_deletable(folder)
        for folder in readers:
            delete_run(folder)
    remove_folder(upload.folder)
    forget_drafts_of(upload.folder)
    return readers


def forget_old_uploads() -> int:
    """Delete the files that are too old and that no run needs which goes on or waits; return how many."""
    return sum(_forget_unless_needed(upload) for upload in uploads_of() if UPLOADS.is_over(upload.brought))


def _forget_unless_needed(upload: Upload) -> bool:
    try:
        forget_upload(upload)
    except Needed:
        return False
    return True
