"""Claims about moved images: nothing else of them changes, and data without images are left alone."""

from __future__ import annotations

import torch

from diffoci.labs.spurious.moving import moved


def test_an_image_is_moved_as_a_whole_by_no_more_than_is_asked_for():
    x = torch.rand((40, 3, 9, 9), generator=torch.Generator().manual_seed(0))
    found = moved(x, 2, torch.Generator().manual_seed(1))
    steps = []
    for before, after in zip(x, found, strict=True):
        inner = after[:, 2:-2, 2:-2]  # the edges repeat pixels
        fits = [(d, a) for d in range(5) for a in range(5) if torch.equal(before[:, d : d + 5, a : a + 5], inner)]
        assert len(fits) == 1
        steps += fits
    assert {d for d, _ in steps} == {a for _, a in steps} == set(range(5))


def test_the_same_generator_moves_alike():
    x = torch.rand((5, 3, 8, 8))
    first, again = (moved(x, 3, torch.Generator().manual_seed(4)) for _ in range(2))
    assert torch.equal(first, again)
