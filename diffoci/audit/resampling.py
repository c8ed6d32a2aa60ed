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


def pair_limits(centres: list[Floats], draws: list[Floats], *, confidence: float) -> tuple[float, float]:
    """Return limits for the largest difference between two groups, over one or several rates.

    Intervals for the differences of all pairs hold together (Tukey's idea, with the critical value from the
    bootstrap), so the largest true difference lies between the largest lower and the largest upper limit. Plain
    percentiles of the largest difference would not do: it is above zero in every replicate, equal groups or not.

    Parameters
    ----------
    centres : list of arrays of float
        For every rate, each group's estimate.
    draws : list of arrays of float, shape (replicates, groups)
        For every rate, each group's estimate in every replicate.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(2000, 2))
    >>> low, high = pair_limits([np.array([10.0, 0.0])], [noise], confidence=0.95)
    >>> round(low), round(high)  # 10 ± 1.96 √2
    (7, 13)
    """
    deviations = [drawn - drawn.mean(0) for drawn in draws]
    # Groups hold different people, so the variance of a difference is the sum of the two.
    errors = [np.sqrt(np.add.outer(variance, variance)) for variance in (moved.var(0) for moved in deviations)]
    furthest = np.zeros(len(draws[0]))
    for moved, error in zip(deviations, errors, strict=True):
        for first in range(moved.shape[1] - 1):  # a row of pairs at a time: all pairs at once may not fit in memory
            distance = np.abs(moved[:, first + 1 :] - moved[:, [first]]) / error[first, first + 1 :]
            np.maximum(furthest, distance.max(1), out=furthest)
    critical = float(np.quantile(furthest, confidence))
    pairs = [~np.eye(len(centre), dtype=bool) for centre in centres]
    differences = [np.subtract.outer(centre, centre) for centre in centres]
    bounds = list(zip(differences, errors, pairs, strict=True))
    low = max(float((difference - critical * error)[pair].max()) for difference, error, pair in bounds)
    high = max(float((difference + critical * error)[pair].max()) for difference, error, pair in bounds)
    return low, high
