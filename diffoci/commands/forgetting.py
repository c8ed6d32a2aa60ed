"""``diffoci data forget``: delete files that were uploaded here, or kept of what publishers have."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from diffoci.commands.access import note
from diffoci.commands.runs import described
from diffoci.data.cached_files import cached_files, forget_cached, forget_copies
from diffoci.data.fetching.files import sha256_of
from diffoci.runs.deletion import check_deletable, files_in_use, id_in
from diffoci.runs.remembered import forget_roles_of
from diffoci.runs.uploads import Needed, Upload, check_not_needed, forget_upload, uploads_of

_ALL = "all"
_DIGEST = re.compile(r"[0-9a-f]{8,64}")


def add_forgetting(actions: Any) -> None:
    """Add the action to the parser of ``diffoci data``."""
    parser = actions.add_parser("forget", help="delete an uploaded or cached file, or all of them")
    parser.add_argument("which", metavar="FILE|DIGEST|all", help="a file or its name, the beginning of its sha256")
    parser.add_argument("--with-audits", action="store_true", help="and what was computed from an uploaded file")
    parser.set_defaults(run=run_forget)


def run_forget(arguments: argparse.Namespace) -> None:
    which = arguments.which
    uploads = [upload for upload in uploads_of() if which == _ALL or _is_upload(which, upload)]
    cached = _cached(which, of_upload=bool(uploads))
    _check_none_needed(uploads, cached)
    left = _forget_uploads(uploads, with_audits=arguments.with_audits)
    for path in cached:
        note("deleted", "cache")
        forget_cached(path)
        print(f"Deleted: {path}")
    copies = forget_copies(Path(which)) if Path(which).is_file() else 0
    if copies:
        print(f"Deleted: {copies} {'copy' if copies == 1 else 'copies'} made of the files of its source")
    if uploads or cached or copies:
        _say_what_stays(which, left)
    elif which == _ALL:
        print("Nothing is kept here.")
    else:
        raise ValueError(f"Nothing is kept here of '{which}': no upload and no cached file has that name or sha256.")


def _check_none_needed(uploads: Iterable[Upload], cached: Iterable[Path]) -> None:
    """Refuse before anything is deleted."""
    for upload in uploads:
        check_not_needed(upload)
    in_use = files_in_use()
    for path in cached:
        if path.resolve() in in_use:
            raise Needed(path.name)


def _forget_uploads(uploads: Iterable[Upload], *, with_audits: bool) -> list[str]:
    """Delete uploaded files and return the ids of their audits that stay."""
    left: list[str] = []
    for upload in uploads:
        title, readers = upload.title, upload.readers()
        audits = {folder.name: described(folder) for folder in readers}
        for folder in readers if with_audits else ():
            check_deletable(folder)
            note("deleted", "audit", id_in(folder))
        note("deleted", "upload", upload.digest)
        forget_upload(upload, with_runs=with_audits)
        forget_roles_of(upload.folder)
        print(f"Deleted: {title}, uploaded, sha256 {upload.digest}")
        if with_audits:
            print(*(f"Deleted: {said}" for said in audits.values()), sep="\n", end="\n" if audits else "")
        else:
            left += audits
    return left


def _is_upload(which: str, upload: Upload) -> bool:
    if _DIGEST.fullmatch(which):
        return upload.digest.startswith(which)
    path = Path(which)
    if path.is_file():
        return path.resolve().parent == upload.folder.resolve() or sha256_of(path) == upload.digest
    return any(file.name == which for file in upload.files)


def _cached(which: str, *, of_upload: bool) -> list[Path]:
    """Return the files of the cache that are meant; where an upload is, a digest means no other file."""
    files = cached_files()
    if which == _ALL:
        return list(files)
    if _DIGEST.fullmatch(which):
        return [] if of_upload else [path for path in files if sha256_of(path).startswith(which)]
    path = Path(which)
    if not path.is_file():
        return [file for file in files if file.name == which]
    same_size = (file for file in files if file.stat().st_size == path.stat().st_size)
    return [file for file in same_size if file.samefile(path) or sha256_of(file) == sha256_of(path)]


def _say_what_stays(which: str, left: Iterable[str]) -> None:
    if Path(which).is_file():
        print(f"{which} itself is yours and stays.")
    if names := " ".join(dict.fromkeys(left)):
        print("Audits of it stay; they hold names of columns and groups, counts, and numbers made from its rows.")
        print(f"Delete them with: python -m diffoci runs delete {names}")
