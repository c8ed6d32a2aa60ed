"""Whole numbers that double precision would merge (account numbers, hashes): they are names, not amounts."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from diffoci.inputs import MOST_WHOLE

_DIGITS = len(str(MOST_WHOLE))
_LONG = rf"^\s*[+-]?0*[1-9][0-9]{{{_DIGITS - 1},}}\s*$"


def may_be_merged(column: pa.ChunkedArray) -> bool:
    """Say whether a column holds numbers of which neighbouring whole ones are one in double precision."""
    kind = column.type
    whole = pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale <= 0)
    if not (whole or pa.types.is_floating(kind)) or column.null_count == len(column):
        return False
    ends = pc.min_max(column).as_py()
    finite = [abs(end) for end in ends.values() if end is not None and abs(end) != float("inf")]
    return any(end > MOST_WHOLE for end in finite)


def are_merged(texts: pa.ChunkedArray) -> bool:
    """Say whether texts, all of them numbers, hold large whole ones, written out digit by digit."""
    known = texts.drop_null()
    long = known.filter(pc.match_substring_regex(known, _LONG)).unique().to_pylist()
    digits = (text.strip().lstrip("+-0") for text in long)
    return any(len(text) > _DIGITS or int(text) > MOST_WHOLE for text in digits)
