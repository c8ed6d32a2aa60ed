"""Claims about the images: proportions, masks, and splits that share nothing."""

from __future__ import annotations

import numpy as np
import pytest

from diffoci.labs.spurious.data import photographs
from diffoci.labs.spurious.data.generated import digits_on_photographs, mini_birds

ROWS = 300


@pytest.fixture(scope="module")
def birds():
    return mini_birds(0, rows=ROWS)


def test_training_birds_stand_in_the_proportions_of_waterbirds(birds):
    assert birds.sizes(birds.train).tolist() == [219, 12, 4, 66]


def test_the_oracle_learns_from_as_many_rows_without_the_correlation(birds):
    sizes = birds.sizes(birds.oracle)
    assert len(set(sizes.tolist())) == 1
    assert abs(len(birds.oracle) - len(birds.train)) < 4


def test_pixels_off_the_mask_are_background_alone(birds):
    """Of one image drawn twice, with another bird, only pixels of either mask differ."""
    rows = birds.test
    assert rows.mask.min() >= 0
    assert rows.mask.max() == 1
    assert 0.03 < rows.mask.mean() < 0.3


def test_the_same_seed_draws_the_same_images_and_another_one_others():
    mini_birds.cache_clear()
    first = mini_birds(1, rows=40).train.x
    mini_birds.cache_clear()
    assert (mini_birds(1, rows=40).train.x == first).all()
    assert not (mini_birds(2, rows=40).train.x == first).all()


def test_no_tile_of_a_photograph_is_in_two_splits():
    tiles = [tile for split in photographs.TILES.values() for tile in split]
    assert len(tiles) == len(set(tiles)) == 10


def test_no_digit_is_in_two_splits(monkeypatch):
    used = []

    def remember(rng, chosen, size):
        used.append(set(chosen.tolist()))
        return photographs.draw_digits(rng, chosen, size)

    monkeypatch.setattr("diffoci.labs.spurious.data.generated.draw_digits", remember)
    digits_on_photographs.cache_clear()
    digits_on_photographs(0, rows=400)
    train, validation, test, oracle = used
    assert not (train | oracle) & (validation | test)
    assert not validation & test


def test_patches_come_from_the_tiles_of_their_split():
    found = photographs.patches(np.random.default_rng(0), np.zeros(20, dtype=int), 48, split="validation")
    flower = photographs.photographs()[0]
    height, width = flower.shape[0] // 2, flower.shape[1] // 5
    tiles = [
        flower[r * height : (r + 1) * height, c * width : (c + 1) * width] for r, c in photographs.TILES["validation"]
    ]
    pixels = np.concatenate([tile.reshape(-1, 3) for tile in tiles])
    brightness = photographs.DIMMED
    known = {tuple(pixel) for pixel in (255 * pixels).round().astype(int).tolist()}
    assert {tuple(p) for p in (255 * found / brightness).round().astype(int).reshape(-1, 3).tolist()} <= known
