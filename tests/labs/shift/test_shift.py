"""Domain shift as a study and a command: what a selection loses elsewhere, on rows whose truth is known."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from diffoci.__main__ import main
from diffoci.labs.shift.paper_tables import SHIFT
from diffoci.labs.shift.spec import Domain, ShiftSpec
from diffoci.labs.shift.study import DOMAIN_SHIFT, ShiftResult
from diffoci.runs.study import Made, Watch


def run(spec: ShiftSpec) -> ShiftResult:
    data = DOMAIN_SHIFT.load(spec)
    outputs = {cell.id: DOMAIN_SHIFT.run_cell(spec, data, cell, Watch()) for cell in DOMAIN_SHIFT.plan(spec, data)}
    return DOMAIN_SHIFT.assemble(spec, data, outputs, {}, Made({}, "cpu", 1.0))


@pytest.fixture
def files(tmp_path) -> tuple[str, str]:
    """Two columns of eight make y in both domains; a third says y at home and its opposite elsewhere."""
    paths = []
    for domain, sign in (("home", 1), ("away", -1)):
        rng = np.random.default_rng(sign + 1)
        x = rng.normal(size=(600, 8))
        y = (x[:, 0] + x[:, 1] > 0).astype(int)
        x[:, 2] = sign * (2 * y - 1) * 0.5 + rng.normal(size=600)
        paths.append(tmp_path / f"{domain}.npz")
        np.savez(paths[-1], x=x, y=y)
    return str(paths[0]), str(paths[1])


def test_what_dF1_keeps_predicts_at_home_better_than_a_random_choice(files) -> None:
    home, away = files
    spec = ShiftSpec(title="files", inside=Domain(file=home), outside=Domain(file=away), seeds=(0, 1, 2), epochs=30)
    result = run(spec)
    found = {(one.method, one.share): one for one in result.outcomes}
    assert found["dF1", 0.25].features.mean == 2
    assert (found["dF1", 0.25].test.mean or 0) > (found["random", 0.25].test.mean or 0) + 10
    assert (found["dF1", 0.25].drop.mean or 0) == pytest.approx(0, abs=4)  # the two columns mean the same elsewhere
    assert (found["all", 1.0].test.mean or 0) > 90
    assert DOMAIN_SHIFT.read_result(msgspec.to_builtins(result), "result.json") == result


def test_two_domains_of_one_source_are_cut_by_a_feature() -> None:
    people = Domain(data="acs-income", twin=True, options={"rows": 600}, where="AGEP")
    young, old = (msgspec.structs.replace(people, **limit) for limit in ({"below": 40.0}, {"least": 40.0}))
    spec = ShiftSpec(title="ages", inside=young, outside=old, methods=("random",), seeds=(0,), shares=(0.5,))
    result = run(spec)
    assert result.rows_inside + result.rows_outside == 600
    assert not result.real
    assert DOMAIN_SHIFT.is_simulated(spec)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"x": np.zeros((60, 5)), "y": np.arange(60) % 2}, "The files have 8 and 5 features"),
        ({"x": np.zeros((60, 8)), "y": np.arange(60) % 3}, "Class 2 occurs in the second file only"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(change, sentence, files, tmp_path) -> None:
    np.savez(tmp_path / "other.npz", **change)
    spec = ShiftSpec(
        title="t", inside=Domain(file=files[0]), outside=Domain(file=str(tmp_path / "other.npz")), seeds=(0,)
    )
    with pytest.raises(ValueError, match=sentence):
        DOMAIN_SHIFT.load(spec)


def test_the_command_takes_files_and_names_what_is_wrong(files, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    assert main(["shift", *files, "--seeds", "1", "--jobs", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {"study": "home.npz to away.npz", "method": "all features"}.items() <= rows[0].items()
    assert main(["shift", files[0], str(tmp_path / "none.npz")]) == 2
    assert "There is no file none.npz" in capsys.readouterr().err


def test_a_file_is_shared_without_its_folder_and_not_looked_for_elsewhere(files) -> None:
    spec = ShiftSpec(title="t", inside=Domain(file=files[0]), outside=Domain(file=files[1]), seeds=(0,))
    shared = DOMAIN_SHIFT.portable(spec)
    assert (shared.inside.file, shared.outside.file) == ("home.npz", "away.npz")
    DOMAIN_SHIFT.check_portable(shared)
    with pytest.raises(ValueError, match="another machine"):
        DOMAIN_SHIFT.check_portable(spec)
    with pytest.raises(ValueError, match=r"home\.npz is a file of another machine"):
        DOMAIN_SHIFT.check_local(shared)


def test_the_paper_s_figures_stand_beside_ours_without_a_verdict(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("DIFFOCI_DATA", str(tmp_path))
    plan = SHIFT.plan("quick")
    assert [asked.study.is_simulated(asked.spec) for asked in plan.asked] == [True]
    papers = [row for row in SHIFT.rows([]) if row.measure == "drop"]
    assert [row.paper for row in papers] == [12.55, 12.22, 11.5, 13.32, 49.59, 49.92, 22.42, 21.92, 46.16, 45.99]
    assert {row.agreement for row in papers} == {"not run here"}
