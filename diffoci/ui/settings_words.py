"""Every setting of an audit in words: what it is called on the page and a sentence of help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diffoci.audit.presets import PAPER_VEC, PRESETS

# What difFOCI's representation is made by; the paper's names in brackets.
MODELS = {"nn": "network (NN)", "vec-nn": "network with weights (vec-NN)", "vec": "one weight a feature (vec)"}


_OF_THE_PAPER = ("", "network", "penalised", "vec", "probe")
_NOTHING = "says nothing of it"
_PAPER_SAYS = {
    "beta": "5",
    "hidden": "128, 128, 128",
    "width": "as many as input columns",
    "cutoff": "0.1",
    "fractions": "0.75, 0.15, 0.1",
    "lr": "chosen on validation rows from 0.0001 to 0.1",
    "weight_decay": "chosen on validation rows from 0.0001 to 0.1",
    "batch_size": "chosen on validation rows from 8 to 4096",
    "max_epochs": "chosen on validation rows from 10, 20, 50 and 100",
}


@dataclass(frozen=True)
class Setting:
    """One setting of an audit. `group` is the entry of the preset it lies in, empty for the outermost.

    `zero_is_none`: 0 stands for no number at all. `choices`: its possible values in words, where it is no number.
    """

    group: str
    name: str
    title: str
    help: str
    least: float = 0.0
    whole: bool = True
    most: float | None = None
    zero_is_none: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)

    def paper(self, data: str) -> str:
        """What the paper says of it for these data; its weights of features have numbers of their own for each."""
        if self.group == "vec" and self.name in PAPER_VEC.get(data, {}).get("dF3", {}):
            alone, given = (f"{PAPER_VEC[data][name][self.name]:g}" for name in ("dF1", "dF3"))
            return alone if alone == given else f"{alone} given nothing, {given} given the attribute"
        if self.group in _OF_THE_PAPER:
            return _PAPER_SAYS.get(self.name, _NOTHING)
        return _NOTHING


def value_in(preset: str, setting: Setting, data: str) -> Any:
    """Return a setting's value in a preset; where the paper's differ by objective, that of dF3."""
    if preset == "paper" and setting.group == "vec":
        own = PAPER_VEC.get(data, {}).get("dF3", {})
        if setting.name in own:
            return own[setting.name]
    settings = PRESETS[preset]
    return settings[setting.group][setting.name] if setting.group else settings[setting.name]


def _network(group: str, *, beta: bool) -> tuple[Setting, ...]:
    entries = [
        Setting(group, "hidden", "Hidden layers", "Widths of the network's hidden layers, separated by commas."),
        Setting(group, "width", "Learned features", "How many numbers describe a person; 0 means as many as there are "
                "input columns. Fewer leave less room for the attribute.", zero_is_none=True),
        Setting(group, "dropout", "Dropout", "Share of hidden values left out of a step, against over-fitting.", 0.0,
                False, 0.95),
        Setting(group, "lr", "Learning rate", "How far a step goes; lower it when training breaks down.", 1e-6, False),
        Setting(group, "weight_decay", "Weight decay", "Pulls weights towards zero, against over-fitting.", 0.0, False),
        Setting(group, "batch_size", "Rows a step", "Larger steps see more neighbours and take longer.", 16),
        Setting(group, "least_batches", "Steps a pass at least", "Small data get smaller steps, so that a pass over "
                "them has this many.", 1),
        Setting(group, "max_epochs", "Epochs at most", "Passes over the data; the best on held-out rows is kept.", 1),
        Setting(group, "patience", "Patience", "Stop after this many epochs without a better one; 0 keeps the last.",
                zero_is_none=True),
        Setting(group, "small_data_epochs", "Epochs for small data", "Below 1,000 training rows, epochs and patience "
                "are multiplied by this: a pass over few rows has few steps.", 1),
    ]  # fmt: skip
    if beta:
        entries = [
            Setting(group, "beta", "Sharpness of neighbours", "How sharply a person's nearest neighbour counts more "
                    "than the next ones (the paper's beta).", 0.01, False),
            Setting(group, "penalty_beta", "Sharpness for leaking", "The same in the penalty. Sharp neighbourhoods see "
                    "traces of the attribute that lie close together.", 0.01, False),
            Setting(group, "rows_for_sharpness", "Rows for a sharpness of 1", "Sharpness is lowered where a step has "
                    "fewer rows than this for each 1 of it; 0 leaves it as it is."),
            *entries,
        ]  # fmt: skip
    return tuple(entries)


GROUPS: Mapping[str, tuple[Setting, ...]] = {
    "Networks (dF1, dF3)": _network("network", beta=True),
    "Networks with a penalty (dF2, dF3)": (
        *_network("penalised", beta=True),
        Setting("", "dF2_penalties", "Penalties of dF2 to try", "How much leaking costs in dF2, separated by commas."),
        Setting("", "penalties", "Penalties of dF3 to try", "Weights of the leakage penalty, separated by commas; the "
                "best on held-out rows is kept. An extension: the paper's dF3 has none."),
    ),
    "Adversary": (
        *_network("adversary", beta=False),
        Setting("", "adversary_weights", "Weights to try", "How strongly the adversary pulls, separated by commas."),
    ),
    "Feature weights (vec)": (
        Setting("vec", "beta", "Sharpness of neighbours", "As for networks.", 0.01, False),
        Setting("vec", "lr", "Learning rate", "How far each step goes.", 1e-6, False),
        Setting("vec", "weight_decay", "Weight decay", "Pulls weights of idle features to zero.", 0.0, False),
        Setting("vec", "batch_size", "Rows a step", "Larger steps see more neighbours and take longer.", 16),
        Setting("vec", "least_batches", "Steps a pass at least", "As for networks.", 1),
        Setting("vec", "max_epochs", "Epochs", "Passes over the data.", 1),
        Setting("vec", "patience", "Patience", "Stop after this many epochs without a better one on held-out rows; 0 "
                "keeps the last epoch.", zero_is_none=True),
        Setting("vec", "small_data_epochs", "Epochs for small data", "As for networks.", 1),
        Setting("", "vec_rows", "Rows to learn from at most", "Random training rows; 0 takes all.", zero_is_none=True),
        Setting("vec", "cutoff", "Cutoff", "A feature counts as dropped within this of zero.", 0.0, False),
    ),
    "Guessing": (
        Setting("probe", "hidden", "Hidden layers", "Of the network that guesses, separated by commas."),
        Setting("probe", "lr", "Learning rate", "Of the network that guesses.", 1e-6, False),
        Setting("probe", "batch_size", "Rows a step", "Of the network that guesses.", 16),
        Setting("probe", "max_epochs", "Epochs at most", "Of the network that guesses.", 1),
        Setting("probe", "patience", "Patience", "Of the network that guesses: stop after so many epochs without a "
                "better one.", 1),
        Setting("", "probe_rows", "Rows to learn from at most", "Random training rows for all that guess; 0 takes all.",
                zero_is_none=True),
    ),
    "Data and chance": (
        Setting("", "coding", "Categories for networks", "A column for every level, or the number of the level.",
                choices={"onehot": "a column a level", "integer": "numbers of levels"}),
        Setting("", "pieces", "Pieces a number is cut into", "Networks also get numbers as pieces between quantiles; 0 "
                "for none."),
        Setting("", "fractions", "Training, validation, test", "Shares of the rows, separated by commas.", whole=False),
        Setting("", "null_draws", "Shuffles for chance", "How many shuffled labellings make the chance band.", 100),
        Setting("", "permutations", "Shuffles for p-values", "For the coefficients of single columns.", 19),
        Setting("", "exact_rows", "Rows for single columns", "For their coefficients and FOCI's paths.", 50),
        Setting("", "coefficient_rows", "Rows for T of a representation", "Test rows at most.", 50),
        Setting("", "curve", "Trade-off curve", "Penalty weights of the curve, separated by commas; empty for none."),
        Setting("", "prototypes", "Prototypes", "How many, for the method of that name.", 2),
        Setting("", "prototype_iterations", "Steps for prototypes", "At most.", 1),
    ),
}  # fmt: skip
