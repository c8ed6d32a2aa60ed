"""``make lock-hashes``: every file that pip would install on this machine for users of diffoci, with its SHA-256.

Wheels of torch differ by platform and index, so such a list is made where it is used and not kept here. Installed with
``pip install --require-hashes --no-deps --requirement FILE``, a file that was exchanged on the way is refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.supply.packages import ROOT, asked_for


def resolved() -> list[dict[str, Any]]:
    """What pip would download here, as it says itself; nothing is installed."""
    words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run", "--ignore-installed"]
    words += ["--requirement", "requirements.txt", "--constraint", "constraints.txt", "--report", "-"]
    words += map(str, asked_for(by_users=True))
    run = subprocess.run([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return list(json.loads(run.stdout)["install"])


def locked(files: list[dict[str, Any]]) -> str:
    """The lines of a requirements file with hashes."""
    lines = []
    for file in files:
        name, version = file["metadata"]["name"], file["metadata"]["version"]
        digest = file["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if digest is None:
            raise SystemExit(f"There is no hash of {name}: it is a folder or a repository, not a file of an index.")
        lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
    return "".join(sorted(lines, key=str.lower))


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(locked(resolved()))
    print(f"{target} is for {sys.platform}, Python {sys.version_info.major}.{sys.version_info.minor}")
