"""The two data sets that come along: mini-birds, drawn anew for every seed, and digits on photographs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from diffoci.inputs import Ints
from diffoci.labs.spurious.data.birds import draw_birds, lay_on
from diffoci.labs.spurious.data.examples import Drawn, Examples, Kind, Rows
from diffoci.labs.spurious.data.photographs import digits, draw_digits, patches
from diffoci.labs.spurious.data.scenes import Rng, land, water

SIDE = 48
_BIRDS = Drawn(
    labels=("landbird", "waterbird"),
    groups=("land", "water"),
    rows=1918,
    train=(3498, 184, 56, 1057),  # of Waterbirds
    validation=(160, 160, 80, 80),
    test=(390, 390, 220, 220),
)
# Even and odd digits are about as many; label and photograph go together more often than on the birds.
_DIGITS = Drawn(
    labels=("even", "odd"),
    groups=("flower", "temple"),
    rows=2000,
    train=(988, 12, 12, 988),
    validation=(100, 100, 100, 100),
    test=(225, 225, 225, 225),
)
_DIGIT_PARTS = {"train": (0.0, 0.62), "validation": (0.62, 0.74), "test": (0.74, 1.0)}


@lru_cache(maxsize=2)
def mini_birds(seed: int, *, rows: int = _BIRDS.rows) -> Examples:
    """Birds on water or land, so many of them for training; everything is drawn from the seed."""
    rng = np.random.default_rng((seed, 17))
    train = _BIRDS.training(rows)
    return Examples(
        labels=_BIRDS.labels,
        groups=_BIRDS.groups,
        train=_birds(rng, train),
        validation=_birds(rng, np.asarray(_BIRDS.validation)),
        test=_birds(rng, np.asarray(_BIRDS.test)),
        oracle=_birds(rng, _even(int(train.sum()))),
    )


@lru_cache(maxsize=2)
def digits_on_photographs(seed: int, *, rows: int = _DIGITS.rows) -> Examples:
    """Digits on patches of two photographs; digits and regions of photographs are of one split only."""
    rng = np.random.default_rng((seed, 18))
    order = rng.permutation(len(digits()[1]))
    train = _DIGITS.training(rows)
    return Examples(
        labels=_DIGITS.labels,
        groups=_DIGITS.groups,
        train=_digits(rng, order, train, "train"),
        validation=_digits(rng, order, np.asarray(_DIGITS.validation), "validation"),
        test=_digits(rng, order, np.asarray(_DIGITS.test), "test"),
        oracle=_digits(rng, order, _even(int(train.sum())), "train"),
    )


def _even(rows: int) -> Ints:
    return np.full(4, rows // 4)


def _codes(rng: Rng, sizes: Ints) -> tuple[Ints, Ints]:
    """Labels and groups of so many rows of each of the four cells, shuffled."""
    cell = rng.permutation(np.repeat(np.arange(4), sizes))
    return cell // 2, cell % 2


def _birds(rng: Rng, sizes: Ints) -> Rows:
    label, group = _codes(rng, sizes)
    drawn = draw_birds(rng, label, SIDE)
    background = np.empty((len(group), SIDE, SIDE, 3), dtype=np.float32)
    for code, paint in enumerate((land, water)):
        background[group == code] = paint(rng, int((group == code).sum()), SIDE)
    return Rows(lay_on(drawn, background), label, group, drawn.cover)


def _digits(rng: Rng, order: Ints, sizes: Ints, split: str) -> Rows:
    label, group = _codes(rng, sizes)
    low, high = (round(edge * len(order)) for edge in _DIGIT_PARTS[split])
    chosen = np.empty(len(label), dtype=np.int64)
    odd = digits()[1] % 2
    for kind in (0, 1):
        pool = np.array([digit for digit in order[low:high] if odd[digit] == kind])
        wanted = np.flatnonzero(label == kind)
        # Every digit is used as often as every other, on another patch each time.
        rounds = [rng.permutation(pool) for _ in range(-(-len(wanted) // len(pool)))]
        chosen[wanted] = np.concatenate(rounds)[: len(wanted)]
    drawn = draw_digits(rng, chosen, SIDE)
    return Rows(lay_on(drawn, patches(rng, group, SIDE, split=split)), label, group, drawn.cover)


BIRDS = Kind(
    name="birds",
    title="Mini-birds",
    about="birds that our own code draws, of two kinds, on water or land, in the proportions of Waterbirds",
    label="kind of bird",
    group="background",
    draw=mini_birds,
    simulated=True,
    fresh=True,
    drawn=_BIRDS,
)
DIGITS = Kind(
    name="digits",
    title="Digits on photographs",
    about="scikit-learn's handwritten digits, even or odd, on patches of its two photographs",
    label="even or odd digit",
    group="photograph",
    draw=digits_on_photographs,
    cut=True,
    drawn=_DIGITS,
)
