"""``python -m tests.measure``: what there is to measure, in a line each."""

from __future__ import annotations

import ast
from pathlib import Path


def main() -> None:
    """List the modules of this folder that can be run."""
    print("make measure WHAT=name, or WHAT='name arguments':")
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        text = path.read_text()
        if "__main__" in text:
            sentence = (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]
            print(f"  {path.stem:16} {sentence}")


if __name__ == "__main__":
    main()
