"""Find out how the text of an unknown file is coded: UTF-8, UTF-16 or UTF-32, or one of two older codes."""

from __future__ import annotations

import codecs
import mmap
import re
from collections.abc import Iterator
from pathlib import Path

_MARKS = {  # longer ones first: that of UTF-32 begins like that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Windows writes the first, DOS and exports of older databases the second; where both read equally well, the first.
_OF_ONE_BYTE = ("cp1252", "cp850")
_BEYOND_ASCII = re.compile(rb"[\x00-\x7f]?[\x80-\xff]+[\x00-\x7f]?")
_ENOUGH, _LOOKED_AT = 2000, 1 << 26  # places that are looked at, in so many bytes from the beginning
_APOSTROPHES = "'’"


def encodings_to_try(content: Path | bytes, head: bytes, asked: str | None) -> Iterator[str]:
    """Give the names of encodings in the order in which to try them; `head` is how the file begins.

    Raises
    ------
    ValueError
        Where it is no text, or there is no encoding of the name that was asked for.
    """
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if asked is not None:
        yield _known(asked)
    elif marked is not None:
        yield marked
    elif b"\0" in head:
        yield _without_mark(head)
    else:
        yield "utf8"
        yield _of_one_byte(content)
        yield "latin-1"  # in which every byte means something: it cannot fail on encoding


def _known(asked: str) -> str:
    try:
        b"a".decode(asked)  # which refuses what is no encoding of text
        return codecs.lookup(asked).name.replace("utf-8", "utf8")
    except (LookupError, UnicodeError, ValueError) as problem:
        raise ValueError(f"'{asked[:40]}' is not an encoding of text; try utf-8, cp1252 or cp850.") from problem


def _without_mark(head: bytes) -> str:
    """UTF-16 without its mark: of two bytes one is nearly always zero, and always the same one."""
    first, second = (head[k::2].count(0) / max(1, len(head[k::2])) for k in (0, 1))
    if second > 0.5 and first < 0.1:
        return "utf-16-le"
    if first > 0.5 and second < 0.1:
        return "utf-16-be"
    raise ValueError("The file is not a table in text form; save it as CSV in UTF-8 or as Parquet.")


def _of_one_byte(content: Path | bytes) -> str:
    """The code in which the signs beyond ASCII make the most plausible words."""
    if isinstance(content, bytes):
        return _plausible(content)
    with content.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        return _plausible(whole)


def _plausible(content: bytes | mmap.mmap) -> str:
    places = _BEYOND_ASCII.finditer(content, 0, _LOOKED_AT)
    found = [match[0] for match, _ in zip(places, range(_ENOUGH), strict=False)]
    scores = {name: sum(_score(place.decode(name, "replace")) for place in found) for name in _OF_ONE_BYTE}
    return max(_OF_ONE_BYTE, key=scores.__getitem__)


def _score(text: str) -> int:
    """How plausible the signs beyond ASCII are where they stand: letters in words, other signs beside them.

    >>> _score("schön"), _score("sch”n"), _score("donÆt"), _score("don’t")
    (1, -1, -1, 1)
    """
    around = f" {text} "
    signs = zip(around, around[1:], around[2:], strict=False)
    return sum(1 if _fits(*three) else -1 for three in signs if three[1] > "\x7f")


def _fits(before: str, sign: str, after: str) -> bool:
    if sign.isalpha():
        if sign.isupper() and before.isalpha():  # a capital inside a word has others around it
            return before.isupper() and not after.islower()
        return before.isalpha() or after.isalpha()
    printable = sign.isprintable() and not "\u2500" <= sign <= "\u25ff"  # boxes drawn on old screens
    return printable and (sign in _APOSTROPHES or not (before.isalpha() and after.isalpha()))
