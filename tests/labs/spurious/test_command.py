"""Claims about ``diffoci spurious``: it takes any data and settings, and says what it cannot take."""

from __future__ import annotations

import argparse
import json

import numpy as np
import pandas as pd
import pytest

from diffoci.__main__ import main
from diffoci.commands.spurious import register, spec_of
from diffoci.labs.spurious.spec import Training
from diffoci.labs.spurious.study import SPURIOUS_LAB
from diffoci.runs.store import list_runs


def test_the_command_takes_any_table_with_its_group(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    words = ["spurious", "student", "--twin", "--group", "sex", "--rows", "300", "--methods", "ERM,ERM+dF2"]
    assert main([*words, "--setting", "epochs=2", "--seeds", "1", "--first-seed", "7", "--jobs", "1", "--json"]) == 0
    (run,) = list_runs()
    assert run.spec.seeds == (7,)
    assert run.spec.training.epochs == 2
    result = run.result()
    assert json.loads(capsys.readouterr().out)["id"] == run.id
    assert result.group_name == "sex"
    assert sum(size.train + size.validation + size.test for size in result.sizes) == 300
    assert SPURIOUS_LAB.is_simulated(run.spec)


def test_the_command_takes_images_that_come_along():
    spec = spec_of(command_line("digits", "--rows", "200", "--lambdas", "0,2", "--betas", "5"))
    assert (spec.data, spec.rows, spec.lambdas, spec.betas) == ("digits", 200, (0.0, 2.0), (5.0,))
    assert spec.methods[0] == "oracle"
    assert spec.training == Training()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nope"], "not a data source"),
        (["birds", "--group", "sex"], "--group is not for Mini-birds"),
        (["truth", "--backbone", "resnet18"], "--backbone is not for"),
        (["birds", "--rows", "-4"], "rows"),
        (["birds", "--setting", "speed=3"], "no number of the training"),
        (["birds", "--setting", "epochs=-3"], "epochs"),
        (["birds", "--betas", "0"], "betas"),
        (["birds", "--lambdas", "much"], "--lambdas takes numbers"),
        (["birds", "--first-seed", "-1"], "first seed"),
        (["birds", "--methods", ","], "methods"),
    ],
)
def test_words_that_make_no_sense_are_a_sentence(words, told):
    with pytest.raises(ValueError, match=told):
        spec_of(command_line(*words))


def command_line(*words):
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    return parser.parse_args(["spurious", *words])


def people_file(folder):
    rng = np.random.default_rng(0)
    path = folder / "people.csv"
    group = rng.choice(["a", "b"], 300)
    pd.DataFrame({"age": rng.integers(20, 60, 300), "score": rng.normal(size=300), "group": group}).assign(
        good=lambda frame: np.where(frame["score"] > 0, "yes", "no")
    ).to_csv(path, index=False)
    return path


def test_a_table_of_ones_own_is_shared_without_its_folder(tmp_path):
    spec = spec_of(command_line(f"csv:{people_file(tmp_path)}", "--label", "good", "--group", "group"))
    data = SPURIOUS_LAB.load(spec)
    assert data.kind.title == "people.csv"
    assert data.examples(0).groups == ("a", "b")
    assert SPURIOUS_LAB.files_read(spec) == (tmp_path / "people.csv",)
    shared = SPURIOUS_LAB.portable(spec)
    assert str(tmp_path) not in str(shared)
    SPURIOUS_LAB.check_portable(shared)
    with pytest.raises(ValueError, match="by its path"):
        SPURIOUS_LAB.check_portable(spec)
    with pytest.raises(ValueError, match="not on this machine"):
        SPURIOUS_LAB.check_local(shared)


def test_columns_of_a_table_can_be_left_out(tmp_path):
    words = [f"csv:{people_file(tmp_path)}", "--label", "good", "--group", "group"]
    whole, less = (SPURIOUS_LAB.load(spec_of(command_line(*words, *more))) for more in ([], ["--drop", "age"]))
    assert whole.examples(0).train.x.shape[1] == less.examples(0).train.x.shape[1] + 1


def test_a_changed_table_is_other_data(tmp_path):
    path = people_file(tmp_path)
    spec = spec_of(command_line(f"csv:{path}", "--label", "good", "--group", "group"))
    before = SPURIOUS_LAB.load(spec).sha256
    path.write_text(path.read_text().replace("yes", "no", 1))
    assert SPURIOUS_LAB.load(spec).sha256 != before


def test_a_table_without_an_attribute_asks_for_one(tmp_path):
    spec = spec_of(command_line(f"csv:{people_file(tmp_path)}", "--label", "good"))
    with pytest.raises(ValueError, match="needs an attribute that is the group"):
        SPURIOUS_LAB.load(spec)
