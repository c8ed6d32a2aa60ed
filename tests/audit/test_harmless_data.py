"""Audits with all probes and several splits say "not detected" where S is nowhere, and "detected" where it is."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_limits

from diffoci.audit.make_spec import make_spec
from diffoci.audit.probes import PROBES
from diffoci.audit.result import PLACES, Guessed, Place
from diffoci.audit.study import AUDIT
from diffoci.data.dataset import Dataset
from diffoci.data.truth.source import make_truth
from diffoci.runs.study import Made, Watch
from tests.audit.known_truth import SHORT, several

AUDITS, SPLITS = 20, 2
ByPlace = dict[Place, Guessed]


def seen_of_group(dataset: Dataset) -> ByPlace:
    """What an audit of the standardised data says of S, in both places."""
    spec = make_spec("truth", preset="quick", seeds=SPLITS, methods=["standard"], settings=SHORT, device="cpu")
    cells = [cell for cell in AUDIT.plan(spec, dataset) if cell.method == "standard"]
    outputs = {cell.id: AUDIT.run_cell(spec, dataset, cell, Watch()) for cell in cells}
    (method,) = AUDIT.assemble(spec, dataset, outputs, {}, Made({}, "cpu", 0.0)).methods
    assert method.seeds == tuple(range(SPLITS))
    return method.leakage.by_attribute["group"]


@pytest.fixture(scope="module")
def harmless() -> list[ByPlace]:
    """Audits of data where S is in y and in no feature."""
    with threadpool_limits(1):  # where other tests run too, threads of such small data wait for each other
        return [seen_of_group(dataset) for dataset in several(AUDITS, rows=500)]


@pytest.fixture(scope="module")
def plain() -> ByPlace:
    """An audit of data where S is plain to see."""
    return seen_of_group(make_truth(rows=500, linear=3.0).dataset)


def test_all_probes_are_asked(plain: ByPlace) -> None:
    assert set(plain["representation"].probes) == set(PROBES)


@pytest.mark.parametrize("place", PLACES)
def test_an_attribute_that_is_nowhere_is_not_detected_by_any_probe_on_several_splits(
    harmless: list[ByPlace], place: Place
) -> None:
    assert [found[place].verdict for found in harmless].count("not detected") >= 19


@pytest.mark.parametrize("place", PLACES)
def test_where_the_attribute_is_nowhere_small_p_values_are_rare(harmless: list[ByPlace], place: Place) -> None:
    assert sum((found[place].p_value or 0.0) <= 0.05 for found in harmless) <= 2


def test_an_attribute_that_is_plain_to_see_is_detected(plain: ByPlace) -> None:
    assert plain["representation"].verdict == "detected"


def test_an_attribute_that_is_plain_to_see_has_a_small_p_value(plain: ByPlace) -> None:
    assert 0 < (plain["representation"].p_value or 0.0) <= 0.05
