"""The feature lab as a study: what selectors find on rows whose truth is known."""

from __future__ import annotations

import pickle
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from diffoci.figures.labs.feature_lab import frequencies
from diffoci.figures.labs.lab_table import selector_table
from diffoci.labs.feature_selection.agreement import stability
from diffoci.labs.feature_selection.paper import figure_of
from diffoci.labs.feature_selection.paper_tables import PRODUCT, TOY
from diffoci.labs.feature_selection.problems import PROBLEMS
from diffoci.labs.feature_selection.result import LabResult
from diffoci.labs.feature_selection.selectors import SELECTORS, selectors_for
from diffoci.labs.feature_selection.spec import LabSpec
from diffoci.labs.feature_selection.study import FEATURE_LAB
from diffoci.labs.feature_selection.words import alike, only_together, only_together_words, star_words
from diffoci.runs.study import Cancelled, Made, Watch


def run(spec: LabSpec, watch: Watch | None = None) -> LabResult:
    data = FEATURE_LAB.load(spec)
    cells = FEATURE_LAB.plan(spec, data)
    outputs = {cell.id: FEATURE_LAB.run_cell(spec, data, cell, watch or Watch()) for cell in cells}
    return FEATURE_LAB.assemble(spec, data, outputs, {}, Made({}, "cpu", 1.0))


def test_every_selector_that_is_installed_runs_on_a_toy() -> None:
    slow = ("UMAP", "Boruta", "LassoNet", "stable", "permutation")
    names = tuple(one.name for one in selectors_for("number") if one.name not in slow)
    result = run(LabSpec(problem="toy1", knobs={"n": 200}, methods=names, seeds=(0, 1), epochs=3))
    assert [one.name for one in result.methods] == list(names)
    mean, full = (result.method(name).scores["mse"].mean or np.inf for name in ("mean", "full"))
    assert full < mean
    assert result.method("full").size.mean == 10
    assert FEATURE_LAB.read_result(msgspec.to_builtins(result), "result.json") == result


def test_foci_finds_the_three_columns_of_toy_1() -> None:
    result = run(LabSpec(problem="toy1", methods=("FOCI",), seeds=(0,)))
    assert {0, 1, 2} <= set(result.method("FOCI").repetitions[0].selected or ())


def test_the_same_specification_gives_the_same_numbers() -> None:
    spec = LabSpec(problem="toy2", knobs={"n": 150}, methods=("vec-dF1", "NN-dF1"), seeds=(3,), epochs=3)
    first, second = run(spec), run(spec)
    assert [one.repetitions[0].scores for one in first.methods] == [one.repetitions[0].scores for one in second.methods]


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_rows_of_a_problem_can_be_sent_to_other_processes(name: str) -> None:
    rows = FEATURE_LAB.load(LabSpec(problem=name, methods=("full",), seeds=(0,)))
    sent = pickle.loads(pickle.dumps(rows))
    assert sent.sha256 == rows.sha256
    assert np.array_equal(sent.task(1).x, rows.task(1).x)


def test_weights_by_epoch_are_told_and_kept() -> None:
    told: list[dict] = []
    spec = LabSpec(problem="toy1", knobs={"n": 150}, methods=("vec-dF1",), seeds=(0,), epochs=4)
    result = run(spec, Watch(report=told.append))
    assert [len(line["theta"]) for line in told if "theta" in line] == [10] * 4
    (path,) = result.paths
    assert path.epochs == (1, 2, 3, 4)
    assert path.theta[-1] == pytest.approx(result.method("vec-dF1").repetitions[0].theta, abs=1e-6)


def test_a_cell_stops_when_it_is_cancelled() -> None:
    with pytest.raises(Cancelled):
        run(LabSpec(problem="toy1", methods=("NN-dF1",), seeds=(0,)), Watch(cancelled=lambda: True))


