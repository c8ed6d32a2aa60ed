"""Whatever is learnt is learnt from training rows: other test rows change nothing that was learnt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

from diffoci.audit.measuring.guessing import guess
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods import METHODS
from diffoci.audit.probes import PROBES
from diffoci.data.truth.source import make_truth
from diffoci.inputs import Ints
from diffoci.runs.study import Watch
from tests.audit.known_truth import known, prepared_of, settings

WITHOUT_VALIDATION = ("standard", "correlation-remover", "leace", "prototypes")


def others(prepared: PreparedSplit, rows: Ints) -> PreparedSplit:
    """The same data, but for the features, labels and groups of these rows, which are those of other people."""
    rng = np.random.default_rng(5)

    def changed(values: Any) -> Any:
        copy = values.copy()
        copy[rows] = rng.permutation(copy[rows]) if copy.ndim == 1 else 3 * copy[rows] + 2
        return copy

    joint = changed(prepared.joint)
    levels = np.array(prepared.levels["group"])
    sensitive = pd.DataFrame({"group": pd.Categorical(levels[joint], categories=levels)})
    return replace(
        prepared,
        standard=changed(prepared.standard),
        inputs=changed(prepared.inputs),
        label=changed(prepared.label),
        joint=joint,
        groups={"group": joint},
        sensitive=sensitive,
    )


@pytest.fixture(scope="module")
def prepared() -> PreparedSplit:
    return known(rows=300, linear=1.0, variance=1.0, direct=1.0)


@pytest.mark.parametrize("which", ["standard", "input"])
def test_a_coding_is_learnt_from_training_rows_only(which: Literal["standard", "input"]) -> None:
    dataset = make_truth(rows=300).dataset
    one = prepared_of(dataset)
    held = np.concatenate([one.split.validation, one.split.test])
    features = dataset.features.copy()
    features.iloc[held] = 3 * features.iloc[held] + 2
    two = prepared_of(replace(dataset, features=features))
    assert np.array_equal(one.split.train, two.split.train)
    assert getattr(one, f"{which}_encoder").to_dict() == getattr(two, f"{which}_encoder").to_dict()


@pytest.mark.parametrize("method", METHODS)
def test_other_test_rows_leave_the_representation_of_all_other_rows(prepared: PreparedSplit, method: str) -> None:
    own = settings(prototype_iterations=2, adversary_weights=(0.3, 3.0), penalties=(0.1, 1.0), dF2_penalties=(0.1, 1.0))
    build = METHODS[method].build
    known_rows = np.concatenate([prepared.split.train, prepared.split.validation])
    one, two = (build(data, own, 0, Watch()).z for data in (prepared, others(prepared, prepared.split.test)))
    assert np.array_equal(one[known_rows], two[known_rows])


@pytest.mark.parametrize("method", WITHOUT_VALIDATION)
def test_what_is_not_tuned_learns_nothing_from_validation_rows(prepared: PreparedSplit, method: str) -> None:
    build, rows = METHODS[method].build, prepared.split.train
    held = np.concatenate([prepared.split.validation, prepared.split.test])
    own = settings(prototype_iterations=2)
    one, two = (build(data, own, 0, Watch()).z for data in (prepared, others(prepared, held)))
    assert np.array_equal(one[rows], two[rows])


@pytest.mark.parametrize("method", ["dF3", "leace", "adversary"])
def test_other_training_rows_do_change_what_is_learnt(prepared: PreparedSplit, method: str) -> None:
    build, test = METHODS[method].build, prepared.split.test
    one, two = (build(data, settings(), 0, Watch()).z for data in (prepared, others(prepared, prepared.split.train)))
    assert not np.allclose(one[test], two[test])


@pytest.mark.parametrize("probe", PROBES)
def test_a_guess_of_test_rows_knows_nothing_of_their_groups(prepared: PreparedSplit, probe: str) -> None:
    own: dict[str, Any] = {"classes": 2, "probes": (probe,), "network": settings()["probe"], "device": "cpu"}
    shuffled = others(prepared, prepared.split.test).groups["group"]
    one, two = (
        guess(prepared.standard, code, prepared.split, **own).probability for code in (prepared.joint, shuffled)
    )
    assert np.array_equal(one, two)
