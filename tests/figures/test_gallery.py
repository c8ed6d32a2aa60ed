"""Galleries of images take any name, and as much room as there is."""

from __future__ import annotations

import re

import numpy as np

from diffoci.figures.labs.saliency_gallery import gallery


def test_every_name_has_its_line_of_images_and_is_shown_letter_by_letter() -> None:
    images = np.zeros((3, 4, 4, 3), dtype=np.uint8)
    shown = gallery({"landbird, land": images, "<b>rare</b>": images}, alt='Images of "birds"')
    assert shown.count("<img") == 2
    assert "&lt;b&gt;rare&lt;/b&gt;" in shown
    assert "<b>" not in shown
    assert 'aria-label="Images of &quot;birds&quot;"' in shown
    assert re.findall(r"<span>(\d)</span>", shown) == ["1", "2", "3"]
    assert "height" not in shown  # a window of any width gives it
