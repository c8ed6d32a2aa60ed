"""Whether the settings of an audit are possible: told before it starts, in a sentence, and not by every part of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diffoci.estimator import MODELS

MOST_PIECES = 1000

Rule = tuple[Callable[[Any], bool], str]


def _number(least: float, *, above: bool = False, below: float = 1e9) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        known = isinstance(value, (int, float)) and not isinstance(value, bool)
        return known and (value > least if above else value >= least) and value < below

    return holds


def _whole(least: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value < 1e9


def _or_none(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or holds(value)


def _list_of(holds: Callable[[Any], bool], *, fewest: int = 0) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Sequence) and not isinstance(value, str) and len(value) >= fewest and all(
        map(holds, value)
    )  # fmt: skip


def _fractions(value: Any) -> bool:
    parts = _list_of(_number(0, above=True, below=1))
    return bool(parts(value)) and len(value) == 3 and abs(sum(value) - 1) < 1e-9


_POSITIVE: Rule = (_number(0, above=True), "a number above 0")
_NOT_NEGATIVE: Rule = (_number(0), "a number of at least 0")
_COUNT: Rule = (_whole(1), "a whole number of at least 1")
_COUNT_OR_NONE: Rule = (_or_none(_whole(1)), "a whole number of at least 1, or none")
_OF_TRAINING: Mapping[str, Rule] = {
    "beta": _POSITIVE,
    "penalty_beta": _POSITIVE,
    "lr": _POSITIVE,
    "weight_decay": _NOT_NEGATIVE,
    "cutoff": _NOT_NEGATIVE,
    "dropout": (_number(0, below=1), "a number from 0 to below 1"),
    "hidden": (_list_of(_whole(1)), "a list of whole numbers, such as [128, 128]"),
    "width": _COUNT_OR_NONE,
    "patience": _COUNT_OR_NONE,
    "batch_size": (_whole(2), "a whole number of at least 2"),
    "max_epochs": _COUNT,
    "least_batches": _COUNT,
    "small_data_epochs": _COUNT,
    "rows_for_sharpness": (_whole(0), "a whole number of at least 0"),
}
_WEIGHTS: Rule = (_list_of(_number(0), fewest=1), "a list of at least one number, such as [0.1, 1]")
_OF_AUDITS: Mapping[str, Rule] = {
    "coding": (lambda value: value in ("onehot", "integer"), "onehot or integer"),
    "model": (lambda value: value in MODELS, f"one of {', '.join(MODELS)}"),
    "fractions": (_fractions, "three numbers above 0 that sum to 1"),
    "pieces": (lambda value: _whole(0)(value) and value <= MOST_PIECES, f"a whole number from 0 to {MOST_PIECES}"),
    "penalties": _WEIGHTS,
    "dF2_penalties": _WEIGHTS,
    "adversary_weights": _WEIGHTS,
    "curve": (_list_of(_number(0)), "a list of numbers"),
    "probe_rows": _COUNT_OR_NONE,
    "vec_rows": _COUNT_OR_NONE,
    "null_draws": (_whole(100), "a whole number of at least 100"),
    **dict.fromkeys(("permutations", "exact_rows", "coefficient_rows", "prototypes", "prototype_iterations"), _COUNT),
}


def check_possible(settings: Mapping[str, Any]) -> None:
    """Raise a sentence for the first setting that cannot be."""
    for name, value in settings.items():
        if name in _OF_AUDITS:
            _check(name, value, _OF_AUDITS[name])
        elif name in ("network", "penalised", "adversary", "vec", "probe"):
            if not isinstance(value, Mapping):
                raise ValueError(f"The setting '{name}' is a table of numbers, not {value!r}.")
            for entry, number in value.items():
                if entry not in _OF_TRAINING:
                    raise ValueError(f"The setting '{name}' has no entry '{entry}'; it has {', '.join(_OF_TRAINING)}.")
                _check(f"{name}.{entry}", number, _OF_TRAINING[entry])
            if name == "probe" and not value["hidden"]:
                raise ValueError(
                    "The setting 'probe.hidden' must have at least one layer: the last one is looked into."
                )
    if len({f"{weight:g}" for weight in settings["curve"]}) < len(settings["curve"]):
        raise ValueError("The setting 'curve' has the same weight twice.")


def _check(name: str, value: Any, rule: Rule) -> None:
    holds, words = rule
    if not holds(value):
        raise ValueError(f"The setting '{name}' must be {words}, not {value!r}.")
