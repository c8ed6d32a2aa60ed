"""The data of the paper's fairness study: the real files where they are at hand, else their simulated twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from diffoci.audit.make_spec import make_spec
from diffoci.data.sources import source_of
from diffoci.labs.fairness.spec import FairnessSpec
from diffoci.labs.here import HERE, Here
from diffoci.labs.reproducible import Preset

# A quick table takes so many people of each data set, and trains networks for fewer epochs.
QUICK_ROWS, QUICK_EPOCHS, QUICK_PROBE_EPOCHS = 4000, 15, 20


@dataclass(frozen=True)
class PaperData:
    """One data set of the study: a source, its sensitive attributes, and the options that give the paper's rows.

    `other_rows` says in what ours are not the paper's, `other_outcome` what is odd about the paper's outcome.
    """

    name: str
    sensitive: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    other_rows: str = ""
    other_outcome: str = ""

    def twin(self, here: Here = HERE) -> bool:
        """Whether its simulated twin has to do."""
        return not here.has(self.name, self.options)

    def spec(
        self,
        preset: Preset,
        *,
        here: Here = HERE,
        sensitive: Sequence[str] | None = None,
        methods: Sequence[str] = (),
        columns: Sequence[str] = (),
        weights: bool = False,
        seeds: Sequence[int],
    ) -> FairnessSpec:
        """The specification of its tables, with the paper's settings; a quick one is of fewer people and epochs."""
        quick = preset == "quick"
        settings = {"network": {"max_epochs": QUICK_EPOCHS}, "probe": {"max_epochs": QUICK_PROBE_EPOCHS}}
        twin = self.twin(here)
        taken = source_of(self.name).taken(twin=twin)
        plain = make_spec(
            self.name,
            sensitive=sensitive or self.sensitive[:1],
            preset="paper",
            methods=["standard"],
            twin=twin,
            options={name: value for name, value in self.options.items() if name in taken},
            settings=settings if quick else None,
            device="cpu",
        )
        entries = msgspec.structs.asdict(plain) | {
            "methods": tuple(methods),
            "columns": tuple(columns),
            "weights": weights,
            "seeds": tuple(seeds),
            "most_rows": QUICK_ROWS if quick else None,
        }
        return FairnessSpec(**entries)

    def note(self, here: Here = HERE) -> str:
        """Say that nobody is real where that is so."""
        title = source_of(self.name).title
        return f"{title}: the file is not at hand, so these are simulated people." if self.twin(here) else ""


STUDENT = PaperData(
    "student",
    ("sex",),
    {"subject": "mat"},
    other_rows="40 test rows: one person is 2.5 points",
    other_outcome="without the first two grades nothing here comes near; the paper's outcome may be another one",
)
BANK = PaperData("bank", ("marital",), {"duration": True})
INCOME = PaperData(
    "acs-income",
    ("sex", "race"),
    {"state": "AL", "year": 2018},
    other_rows="40 % of Alabama's rows of 2018; the paper does not say which state its figures are of",
)
# The file of 2018 at hand has the columns of income alone.
EMPLOYMENT = PaperData(
    "acs-employment",
    ("sex", "race"),
    {"state": "AL", "year": 2017},
    other_rows="5,000 people of Alabama 2017; the paper's are of 2018",
)
DATA = {one.name: one for one in (BANK, STUDENT, INCOME, EMPLOYMENT)}
