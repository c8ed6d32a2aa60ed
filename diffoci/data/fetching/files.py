"""Find a published file: in the DIFFOCI_DATA folder, then in the user's cache, then at its publisher."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit, urlunsplit

import platformdirs

from diffoci.data.fetching._download import DownloadFailed, Patience, Progress, download
from diffoci.data.fetching.archives import NotInArchive, extract, open_member
from diffoci.data.fetching.whole_files import whole_or_absent

# In the cache, below the folder of the files they were made from: copies that are read faster.
COPIES = "parquet"


class DataUnavailable(ValueError):
    """A published file could be had neither here nor from its publisher.

    Attributes
    ----------
    file : RemoteFile
    folder : Path
        Where the file can be put by hand.
    """

    def __init__(self, file: RemoteFile, reason: str, *, folder: Path, advice: str = "") -> None:
        self.file = file
        self.reason = reason
        self.folder = folder
        super().__init__(
            f"Could not get {file.name} from {file.address}: {reason}. Download {file.archive_name} from that"
            f" address by other means and put it, as it is or unpacked, in the folder {folder}.{advice}"
        )


@dataclass(frozen=True)
class RemoteFile:
    """A published file and where it belongs on this side.

    Parameters
    ----------
    name : str
        The file itself, as it is called in the publisher's archive.
    folder : str
        Its folder below DIFFOCI_DATA and below the cache.
    address : str
        Where the publisher serves it, plain or in a zip (or in a zip inside a zip).
    sha256 : str, optional
        Of the file itself, not of the archive, which publishers repack.
    unpack : bool, default=True
        False keeps the archive as it is, for files too large to lie about twice.
    hint : str, optional
        Text that the first lines hold, to tell a file without known sha256 from something else.
    """

    name: str
    folder: str
    address: str
    sha256: str | None = None
    unpack: bool = True
    hint: str = ""

    @property
    def archive_name(self) -> str:
        """What the address calls it, usually a zip."""
        return unquote(PurePosixPath(urlsplit(self.address).path).name)


@dataclass(frozen=True)
class LocalFile:
    """A file on this machine; `notes` says so where it is not the publisher's original."""

    path: Path
    notes: tuple[str, ...] = ()


def data_folder() -> Path | None:
    """Return the folder DIFFOCI_DATA names, or None where it is not set."""
    name = os.environ.get("DIFFOCI_DATA")
    if not name:
        return None
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise ValueError(f"DIFFOCI_DATA names {name}, which is not a folder; correct it or unset it.")
    return folder


def cache_folder() -> Path:
    """Return the folder downloads are kept in: DIFFOCI_CACHE, or the platform's cache directory."""
    return Path(os.environ.get("DIFFOCI_CACHE") or platformdirs.user_cache_path("diffoci")).expanduser()


def paths_of(file: RemoteFile) -> tuple[Path, ...]:
    """Return every path at which a file may lie on this machine, unpacked or as the publisher's archive."""
    roots = [root / file.folder for root in filter(None, (data_folder(), cache_folder()))]
    return tuple(root / name for root in roots for name in dict.fromkeys((file.name, file.archive_name)))


def locate(file: RemoteFile) -> LocalFile | None:
    """Return the file if it is on this machine, unpacked or as the publisher's archive."""
    for root in filter(None, (data_folder(), cache_folder())):
        plain = root / file.folder / file.name
        if plain.is_file():
            return LocalFile(plain, _notes(plain, file))
        archive = root / file.folder / file.archive_name
        if archive.is_file():
            return _unpacked(archive, file) if file.unpack else LocalFile(archive)
    return None


def _unpacked(archive: Path, file: RemoteFile) -> LocalFile:
    target = cache_folder() / file.folder / file.name
    if target.is_file() and target.stat().st_mtime >= archive.stat().st_mtime:
        return LocalFile(target)  # unpacked before
    try:
        return _install(archive, file)
    except NotInArchive as problem:
        raise ValueError(f"{archive} cannot be used: {problem}. Replace or delete it.") from problem


