"""Families of methods: how methods of one kind are drawn, and where a legend lists them."""

from __future__ import annotations

from dataclasses import dataclass

OURS, DATA, LINEAR, ADVERSARIAL, OTHER = "ours", "data", "linear", "adversarial", "other"


@dataclass(frozen=True)
class Family:
    """One kind of method; a method may have a marker of its own within it. Colours are Okabe and Ito's."""

    name: str
    title: str
    colour: str
    marker: str
    rank: int


FAMILIES = {
    family.name: family
    for family in (
        Family(DATA, "Standard data", "#7F7F7F", "square", 0),
        Family(OURS, "difFOCI", "#0072B2", "circle", 1),
        Family(LINEAR, "Linear erasers", "#E69F00", "x", 2),
        Family(ADVERSARIAL, "Adversary", "#009E73", "triangle-up", 3),
        Family(OTHER, "Other", "#CC79A7", "hexagram", 4),
    )
}


def family_named(name: str) -> Family:
    """Return a family by its name; one that is not known here is drawn as the others are.

    >>> family_named("linear").title, family_named("of another package").title
    ('Linear erasers', 'Other')
    """
    return FAMILIES.get(name, FAMILIES[OTHER])
