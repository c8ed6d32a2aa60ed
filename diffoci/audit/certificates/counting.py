"""Cut one split's representation into cells and count who is in them: what a certificate follows from.

Edges come from training rows, how many cells there are from validation rows, the counts from rows that neither has
seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from diffoci.audit.certificates.ceiling import ceiling
from diffoci.audit.certificates.cutting import Cut, quantile_cut, tree_cut
from diffoci.audit.measuring.guessing import score, some_rows
from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.inputs import Floats, Ints, Matrix


def count_cells(z: Matrix, prepared: PreparedSplit, settings: Mapping[str, Any], seed: int) -> dict[str, Any] | None:
    """The cells, what each predicts and holds on average, and people by cell; None in audits from before there were."""
    if "cells" not in settings:
        return None
    rows = some_rows(prepared.split.train, settings["probe_rows"], seed)
    tried = [_grown(z, prepared, rows, int(cells), seed) for cells in sorted(settings["cells"])]
    cut = _chosen(tried, z, prepared, rows)
    place, certified = cut.cell_of(z), prepared.split.certification
    return {
        "cut": cut.to_dict(),
        "means": _means(z[rows], place[rows], cut.cells).tolist(),
        "predicted": _shares(place[rows], prepared.label[rows], cut.cells, prepared.classes).tolist(),
        "aside": prepared.split.aside is not None,
        "outcome": _counts(place[certified], prepared.label[certified], cut.cells, prepared.classes).tolist(),
        "attributes": {
            name: {
                "groups": list(prepared.levels[name]),
                "counts": _counts(code[certified], place[certified], len(prepared.levels[name]), cut.cells).tolist(),
            }
            for name, code in prepared.groups.items()
        },
    }


def _grown(z: Matrix, prepared: PreparedSplit, rows: Ints, cells: int, seed: int) -> Cut:
    if z.shape[1] == 1:
        return quantile_cut(z[rows], cells)
    return tree_cut(z[rows], prepared.label[rows], cells, seed=seed)


def _chosen(tried: list[Cut], z: Matrix, prepared: PreparedSplit, rows: Ints) -> Cut:
    """Of those that predict y about as well as any on validation rows, the one whose groups differ least there.

    "About as well" is half a standard error of an accuracy: a smaller gap is no evidence.
    """
    held = prepared.split.validation
    accuracy = [_accuracy(cut, z, prepared, rows, held) for cut in tried]
    top = max(accuracy)
    slack = 0.5 * np.sqrt(top * (1 - top) / len(held))
    allowed = [cut for cut, reached in zip(tried, accuracy, strict=True) if reached >= top - slack]
    return min(allowed, key=lambda cut: _largest_gap(cut.cell_of(z[held]), cut.cells, prepared, held))


def _accuracy(cut: Cut, z: Matrix, prepared: PreparedSplit, rows: Ints, held: Ints) -> float:
    shares = _shares(cut.cell_of(z[rows]), prepared.label[rows], cut.cells, prepared.classes)
    return score(prepared.label[held], shares[cut.cell_of(z[held])], prepared.classes).accuracy


def _largest_gap(place: Ints, cells: int, prepared: PreparedSplit, held: Ints) -> float:
    """Total variation between the groups of the attribute that the cells tell most of."""
    found = [
        ceiling(_counts(code[held], place, len(prepared.levels[name]), cells), prepared.levels[name])
        for name, code in prepared.groups.items()
    ]
    return max((one.naming.found for one in found if one is not None), default=0.0)


def _counts(one: Ints, other: Ints, ones: int, others: int) -> Ints:
    """People by two codes."""
    return np.bincount(one * others + other, minlength=ones * others).reshape(ones, others)


def _shares(place: Ints, label: Ints, cells: int, classes: int) -> Floats:
    """Shares of the classes in every cell; where a cell has no rows, those of all."""
    people = _counts(place, label, cells, classes).astype(np.float64)
    people[people.sum(axis=1) == 0] = people.sum(axis=0)
    return np.asarray(people / people.sum(axis=1, keepdims=True))


def _means(z: Matrix, place: Ints, cells: int) -> Floats:
    size = np.maximum(np.bincount(place, minlength=cells), 1)
    sums = np.zeros((cells, z.shape[1]))
    np.add.at(sums, place, z)
    return np.asarray(sums / size[:, None])
