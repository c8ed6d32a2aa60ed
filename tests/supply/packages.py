"""The packages that an installation of diffoci leads to, as they are installed here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FOR_DEVELOPERS = ("dev", "tools")


def direct() -> list[Requirement]:
    """The exact pins of what diffoci itself imports."""
    return pins(ROOT / "requirements.txt")


def pins(path: Path) -> list[Requirement]:
    """The requirements of a file, without its comments."""
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [Requirement(line) for line in lines if line]


def asked_for(*, by_users: bool = False) -> list[Requirement]:
    """What the package and its extras ask for; of the extras, all or those for people who use it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].items()
    chosen = [lines for name, lines in extras if not by_users or name not in FOR_DEVELOPERS]
    return [Requirement(line) for lines in (project["dependencies"], *chosen) for line in lines]


def installed_below(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """The installed packages that requirements lead to, by name; what another platform would need is not there."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = list(requirements)
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) in seen or not _is_meant(requirement, frozenset()):
            continue
        seen.add((name, extras))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        below = map(Requirement, found[name].requires or ())
        waiting += [_without_marker(one) for one in below if _is_meant(one, extras)]
    return found


def _is_meant(requirement: Requirement, extras: frozenset[str]) -> bool:
    """Whether a requirement counts on this platform, for a package that was asked for with these extras."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _without_marker(requirement: Requirement) -> Requirement:
    requirement.marker = None  # it has been looked at, and "extra" means something else one level below
    return requirement
