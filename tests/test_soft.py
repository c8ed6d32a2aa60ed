"""soft_T equals its plain definition, its gradient is right, and nothing degenerate breaks it."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from diffoci import T, soft, soft_line, soft_T
from diffoci.soft import line_agreement, soft_agreement
from diffoci.soft_response import soft_response
from tests.reference import plain_soft_T


def case(
    kind: str,
    n: int,
    d: int,
    seed: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
):
    draw = torch.Generator().manual_seed(seed)
    levels = {"binary": 2, "ordered": 5, "nominal": 4, "continuous": 10**9}[kind]
    y = torch.randint(0, levels, (n,), generator=draw).to(dtype)
    z = torch.randn(n, d, generator=draw, dtype=torch.float64).to(dtype)
    return y.to(device), z.to(device).requires_grad_()


def condition(kind: str | None, n: int, seed: int) -> torch.Tensor | None:
    draw = torch.Generator().manual_seed(seed)
    if kind is None:
        return None
    if kind == "discrete":
        return torch.randint(0, 3, (n, 2), generator=draw).double()
    return torch.randn(n, 2, generator=draw, dtype=torch.float64)


@pytest.mark.parametrize("kind", ["binary", "ordered", "nominal", "continuous"])
@pytest.mark.parametrize("given", [None, "discrete", "continuous"])
@pytest.mark.parametrize("d", [1, 3, 12])
def test_value_and_gradient_equal_the_plain_definition(kind, given, d):
    y, z = case(kind, 70, d, seed=d)
    x = condition(given, 70, seed=d)
    if given == "continuous":
        assert x is not None
        x.requires_grad_()
    inputs = [z] if given != "continuous" else [z, x]
    found = soft_T(y, z, x, block=17, nominal=kind == "nominal")
    expected = plain_soft_T(y, z, x, nominal=kind == "nominal")
    assert float(found.detach()) == pytest.approx(float(expected.detach()), abs=1e-10)
    for one, other in zip(torch.autograd.grad(found, inputs), torch.autograd.grad(expected, inputs), strict=True):
        torch.testing.assert_close(one, other, atol=1e-7, rtol=1e-6)


def test_float32_agrees_with_the_definition_to_five_digits(device):
    y, z = case("binary", 400, 30, seed=1, dtype=torch.float32, device=device)
    expected = plain_soft_T(y.double().cpu(), z.double().cpu())
    assert float(soft_T(y, z).detach()) == pytest.approx(float(expected.detach()), abs=1e-5)


@pytest.mark.parametrize("kind", ["binary", "nominal", "continuous"])
@pytest.mark.parametrize("d", [2, 6])
def test_gradcheck(kind, d):
    y, z = case(kind, 14, d, seed=3)
    x = condition("continuous", 14, seed=4)
    assert x is not None
    x.requires_grad_()
    assert torch.autograd.gradcheck(lambda z: soft_T(y, z, nominal=kind == "nominal", block=5), z)
    assert torch.autograd.gradcheck(lambda z, x: soft_T(y, z, x, beta=2.0, nominal=kind == "nominal"), (z, x))


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("binary", None),
        ("binary", "discrete"),
        ("binary", "continuous"),
        ("nominal", None),
        ("nominal", "discrete"),
        ("nominal", "continuous"),
        ("continuous", None),
        ("continuous", "continuous"),  # not discrete: ties among ranks, see the notes of soft_T
    ],
)
def test_it_becomes_T_as_beta_grows(kind, given):
    y, z = case(kind, 200, 3, seed=5)
    x = condition(given, 200, seed=6)
    names = np.array([f"level {int(v)}" for v in y]) if kind == "nominal" else y.numpy()
    exact = T(names, z.detach().numpy(), None if x is None else x.numpy())
    apart = [abs(float(soft_T(y, z.detach(), x, beta=b, nominal=kind == "nominal")) - exact) for b in (10, 1e3, 1e7)]
    assert apart[2] < 1e-6 < apart[0]


def test_row_order_does_not_matter(device):
    y, z = case("ordered", 90, 5, seed=7, dtype=torch.float32, device=device)
    order = torch.randperm(90, generator=torch.Generator().manual_seed(0)).to(device)
    assert float(soft_T(y, z).detach()) == pytest.approx(float(soft_T(y[order], z[order]).detach()), abs=1e-6)


def test_block_size_does_not_matter():
    y, z = case("ordered", 90, 5, seed=8)
    values = [float(soft_T(y, z, block=b).detach()) for b in (1, 7, 90, 1000)]
    assert values == pytest.approx([values[0]] * 4, abs=1e-12)


DEGENERATE = {
    "duplicate points": torch.randn(1, 6).repeat(30, 1),
    "duplicate points on a line": torch.randn(1, 1).repeat(30, 1),
    "a few places": torch.randint(0, 2, (30, 6)).float(),
    "constant": torch.zeros(30, 2),
    "far away": torch.randn(30, 6) + 1e4,
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("beta", [1e-5, 5.0, 1e7])
@pytest.mark.parametrize("given", [None, "discrete"])
def test_nothing_degenerate_gives_nan(name, beta, given, device):
    z = DEGENERATE[name].to(device).clone().requires_grad_()
    y = (torch.arange(30) % 3).float().to(device)
    x = None if given is None else (torch.arange(30) % 2).float().to(device)
    value = soft_T(y, z, x, beta=beta)
    value.backward()
    assert torch.isfinite(value)
    assert z.grad is not None
    assert torch.isfinite(z.grad).all()


def test_two_rows_are_enough(device):
    z = torch.tensor([0.0, 1.0], device=device, requires_grad=True)
    value = soft_T(torch.tensor([0.0, 1.0], device=device), z)
    value.backward()
    assert float(value.detach()) == T([0, 1], [0, 1])
    assert z.grad is not None
    assert torch.isfinite(z.grad).all()


def test_whole_numbers_and_truth_values_can_be_the_response(device):
    y, z = case("binary", 80, 3, seed=11, dtype=torch.float32, device=device)
    expected = float(soft_T(y, z).detach())
    assert float(soft_T(y.bool(), z).detach()) == float(soft_T(y.long(), z).detach()) == expected


def test_a_group_of_one_row_is_fine():
    y, z = case("binary", 20, 2, seed=9)
    alone = torch.zeros(20, dtype=torch.float64)
    alone[3] = 1
    for beta in (1e-3, 5.0, 1e5):
        expected = float(plain_soft_T(y, z, alone[:, None], beta=beta).detach())
        assert float(soft_T(y, z, alone, beta=beta).detach()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("columns", [1, 6])
@pytest.mark.parametrize("beta", [5.0, 100.0, 1e5, 1e7])
def test_leaving_out_weights_too_small_to_count_changes_nothing(columns, beta, monkeypatch):
    y, z = case("continuous", 150, columns, seed=12)

    def value_and_gradient():
        value = soft_T(y, z, beta=beta)
        return value.detach(), *torch.autograd.grad(value, z)

    found = value_and_gradient()
    monkeypatch.setattr(soft, "weights_", torch.exp_)
    monkeypatch.setattr(soft_line, "weights_", torch.exp_)
    for one, whole in zip(found, value_and_gradient(), strict=True):
        torch.testing.assert_close(one, whole, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("columns", [1, 6])
def test_sharp_neighbours_take_no_longer_than_wide_ones(columns):
    y, z = case("continuous", 1024 if columns > 1 else soft_line.FEW, columns, seed=13, dtype=torch.float32)

    def seconds(beta):
        begin = time.process_time()
        for _ in range(5):
            torch.autograd.grad(soft_T(y, z, beta=beta), z)
        return time.process_time() - begin

    rounds = [(seconds(1.0), seconds(1e3), seconds(1e7)) for _ in range(6)]
    wide, sharp, sharpest = (min(times) for times in zip(*rounds, strict=True))
    assert max(sharp, sharpest) < 1.5 * wide


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_summed_in_float32(dtype, device):
    y, z = case("binary", 300, 4, seed=10, dtype=torch.float32, device=device)
    half = z.detach().to(dtype).requires_grad_()
    value = soft_T(y, half)
    value.backward()
    assert value.dtype == torch.float32
    assert half.grad.dtype == dtype
    assert float(value.detach()) == pytest.approx(float(soft_T(y, z.detach().to(dtype).float())), abs=1e-6)


def test_thirty_thousand_rows_stay_below_800_megabytes():
    program = """
