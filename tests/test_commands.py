"""The command line says what the library computes, and one sentence when it cannot."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from diffoci import FOCI, T, plugins, xi
from diffoci.__main__ import main
from diffoci.audit.make_spec import make_spec
from diffoci.audit.study import AUDIT
from diffoci.runs.store import Run
from diffoci.runs.study import study_named


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    frame["group"] = np.array(["left", "right"])[rng.integers(0, 2, 120)]
    frame["y"] = frame["a"] ** 2 + (frame["group"] == "left")
    path = tmp_path / "table.csv.gz"
    frame.to_csv(path, index=False)
    return path


def test_coef_prints_xi_T_n_and_p_value(table, capsys):
    frame = pd.read_csv(table)
    assert main(["coef", str(table), "--y", "y", "--z", "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["T"] == T(frame["y"], frame["a"])
    assert found["xi"] == xi(frame["a"], frame["y"])
    assert found["n"] == 120
    assert found["p_value"] == 0.001
    assert main(["coef", str(table), "--y", "y", "--z", "a,group", "--given", "group"]) == 0
    assert f"T   {T(frame['y'], frame[['a', 'group']], frame['group']):.6f}" in capsys.readouterr().out


def test_foci_prints_names_in_order_with_their_T(table, capsys):
    frame = pd.read_csv(table)
    expected = FOCI().fit(frame.drop(columns="y"), frame["y"])
    assert main(["foci", str(table), "--y", "y", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = [str(frame.columns[k]) for k in expected.order_]
    assert found == {"selected": names, "T": expected.scores_.tolist()}
    assert main(["foci", str(table), "--y", "y"]) == 0
    assert capsys.readouterr().out.startswith(f"  1  {found['selected'][0]}  {found['T'][0]:.6f}")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["coef", "TABLE", "--y", "none", "--z", "a"],
            "There is no column 'none'; the columns are a, b, c, group, y.",
        ),
        (
            ["coef", "TABLE", "--y", "y", "--z", "a,d"],
            "There is no column 'd'; the columns are a, b, c, group, y.",
        ),
        (["coef", "TABLE", "--y", "y", "--z", ","], "Name at least one column."),
        (["foci", "missing.csv", "--y", "y"], "There is no file missing.csv; check the name."),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(table, capsys, words, sentence):
    assert main([str(table) if word == "TABLE" else word for word in words]) == 2
    assert capsys.readouterr().err == f"diffoci: {sentence}\n"


def test_importing_the_library_loads_neither_streamlit_nor_folktables():
    program = "import sys, diffoci; print([m for m in ('streamlit', 'folktables') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_stranger_s_name_cannot_steer_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path))
    run = Run.create(AUDIT, make_spec("student", sensitive=["a\x1b]0;pwned\x07\x9b2J\r\u202eb"], twin=True))
    assert main(["runs", "list"]) == 0
    assert main(["runs", "show", run.id]) == 0
    assert main(["coef", "\x1b[2J", "--y", "y", "--z", "a"]) == 2
    said = capsys.readouterr()
    assert "a\ufffd]0;pwned\ufffd\ufffd2J\ufffd\ufffdb" in said.out
    assert "There is no file \ufffd[2J" in said.err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", said.out + said.err)


@pytest.fixture
def runs_of_all_studies(tmp_path, monkeypatch) -> Path:
    """Twenty-five finished runs; lists read their specifications and no result."""
    monkeypatch.setenv("DIFFOCI_RUNS", str(tmp_path / "runs"))
    table = {"outcome_kind": "auto", "data": "student", "methods": ["FOCI"], "seeds": [0]}
    roles = {"scores": ["score_a"], "sensitive": ["sex"]}
    audit = make_spec("student", sensitive=["sex"], preset="quick", twin=True).to_dict()
    domain = {"data": "acs-income", "options": {"state": "AL"}}
    shift = {
        "title": "two years",
        "inside": domain,
        "outside": domain,
        "methods": ["dF1"],
        "shares": [0.5],
        "seeds": [0],
    }
    specs = {
        "audit": audit,
        "model-audit": {"data": "lender", "roles": roles},
        "feature-lab": table,
        "observations": {"draws": 50},
        "fairness-tables": audit,
        "domain-shift": shift,
        "spurious-lab": {"data": "birds", "methods": ["ERM"], "seeds": [0]},
    }
    names = [name for name in plugins.names(plugins.STUDIES) if name in specs]
    assert len(names) == 7
    for _, name in zip(range(25), cycle(names), strict=False):
        study = study_named(name)
        run = Run.create(study, study.spec.from_dict(specs[name], name))
        run.result_file.write_text("{}")
        run.record("done")
    return tmp_path / "runs"


def test_a_list_of_runs_of_all_studies_reads_no_tables(runs_of_all_studies):
    program = (
        "import sys\nfrom diffoci.__main__ import main\nmain(['runs', 'list'])\n"
        "print([m for m in ('pandas.core', 'pyarrow.lib', 'scipy', 'torch', 'sklearn', 'plotly') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    *listed, loaded = found.stdout.splitlines()
    assert len(listed) == 25
    assert loaded == "[]"


def test_a_library_that_is_put_off_is_there_when_it_is_used():
    program = (
        "import sys\nfrom diffoci.commands.late import put_off\n"
        "for name in ('pandas', 'pyarrow', 'pyarrow.compute'): put_off(name)\n"
        "import pandas as pd, pyarrow as pa, pyarrow.compute as pc\nassert 'pandas.core' not in sys.modules\n"
        "print(pc.sum(pa.array(pd.Series([1, 2]))).as_py(), 'pandas.core' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["3", "True"]


@pytest.mark.alone
@pytest.mark.parametrize(("command", "most"), [(["--help"], 0.5), (["runs", "list"], 0.75)])
@pytest.mark.usefixtures("runs_of_all_studies")
def test_a_command_that_computes_nothing_answers_at_once(command, most, tmp_path):
    """In seconds of the processor, once Python has compiled the files.

    A list with runs of all seven studies, which few people have, takes 0.5 s: it loads each study.
    """
    around = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}
    around.pop("PYTHONDONTWRITEBYTECODE", None)
    taken = []
    for _ in range(4):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "diffoci", *command], env=around, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken) < most


def test_listing_commands_loads_nothing_that_computes():
    program = "import sys, diffoci.__main__; sys.exit(bool({'torch', 'scipy', 'sklearn', 'plotly'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", program], check=True)
