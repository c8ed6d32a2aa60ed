"""SPLINCE: linear erasure that leaves every linear trace of the outcome where it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from diffoci.audit.measuring.prepared import PreparedSplit
from diffoci.audit.methods._method import Method, Representation
from diffoci.audit.methods.families import LINEAR
from diffoci.inputs import Floats
from diffoci.runs.study import Watch

# Directions that carry less than this share of the largest are rounding. An outcome whose direction lies in the
# attributes' up to this share cannot be kept while they are erased.
_ROUNDING, _TOO_CLOSE = 1e-6, 0.05


def _erase(prepared: PreparedSplit, settings: Mapping[str, Any], seed: int, watch: Watch) -> Representation:
    import torch

    from diffoci.learning.models import Eraser

    rows = prepared.split.train
    x = prepared.standard.astype(np.float64)
    groups, classes = (np.eye(int(code.max()) + 1)[code] for code in (prepared.joint, prepared.label))
    left, right = erasure(x[rows], groups[rows], classes[rows])
    eraser = Eraser(*(torch.from_numpy(part) for part in (left, right, x[rows].mean(axis=0))))
    return Representation(eraser(torch.from_numpy(x)).numpy(), network=eraser)


def erasure(x: Floats, groups: Floats, classes: Floats) -> tuple[Floats, Floats]:
    """The smallest change x - left right (x - mean) that ends all covariance with groups and keeps that with classes.

    With A and B the covariances of x with either and W whitening x, the change D must satisfy D A = A and D B = 0; the
    one of least expected square is D = [A 0] (W [A B])^+ W. The paper writes it as an oblique projection.
    """
    centred = x - x.mean(axis=0)
    a, b = (centred.T @ (codes - codes.mean(axis=0)) / len(x) for codes in (groups, classes))
    value, vector = np.linalg.eigh(centred.T @ centred / len(x))
    kept = value > _ROUNDING * value.max()
    whiten = (vector[:, kept] / np.sqrt(value[kept])) @ vector[:, kept].T
    b = _apart(whiten, a, b)
    both = whiten @ np.hstack([a, b])
    return a, np.asarray(np.linalg.pinv(both, rcond=_ROUNDING)[: a.shape[1]] @ whiten)


def _apart(whiten: Floats, a: Floats, b: Floats) -> Floats:
    """The directions of b that do not lie in those of a; only these can be kept while a is erased."""
    erased, kept = (_basis(whiten @ part) for part in (a, b))
    outside = kept - erased @ (erased.T @ kept)
    share, turn = np.linalg.svd(outside, full_matrices=False)[1:]
    return np.asarray(np.linalg.pinv(whiten) @ kept @ turn[share > _TOO_CLOSE].T)


def _basis(vectors: Floats) -> Floats:
    left, size, _ = np.linalg.svd(vectors, full_matrices=False)
    return np.asarray(left[:, size > _ROUNDING * max(size.max(initial=0.0), np.finfo(float).tiny)])


SPLINCE = Method(
    name="splince",
    title="SPLINCE",
    short="SPLINCE",
    family=LINEAR,
    marker="diamond",
    description=(
        "SPLINCE: the smallest linear change after which no linear model can guess the attributes and every covariance "
        "with the outcome is what it was"
    ),
    citation=(
        "F. Holstege, S. Ravfogel, B. Wouters (2025). Preserving task-relevant information under linear concept "
        "removal. Advances in Neural Information Processing Systems 38. arXiv:2506.10703"
    ),
    build=_erase,
    exportable=True,
    cost=0.5,
)
METHODS = (SPLINCE,)
