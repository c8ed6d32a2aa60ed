"""``make constraints``: write down the exact version of everything below requirements.txt, as installed here."""

from __future__ import annotations

from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.supply.packages import ROOT, asked_for, direct, installed_below

HEAD = """\
# The exact versions of everything that requirements.txt and the extras lead to. Written by make constraints from an
# environment in which every test passed; not edited by hand.
# Not here: what torch brings for one kind of machine (nvidia-*, triton), of which torch itself names exact versions.
"""
OF_TORCH = ("nvidia-", "cuda-", "triton")


def constraints() -> str:
    """The text of constraints.txt, or a sentence where it would not be whole."""
    below = installed_below(asked_for())
    if missing := [one.name for one in asked_for() if canonicalize_name(one.name) not in below]:
        raise SystemExit(f"{missing[0]} is not installed, so constraints.txt would lack it: install every extra first.")
    pinned = {canonicalize_name(requirement.name) for requirement in direct()}
    lines = [
        f"{name}=={Version(package.version).public}"
        for name, package in sorted(below.items())
        if name not in pinned and not name.startswith(OF_TORCH)
    ]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    (ROOT / "constraints.txt").write_text(constraints())