def test_an_option_that_a_problem_lacks_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="'sigma' is not an option of Toy 1"):
        FEATURE_LAB.load(LabSpec(problem="toy1", knobs={"sigma": 1.0}, methods=("full",), seeds=(0,)))
    with pytest.raises(ValueError, match="LDA needs classes"):
        FEATURE_LAB.load(LabSpec(problem="toy1", methods=("LDA",), seeds=(0,)))


def test_further_test_rows_change_no_training() -> None:
    plain = LabSpec(problem="toy1", knobs={"n": 200}, methods=("vec-dF1",), seeds=(3,), epochs=3)
    more = msgspec.structs.replace(plain, knobs={"n": 200, "further": 500})
    one, other = (FEATURE_LAB.load(spec).task(3) for spec in (plain, more))
    assert np.array_equal(one.x, other.x[:200])
    assert np.array_equal(one.split.train, other.split.train)
    assert np.array_equal(one.split.validation, other.split.validation)
    assert list(other.split.test) == [*one.split.test, *range(200, 700)]
    results = [run(spec) for spec in (plain, more)]
    for result in results:
        assert FEATURE_LAB.read_result(msgspec.to_builtins(result), "result.json") == result
    first, second = (result.method("vec-dF1").repetitions[0] for result in results)
    assert first.theta == second.theta
    assert first.scores != second.scores
    assert figure_of(msgspec.structs.replace(plain, knobs={"further": 500}, epochs=None), "vec-dF1") == 0.02


@pytest.mark.parametrize("preset", ["quick", "full"])
def test_every_selector_is_run_once_on_every_toy(preset) -> None:
    asked = [one.spec for one in TOY.plan(preset).asked if isinstance(one.spec, LabSpec)]
    pairs = [(spec.problem, name) for spec in asked for name in spec.methods]
    assert len(pairs) == len(set(pairs))
    assert {name for problem, name in pairs if problem == "toy1"} == {
        name for problem, name in pairs if problem == "toy2"
    }
    assert all(len(spec.seeds) >= 10 for spec in asked)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_draw_is_that_of_its_seed(name: str) -> None:
    problem = PROBLEMS[name]
    knobs = problem.filled_in({})
    first, again, other = (problem.draw(seed=seed, **knobs) for seed in (0, 0, 1))
    assert (first.x == again.x).all()
    assert (first.x != other.x).any()
    assert len(first.split.train) + len(first.split.validation) + len(first.split.test) == len(first.y)


def test_a_selector_that_is_not_installed_says_how_to_get_it() -> None:
    selector = replace(SELECTORS["Boruta"], needs="not_a_package")
    assert selector.missing() == "Boruta needs the package not_a_package: pip install 'diffoci[selectors]'."


def test_knockoffs_and_l1_choose_from_a_table_with_classes() -> None:
    spec = LabSpec(data="breast-cancer", methods=("full", "L1", "knockoffs", "LDA", "GUS"), seeds=(0, 1))
    result = run(spec)
    assert result.kind == "class"
    assert result.real
    assert result.method("GUS").size.mean == 1
    assert 0 < len(result.method("knockoffs").repetitions[0].selected or ()) < 30
    (full,) = {one.scores["hard_log_loss"].mean for one in result.methods if one.name == "full"}
    assert full is not None
    assert full < 3
    assert "full data" in FEATURE_LAB.headline(result)


@pytest.mark.parametrize(
    ("outcome", "kind", "found"),
    [("mean area", "auto", "number"), ("malignant", "auto", "class"), ("", "auto", "class")],
)
def test_any_column_of_a_table_can_be_predicted(outcome: str, kind, found: str) -> None:
    rows = FEATURE_LAB.load(
        LabSpec(data="breast-cancer", outcome=outcome, outcome_kind=kind, methods=("full",), seeds=(0,))
    )
    task = rows.task(0)
    assert rows.kind == found
    assert outcome not in task.names
    assert len(task.names) == (29 if outcome == "mean area" else 30)