def fetch(file: RemoteFile, *, patience: Patience | None = None, progress: Progress | None = None) -> LocalFile:
    """Return the file, downloading it where it is not on this machine.

    Raises
    ------
    DataUnavailable
        Naming the address, the file and the folder it can be put in by hand.
    """
    if found := locate(file):
        return found
    folder = cache_folder() / file.folder
    by_hand = (data_folder() or cache_folder()) / file.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder / f".{file.name}.lock"):
            if found := locate(file):  # another process fetched it while this one waited
                return found
            with tempfile.TemporaryDirectory(dir=folder, prefix=".partial-") as scratch:
                archive = Path(scratch) / file.archive_name
                download(_mirrored(file.address), archive, patience=patience, progress=progress or _bar(file))
                return _install(archive, file)
    except (DownloadFailed, NotInArchive) as problem:
        raise DataUnavailable(file, str(problem), folder=by_hand) from problem
    except OSError as problem:
        reason = f"{folder} could not be written ({problem.strerror or problem})"
        raise DataUnavailable(file, reason, folder=by_hand) from problem


def accept(file: RemoteFile, content: bytes) -> LocalFile:
    """Keep a file somebody obtained by hand: the publisher's archive or the file out of it."""
    folder = cache_folder() / file.folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".partial-") as scratch:
        zipped = content[:2] == b"PK"
        arrived = Path(scratch) / (file.archive_name if zipped else file.name)
        arrived.write_bytes(content)
        try:
            return _install(arrived, file)
        except NotInArchive as problem:
            raise ValueError(f"This is not {file.archive_name} nor {file.name}: {problem}.") from problem


def _install(arrived: Path, file: RemoteFile) -> LocalFile:
    """Check what arrived and move it into the cache in one step, so that no half file is ever seen."""
    packed = arrived.name != file.name
    target = cache_folder() / file.folder / (arrived.name if packed and not file.unpack else file.name)
    with whole_or_absent(target) as ready:
        if packed and file.unpack:
            extract(arrived, file.name, ready)
        else:
            os.replace(arrived, ready)
        _refuse_altered(ready, file)
        _refuse_something_else(ready, file)
    return LocalFile(target)


def _refuse_altered(path: Path, file: RemoteFile) -> None:
    if file.sha256 and (found := sha256_of(path)) != file.sha256:
        raise NotInArchive(
            f"what came is not the original (sha256 {found[:12]}…, expected {file.sha256[:12]}…) and was not kept"
        )


def _refuse_something_else(path: Path, file: RemoteFile) -> None:
    """Look at the first lines, which also finds an archive that is none or is cut short."""
    with path.open("rb") if path.name == file.name else open_member(path, file.name) as stream:
        if file.hint.encode() not in stream.read(1 << 16):
            raise NotInArchive(f"what came does not read like {file.name}: its first lines lack '{file.hint}'")


def _notes(path: Path, file: RemoteFile) -> tuple[str, ...]:
    if file.sha256 is None or sha256_of(path) == file.sha256:
        return ()
    return (f"{path.name} in {path.parent} differs from the published file (its sha256 is another).",)


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mirrored(address: str) -> str:
    """Let DIFFOCI_MIRROR stand in for the publisher's host, as networks without a way out need."""
    mirror = os.environ.get("DIFFOCI_MIRROR")
    if not mirror:
        return address
    host = urlsplit(mirror)
    parts = urlsplit(address)
    return urlunsplit((host.scheme, host.netloc, host.path.rstrip("/") + parts.path, parts.query, ""))


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep a second process from fetching the same file; it waits and then finds it there."""
    try:
        import fcntl
    except ImportError:  # Windows: both download, and the last atomic move wins
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _bar(file: RemoteFile) -> Progress | None:
    if not sys.stderr.isatty():
        return None
    return lambda arrived, length: draw_bar(file.archive_name, arrived, length)


def draw_bar(title: str, arrived: int, length: int | None) -> None:
    """Draw how far a download is on standard error."""
    megabytes = f"{arrived / 1e6:.1f}" + (f" of {length / 1e6:.1f}" if length else "") + " MB"
    filled = int(30 * arrived / length) if length else 0
    end = "\n" if arrived == length else ""
    print(f"\r{title} [{'#' * filled:30}] {megabytes}", end=end, file=sys.stderr, flush=True)
