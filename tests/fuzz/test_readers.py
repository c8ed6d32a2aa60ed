"""Damaged files of every kind a stranger may bring: each reader takes one or refuses it in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.damage import Edit, TreeEdit, damaged_bytes, damaged_tree, edits, tree_edits
from tests.fuzz.readers import READERS, Reader

CORPUS = Path(__file__).parent / "corpus"
# The same files on every machine and every time, within half a minute; `make measure WHAT=fuzz` looks for new ones.
EXAMPLES = {"npz": 300, "csv": 150, "parquet": 200, "result": 60, "zip": 30, "safetensors": 60, "report": 6}
GENERATED = settings(deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))


def taken_or_refused(reader: Reader, content: bytes) -> bool:
    """Whether a reader takes some bytes; anything but a refusal in a sentence is an error."""
    try:
        reader.read(content)
    except ValueError as problem:
        if isinstance(problem, UnicodeError) or not str(problem).strip():
            raise AssertionError("It was refused without a sentence.") from problem
        return False
    return True


@pytest.mark.parametrize("name", READERS)
def test_whole_files_are_taken(name: str) -> None:
    reader = READERS[name]
    assert all(taken_or_refused(reader, content) for content in reader.begin())


@pytest.mark.parametrize("name", READERS)
def test_damaged_bytes_are_taken_or_refused_in_a_sentence(name: str) -> None:
    reader = READERS[name]

    @settings(GENERATED, max_examples=EXAMPLES[name], derandomize=True)
    @given(st.sampled_from(reader.begin()), edits)
    def damage(content: bytes, done: list[Edit]) -> None:
        taken_or_refused(reader, damaged_bytes(content, done))

    damage()


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.tree])
def test_damaged_entries_are_taken_or_refused_in_a_sentence(name: str) -> None:
    reader = READERS[name]
    assert reader.tree is not None
    (whole,) = reader.begin()
    change = reader.tree

    @settings(GENERATED, max_examples=EXAMPLES[name], derandomize=True)
    @given(tree_edits)
    def damage(done: list[TreeEdit]) -> None:
        taken_or_refused(reader, change(whole, lambda tree: damaged_tree(tree, done)))

    damage()


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_broke_a_reader_does_so_no_more(path: Path) -> None:
    taken_or_refused(READERS[path.parent.name], path.read_bytes())
