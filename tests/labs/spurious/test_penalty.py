"""Claims about the penalty: what it sees, what it ignores, and that it cannot be met by shrinking."""

from __future__ import annotations

import torch

from diffoci import soft_T
from diffoci.labs.spurious.penalty import Memory, dependence

GENERATOR = torch.Generator().manual_seed(0)


def rows(count=200):
    group = torch.arange(count) % 2
    return group, torch.randn(count, 3, generator=GENERATOR)


def value(z, group, label=None, beta=5.0):
    return float(dependence(z, group, label, groups=2, beta=beta))


def test_features_that_are_the_group_depend_on_it_fully():
    group, z = rows()
    assert value(z + 50 * group[:, None], group) > 0.95


def test_features_without_the_group_do_not():
    group, z = rows()
    assert abs(value(z, group)) < 0.2


def test_shrinking_the_features_changes_nothing():
    group, z = rows()
    z = z + group[:, None]
    assert abs(value(z, group) - value(0.01 * z, group)) < 0.02


def test_two_groups_count_by_both_indicators():
    """With groups of different sizes it is the ratio of sums of both one-sided coefficients, here worked out apart."""
    z = torch.randn(60, 2, generator=GENERATOR, dtype=torch.float64)
    group = (z[:, 0] + torch.randn(60, generator=GENERATOR, dtype=torch.float64) > 0.8).long()
    scaled = (z - z.mean(dim=0)) / (z.var(dim=0, correction=0) + 1e-5).sqrt()
    one, other = soft_T(group, scaled, beta=2.0), soft_T(1 - group, scaled, beta=2.0)
    share = group.double().mean()
    weights = torch.stack([share**2 * (1 - share), (1 - share) ** 2 * share])
    expected = (weights * torch.stack([one, other])).sum() / weights.sum()
    assert abs(value(z, group, beta=2.0) - float(expected)) < 1e-9


def test_given_the_label_what_the_label_tells_of_the_group_is_no_dependence():
    label = torch.arange(400) // 200
    group = torch.where(torch.rand(400, generator=GENERATOR) < 0.95, label, 1 - label)
    z = torch.randn(400, 2, generator=GENERATOR) + 20 * label[:, None]
    assert value(z, group) > 0.5
    assert value(z, group, label) < 0.2


def test_rows_of_one_group_have_no_penalty():
    assert value(torch.randn(10, 2), torch.zeros(10, dtype=torch.long)) == 0


def test_memory_keeps_the_newest_rows_and_lets_them_learn_nothing():
    memory = Memory(4)
    first = torch.ones(3, 1, requires_grad=True)
    memory.joined(first, torch.zeros(3), torch.zeros(3))
    z, group, _ = memory.joined(torch.zeros(2, 1, requires_grad=True), torch.ones(2), torch.ones(2))
    assert len(z) == len(group) == 5
    z.sum().backward()
    assert first.grad is None
    assert sum(map(len, memory.group)) <= 4
