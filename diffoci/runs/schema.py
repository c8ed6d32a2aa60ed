"""The one place that knows versions of what is on disk: which can be read, and what to say of the others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCHEMA = 1


def check_schema(content: Mapping[str, Any], path: Path | str) -> None:
    """Refuse a file of another version, saying what to do.

    Every schema up to `SCHEMA` that was ever written must be read here or be refused with its reason; so far there is
    only the first. What schema 1 gained on the way is optional for its readers.

    >>> check_schema({"schema": 1}, "spec.json")
    >>> check_schema({"schema": 2}, "spec.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: spec.json was written by another version, a newer one (schema 2, here 1); update this installation ...
    """
    found = content.get("schema")
    if found == SCHEMA and not isinstance(found, bool):
        return
    if isinstance(found, int) and SCHEMA < found < 10**6:
        raise ValueError(
            f"{path} was written by another version, a newer one (schema {found}, here {SCHEMA}); "
            "update this installation to open it."
        )
    raise ValueError(
        f"{path} was written by another version, whose files are not read any more (schema {str(found)[:20]}, "
        f"here {SCHEMA}); run the audit again."
    )
