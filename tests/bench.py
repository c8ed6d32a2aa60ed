"""``make bench``: the coefficients against the best times of other implementations, soft_T against plain torch.

The peers' seconds were measured on two cores of the same kind of machine (one thread each): R is FOCI 0.1.3, Python the
fastest of the packages on the Python index.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import torch

from diffoci import FOCI, DifFOCI, T, soft_T
from diffoci.data.encoding import Encoder
from diffoci.data.sources import is_at_hand, load
from tests.reference import plain_soft_T

PEERS_T = {
    (100_000, 5): (2.4, 1.04),
    (100_000, 10): (78.0, 25.0),
    (10_000, 10): (1.2, 0.71),
    (1_000_000, 1): (None, None),
}
PEERS_FOCI = {(2000, 100): (2.8, 1.94), (10_000, 30): (6.1, 2.7)}


def best_of(repeats: int, work: Callable[[], object]) -> float:
    taken = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def row(name: str, seconds: float, peers: tuple[float | None, float | None], wanted: float) -> None:
    known = [peer for peer in peers if peer is not None]
    ratio = f"{min(known) / seconds:6.1f}x (wanted {wanted:g}x)" if known else "   no peer time"
    shown = "  ".join(f"{peer:7.2f} s" if peer is not None else "        -" for peer in peers)
    print(f"{name:34} {seconds:8.3f} s   {shown}   {ratio}", flush=True)


def bench_T() -> None:
    print("\nT(y, z), continuous                    ours         R     Python   against the best")
    for (n, d), peers in PEERS_T.items():
        rng = np.random.default_rng(0)
        z, y = rng.normal(size=(n, d)), rng.normal(size=n)
        row(f"n = {n:,}, d = {d}", best_of(2, lambda y=y, z=z: T(y, z)), peers, 2)


def bench_foci() -> None:
    print("\nFOCI, y = x1 x2 + sin(x1 x3)           ours         R     Python   against the best")
    for (n, p), peers in PEERS_FOCI.items():
        X = np.random.default_rng(0).normal(size=(n, p))
        y = X[:, 0] * X[:, 1] + np.sin(X[:, 0] * X[:, 2])
        row(f"n = {n:,}, p = {p}", best_of(3, lambda X=X, y=y: FOCI().fit(X, y)), peers, 3)


def bench_soft() -> None:
    print("\nsoft_T forward + backward, d = 30      ours   plain cdist + softmax   ratio")
    for n, share, wanted in ((1024, 0.5, None), (8192, 0.5, 8), (8192, 0.11, 25)):
        draw = torch.Generator().manual_seed(0)
        z = torch.randn(n, 30, generator=draw, requires_grad=True)
        y = (torch.rand(n, generator=draw) < share).float()
        ours = best_of(3, lambda y=y, z=z: soft_T(y, z).backward())
        plain = best_of(2, lambda y=y, z=z: plain_soft_T(y, z).backward())
        aim = f" (wanted {wanted}x)" if wanted else ""
        print(
            f"n = {n:,}, {share:.0%} ones".ljust(34),
            f"{ours:8.3f} s   {plain:8.3f} s   {plain / ours:6.1f}x{aim}",
            flush=True,
        )


def bench_memory() -> None:
    program = "from tests.bench import extra_memory; print(extra_memory())"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    print(f"n = 30,000, 11% ones: {run.stdout.strip()} of extra memory (wanted below 800 MB)")


def bench_training() -> None:
    """Epochs of difFOCI on ACS income, Alabama (8,907 rows; the simulated twin where the real file is not at hand)."""
    dataset = load("acs-income", state="AL", year=2018, sensitive=["sex"], twin=not is_at_hand("acs-income"))
    X = Encoder(coding="integer").fit(dataset.features, dataset.columns).transform(dataset.features)
    print(f"\ndifFOCI on {dataset.title}, {len(dataset):,} rows, {X.shape[1]} columns")
    vec = DifFOCI("dF3", "vec", lr=0.05, weight_decay=5e-3, batch_size=256, max_epochs=20, patience=20)
    vec.fit(X, dataset.label, dataset.sensitive)
    seconds = best_of(2, lambda: vec.fit(X, dataset.label, dataset.sensitive)) / 20
    print(f"vec-dF3, batch 256: {seconds:.3f} s an epoch (wanted below 0.15 s)")
    nn = DifFOCI("dF3", "nn", lr=1e-3, batch_size=1024, max_epochs=25, patience=25)
    seconds = best_of(2, lambda: nn.fit(X, dataset.label, dataset.sensitive))
    print(f"NN-dF3, batch 1024, 25 epochs: {seconds:.2f} s (wanted below 8 s)")


def extra_memory() -> str:
    """Peak of one forward and backward pass in this process, above what importing and the data take."""
    z = torch.randn(30_000, 30, requires_grad=True)
    y = (torch.rand(30_000) < 0.11).float()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    soft_T(y, z).backward()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return f"{time.perf_counter() - began:.2f} s, {grown:.0f} MB"


if __name__ == "__main__":
    print(f"{torch.get_num_threads()} threads")
    bench_T()
    bench_foci()
    bench_soft()
    bench_memory()
    bench_training()
