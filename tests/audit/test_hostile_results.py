"""Opened audits of hostile form: whatever one entry is, reading works or is refused in one sentence that names it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diffoci.__main__ import main
from diffoci.audit._result_file import read_result
from diffoci.audit.dropping import drop
from diffoci.audit.result import AuditResult
from diffoci.audit.words.verdicts import headline
from diffoci.commands.run_table import result_table
from diffoci.figures import compare, features, probes
from diffoci.figures.curve import curve
from diffoci.figures.view import View, rows_of
from diffoci.figures.weights import weights
from diffoci.report._document import document
from diffoci.report._tables import tables
from diffoci.report.model_card import model_card
from diffoci.report.writing.markdown import markdown
from diffoci.runs.files import write_json
from diffoci.runs.sentences import sentence_of
from diffoci.runs.store import Run
from tests.hostile_values import mutations, with_entry
from tests.plain_result import Content, plain
from tests.sample_audit import sample

READ, TAKEN = 150, 2  # of all ways to be wrong, which take minutes


@pytest.fixture(scope="module")
def content() -> Content:
    return plain(sample().result())


def use(result: AuditResult) -> None:
    """What pages, report, card, tables and the command line make of a result."""
    document(result, created=1.7e9)
    tables(result)
    result_table(result)
    for one in result.methods:
        markdown(model_card(result, one.name))
    for attribute in result.attributes:
        view = View(attribute=attribute, place="representation", score="auc")
        headline(result, attribute)
        if rows_of(result, view):
            compare.plane(result, view)
            compare.table(result, view)
            probes.probes(result, view)
            curve(result, view)
    if result.features.conditions:
        found = drop(result, result.features.conditions[0].cutoff)
        features.matrix(found)
        features.paper_sentences(result.paper, found)
        weights(found, 0)


def test_item_7_a_wrong_entry_is_a_sentence_or_does_no_harm(content: Content) -> None:
    every = list(mutations(sample().result(), content))
    taken, unsaid = [], []
    for path, value, changed in random.Random(0).sample(every, READ):
        try:
            taken.append(read_result(changed))
        except ValueError as problem:
            if not (sentence_of(problem) or "").startswith("result.json "):
                unsaid.append((path, value, problem))
    assert unsaid == []
    for result in random.Random(1).sample(taken, TAKEN):
        use(result)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("groups", "sex"), {}),
        (("methods", 0, "y", "accuracy", "mean"), -1),
        (("methods", 0, "y", "accuracy", "mean"), 1e299),
        (("methods", 0, "y", "accuracy", "values", 0), 1e99),
        (("methods", 0, "y", "auc", "low"), 0.99999),
        (("features", "conditions", 0, "theta", 0), 1e200),
        (("methods",), "many"),
        (("spec", "sensitive"), ["a"] * 201),
        (("spec", "seeds"), list(range(1001))),
    ],
)
def test_item_7_and_8_numbers_and_counts_have_limits(content: Content, path: tuple[Any, ...], value: Any) -> None:
    if value == "many":
        value = [{**content["methods"][0], "name": f"m{k}"} for k in range(201)]
    with pytest.raises(ValueError, match=r"^result\.json is damaged.*\.$"):
        read_result(with_entry(content, path, value))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(methods=7),
        lambda content: content["label"].update(name="\x1b[2J"),
        lambda content: content["groups"].update(sex={}),
        lambda content: content["provenance"].update(seconds=-1),
    ],
)
def test_item_7_commands_end_with_one_sentence_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Content, change: Callable[[Any], object]
) -> None:
    shutil.copytree(sample().folder, tmp_path / "run")
    changed = plain(sample().result())
    change(changed)
    write_json(Run.open(tmp_path / "run").result_file, changed, indent=1)
    run, out = str(tmp_path / "run"), str(tmp_path / "out.md")
    for command in (
        ["report", run, "--out", out],
        ["card", run, "--out", out],
        ["tables", run, "--out", out],
        ["export", run, "--method", "dF3", "--out", str(tmp_path / "export")],
        ["runs", "show", run],
        ["runs", "show", run, "--json"],
        ["two-audits", run, str(sample().folder)],
    ):
        assert main(command) == 2, command
        said = capsys.readouterr().err
        assert said.startswith("diffoci: result.json is damaged")
        assert said.count("\n") == 1