def test_a_file_of_ones_own_is_a_table(tmp_path) -> None:
    path = tmp_path / "shop.csv"
    lines = [f"{k % 7},{'abc'[k % 3]},{2 * (k % 7)}" for k in range(60)]
    path.write_text("\n".join(["size,colour,price", *lines]))
    spec = LabSpec(data=f"csv:{path}", outcome="price", methods=("FOCI", "SPer", "vec-dF1"), seeds=(0,), epochs=2)
    result = run(spec)
    assert result.features == ("size", "colour")
    assert result.method("FOCI").repetitions[0].selected == (0,)
    assert FEATURE_LAB.describe(spec) == "shop.csv: price"
    assert FEATURE_LAB.portable(spec).data == "csv:shop.csv"


def test_stability_is_one_for_the_same_set_and_none_where_it_says_nothing() -> None:
    assert stability([(1, 2), (1, 2)], 5) == 1.0
    assert stability([(), ()], 5) is None
    assert stability([(1,)], 5) is None


def test_errors_are_compared_on_the_same_draws() -> None:
    result = run(LabSpec(problem="toy1", knobs={"n": 300}, methods=("mean", "full", "FOCI"), seeds=(0, 1, 2)))
    full, foci = result.method("full"), result.method("FOCI")
    more = result.more(full, foci)
    pairs = zip(full.repetitions, foci.repetitions, strict=True)
    assert more.values == tuple(one.scores["mse"] - other.scores["mse"] for one, other in pairs)
    assert None not in (more.low, more.mean, more.high)
    assert (more.low or 0) < (more.mean or 0) < (more.high or 0)
    assert sorted(" to " in cell for cell in selector_table(result)["More than the lowest"]) == [0, 1, 1]


def test_a_selector_that_is_worse_on_every_draw_is_not_alike_though_intervals_overlap() -> None:
    result = run(LabSpec(problem="toy1", knobs={"n": 200}, methods=("mean", "full"), seeds=(0, 1, 2)))
    full, mean = result.method("full"), result.method("mean")
    shifted = tuple(msgspec.structs.replace(entry, scores={"mse": 0.3 * k}) for k, entry in enumerate(full.repetitions))
    worse = tuple(msgspec.structs.replace(entry, scores={"mse": 0.3 * k + 0.1}) for k, entry in enumerate(shifted))
    methods = (msgspec.structs.replace(full, repetitions=shifted), msgspec.structs.replace(mean, repetitions=worse))
    assert alike(msgspec.structs.replace(result, methods=methods)) == ()


def test_only_what_the_outcome_is_made_from_is_called_missed() -> None:
    result = run(LabSpec(problem="product", knobs={"n": 1200, "p": 8}, methods=("FWE", "FOCI"), seeds=(0,)))
    assert {0, 1, 2} <= set(result.method("FOCI").repetitions[0].selected or ())
    assert only_together(result) == {0, 1, 2}
    assert "miss" in only_together_words(result)
    fewer = msgspec.structs.replace(result, truth=(0, 1))
    assert only_together(fewer) == {0, 1}
    unknown = msgspec.structs.replace(result, truth=None)
    assert {0, 1, 2} <= only_together(unknown)
    drawn = frequencies(unknown)
    assert drawn is not None
    for said in (only_together_words(unknown), star_words(unknown), drawn.alt, drawn.figure.layout.title.text):
        assert "miss" not in said
    assert "is not known of this table" in only_together_words(unknown)


def test_a_share_of_draws_that_all_agree_has_an_interval() -> None:
    result = run(LabSpec(problem="product", knobs={"n": 1200, "p": 6}, methods=("FOCI",), seeds=(0, 1)))
    (row,) = PRODUCT.rows([result])
    assert row.value.mean == row.value.high == 1.0
    assert row.value.low == pytest.approx(0.342, abs=1e-3)
