"""``make measure WHAT=bench``: the coefficients, soft_T and training, against the fastest others in the same run.

Seconds of Python packages (`peers.txt`) and of plain torch are measured here, beside ours. R's are stated, not
measured: FOCI 0.1.3 took them on two cores of the same kind of machine. Where there is a graphics card, what can be
computed on it is also measured there.
"""

from __future__ import annotations

import importlib
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch

from diffoci import FOCI, DifFOCI, T, soft_T, xi
from diffoci.data.encoding import Encoder
from diffoci.data.sources import is_at_hand, load
from diffoci.learning.linear import linear
from tests.reference import plain_soft_T

Peer = Callable[[Any, Any], object]  # of the response and the columns
# Rows and columns, with R's seconds.
T_SIZES = {(10_000, 10): 1.2, (100_000, 5): 2.4, (100_000, 10): 78.0, (1_000_000, 1): None}
FOCI_SIZES = {(2000, 100): 2.8, (10_000, 30): 6.1}
XI_ROWS = (10_000, 1_000_000)
LONG = 5.0  # seconds
ONE_COLUMN = {8192: 30, 30_000: 150}  # rows, and how many times as fast as the blocks it is wanted to be


def python_peers() -> dict[str, dict[str, Peer]]:
    """What each installed package computes, by coefficient."""
    peers: dict[str, dict[str, Peer]] = {"xi": {}, "T": {}, "FOCI": {}}
    if xicorpy := _installed("xicorpy"):
        peers["xi"]["xicorpy"] = lambda y, x: xicorpy.compute_xi_correlation(x, y, get_modified_xi=False)
        peers["T"]["xicorpy"] = xicorpy.compute_conditional_dependence
        peers["FOCI"]["xicorpy"] = xicorpy.select_features_using_foci
    if pyfoci := _installed("pyFOCI"):
        peers["FOCI"]["pyFOCI"] = lambda y, X: pyfoci.FOCISelector(nn_tie_breaking="first").fit(X, y)
    return peers


def _installed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed, so it is left out: make measure WHAT=bench installs it.")
        return None


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest run; what takes long is run once."""
    taken: list[float] = []
    while len(taken) < repeats and sum(taken) < LONG:
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def seconds_of(peers: Mapping[str, Peer], y: Any, z: Any) -> dict[str, float]:
    """What each package takes."""
    return {name: best_of(2, partial(peer, y, z)) for name, peer in peers.items()}


def row(name: str, ours: float, others: Mapping[str, float], *, wanted: float | None = None, stated: str = "") -> None:
    """One line: our seconds, those of others in this run, and how many times as fast as the fastest of them we are."""
    aim = f" (wanted {wanted:g}x)" if wanted else ""
    ratio = f"{min(others.values()) / ours:.1f}x{aim}" if others else "nobody to compare with"
    told = "".join(f", {who} {taken:.3f} s" for who, taken in others.items())
    print(f"{name:22} {ours:8.3f} s{told}: {ratio}{stated}", flush=True)


def of_R(seconds: float | None) -> str:
    return f"; R, stated and not measured here: {seconds:g} s" if seconds else ""


def bench_xi(peers: Mapping[str, Peer]) -> None:
    print("\nxi(x, y), continuous")
    for n in XI_ROWS:
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=n), rng.normal(size=n)
        row(f"n = {n:,}", best_of(3, partial(xi, x, y)), seconds_of(peers, y, x))


def bench_T(peers: Mapping[str, Peer]) -> None:
    print("\nT(y, z), continuous")
    for (n, d), stated in T_SIZES.items():
        rng = np.random.default_rng(0)
        z, y = rng.normal(size=(n, d)), rng.normal(size=n)
        ours = best_of(2, partial(T, y, z))
        row(f"n = {n:,}, d = {d}", ours, seconds_of(peers, y, z), wanted=2, stated=of_R(stated))


def bench_foci(peers: Mapping[str, Peer]) -> None:
    print("\nFOCI, y = x1 x2 + sin(x1 x3)")
    for (n, p), stated in FOCI_SIZES.items():
        X = np.random.default_rng(0).normal(size=(n, p))
        y = X[:, 0] * X[:, 1] + np.sin(X[:, 0] * X[:, 2])
        ours = best_of(3, partial(FOCI().fit, X, y))
        row(f"n = {n:,}, p = {p}", ours, seconds_of(peers, y, X), wanted=3, stated=of_R(stated))


def both_ways(value: Callable[..., torch.Tensor], y: torch.Tensor, z: torch.Tensor, **options: Any) -> None:
    """Compute a value and its gradient, and wait for a card to be done with them."""
    value(y, z, **options).backward()
    if z.is_cuda:
        torch.cuda.synchronize()


def bench_soft(device: str) -> None:
    print(f"\nsoft_T forward + backward, d = 30, {device}")
    for n, share, wanted in ((1024, 0.5, None), (8192, 0.5, 8), (8192, 0.11, 25)):
        draw = torch.Generator().manual_seed(0)
        z = torch.randn(n, 30, generator=draw).to(device).requires_grad_()
        y = (torch.rand(n, generator=draw) < share).float().to(device)
        ours = best_of(3, partial(both_ways, soft_T, y, z))
        plain = best_of(2, partial(both_ways, plain_soft_T, y, z))
        row(f"n = {n:,}, {share:.0%} ones", ours, {"plain cdist + softmax": plain}, wanted=wanted)


def bench_one_column(device: str) -> None:
    """One column has a way of its own, by sorting; asked for blocks, soft_T goes the way of several columns."""
    print(f"\nsoft_T forward + backward of one column, float64, {device}")
    for n, wanted in ONE_COLUMN.items():
        draw = torch.Generator().manual_seed(0)
        z = torch.randn(n, 1, generator=draw, dtype=torch.float64).to(device).requires_grad_()
        y = torch.randn(n, generator=draw, dtype=torch.float64).to(device)
        block = max(8, (1 << 20) // n)  # what soft_T chooses on a processor for several columns
        ours = best_of(3, partial(both_ways, soft_T, y, z))
        blocks = best_of(2, partial(both_ways, soft_T, y, z, block=block))
        row(f"n = {n:,}", ours, {"in blocks": blocks}, wanted=wanted)


def bench_memory() -> None:
    program = "from tests.measure.bench import extra_memory; print(extra_memory())"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    print(f"\nsoft_T, n = 30,000, d = 30, 11% ones: {run.stdout.strip()} of extra memory (wanted below 800 MB)")


def extra_memory() -> str:
    """Peak of one forward and backward pass in this process, above what importing and the data take."""
    z = torch.randn(30_000, 30, requires_grad=True)
    y = (torch.rand(30_000) < 0.11).float()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    soft_T(y, z).backward()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return f"{time.perf_counter() - began:.2f} s, {grown:.0f} MB"


def bench_layers() -> None:
    """One hidden layer of a network, forward and backward on one thread, beside torch's own."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    print("\na layer of 128 by 128, forward + backward, one thread")
    for n in (256, 1024, 2048):
        draw = torch.Generator().manual_seed(0)
        ours = linear(128, 128, draw)
        torchs = torch.nn.Linear(128, 128)
        x = torch.randn(n, 128, generator=draw, requires_grad=True)
        a_thousand = [best_of(5, partial(many_times, 1000, layer, x)) for layer in (ours, torchs)]
        row(f"n = {n:,}, 1,000 times", a_thousand[0], {"torch.nn.Linear": a_thousand[1]})
    torch.set_num_threads(before)


