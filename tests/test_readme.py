"""The README's Python runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_python_of_the_readme_runs(block, capsys):
    exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_library_is_shown_in_ten_lines_or_so():
    lines = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert len(lines) <= 12


def test_every_documented_command_exists():
    from diffoci.__main__ import build_parser

    commands = set(re.findall(r"^python -m diffoci (\w+)", TEXT, flags=re.MULTILINE))
    known = build_parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    assert commands <= set(known)
    assert "audit" in commands
