"""Damage done to a file: bytes changed, cut, doubled or moved; entries of a JSON tree replaced, removed or nested."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

_BYTES = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\xc3\x28"),
    *(b'"', b'""', b",", b";", b"\t", b"\r", b"\n", b"\r\n", b"<script>", b"</script>", b"[" * 400),
    *(b"-", b"1e999", b"nan", b"-0", b"9" * 30),
]
_VALUES: list[Any] = [
    *(None, True, -1, 0, 1, 2**31, 2**63, 10**40, 0.5, -1e308, 1e-320, float("nan"), float("inf")),
    *("", "x", "a" * 5000, "\x00", "../../x", "<b>", "\ud800"),
    *([], {}, [[]], [None], {"": None}, [0] * 300, {"mean": 1}),
]
_KINDS = ["replace", "replace", "remove", "nest", "add"]


@dataclass(frozen=True)
class Edit:
    """One change to some bytes, at shares of their length."""

    kind: str
    start: float
    length: float
    content: bytes

    def applied(self, data: bytes) -> bytes:
        """Return the bytes after the change."""
        begin = int(self.start * len(data))
        end = min(len(data), begin + max(1, int(self.length**4 * len(data))))  # most are short
        piece = data[begin:end]
        if self.kind == "replace":
            return data[:begin] + self.content + data[begin + len(self.content) :]
        if self.kind == "insert":
            return data[:begin] + self.content + data[begin:]
        if self.kind == "remove":
            return data[:begin] + data[end:]
        if self.kind == "double":
            return data[:end] + piece + data[end:]
        if self.kind == "flip":
            return data[:begin] + bytes(byte ^ 1 << (k % 8) for k, byte in enumerate(piece)) + data[end:]
        return data[:begin]


@dataclass(frozen=True)
class TreeEdit:
    """One change to a JSON tree, at a share of its entries."""

    kind: str
    where: float
    value: Any

    def applied(self, tree: Any) -> None:
        """Change the tree."""
        places = list(_places(tree))
        if not places:
            return
        parent, key = places[min(len(places) - 1, int(self.where * len(places)))]
        if self.kind == "remove":
            del parent[key]
        elif self.kind == "nest":
            parent[key] = [parent[key]]
        elif self.kind == "add" and isinstance(parent, dict):
            parent["unknown"] = copy.deepcopy(self.value)
        else:
            parent[key] = copy.deepcopy(self.value)


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in entries:
        yield tree, key
        yield from _places(value)


def damaged_tree(tree: Any, edits: list[TreeEdit]) -> Any:
    """Return a copy of a JSON tree after some changes."""
    tree = copy.deepcopy(tree)
    for edit in edits:
        edit.applied(tree)
    return tree


def damaged_bytes(data: bytes, edits: list[Edit]) -> bytes:
    """Return bytes after some changes."""
    for edit in edits:
        data = edit.applied(data)
    return data


_share = st.floats(0, 1, exclude_max=True)
edits = st.lists(
    st.builds(
        Edit,
        st.sampled_from(["replace", "insert", "remove", "double", "flip", "cut"]),
        _share,
        _share,
        st.sampled_from(_BYTES) | st.binary(min_size=1, max_size=12),
    ),
    min_size=1,
    max_size=4,
)
tree_edits = st.lists(
    st.builds(
        TreeEdit, st.sampled_from(["replace", "replace", "remove", "nest", "add"]), _share, st.sampled_from(_VALUES)
    ),
    min_size=1,
    max_size=3,
)
