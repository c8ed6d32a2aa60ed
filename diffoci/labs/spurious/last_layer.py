"""Fit the last layer anew on balanced validation rows, and leave the features as they are (DFR)."""

from __future__ import annotations

import copy

import numpy as np
import torch

from diffoci.labs.spurious.data.examples import Examples
from diffoci.labs.spurious.network import Network, as_inputs

_SUBSAMPLES = 5


def refit_last(network: Network, examples: Examples, *, seed: int) -> Network:
    """A copy whose last layer is the mean of logistic regressions on balanced subsamples of the validation rows."""
    from sklearn.linear_model import LogisticRegression

    held = examples.validation
    z = network.features(as_inputs(held.x)).astype(np.float64)
    centre, scale = z.mean(axis=0), np.maximum(z.std(axis=0), 1e-6)
    ready, cell = (z - centre) / scale, examples.cell(held)
    rng = np.random.default_rng((seed, 5))
    least = np.bincount(cell)[np.unique(cell)].min()
    found = []
    for _ in range(_SUBSAMPLES):
        rows = np.concatenate([rng.permutation(np.flatnonzero(cell == k))[:least] for k in np.unique(cell)])
        model = LogisticRegression(C=1.0, max_iter=500).fit(ready[rows], held.label[rows])
        slope, start = model.coef_, model.intercept_
        if len(slope) == 1:  # of two classes scikit-learn keeps the difference
            slope, start = np.concatenate([-slope, slope]) / 2, np.concatenate([-start, start]) / 2
        found.append((slope, start))
    slope, start = (np.mean([one[k] for one in found], axis=0) for k in (0, 1))
    refitted = copy.deepcopy(network)
    with torch.no_grad():
        refitted.last.weight.copy_(torch.from_numpy(slope / scale))
        refitted.last.bias.copy_(torch.from_numpy(start - (slope / scale) @ centre))
    return refitted
