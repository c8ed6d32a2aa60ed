"""The definitions written down as plainly as possible, to check the fast code against."""

from __future__ import annotations

import numpy as np
import torch


def ranks(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (y[None] <= y[:, None]).sum(axis=1), (y[None] >= y[:, None]).sum(axis=1)


def weights(points: np.ndarray, count: int) -> np.ndarray:
    """Row i has what every row counts among its `count` nearest; those tied at the border share what is left."""
    distance = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    border = np.sort(distance, axis=1)[:, [count - 1]]
    inside, tied = distance < border, distance == border
    left = count - inside.sum(axis=1, keepdims=True)
    return (inside + tied * left / tied.sum(axis=1, keepdims=True)) / count


def parts(y: np.ndarray, z: np.ndarray, given: np.ndarray | None = None, count: int = 1) -> tuple[float, float]:
    """Numerator and denominator of T over the nearest neighbours, averaged over ties."""
    rank, upper = ranks(y)
    both = np.minimum(rank[:, None], rank[None])

    def agreement(points: np.ndarray) -> np.ndarray:
        return (weights(points, count) * both).sum(axis=1)

    n = len(y)
    if given is None:
        return float((n * agreement(z) - upper**2).sum()), float((upper * (n - upper)).sum())
    known = agreement(given)
    return float((agreement(np.hstack([given, z])) - known).sum()), float((rank - known).sum())


def plain_T(
    y: np.ndarray, z: np.ndarray, given: np.ndarray | None = None, *, nominal: bool = False, count: int = 1
) -> float:
    if not nominal or len(np.unique(y)) == 2:
        top, bottom = parts(y, z, given, count)
        return top / bottom
    each = [parts((y == level).astype(int), z, given, count) for level in np.unique(y)]
    return sum(top for top, _ in each) / sum(bottom for _, bottom in each)


def plain_soft_T(
    y: torch.Tensor,
    z: torch.Tensor,
    given: torch.Tensor | None = None,
    beta: float = 5.0,
    *,
    nominal: bool = False,
) -> torch.Tensor:
    """cdist, softmax and autograd, n x n and all."""
    if nominal and len(y.unique()) > 2:
        each = [_soft_parts((y == level).to(z.dtype), z, given, beta) for level in y.unique()]
        return torch.stack([top for top, _ in each]).sum() / torch.stack([bottom for _, bottom in each]).sum()
    top, bottom = _soft_parts(y, z, given, beta)
    return top / bottom


def _soft_parts(
    y: torch.Tensor, z: torch.Tensor, given: torch.Tensor | None, beta: float
) -> tuple[torch.Tensor, torch.Tensor]:
    n = len(y)
    rank = (y[None] <= y[:, None]).sum(dim=1).to(z.dtype)
    upper = (y[None] >= y[:, None]).sum(dim=1).to(z.dtype)
    itself = torch.eye(n, dtype=torch.bool, device=z.device)

    def agreement(points: torch.Tensor) -> torch.Tensor:
        score = (-beta * torch.cdist(points, points)).masked_fill(itself, -torch.inf)
        return torch.minimum(rank, torch.softmax(score, dim=1) @ rank).sum()

    if given is None:
        return n * agreement(z) - (upper**2).sum(), (upper * (n - upper)).sum()
    known = agreement(given)
    return agreement(torch.cat([given, z], dim=1)) - known, rank.sum() - known
