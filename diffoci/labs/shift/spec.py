"""ShiftSpec: the domain to learn in, the domain to be tried in, and which shares of the features to keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, field

from diffoci.audit.kinds import MOST_SEEDS, Seed, Stored, Text
from diffoci.runs.study import Spec

Share = Annotated[float, Meta(gt=0, lt=1)]


class Domain(Stored, frozen=True, kw_only=True):
    """Rows of one domain: a .npz file of features, or a data source.

    `where` names a numeric feature of the source; only people with a value from `least` up to, not including, `below`
    are taken.
    """

    file: Text = ""
    data: Text = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    twin: bool = False
    where: Text = ""
    least: float | None = None
    below: float | None = None


class ShiftSpec(Spec, frozen=True, kw_only=True):
    """What to compare.

    Parameters
    ----------
    title : str
        What the two domains are, for a reader.
    inside, outside : Domain
        Learn in the first, try in the second.
    methods : tuple of str
        How features are chosen: "dF1", "F test", "random".
    shares : tuple of float
        Shares of the features to keep.
    seeds : tuple of int
        Every seed is a split of the inside rows and a training.
    epochs : int
        Of dF1.
    """

    title: Text
    inside: Domain
    outside: Domain
    methods: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=10)] = ("dF1", "F test", "random")
    shares: Annotated[tuple[Share, ...], Meta(min_length=1, max_length=20)] = (0.75, 0.5, 0.25)
    seeds: Annotated[tuple[Seed, ...], Meta(min_length=1, max_length=MOST_SEEDS)]
    epochs: Annotated[int, Meta(ge=1, le=10_000)] = 50
