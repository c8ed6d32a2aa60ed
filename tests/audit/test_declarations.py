"""What is declared of methods, families and probes is true, and reading it loads nothing that trains."""

from __future__ import annotations

import subprocess
import sys

import pytest

from diffoci.audit.methods import METHODS, REFERENCE, curves, default_methods, list_methods, method_named
from diffoci.audit.methods.families import FAMILIES, family_named
from diffoci.audit.presets import PRESETS
from diffoci.audit.probes import PROBES, QUICK
from diffoci.audit.settings import BY_PATH, GROUPS
from diffoci.figures.template import look, method_class
from diffoci.runs.study import Watch
from tests.audit.known_truth import known, settings

HEAVY = ("torch", "sklearn", "fairlearn", "concept_erasure", "streamlit")


@pytest.mark.parametrize(
    "module", ["methods", "probes", "plan", "presets", "make_spec", "verdicts", "_assemble", "measuring.prepared"]
)
def test_reading_declarations_loads_nothing_that_trains(module: str) -> None:
    program = f"import sys, diffoci.audit.{module}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("method", list_methods(), ids=lambda method: method.name)
def test_a_method_says_what_a_reader_asks_for(method):
    assert method.title
    assert method.called
    assert method.description
    assert method.family in FAMILIES
    assert method.is_reference or "20" in method.citation
    assert method.curve is None or method.curve in BY_PATH
    assert method.settings in ("", *GROUPS)


def test_one_method_is_what_the_others_are_compared_with() -> None:
    assert [method.name for method in list_methods() if method.is_reference] == [REFERENCE]


def test_all_methods_but_those_an_expert_asks_for_are_compared_by_default() -> None:
    assert set(METHODS) - set(default_methods()) == {"prototypes", "hsic", "splince"}


def test_a_curve_has_weights_in_every_preset() -> None:
    assert set(curves()) == {"dF2", "dF3+penalty", "adversary", "hsic"}
    assert all(preset.settings[setting] for preset in PRESETS.values() for setting in curves().values())


@pytest.mark.parametrize("method", list_methods(), ids=lambda method: method.name)
def test_what_can_be_taken_away_keeps_its_module_and_what_is_trained_its_epochs(method):
    epochs = []
    watch = Watch(report=lambda line: epochs.append(line.get("epoch")))
    made = method.build(known(rows=200, linear=1.0), settings(prototype_iterations=1), 0, watch)
    assert (made.network is not None) == method.exportable
    assert bool(epochs) == method.trained
    assert not (method.exportable and method.needs_sensitive_at_prediction)


def test_a_method_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"^There is no method 'magic'; choose from standard, dF1, .*\.$"):
        method_named("magic")


def test_methods_of_one_family_differ_in_marker_and_families_in_colour() -> None:
    looks = [(method_class(method.name).colour, method_class(method.name).marker) for method in list_methods()]
    assert len(set(looks)) == len(looks)
    assert len({family.colour for family in FAMILIES.values()}) == len(FAMILIES)


def test_a_family_that_is_not_known_is_drawn_as_other() -> None:
    assert look("of a package").title == family_named("other").title == method_class("magic").title


def test_probes_differ_in_colour_and_marker_and_one_is_linear() -> None:
    assert len({probe.colour for probe in PROBES.values()}) == len({probe.marker for probe in PROBES.values()}) == 3
    assert [probe.name for probe in PROBES.values() if probe.linear] == ["logistic"]
    assert set(QUICK) < set(PROBES)
