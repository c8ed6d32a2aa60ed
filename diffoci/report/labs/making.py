"""How a run of a lab was made: what was asked for, what failed, with which packages, and who signed it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import pandas as pd

from diffoci.report.sections.methods import signed
from diffoci.report.writing.blocks import Block, Points, Section, Table, Words
from diffoci.runs.study import Result, Spec
from diffoci.signing.keys import PublicKey


def making(
    result: Result,
    spec: Spec,
    *,
    said: str,
    tables: Iterable[Table] = (),
    limits: Iterable[str],
    created: float | None,
    signer: PublicKey | None,
) -> Section:
    """The last section of a lab's report; `said` tells in a sentence or two what was done, `limits` what it is not."""
    when = "" if created is None else time.strftime(" Made on %Y-%m-%d.", time.gmtime(created))
    blocks: Iterator[Block] = iter((Words(f"{said}{when}"), *tables, Table("What was asked for", _asked(spec))))
    failed = [f"{name} failed: {why}" for name, why in result.failures.items()]
    return Section("How it was made", (*blocks, Points((*limits, *failed)), *signed(signer)))


def _asked(spec: Spec) -> pd.DataFrame:
    """Every entry of a specification; of tables each entry in a row of its own."""
    rows = [{"Setting": name, "Value": value} for name, value in _entries(msgspec.to_builtins(spec))]
    return pd.DataFrame(rows)


def _entries(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _entries(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
