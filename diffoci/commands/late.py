"""Put off loading a library until something of it is used: a list of runs imports studies and computes nothing."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def put_off(name: str) -> None:
    """Let `import NAME` cost nothing until the first use; nothing changes where it is loaded already."""
    if name in sys.modules:
        return
    sys.modules[name] = late = _Late(name)
    package, _, part = name.rpartition(".")
    if isinstance(within := sys.modules.get(package), _Late):
        setattr(within, part, late)


class _Late(ModuleType):
    """Stands for a module and becomes a way to it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, entry: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), entry)
