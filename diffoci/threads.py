"""One thread where more would only wait for each other."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread(*, only: str | None = None) -> AbstractContextManager[Any]:
    """Keep numerical libraries to one thread each; `only` names a kind of them, such as "blas"."""
    limited: AbstractContextManager[Any] = _libraries(len(sys.modules)).limit(limits=1, user_api=only)
    return limited


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """The libraries of this process; looking for them takes milliseconds, and only new modules bring new ones."""
    return ThreadpoolController()
