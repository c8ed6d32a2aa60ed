"""Gaussian copula for discrete columns: the latent correlations that give the observed rank correlations.

Each column is a step function of a standard normal: level l covers the latent interval between two
thresholds. The rank correlation of two such columns is then a power series in the latent correlation
rho whose coefficients are products of the columns' Hermite coefficients (Mehler's formula), so rho
follows from one monotone equation a pair, without simulation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_TERMS = 40
_LARGEST = 0.98  # Beyond it the truncated series is no longer accurate, and the matrix hardly invertible.


def latent_correlation(codes: Codes) -> Floats:
    """Return the latent correlation matrix under which a Gaussian copula has the rank correlations of `codes`.

    Parameters
    ----------
    codes : array of int, shape (rows, columns)
        Level of each column; the order of the numbers is the order of the levels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> z = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=50_000)
    >>> float(latent_correlation((z > 0.5).astype(int))[0, 1].round(1))
    0.6
    """
    rows, width = codes.shape
    hermite = np.empty((width, _TERMS))
    for j in range(width):
        share = np.bincount(codes[:, j]) / rows
        hermite[j] = _hermite_coefficients(share, np.cumsum(share) - share / 2)
    covariance = np.cov(_ranks(codes), rowvar=False, bias=True)
    latent = np.eye(width)
    first, second = np.triu_indices(width, 1)
    solved = _solve(hermite[first] * hermite[second], covariance[first, second])
    latent[first, second] = latent[second, first] = solved
    return latent


def rank_correlation(codes: Codes) -> Floats:
    """Return Spearman's correlations, with 0 where a column is constant."""
    ranks = _ranks(codes)
    covariance = np.cov(ranks, rowvar=False, bias=True)
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    correlation: Floats = covariance / np.outer(spread, spread)
    return correlation


def nearest_correlation(matrix: Floats, *, smallest: float = 1e-3) -> Floats:
    """Lift negative eigenvalues, then rescale to a unit diagonal, so that normals can be drawn with it."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= smallest:
        return matrix
    lifted = (vectors * np.maximum(values, smallest)) @ vectors.T
    scale = np.sqrt(np.diag(lifted))
    repaired: Floats = lifted / np.outer(scale, scale)
    return repaired


def draw_levels(correlation: Floats, margins: list[Floats], rows: int, rng: np.random.Generator) -> list[Codes]:
    """Draw level codes, one array a column, with these margins and this latent correlation."""
    # A rounded matrix may have lost definiteness by a hair; the eigenvalue root tolerates what Cholesky refuses.
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    uniform = ndtr(rng.standard_normal((rows, len(margins))) @ root.T)
    drawn = []
    for column, margin in enumerate(margins):
        thresholds = np.cumsum(margin)[:-1] / margin.sum()
        drawn.append(np.searchsorted(thresholds, uniform[:, column], side="right"))
    return drawn


def _ranks(codes: Codes) -> Floats:
    ranks = np.empty(codes.shape)
    for j in range(codes.shape[1]):
        share = np.bincount(codes[:, j]) / len(codes)
        ranks[:, j] = (np.cumsum(share) - share / 2)[codes[:, j]]
    return ranks


def _hermite_coefficients(share: Floats, score: Floats) -> Floats:
    """Return E[g(Z) h_k(Z)] for k = 1.._TERMS, with g the step function and h_k normalised Hermite polynomials.

    On an interval the integral of h_k times the normal density is a difference of h_{k-1} times the
    density over sqrt(k), so the sum over levels becomes one over thresholds and jumps of g.
    """
    thresholds = ndtri(np.clip(np.cumsum(share)[:-1], 1e-12, 1 - 1e-12))
    jumps = np.diff(score)
    density = np.exp(-(thresholds**2) / 2) / np.sqrt(2 * np.pi)
    before, current = np.zeros_like(thresholds), np.ones_like(thresholds)
    coefficients = np.empty(_TERMS)
    for k in range(1, _TERMS + 1):
        coefficients[k - 1] = (jumps * density) @ current / np.sqrt(k)
        before, current = current, (thresholds * current - np.sqrt(k - 1) * before) / np.sqrt(k)
    return coefficients


def _solve(products: Floats, target: Floats) -> Floats:
    """Solve sum_k products_k rho^k = target by bisection, all pairs at once; the left side grows with rho."""
    low, high = np.full(len(target), -_LARGEST), np.full(len(target), _LARGEST)
    powers = np.arange(1, _TERMS + 1)
    for _ in range(30):
        middle = (low + high) / 2
        value = (products * middle[:, None] ** powers).sum(axis=1)
        high = np.where(value > target, middle, high)
        low = np.where(value > target, low, middle)
    constant = np.abs(products).sum(axis=1) < 1e-12
    return np.where(constant, 0.0, (low + high) / 2)
