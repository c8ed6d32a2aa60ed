"""What the options of each source must look like before a stranger's are believed: pages load data by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diffoci.data.generated_size import MOST_ROWS
from diffoci.data.truth import MOST_FEATURES
from diffoci.runs.shapes import Shape, between, either, flag, list_of, mapping_of, one_of, or_none, text, whole_between

_MOST_NAMES = 1_000  # columns, the most a table may have
_SEED = whole_between(0, 2**32 - 1)
_DRAWN: Mapping[str, Shape] = {"seed": _SEED, "rows": or_none(whole_between(1, MOST_ROWS))}
_ACS: Mapping[str, Shape] = {
    "state": either(text, list_of(text, most=100)),
    "year": whole_between(2014, 2024),
    "horizon": one_of("1-Year", "5-Year"),
    "race": one_of("grouped", "recorded"),
    "paper_ages": flag,
    "threshold": between(0, 1e9),
    **_DRAWN,
}
_SOURCES: Mapping[str, Mapping[str, Shape]] = {
    "student": {"subject": one_of("mat", "por"), "grades": flag, **_DRAWN},
    "bank": {"duration": flag, **_DRAWN},
    "truth": {
        "rows": whole_between(2, MOST_ROWS),
        **dict.fromkeys(("linear", "variance", "interaction", "direct", "group_share", "noise"), between(-100, 100)),
        **dict.fromkeys(("harmless", "irrelevant"), whole_between(0, MOST_FEATURES)),
        "seed": _SEED,
    },
}
_TABLE: Mapping[str, Shape] = {
    "label": text,
    "positive": or_none(text),
    "kinds": or_none(mapping_of(one_of("number", "ordered", "nominal"))),
    "leave_out_unusable": flag,
    "separator": or_none(text),
    "encoding": or_none(text),
    "name": or_none(text),
}


def check_options(data: str, options: Mapping[str, Any]) -> None:
    """Check that a source has these options and that each is of its kind and size."""
    known = _TABLE if data.startswith("csv:") else _ACS if data.startswith("acs-") else _SOURCES.get(data, {})
    shapes = {**known, "drop": either(text, list_of(text, most=_MOST_NAMES))}
    for name, value in options.items():
        if name not in shapes:
            raise ValueError(f"The audit's specification has an option {name[:40]!r}, which its source does not have.")
        shapes[name](value, f"The option '{name}' of the audit")
