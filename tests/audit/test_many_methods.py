"""A stranger's audit of very many methods: refused at once, and drawn in seconds as far as it is accepted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.audit.kinds import MOST_METHODS
from diffoci.audit.spec import AuditSpec
from diffoci.figures import compare, probes
from diffoci.figures.view import View
from diffoci.runs.sharing import pack
from diffoci.runs.store import Run
from tests.sample_audit import truth_sample
from tests.shared_zip import files_of, zipped


def with_methods(count: int) -> bytes:
    """A shared audit that says it compared so many methods; digests and identifiers are right."""
    files = files_of(pack(truth_sample()))
    made = json.loads(files["spec.json"])
    result = json.loads(files["result.json"])
    known = [one["name"] for one in result["methods"]]
    names = [*known, *(f"m{k}" for k in range(len(known), count))]
    methods = [{**result["methods"][k % len(known)], "name": name} for k, name in enumerate(names)]
    result = _for_all(result, names)
    # Without decisions, 1,500 methods make a file that is not refused for its size alone.
    result["methods"] = [{**one, "decisions": None} if count > MOST_METHODS else one for one in methods]
    made["spec"]["methods"] = result["spec"]["methods"] = names
    files |= {"spec.json": json.dumps(made).encode(), "result.json": json.dumps(result).encode()}
    if count <= MOST_METHODS:
        digest = AuditSpec.from_dict(made["spec"]).digest()
        files = {name: part.replace(made["digest"].encode(), digest.encode()) for name, part in files.items()}
    return zipped(files)


def _for_all(tree: Any, names: list[str]) -> Any:
    """The same with an entry for each name wherever a table has one for each method."""
    if isinstance(tree, list):
        return [_for_all(one, names) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if "standard" in tree and set(tree) <= set(names):
        tree = {name: tree.get(name, tree["standard"]) for name in names}
    return {key: _for_all(one, names) for key, one in tree.items()}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    return tmp_path / "audit.zip"


@pytest.mark.parametrize("count", [MOST_METHODS + 1, 1500])
def test_item_8_a_zip_of_1500_methods_is_refused_at_once(
    file: Path, capsys: pytest.CaptureFixture[str], count: int
) -> None:
    file.write_bytes(with_methods(count))
    begun = time.perf_counter()
    assert main(["open", str(file)]) == 2
    assert time.perf_counter() - begun < 5
    assert f"'methods': expected `array` of length <= {MOST_METHODS}" in capsys.readouterr().err
    assert not [path for path in file.parent.glob("runs/*") if path.is_dir() and len(path.name) == 32]


def test_item_8_as_many_methods_as_are_accepted_are_drawn_in_seconds(file: Path) -> None:
    file.write_bytes(with_methods(MOST_METHODS))
    assert main(["open", str(file)]) == 0
    (folder,) = (path for path in file.parent.glob("runs/*") if (path / "result.json").exists())
    result = Run.open(folder).result()
    assert len(result.methods) == MOST_METHODS
    view = View(attribute="group", place="representation", score="auc")
    begun = time.perf_counter()
    for draw in (compare.plane, compare.table, probes.probes):
        draw(result, view)
    assert time.perf_counter() - begun < 10
