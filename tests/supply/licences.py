"""``python -m tests.supply.licences``: every installed package has a licence that we may pass on."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions
from itertools import starmap
from typing import TYPE_CHECKING, cast

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from email.message import Message

# Anybody may use and pass on what is under these, in programs of any licence. As SPDX writes them.
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "MPL-2.0",  # whoever changes its files publishes the change; we change none
    "PSF-2.0",
    "Unlicense",
    "Zlib",
}
# What packages write instead.
OTHER_NAMES = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD 3 clause": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# Read by a person, because the package does not say or is under a licence of its own.
READ_BY_HAND = {
    r"axe-playwright-python": "its file LICENSE is MIT",
    r"hidimstat": "its file LICENSE is BSD-3-Clause",
    r"nvidia-.*|cuda-.*": "NVIDIA's own terms, which allow their use; they come with torch where it computes on a GPU",
}


def licence_of(expression: str | None, classifiers: list[str], text: str | None) -> str:
    """What a package says its licence is, by the most exact of the three ways to say it."""
    if expression:
        return expression
    named = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: ")]
    named = [name for name in named if name != "OSI Approved"]
    first = (text or "").strip().partition("\n")[0]
    return " AND ".join(OTHER_NAMES.get(name, name) for name in named or [first])


def is_allowed(licence: str) -> bool:
    """Whether we may pass on what is under a licence.

    >>> is_allowed("MIT AND (BSD-3-Clause OR GPL-2.0-only)"), is_allowed("GPL-3.0-or-later"), is_allowed("")
    (True, False, False)
    """
    return all(any(choice.strip(" ()") in ALLOWED for choice in part.split(" OR ")) for part in licence.split(" AND "))


def problem_with(name: str, licence: str) -> str | None:
    """A sentence about a package that may not be installed here, or nothing."""
    if is_allowed(licence) or any(re.fullmatch(pattern, canonicalize_name(name)) for pattern in READ_BY_HAND):
        return None
    said = f"is under {licence[:80]!r}, which is not" if licence else "does not say its licence, so it is not"
    return f"{name} {said} among the licences we allow: do without it, or read its terms and list it in {__file__}."


def installed() -> list[tuple[str, str]]:
    """The name and the licence of every installed package."""
    found = []
    for package in distributions():
        said = cast("Message", package.metadata)  # it is one; that it has get is not said before Python 3.14
        kinds = said.get_all("Classifier") or []
        found.append((said["Name"], licence_of(said.get("License-Expression"), kinds, said.get("License"))))
    return sorted(found)


if __name__ == "__main__":
    sys.exit("\n".join(filter(None, starmap(problem_with, installed()))) or None)
