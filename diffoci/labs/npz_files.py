"""Arrays of a stranger's .npz file: bounded before anything is unpacked, plain numbers or texts, never unpickled."""

from __future__ import annotations

import lzma
import math
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 2 * 1024**3
NUMBERS, NUMBERS_OR_TEXTS = "biuf", "biufU"
# What zipfile, zlib and numpy raise on bytes that are not what they say.
_DAMAGED = (
    ValueError,
    OSError,
    EOFError,
    KeyError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
)


class _Refused(ValueError):
    """A sentence that says more than that a file is damaged."""


def read_arrays(path: Path, needed: Mapping[str, str], *, how: str) -> dict[str, NDArray[np.generic]]:
    """Read arrays by their names, or say in a sentence why not.

    `needed` says of each which kinds of numpy's it may be of. `how` ends the sentence about one that is not there.
    """
    if not path.is_file():
        raise ValueError(f"There is no file {path.name}; name a .npz file with the arrays {' and '.join(needed)}.")
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                _check_sizes(archive, path.name, needed, how)
                return {name: _array(archive, path.name, name, kinds) for name, kinds in needed.items()}
        except _Refused:
            raise
        except zipfile.BadZipFile:
            raise ValueError(f"{path.name} is not a whole .npz file; write one with numpy.savez.") from None
        except _DAMAGED:
            raise ValueError(f"{path.name} is damaged; write the file again.") from None


def _check_sizes(archive: zipfile.ZipFile, file: str, needed: Mapping[str, str], how: str) -> None:
    sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    for name in needed:
        if f"{name}.npy" not in sizes:
            raise _Refused(f"{file} has no array {name!r}; {how}.")
    if sum(sizes[f"{name}.npy"] for name in needed) > MOST_BYTES:
        raise _Refused(f"{file} is larger than {MOST_BYTES // 1024**3} GB unpacked; give fewer rows.")


def _array(archive: zipfile.ZipFile, file: str, name: str, kinds: str) -> NDArray[np.generic]:
    """One array; its header must describe as many bytes as there are, before any memory is taken for them."""
    entry = archive.getinfo(f"{name}.npy")
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
        if dtype.hasobject or dtype.kind not in kinds:
            plain = "numbers" if kinds == NUMBERS else "numbers or texts"
            raise _Refused(f"{file}: {name} is no plain array of {plain}; pickled objects are not read.")
        if math.prod(shape) * dtype.itemsize != entry.file_size - stream.tell():
            raise _Refused(f"{file}: {name} is cut short or damaged; write the file again.")
    with archive.open(entry) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
