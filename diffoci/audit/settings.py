"""Every setting of an audit, once: what it is called, what it means, its limits, and what the paper says of it.

The form of the Train page, the checks of a specification, the command line and the report read this table. The values
are those of a preset (`diffoci.audit.presets`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diffoci.audit.certificates.certificate import MOST_CELLS
from diffoci.audit.setting_kinds import Choice, Kind, Number, Numbers, Shares, shown

GUESSING = "Guessing"  # the tab of what concerns probes
_SILENT = "does not say"


@dataclass(frozen=True)
class Setting:
    """One setting. `group` is the table of the preset it lies in, empty for the outermost.

    `tab` is where the form asks for it, empty where that is a place of its own; `paper` is what the paper says of it.
    """

    group: str
    name: str
    title: str
    help: str
    kind: Kind
    tab: str
    unit: str = ""
    paper: str = _SILENT

    @property
    def path(self) -> str:
        """Its whole name, such as "network.lr"."""
        return f"{self.group}.{self.name}" if self.group else self.name

    def check(self, value: Any) -> None:
        """Raise a sentence where a value is not possible."""
        if (problem := self.kind.problem(value)) is not None:
            raise ValueError(f"The setting '{self.path}' {problem}.")

    def said(self, value: Any) -> str:
        """Say a value in words.

        >>> BY_PATH["network.hidden"].said((128, 64)), BY_PATH["probe_rows"].said(None), BY_PATH["curve"].said([])
        ('128, 64 units', 'all rows', 'none')
        """
        if self.kind.problem(value) is not None:
            return json.dumps(value)  # of another version
        if isinstance(self.kind, Choice):
            return self.kind.titles[value]
        if value is None:
            return self.kind.none if isinstance(self.kind, Number) else "none"
        many = isinstance(value, Sequence)
        text = ", ".join(f"{one:g}" for one in value) if many else f"{value:,}"
        return f"{text} {self.unit}".strip() or "none"


def _whole(least: int, most: int, *, none: str = "") -> Number:
    return Number(least, most, whole=True, none=none)


_GRID = "chosen on validation rows from"
_LAST = "all epochs are done and the last is kept"
_POSITIVE = Number(0, 1000, above=True)
_NOT_NEGATIVE = Number(0, 1000)
_EPOCHS, _PATIENCE, _BATCH = _whole(1, 10_000), _whole(1, 10_000, none=_LAST), _whole(2, 1_000_000)
_ROWS = _whole(1, 1_000_000_000, none="all rows")
_WEIGHTS = Numbers(Number(0, 1_000_000), most=50, distinct=True)
_LAYERS = Numbers(_whole(1, 4096), most=20, noun="layer")
_MODELS = Choice(
    titles={"nn": "network (NN)", "vec-nn": "network with weights (vec-NN)", "vec": "one weight per feature (vec)"},
    explained={
        "nn": "A network mixes all features into new ones; what it learned shows only in its predictions.",
        "vec-nn": "A network whose new features each have a weight, so that idle ones can fade out.",
        "vec": "Every feature is multiplied by its own weight, or dropped; nothing is mixed. Its training is set under "
        "Feature weights.",
    },
)

_MEASURES = Choice(
    {
        "T": "T, looked at from every group",
        "T-ranks": "T of ranks, with every group counted alike",
        "T-codes": "T of the codes",
        "projections": "T along single directions",
        "hsic": "HSIC",
    }
)
_NEIGHBOURS = Choice({"all": "all people", "same": "people of the same group"})


# fmt: off
def _sharpness(group: str, tab: str) -> tuple[Setting, ...]:
    return (
        Setting(group, "beta", "Sharpness of neighbours", "How much more a person's nearest neighbour counts than "
                "the next ones (the paper's beta).", _POSITIVE, tab, paper="5"),
        Setting(group, "penalty_beta", "Sharpness in the penalty", "The same for the leakage penalty. A sharper one "
                "sees finer traces of the attribute.", _POSITIVE, tab),
        Setting(group, "rows_for_sharpness", "Rows for a sharpness of 1", "A batch needs this many rows for each "
                "unit of sharpness; with fewer, sharpness is lowered. 0 never lowers it.",
                _whole(0, 1_000_000), tab, "rows"),
    )


def _penalty(group: str, tab: str) -> tuple[Setting, ...]:
    return (
        Setting(group, "measure", "Measure of leaking", "What the penalty is on. People of every group look at their "
                "neighbours, or as in the paper, of two groups, those of the second. Of ranks, a neighbourhood holds "
                "as many people where most of them are alike as elsewhere.", _MEASURES, tab,
                paper="T of the codes"),
        Setting(group, "neighbours", "Neighbours in dF3", "Whom a person is compared with when predicting the outcome "
                "beyond the attribute. The same group only works for one learned feature, and for batches of any "
                "size.", _NEIGHBOURS, tab, paper="all people"),
    )


def _training(group: str, tab: str) -> tuple[Setting, ...]:
    return (
        Setting(group, "lr", "Learning rate", "How far each step goes; lower it if training breaks down.",
                _POSITIVE, tab, paper=f"{_GRID} 0.0001 to 0.1"),
        Setting(group, "weight_decay", "Weight decay", "Pulls weights towards zero, against overfitting; those of "
                "unused features end at zero.", _NOT_NEGATIVE, tab, paper=f"{_GRID} 0.0001 to 0.1"),
        Setting(group, "batch_size", "Batch size", "Rows per step. Larger batches see more neighbours and take longer.",
                _BATCH, tab, "rows", f"{_GRID} 8 to 4096"),
        Setting(group, "least_batches", "Batches per epoch, at least", "Small data get smaller batches, so that an "
                "epoch has this many.", _whole(1, 10_000), tab, "batches"),
        Setting(group, "max_epochs", "Epochs, at most", "Passes over the data.",
                _EPOCHS, tab, "epochs", f"{_GRID} 10, 20, 50 and 100"),
        Setting(group, "patience", "Patience", "Stop after this many epochs without a better one on validation rows, "
                "and keep the best; 0 keeps the last.", _PATIENCE, tab, "epochs"),
        Setting(group, "small_data_epochs", "Epochs for small data", "Below 1,000 training rows, epochs and patience "
                "are multiplied by this: an epoch of few rows has few steps.", _whole(1, 1000), tab, "times"),
    )


def _network(group: str, tab: str) -> tuple[Setting, ...]:
    return (
        Setting(group, "hidden", "Hidden layers", "Widths of the network's hidden layers, separated by commas.",
                replace(_LAYERS, may_be_empty=True), tab, "units", "128, 128, 128"),
        Setting(group, "width", "Learned features", "How many numbers describe a person; 0 means as many as there are "
                "input columns. Fewer leave less room for the attribute.",
                _whole(1, 4096, none="as many as input columns"), tab, paper="as many as input columns"),
        Setting(group, "dropout", "Dropout", "Share of hidden values left out of each step, against overfitting.",
                Number(0, 1, below=True), tab),
        *_training(group, tab),
    )


def _guessing() -> tuple[Setting, ...]:
    kept = ("lr", "weight_decay", "batch_size", "max_epochs", "patience")
    return (
        Setting("probe", "hidden", "Hidden layers", "Of the network that guesses, separated by commas. Its last one "
                "is also guessed from.", _LAYERS, GUESSING, "units", "128, 128, 128"),
        *(replace(setting, help=f"Of the network that guesses. {setting.help}")
          for setting in _training("probe", GUESSING) if setting.name in kept),
        Setting("", "probe_rows", "Rows to learn from, at most", "Random training rows for every probe; 0 takes "
                "all.", _ROWS, GUESSING, "rows"),
    )


def _table() -> tuple[Setting, ...]:
    network, penalised, adversary = "Networks", "Networks with a penalty", "Adversary"
    vec, chance = "Feature weights (vec)", "Data and chance"
    return (
        Setting("", "model", "difFOCI's representation", "The paper's three parameterisations: it studies guessing "
                "with NN and lists dropped features with vec.", _MODELS, ""),
        *(setting for setting in _sharpness("network", network) if setting.name != "penalty_beta"),
        *_network("network", network),
        *_sharpness("penalised", penalised),
        *_penalty("penalised", penalised),
        *_network("penalised", penalised),
        Setting("", "dF2_penalties", "Penalties of dF2 to try", "How much leaking costs in dF2, separated by commas.",
                _WEIGHTS, penalised),
        Setting("", "penalties", "Penalties of dF3 to try", "Weights of the leakage penalty, separated by commas; the "
                "best on validation rows is kept. An extension: the paper's dF3 has none.", _WEIGHTS, penalised),
        Setting("", "hsic_penalties", "Penalties of HSIC to try", "How much leaking costs in the method of that name, "
                "separated by commas.", _WEIGHTS, penalised),
        *(replace(setting, paper=_SILENT) for setting in _network("adversary", adversary)),
        Setting("", "adversary_weights", "Weights to try", "How strongly the adversary counts, separated by commas.",
                _WEIGHTS, adversary),
        *_sharpness("vec", vec),
        *_training("vec", vec),
        Setting("", "vec_rows", "Rows to learn from, at most", "Random training rows; 0 takes all.", _ROWS, vec,
                "rows"),
        Setting("vec", "cutoff", "Cutoff", "A feature counts as dropped if its weight is within this of zero.",
                _NOT_NEGATIVE, vec, paper="0.1"),
        *_guessing(),
        Setting("", "coding", "Categories for networks", "One column per level, or the number of the level.",
                Choice({"onehot": "one column per level", "integer": "the number of the level"}), chance),
        Setting("", "pieces", "Pieces a number is cut into", "Networks also see each number cut at its quantiles; "
                "0 for not at all.", _whole(0, 1000), chance, "pieces"),
        Setting("", "fractions", "Training, validation, test", "Shares of the rows, separated by commas; a fourth is "
                "set aside for ceilings, which else rest on test rows.",
                Shares((3, 4), "three numbers above 0 that sum to 1, or four"), chance, paper="0.75, 0.15, 0.1"),
        Setting("", "fold_rows", "Everybody tested below", "With fewer rows than this the repetitions test different "
                "people, in ten repetitions everybody once; 0 for never.", _whole(0, 1_000_000), chance, "rows"),
        Setting("", "cells", "Cells to try", "Into how many cells a representation is cut for its ceiling, separated "
                "by commas; chosen on validation rows.",
                Numbers(_whole(2, MOST_CELLS), most=10, distinct=True), chance, "cells"),
        Setting("", "confidence", "Confidence of ceilings", "How sure it is that nobody exceeds one.",
                Number(0.5, 1, below=True), chance),
        Setting("", "null_draws", "Shuffles for chance", "How many times labels are shuffled for the chance band.",
                _whole(100, 100_000), chance, "shuffles"),
        Setting("", "permutations", "Shuffles for p-values", "For the coefficients of single columns.",
                _whole(1, 100_000), chance, "shuffles"),
        Setting("", "exact_rows", "Rows for single columns", "For their coefficients and FOCI's paths.",
                _whole(10, 1_000_000), chance, "rows"),
        Setting("", "coefficient_rows", "Rows for T of a representation", "Test rows, at most.",
                _whole(2, 1_000_000), chance, "rows"),
        Setting("", "curve", "Trade-off curve", "Penalty weights of the curve, separated by commas; empty for none.",
                replace(_WEIGHTS, may_be_empty=True), chance),
        Setting("", "prototypes", "Prototypes", "How many, for the method of that name.", _whole(1, 1000), chance),
        Setting("", "prototype_iterations", "Steps for prototypes, at most", "Of the method of that name.",
                _whole(1, 100_000), chance, "steps"),
    )
# fmt: on


SETTINGS = _table()
BY_PATH: Mapping[str, Setting] = {setting.path: setting for setting in SETTINGS}
GROUPS = tuple(dict.fromkeys(setting.group for setting in SETTINGS if setting.group))
# What `make_spec` adds for the paper's data: its own training of weights of features, by objective.
VEC_BY_OBJECTIVE = "vec_by_objective"


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raise a sentence for the first setting that there is not or that cannot be."""
    for name, value in settings.items():
        if name in GROUPS:
            _check_group(name, value, group=name)
        elif name == VEC_BY_OBJECTIVE:
            _check_table(name, value)
            for objective, own in value.items():
                _check_group(f"{name}.{objective}", own, group="vec")
        elif name in BY_PATH:
            BY_PATH[name].check(value)
        else:
            raise ValueError(f"There is no setting {shown(name)}.")


def _check_group(path: str, values: Any, *, group: str) -> None:
    _check_table(path, values)
    for name, value in values.items():
        if (setting := BY_PATH.get(f"{group}.{name}")) is None:
            known = ", ".join(setting.name for setting in SETTINGS if setting.group == group)
            raise ValueError(f"The setting '{path}' has no entry {shown(name)}; it has {known}.")
        setting.check(value)


def _check_table(path: str, values: Any) -> None:
    if not isinstance(values, Mapping):
        raise ValueError(f"The setting '{path}' is a table of numbers, not {shown(values)}.")


def said_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as a reader has them: title and name, value with its unit; one that is not known here as it stands."""
    said: dict[str, str] = {}
    for name, value in settings.items():
        entries = {f"{name}.{key}": one for key, one in value.items()} if name in GROUPS else {name: value}
        for path, one in entries.items():
            known = BY_PATH.get(path)
            said[f"{known.title} ({path})" if known else path] = known.said(one) if known else json.dumps(one)
    return said
