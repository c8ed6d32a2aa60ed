"""Resampling counts: what another sample of people, or shuffled group labels, would have given."""

from __future__ import annotations

import numpy as np

from diffoci.inputs import Floats, Ints


def bootstrap_counts(counts: Ints, *, replicates: int, rng: np.random.Generator) -> Ints:
    """Draw tables of as many people from the shares of `counts`; the replicates are the first axis.

    Half a person is added to every cell first: a cell that happens to be empty would stay empty in every replicate,
    and a group of 30 in which nobody was selected would seem to be known exactly.

    >>> bootstrap_counts(np.array([[3, 1], [2, 4]]), replicates=5, rng=np.random.default_rng(0)).sum((1, 2))
    array([10, 10, 10, 10, 10])
    """
    if not len(counts):
        return np.zeros((replicates, *counts.shape), dtype=np.int64)
    # Groups in an order that only their counts decide: the draws do not depend on how groups are called.
    order = np.lexsort(counts.reshape(len(counts), -1).T)
    share = (counts[order] + 0.5).ravel()
    drawn = rng.multinomial(int(counts.sum()), share / share.sum(), size=replicates)
    return drawn.reshape(replicates, *counts.shape)[:, np.argsort(order)]


def shuffled_successes(k: Ints, n: Ints, *, replicates: int, rng: np.random.Generator) -> Ints:
    """Draw each group's successes as if group labels were shuffled: the same sizes, the same successes in all.

    >>> drawn = shuffled_successes(np.array([5, 0]), np.array([6, 4]), replicates=3, rng=np.random.default_rng(0))
    >>> drawn.sum(1), bool((drawn <= [6, 4]).all())
    (array([5, 5, 5]), True)
    """
    order = np.argsort(n, kind="stable")
    drawn = rng.multivariate_hypergeometric(n[order], int(k.sum()), size=replicates, method="marginals")
    return drawn[:, np.argsort(order)]


def critical_value(draws: list[Floats], *, confidence: float) -> float:
    """Return how many standard errors all pairs of groups stay within at once, over one or several rates.

    Parameters
    ----------
    draws : list of arrays of float, shape (replicates, groups)
        For every rate, each group's estimate in every replicate.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(5000, 2))
    >>> round(critical_value([noise], confidence=0.95), 1)  # two groups: the 1.96 of one comparison
    2.0
    """
    furthest = np.zeros(len(draws[0]))
    for drawn in draws:
        moved, variance = drawn - drawn.mean(0), drawn.var(0)
        for first in range(drawn.shape[1] - 1):  # a row of pairs at a time: all pairs at once may not fit in memory
            # Groups hold different people, so the variance of a difference is the sum of the two.
            error = np.sqrt(variance[first] + variance[first + 1 :])
            np.maximum(furthest, np.abs((moved[:, first + 1 :] - moved[:, [first]]) / error).max(1), out=furthest)
    return float(np.quantile(furthest, confidence))
