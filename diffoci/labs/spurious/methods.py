"""Methods of the lab, each declared once: what is sampled, which loss is minimised, what is done afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Sampling = Literal["as they are", "balanced", "subsample"]
# T(X_G, features) as in the paper, or T(X_G, features | Y), our extension.
Form = Literal["plain", "given the outcome"]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to train.

    `robust` minimises the loss of the worst group (group DRO); `penalty` adds lambda * max(T, 0) in one of two forms,
    of rows of every group, or where `in_batch` of the rows that the step learns from;
    `twice` trains a second time on what the first time got wrong; `refitted` fits the last layer anew on balanced
    validation rows; `uncorrelated` trains on rows in which label and group are independent. `paper` is its name in
    the paper's tables.
    """

    name: str
    title: str
    description: str
    citation: str = ""
    sampling: Sampling = "as they are"
    robust: bool = False
    penalty: Form | None = None
    in_batch: bool = False
    mixed: bool = False
    invariant: bool = False
    twice: bool = False
    refitted: bool = False
    uncorrelated: bool = False
    paper: str = ""

    @property
    def cost(self) -> float:
        """Its share of the work."""
        return (2.2 if self.penalty and not self.in_batch else 1.0) * (1.6 if self.twice else 1.0)


_SAGAWA = "Sagawa, Koh, Hashimoto, Liang (2020): Distributionally robust neural networks for group shifts"
_IDRISSI = "Idrissi, Arjovsky, Pezeshki, Lopez-Paz (2022): Simple data balancing"
METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="oracle",
            title="Oracle",
            description="the same network on as many rows without the correlation: what the task allows",
            uncorrelated=True,
        ),
        Method(name="ERM", title="ERM", description="minimises the mean loss over all training rows", paper="ERM"),
        Method(
            name="ERM+dF2",
            title="ERM + dF2",
            description="adds lambda * max(T(group, features given the outcome), 0) to the mean loss (our extension)",
            penalty="given the outcome",
            paper="difFOCI+ERM",
        ),
        Method(
            name="ERM+dF2-plain",
            title="ERM + dF2, as in the paper",
            description="adds lambda * max(T(group, features), 0) to the mean loss",
            penalty="plain",
            paper="difFOCI+ERM",
        ),
        Method(
            name="ERM+dF2-batch",
            title="ERM + dF2, batch rows",
            description="the same penalty on the rows of the batch as they come, which hardly ever hold a rare group",
            penalty="given the outcome",
            in_batch=True,
        ),
        Method(
            name="DRO",
            title="Group DRO",
            description="minimises the loss of groups weighted by how badly each does, the weights found on the way",
            citation=_SAGAWA,
            robust=True,
            paper="DRO",
        ),
        Method(
            name="DRO+dF2",
            title="Group DRO + dF2",
            description="group DRO with lambda * max(T(group, features given the outcome), 0) (our extension)",
            citation=_SAGAWA,
            robust=True,
            penalty="given the outcome",
            paper="difFOCI+DRO",
        ),
        Method(
            name="DRO+dF2-plain",
            title="Group DRO + dF2, as in the paper",
            description="group DRO with lambda * max(T(group, features), 0)",
            citation=_SAGAWA,
            robust=True,
            penalty="plain",
            paper="difFOCI+DRO",
        ),
        Method(
            name="SUBG",
            title="SUBG",
            description="trains on as many rows of every group as the smallest has",
            citation=_IDRISSI,
            sampling="subsample",
        ),
        Method(
            name="RWG",
            title="RWG",
            description="draws every group equally often",
            citation=_IDRISSI,
            sampling="balanced",
        ),
        Method(
            name="DFR",
            title="DFR",
            description="ERM, then the last layer is fitted anew on balanced validation rows; features stay",
            citation="Kirichenko, Izmailov, Wilson (2023): Last layer re-training is sufficient",
            refitted=True,
        ),
        Method(
            name="JTT",
            title="JTT",
            description="trains twice: rows that a first short training got wrong count more in the second",
            citation="Liu et al. (2021): Just train twice",
            twice=True,
            paper="JTT",
        ),
        Method(
            name="Mixup",
            title="Mixup",
            description="trains on weighted means of two rows and of their labels",
            citation="Zhang, Cisse, Dauphin, Lopez-Paz (2018): mixup",
            mixed=True,
            paper="Mixup",
        ),
        Method(
            name="IRM",
            title="IRM",
            description="asks for one last layer that is best on every background at once",
            citation="Arjovsky, Bottou, Gulrajani, Lopez-Paz (2019): Invariant risk minimization",
            invariant=True,
            paper="IRM",
        ),
    )
}


def method_named(name: str) -> Method:
    """Return a method by its name, or say which there are."""
    if name not in METHODS:
        raise ValueError(f"There is no method {name[:60]!r} in this lab; choose from {', '.join(METHODS)}.")
    return METHODS[name]
