"""A second file is joined by its keys, an ONNX model scores the rows, a pickle is never opened."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from diffoci.__main__ import main
from diffoci.data import lender
from diffoci.model_audit import onnx_model, onnx_process
from diffoci.model_audit.guide import QUESTIONS, advice
from diffoci.model_audit.result import ModelAuditResult
from diffoci.model_audit.study import MODEL_AUDIT
from tests.model_audit.onnx_files import write_elsewhere, write_endless, write_huge, write_many, write_onnx, write_sum

FEW = ["--setting", "permutations=19", "--setting", "rows=100", "--jobs", "1", "--json"]


@pytest.fixture
def scores(tmp_path: Path) -> pd.DataFrame:
    drawn = lender.applicants(rows=200).assign(id=np.arange(200))
    drawn[["id", "score_a", "ability", "age"]].to_csv(tmp_path / "scores.csv", index=False)
    return drawn


def audited(
    folder: Path, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0
) -> tuple[ModelAuditResult | None, str]:
    data = f"csv:{folder / 'scores.csv'}"
    assert main(["audit-scores", "--data", data, *FEW, "--out", str(folder / "run"), *words]) == code
    said = capsys.readouterr()
    return (None if code else MODEL_AUDIT.read_result(json.loads(said.out), "result.json")), said.err


def test_attributes_of_a_second_file_are_joined_and_rows_without_a_partner_are_named(scores, tmp_path, capsys):
    scores.iloc[3:][["id", "sex"]].sample(frac=1, random_state=0).to_csv(tmp_path / "people.csv", index=False)
    words = ["--join", str(tmp_path / "people.csv"), "--keys", "id", "--score", "score_a", "--sensitive", "sex"]
    found, _ = audited(tmp_path, capsys, *words)
    assert found is not None
    assert found.provenance.rows == 197
    assert any(
        "3 rows without a partner in the second file are left out: id 0; id 1; id 2." in n
        for n in found.provenance.notes
    )
    women = scores.iloc[3:].loc[scores["sex"] == "Female", "score_a"]
    assert found.model().by("sex").groups[0].rates["selection_rate"].value == pytest.approx((women >= 0.5).mean())


def test_a_report_with_a_second_file_is_computed_again_where_both_files_lie_beside_it(scores, tmp_path, capsys):
    scores[["id", "sex"]].to_csv(tmp_path / "people.csv", index=False)
    words = ["--join", str(tmp_path / "people.csv"), "--keys", "id", "--score", "score_a", "--sensitive", "sex"]
    audited(tmp_path, capsys, *words)
    report = str(tmp_path / "report.html")
    assert main(["report", str(tmp_path / "run"), "--out", report]) == 0
    assert main(["verify", report, "--rerun"]) == 0
    assert "rerun       agree" in capsys.readouterr().out
    (tmp_path / "people.csv").rename(tmp_path / "moved.csv")
    assert main(["verify", report]) == 0
    assert "There is no file 'people.csv' here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("people", "keys", "sentence"),
    [
        ({"id": [0, 1, 1], "sex": ["f", "m", "f"]}, "id", "The second file has id 1 more than once"),
        ({"id": [900, 901], "sex": ["f", "m"]}, "id", "No row of the table has its id in the second file"),
        ({"name": ["a"], "sex": ["f"]}, "id", "The key 'id' is not a column of the second file"),
        ({"id": [0], "age": [3]}, "id", "'age' is a column of both files"),
    ],
)
def test_a_second_file_that_does_not_fit_is_a_sentence(scores, people, keys, sentence, tmp_path, capsys):
    pd.DataFrame(people).to_csv(tmp_path / "people.csv", index=False)
    words = ["--join", str(tmp_path / "people.csv"), "--keys", keys, "--score", "score_a", "--sensitive", "sex"]
    assert sentence in audited(tmp_path, capsys, *words, code=2)[1]


def test_an_onnx_model_scores_the_rows(scores, tmp_path, capsys):
    write_onnx(tmp_path / "lender.onnx")
    words = ["--model", str(tmp_path / "lender.onnx"), "--features", "ability,age", "--sensitive", "age"]
    found, _ = audited(tmp_path, capsys, *words)
    assert found is not None
    expected = (scores["ability"] >= 0).mean()
    assert found.model("lender").overall.rates["selection_rate"].value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: pickle.dumps({"a": 1}), "is a pickle: opening one runs whatever its author put in it"),
        (lambda: b"nothing", "cannot be read as an ONNX model; export it again."),
        (None, "takes 3 columns and the features have 2 that are numbers (ability, age)"),
    ],
)
def test_a_model_file_that_does_not_fit_is_a_sentence(scores, content, sentence, tmp_path, capsys):
    path = tmp_path / "model.onnx"
    write_onnx(path, width=3)
    if content is not None:
        path.write_bytes(content())
    words = ["--model", str(path), "--features", "ability,age", "--sensitive", "age"]
    assert sentence in audited(tmp_path, capsys, *words, code=2)[1]


def test_a_model_that_wants_another_input_is_told_which_columns_there_are(scores, tmp_path, capsys):
    write_sum(tmp_path / "sum.onnx", "ability", "income")
    words = ["--model", str(tmp_path / "sum.onnx"), "--features", "ability,age", "--sensitive", "age"]
    said = audited(tmp_path, capsys, *words, code=2)[1]
    assert "sum.onnx wants an input 'income', which is not a column; columns are ability, age" in said
    words[1] = str(tmp_path / "nowhere.onnx")
    assert "There is no file" in audited(tmp_path, capsys, *words, code=2)[1]


def test_a_model_that_reads_another_file_or_never_ends_is_refused(scores, tmp_path, capsys, monkeypatch):
    write_elsewhere(tmp_path / "elsewhere.onnx", "scores.csv")
    words = ["--model", str(tmp_path / "elsewhere.onnx"), "--features", "ability", "--sensitive", "age"]
    assert "keeps part of its numbers in another file" in audited(tmp_path, capsys, *words, code=2)[1]
    write_endless(tmp_path / "endless.onnx")
    table = pa.table({"ability": [0.1, 0.2]})
    assert onnx_model.inputs_of(tmp_path / "endless.onnx") == ("ability",)
    monkeypatch.setattr(onnx_process, "_SECONDS", 3.5)
    with pytest.raises(ValueError, match=r"endless.onnx could not score the rows: it took more than 3\.5 seconds"):
        onnx_model.score_table(tmp_path / "endless.onnx", table)


def test_a_model_that_wants_too_much_memory_or_scores_others_is_refused_and_this_process_lives(tmp_path):
    table = pa.table({"ability": [0.1, 0.2]})
    write_huge(tmp_path / "huge.onnx")
    with pytest.raises(ValueError, match=r"huge.onnx could not score the rows: it wants more than 4 GB of memory"):
        onnx_model.score_table(tmp_path / "huge.onnx", table)
    write_many(tmp_path / "many.onnx")
    with pytest.raises(ValueError, match=r"many.onnx could not score the rows: it gives 4 scores for 2 rows"):
        onnx_model.score_table(tmp_path / "many.onnx", table)


def test_the_guide_says_which_criteria_matter_for_every_answer_and_refuses_others(scores, tmp_path, capsys):
    for question in QUESTIONS:
        for answer, choice in question.choices.items():
            assert {one.criterion for one in advice({question.name: answer})} == set(choice.criteria)
    words = ["--score", "score_a", "--sensitive", "age", "--answer"]
    found, _ = audited(tmp_path, capsys, *words, "label=no")
    assert found is not None
    assert found.spec.answers == {"label": "no"}
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report.html")]) == 0
    assert "independence: Criteria that use the outcome repeat its errors" in (tmp_path / "report.html").read_text()
    assert "'perhaps' is no answer to 'label'" in audited(tmp_path, capsys, *words, "label=perhaps", code=2)[1]
