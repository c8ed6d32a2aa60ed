"""Texts of a table at the door: what cannot be shown is replaced and told, so that they are taken everywhere."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from diffoci.plain_text import LONGEST_NAME, with_replacements

# As `diffoci.plain_text` has it, but for halves of characters, which Arrow refuses itself.
_UNSHOWABLE = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x{9F}]"
_REPLACEMENT = "\ufffd"


def shown_name(name: str, place: int) -> str:
    """Return the name of a column as it is shown, or refuse one that no sentence has room for."""
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"The name of column {place}, '{with_replacements(name[:40])}…', has {len(name):,} letters; at most"
            f" {LONGEST_NAME} can be shown: shorten it."
        )
    return with_replacements(name.strip()) or f"column {place}"


def with_shown_texts(table: pa.Table) -> tuple[pa.Table, list[str]]:
    """Return the table with every text as it is shown, and what to tell about those that were changed."""
    changed = []
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if any(map(_is_unshowable, _texts_of(column))):
            table = table.set_column(place, name, pa.chunked_array([_replaced(chunk) for chunk in column.chunks]))
            changed.append(f"Signs of '{name}' that cannot be shown are replaced by {_REPLACEMENT}.")
    return table, changed


def _texts_of(column: pa.ChunkedArray) -> list[pa.Array]:
    """The texts of a column, each once where they are kept so."""
    coded = pa.types.is_dictionary(column.type)
    return [chunk.dictionary if coded else chunk for chunk in column.chunks]


def _is_unshowable(texts: pa.Array) -> bool:
    text = pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)
    return bool(text and pc.any(pc.match_substring_regex(texts, _UNSHOWABLE)).as_py())


def _replaced(chunk: pa.Array) -> pa.Array:
    if not pa.types.is_dictionary(chunk.type):
        return pc.replace_substring_regex(chunk, _UNSHOWABLE, _REPLACEMENT)
    return pa.DictionaryArray.from_arrays(chunk.indices, _replaced(chunk.dictionary), ordered=chunk.type.ordered)
