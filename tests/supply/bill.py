"""``make sbom``: a CycloneDX bill of materials of what users of diffoci install.

The environment of a developer holds more than that; tests and tools are left out of the bill.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from tests.supply.packages import ROOT, asked_for, installed_below


def everything() -> dict[str, Any]:
    """The bill of all that is installed here."""
    words = ["-m", "cyclonedx_py", "environment", "--pyproject", str(ROOT / "pyproject.toml"), sys.executable]
    run = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, check=True)
    return dict(json.loads(run.stdout))


def only(bill: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """A bill with these packages and no others."""
    components = [part for part in bill["components"] if canonicalize_name(part["name"]) in names]
    kept = {part["bom-ref"] for part in components} | {bill["metadata"]["component"]["bom-ref"]}
    needs = [
        {**one, **({"dependsOn": [ref for ref in one["dependsOn"] if ref in kept]} if "dependsOn" in one else {})}
        for one in bill["dependencies"]
        if one["ref"] in kept
    ]
    return {**bill, "components": components, "dependencies": needs}


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    bill = only(everything(), set(installed_below(asked_for(by_users=True))))
    target.write_text(json.dumps(bill, indent=1) + "\n")
    print(f"{target}: {len(bill['components'])} packages")
