"""Read a zip file from a stranger: bounded, by allowed names only, into a folder; nothing in it is executed."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from diffoci.runs.typed_json import parse

MANIFEST = "manifest.json"
FORMAT = "diffoci audit"  # so called since there was no other study
MOST_FILES = 20_000
MOST_BYTES = 1_000_000_000  # of all files unpacked
MOST_BYTES_OF_ONE = 250_000_000
MOST_BYTES_OF_JSON = 20_000_000  # read whole, into objects of many times its size; a large one has half a megabyte
MOST_BYTES_OF_LINES = 5_000_000  # of a cell's history, likewise; that of a long training has a tenth of it
MOST_BYTES_OF_MANIFEST = 10_000_000
# Lines of progress repeat themselves and shrink thirtyfold; what shrinks more than this is made to exhaust the disk.
MOST_SHRUNK = 200
SHRINKING_COUNTS_FROM = 1_000_000  # bytes: a small file does no harm however much it shrank
_STEM = r"[A-Za-z0-9_+-][A-Za-z0-9._+-]{0,119}"
_NAMES = re.compile(
    rf"spec\.json|plan\.json|state\.json|result\.json|progress\.jsonl|cells/{_STEM}\.(json|npz|safetensors|history\.jsonl)"
)
END = struct.Struct("<4s4H2LH")  # signature, disk, disk of directory, entries here, entries, size, offset, comment
_END_64 = b"PK\x06\x07"


class Refused(ValueError):
    """Why an archive is not opened, in a sentence."""


def unpack(file: IO[bytes], folder: Path, *, comment: int = 0) -> dict[str, Any]:
    """Unpack the archive of a run into an empty folder and return its manifest; refuse it at the first doubt.

    `comment` is how many bytes of comment end the archive: those of a signature that was checked before.
    """
    try:
        check_end(file, comment=comment)
        with zipfile.ZipFile(file) as archive:
            entries = _checked_entries(archive)
            manifest = _manifest(archive, entries)
            for name, declared in manifest["files"].items():
                _extract(archive, entries[name], declared, folder / name)
            return manifest
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, RuntimeError, OverflowError):
        raise Refused("This is not a whole zip file; download it again.") from None


def is_allowed(name: str) -> bool:
    """Say whether a run has files of this name.

    >>> is_allowed("cells/dF3.0.npz"), is_allowed("../spec.json"), is_allowed("cells/x.pkl")
    (True, False, False)
    """
    return _NAMES.fullmatch(name) is not None


def has_shrunk_too_much(entry: zipfile.ZipInfo) -> bool:
    """Say whether a file in a zip is so large for its packed size that it was made to exhaust whoever unpacks it."""
    shrunk = entry.file_size > MOST_SHRUNK * max(entry.compress_size, 1)
    return shrunk and entry.file_size > SHRINKING_COUNTS_FROM


def check_end(file: IO[bytes], *, most: int = MOST_FILES, comment: int = 0) -> None:
    """Read how much the archive claims to list before Python's zipfile lists it all in memory."""
    size = file.seek(0, os.SEEK_END) - comment
    if size < END.size:
        raise Refused("This is not a whole zip file; download it again.")
    file.seek(size - END.size)
    signature, *_, entries, directory, _, commented = END.unpack(file.read(END.size))
    if signature != b"PK\x05\x06" or commented != comment:
        raise Refused("This is not a zip file of a run, or not a whole one; download it again.")
    file.seek(max(0, size - END.size - 20))
    if entries > most + 1 or directory > 300 * (most + 1) or file.read(4) == _END_64:
        raise Refused(f"The zip file lists more than {most:,} files; no run has as many.")


def _checked_entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    folded: set[str] = set()
    for entry in archive.infolist():
        name = entry.filename
        shown = repr(name[:80])
        if len(entries) > MOST_FILES:
            raise Refused(f"The zip file lists more than {MOST_FILES:,} files; no run has as many.")
        if entry.orig_filename != name or (name != MANIFEST and not is_allowed(name)):
            raise Refused(f"The zip file holds {shown}, which is no file of a run; nothing was opened.")
        if name.lower() in folded:
            raise Refused(f"The zip file holds {shown} twice; nothing was opened.")
        if entry.flag_bits & 0x1:
            raise Refused("The zip file is encrypted; share it without a password.")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or entry.is_dir():
            raise Refused(f"In the zip file {shown} is a link or a folder and not a file; nothing was opened.")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"In the zip file {shown} is compressed in a way that is not read.")
        if entry.file_size > _most_bytes(name) or has_shrunk_too_much(entry):
            raise Refused(f"In the zip file {shown} would unpack to {entry.file_size / 1e6:,.0f} MB; that is refused.")
        entries[name] = entry
        folded.add(name.lower())
    total = sum(entry.file_size for entry in entries.values())
    if total > MOST_BYTES:
        raise Refused(
            f"The zip file would unpack to {total / 1e6:,.0f} MB; at most {MOST_BYTES / 1e6:,.0f} are opened."
        )
    return entries


def _most_bytes(name: str) -> int:
    if name.endswith((".json", "progress.jsonl")):
        return MOST_BYTES_OF_JSON
    return MOST_BYTES_OF_LINES if name.endswith(".jsonl") else MOST_BYTES_OF_ONE


def _manifest(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> dict[str, Any]:
    """The list of files with sizes and digests; the archive must hold these and no others."""
    if MANIFEST not in entries:
        raise Refused("The zip file has no manifest.json: it was not written by diffoci share.")
    chunks: list[bytes] = []
    _read(archive, entries[MANIFEST], chunks.append, most=MOST_BYTES_OF_MANIFEST)
    manifest = parse(b"".join(chunks), MANIFEST)
    files = manifest.get("files")
    if manifest.get("format") != FORMAT or not isinstance(files, dict):
        raise Refused("The manifest of the zip file is not that of a run.")
    if unlisted := sorted(set(entries) - {MANIFEST} - set(files)):
        raise Refused(f"The zip file holds {unlisted[0]!r}, which its manifest does not list; nothing was opened.")
    if missing := sorted(set(files) - set(entries)):
        raise Refused(f"The zip file lacks {missing[0][:80]!r}, which its manifest lists; download it again.")
    for name, declared in files.items():
        if not isinstance(declared, dict) or declared.get("bytes") != entries[name].file_size:
            raise Refused(f"The size of {name!r} is not the one in the manifest; download the zip file again.")
    return manifest


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, declared: Mapping[str, Any], path: Path) -> None:
    digest = hashlib.sha256()
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as out:

        def take(chunk: bytes) -> None:
            digest.update(chunk)
            out.write(chunk)

        _read(archive, entry, take, most=MOST_BYTES_OF_ONE)
    if digest.hexdigest() != declared.get("sha256"):
        raise Refused(f"{entry.filename!r} was changed or damaged on the way (its digest differs); nothing was opened.")


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, take: Callable[[bytes], object], *, most: int) -> None:
    """Read what is really there, however much was declared."""
    read = 0
    with archive.open(entry) as source:
        while chunk := source.read(1 << 20):
            read += len(chunk)
            if read > min(most, entry.file_size):
                raise Refused(f"In the zip file {entry.filename!r} is larger than it says; nothing was opened.")
            take(chunk)
