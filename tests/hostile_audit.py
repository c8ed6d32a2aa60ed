"""A finished audit of a CSV file whose author chose every name with care: markup wherever a text is shown."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.runner import Means, execute
from diffoci.runs.store import Run
from tests.made_once import made_once

FEATURE = "<img src=x onerror=alert(1)>"
GROUP = '"><svg onload=pwned=2>'
LABEL = "</title><script>pwned=3</script>"
SECOND_GROUP = "[x](javascript:pwned=7)"
FILE = "=cmd()<img src=x onerror=alert(6)>.csv"
_SHORT = {"max_epochs": 1, "patience": 1, "hidden": (8,)}


def write_table(folder: Path) -> Path:
    """Write the file into a folder."""
    names: list[object] = [FEATURE, "-1+1", GROUP, SECOND_GROUP, LABEL]
    rows: list[list[object]] = [
        [
            (k * k) % 13,
            "=cmd()" if k % 3 else "<script>pwned=4</script>",
            ('<a href="http://stranger.example/w" onclick=pwned=5>w</a>', "@m")[k % 2],
            ("<iframe src=javascript:pwned=8>", "![u](http://stranger.example/u.png)")[k // 3 % 2],
            "<i>yes</i>" if (k + k // 4) % 5 < 2 else "no",
        ]
        for k in range(400)
    ]
    file = folder / FILE
    file.write_text("\n".join(",".join(_quoted(entry) for entry in row) for row in (names, *rows)) + "\n")
    return file


def _quoted(entry: object) -> str:
    return '"' + str(entry).replace('"', '""') + '"'


@cache
def hostile_audit() -> Run:
    """The one such audit of a test run."""
    return made_once("hostile", _make)


def _make(folder: Path) -> Run:
    spec = make_spec(
        f"csv:{write_table(folder)}",
        sensitive=[GROUP, SECOND_GROUP],
        preset="quick",
        methods=["standard", "leace"],
        seeds=2,
        options={"label": LABEL},
        settings={"probe": _SHORT, "vec": {"max_epochs": 1}, "null_draws": 100},
        device="cpu",
    )
    run = Run.create(AUDIT, spec, folder=folder / "run")
    assert execute(run, Means(jobs=1)).state == "done"
    return run
