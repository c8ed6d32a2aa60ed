"""Which features a cutoff on their weights drops, under each condition, and which only under all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from diffoci.audit.result import AuditResult, Condition
from diffoci.inputs import Floats, Ints

Given = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Dropping:
    """What a cutoff drops. `theta` is the mean size by condition and feature, `count` in how many seeds it is dropped.

    `values` are the weights of every seed, none where a report was made without them; `seeds` is how many there are.

    `dropped` is True where more than half of the seeds drop the feature; `only_together` are those dropped given all
    attributes together and under no other condition.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    conditions: tuple[Given, ...]
    cutoff: float
    values: tuple[Floats, ...]
    seeds: tuple[int, ...]
    seed_numbers: tuple[tuple[int, ...], ...]
    theta: Floats
    count: Floats
    dropped: NDArray[np.bool_]
    only_together: tuple[str, ...]

    def names_dropped(self, condition: int) -> list[str]:
        """The features dropped under a condition, by its position."""
        return [name for name, gone in zip(self.names, self.dropped[condition], strict=True) if gone]

    def of_features(self, kept: Ints) -> Dropping:
        """The same of some features, by their positions."""
        names = tuple(self.names[k] for k in kept)
        return replace(
            self,
            names=names,
            labels=tuple(self.labels[k] for k in kept),
            values=tuple(theta[:, kept] for theta in self.values),
            theta=self.theta[:, kept],
            count=self.count[:, kept],
            dropped=self.dropped[:, kept],
            only_together=tuple(name for name in self.only_together if name in names),
        )


def drop(result: AuditResult, cutoff: float) -> Dropping:
    """Drop features anew, from the weights of every seed that the audit kept."""
    features, kept = result.features, result.features.conditions
    seeds = tuple(len(one.values) or one.trainings for one in kept)
    theta, count = (np.array([_of_seeds(one, cutoff)[k] for one in kept]) for k in (0, 1))
    dropped = np.array([n > number / 2 for n, number in zip(count, seeds, strict=True)])
    found = Dropping(
        names=features.names,
        labels=features.labels,
        conditions=tuple(one.given for one in kept),
        cutoff=cutoff,
        values=tuple(np.array(one.values, dtype=np.float64).reshape(-1, len(features.names)) for one in kept),
        seeds=seeds,
        seed_numbers=tuple(_seed_numbers(result, one) for one in kept),
        theta=theta,
        count=count,
        dropped=dropped,
        only_together=(),
    )
    by_condition = {given: found.names_dropped(k) for k, given in enumerate(found.conditions)}
    return replace(found, only_together=only_together(by_condition))


def condition_of(given: Given, names: Sequence[str], values: Floats, cutoff: float) -> Condition:
    """What is stored of one condition: `values` are its weights by seed and feature."""
    gone = np.abs(values) <= cutoff
    return Condition(
        given=given,
        theta=tuple(np.abs(values).mean(axis=0).tolist()),
        values=tuple(tuple(row) for row in values.tolist()),
        dropped=tuple(name for name, often in zip(names, gone.mean(axis=0), strict=True) if often > 0.5),
        frequency=tuple(gone.mean(axis=0).tolist()),
        cutoff=cutoff,
    )


def only_together(dropped: Mapping[Given, Sequence[str]]) -> tuple[str, ...]:
    """Features dropped given all attributes together and under no other condition (the paper's red entries).

    >>> only_together({(): ["a"], ("sex",): ["b"], ("race",): [], ("sex", "race"): ["a", "b", "c"]})
    ('c',)
    """
    together = max(dropped, key=len, default=())
    if len(together) < 2:
        return ()
    elsewhere = {name for given, names in dropped.items() if given != together for name in names}
    return tuple(name for name in dropped[together] if name not in elsewhere)


def _seed_numbers(result: AuditResult, condition: Condition) -> tuple[int, ...]:
    """Which seeds the weights of a condition are of: all but those whose training failed."""
    name = f"vec-{'+'.join(condition.given)}" if condition.given else "vec"
    kept = tuple(seed for seed in result.spec.seeds if f"{name}.{seed}" not in result.failures)
    return kept if len(kept) == len(condition.values) else tuple(range(len(condition.values)))


def _of_seeds(condition: Condition, cutoff: float) -> tuple[Floats, Floats]:
    """Mean size of every weight, and in how many seeds it is at most the cutoff."""
    if not condition.values and cutoff == condition.cutoff:
        count = np.round(np.array(condition.frequency) * condition.trainings)
        return np.array(condition.theta, dtype=np.float64), count
    theta = np.abs(np.array(condition.values, dtype=np.float64))
    return theta.mean(axis=0), (theta <= cutoff).sum(axis=0).astype(np.float64)