import resource, torch
from diffoci import soft_T
z = torch.randn(30_000, 30, requires_grad=True)
y = (torch.arange(30_000) % 9 == 0).float()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
soft_T(y, z).backward()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 800


FINE = torch.arange(6.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"z": FINE[:5]}, "z has 5 rows but y has 6; give both the same rows."),
        ({"y": FINE[:1], "z": FINE[:1]}, "y has 1 row; at least 2 are needed."),
        ({"y": torch.ones(6)}, "y is constant, so nothing about it can be explained; choose another column."),
        ({"z": FINE * torch.nan}, "z has missing or infinite values; fill or drop those rows."),
        ({"given": FINE / 0}, "given has missing or infinite values; fill or drop those rows."),
        ({"given": torch.empty(6, 0)}, "given has no columns; give at least one."),
        ({"z": torch.zeros(6, 2, 2)}, "z must be one column or a table of columns, but it has 3 dimensions."),
        (
            {"z": [1, 2, 3, 4, 5, 6]},
            "z must be a tensor of real numbers; convert it with torch.as_tensor first.",
        ),
        ({"beta": 0.0}, "beta must be positive and finite, not 0.0."),
        ({"beta": float("nan")}, "beta must be positive and finite, not nan."),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=r"^") as problem:
        soft_T(**{"y": FINE, "z": FINE, **arguments})
    assert str(problem.value) == sentence


