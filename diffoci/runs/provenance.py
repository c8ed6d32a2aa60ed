"""What computed the numbers: versions of the packages that decide them."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("diffoci", "torch", "numpy", "scipy", "pandas", "scikit-learn", "fairlearn", "concept-erasure")


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that decide a run's numbers."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
