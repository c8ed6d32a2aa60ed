"""Files that are whole or absent: written beside their place, then moved there in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_or_absent(target: Path) -> Iterator[Path]:
    """Give a path to write to; what was written there becomes `target` unless something went wrong."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as scratch:
        ready = Path(scratch) / target.name
        yield ready
        os.replace(ready, target)