@pytest.mark.parametrize("kind", ["binary", "ordered", "nominal", "continuous"])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("beta", [1e-5, 0.5, 5.0, 50.0, 1e4, 1e7])
@pytest.mark.parametrize("rows", [120, 300])  # few rows are compared in pairs, more in sorted order
def test_one_column_equals_the_blocks(kind, ties, beta, rows):
    y, z = case(kind, rows, 1, seed=12)
    if ties:
        z = ((z.detach() * 5).round() / 5).requires_grad_()
    values = [soft_T(y, z, beta=beta, block=block, nominal=kind == "nominal") for block in (None, 64)]
    line, blocks = (torch.autograd.grad(value, z)[0] for value in values)
    assert values[0].item() == pytest.approx(values[1].item(), abs=1e-10)
    # Blocks take differences of products the size of beta, which costs them digits where it is very large.
    close = (1e-7 if beta < 1e6 else 1e-6) * float(blocks.abs().max())
    torch.testing.assert_close(line, blocks, rtol=0, atol=close + 1e-30)


@pytest.mark.parametrize("kind", ["binary", "ordered", "nominal", "continuous"])
@pytest.mark.parametrize("few", [0, 192])
def test_gradcheck_of_one_column(kind, few, monkeypatch):
    monkeypatch.setattr(soft_line, "FEW", few)
    y, z = case(kind, 40, 1, seed=13)
    assert torch.autograd.gradcheck(lambda z: soft_T(y, z, nominal=kind == "nominal"), z)


@pytest.mark.parametrize("columns", [1, 6])
def test_a_sharpness_beyond_all_numbers_leaves_the_nearest_neighbour(columns):
    y, z = case("binary", 60, columns, seed=14)
    for one, sharp in ((z, 1e30), (z * 1e200, 5.0), (z.float(), 1e30), (z.float() * 1e30, 5.0)):
        assert soft_T(y, one.detach(), beta=sharp).item() == pytest.approx(T(y.numpy(), z.detach().numpy()), abs=1e-5)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("rows", [120, 300])
def test_one_column_within_groups_is_the_limit_of_groups_far_apart(classes, ties, rows):
    y, z = case("nominal" if classes == 4 else "binary", rows, 1, seed=15)
    code = torch.arange(rows) % 3
    if ties:
        z = ((z.detach() * 5).round() / 5).requires_grad_()
    response = soft_response(y.long(), nominal=True, dtype=z.dtype, classes=classes)
    far = torch.cat([1e6 * torch.nn.functional.one_hot(code).to(z.dtype), z], dim=1)
    values = [line_agreement(z, response, beta=5.0, group=code), soft_agreement(far, response, beta=5.0)]
    line, blocks = (torch.autograd.grad(value, z)[0] for value in values)
    assert values[0].item() == pytest.approx(values[1].item(), abs=1e-6)
    torch.testing.assert_close(line, blocks, rtol=0, atol=1e-5)


def test_seen_from_every_class_the_coefficient_is_the_mean_of_both_by_their_size():
    y, z = case("binary", 300, 1, seed=16)
    z = z.detach()
    both = soft_response(y.long(), nominal=True, dtype=z.dtype, classes=2, every_class=True)
    value = (line_agreement(z, both, beta=5.0) - both.chance) / both.spread
    share = y.mean()
    assert value.item() == pytest.approx((share * soft_T(y, z) + (1 - share) * soft_T(1 - y, z)).item(), abs=1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_one_column_of_half_precision_is_computed_in_single(dtype):
    y, z = case("binary", 200, 1, seed=17)
    assert soft_T(y, z.detach().to(dtype)).item() == soft_T(y, z.detach().to(dtype).float()).item()