def many_times(times: int, layer: torch.nn.Module, x: torch.Tensor) -> None:
    """Outputs of a layer, and gradients of their sum."""
    for _ in range(times):
        torch.autograd.grad(layer(x).sum(), [x, *layer.parameters()])


def bench_training(device: str) -> None:
    """Epochs of difFOCI on ACS income, Alabama (8,907 rows; the simulated twin where the real file is not at hand)."""
    dataset = load("acs-income", state="AL", year=2018, sensitive=["sex"], twin=not is_at_hand("acs-income"))
    X = Encoder(coding="integer").fit(dataset.features, dataset.columns).transform(dataset.features)
    print(f"\ndifFOCI on {dataset.title}, {len(dataset):,} rows, {X.shape[1]} columns, {device}")
    own: dict[str, Any] = {"lr": 0.05, "weight_decay": 5e-3, "batch_size": 256, "max_epochs": 20, "patience": 20}
    vec = DifFOCI("dF3", "vec", device=device, **own)
    vec.fit(X, dataset.label, dataset.sensitive)
    seconds = best_of(2, lambda: vec.fit(X, dataset.label, dataset.sensitive)) / 20
    print(f"vec-dF3, batch 256: {seconds:.3f} s an epoch (wanted below 0.15 s)")
    nn = DifFOCI("dF3", "nn", device=device, lr=1e-3, batch_size=1024, max_epochs=25, patience=25)
    seconds = best_of(2, lambda: nn.fit(X, dataset.label, dataset.sensitive))
    print(f"NN-dF3, batch 1024, 25 epochs: {seconds:.2f} s (wanted below 8 s)")


def main() -> None:
    """Print every table."""
    print(f"{torch.get_num_threads()} threads; the Python packages use one")
    peers = python_peers()
    bench_xi(peers["xi"])
    bench_T(peers["T"])
    bench_foci(peers["FOCI"])
    bench_memory()
    bench_layers()
    for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
        bench_soft(device)
        bench_one_column(device)
        bench_training(device)


if __name__ == "__main__":
    main()
