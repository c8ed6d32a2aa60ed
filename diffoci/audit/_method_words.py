"""Words of a method that stay with its numbers in a result: short name, family, mark, description, citation."""

from __future__ import annotations

from diffoci.audit.methods import METHODS


def method_words(name: str) -> dict[str, str]:
    """The words of a method by the name of the entry; none for one that this installation does not have."""
    if name not in METHODS:
        return {}
    method = METHODS[name]
    words = {word: getattr(method, word) for word in ("family", "marker", "description", "citation")}
    return {"short": method.called, **words}
