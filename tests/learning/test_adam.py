"""Our Adam is torch's, step by step."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import nn

from diffoci.learning._adam import Adam


@pytest.mark.parametrize("weight_decay", [0.0, 0.01])
def test_every_step_is_that_of_torch(weight_decay: float) -> None:
    torch.manual_seed(0)
    x, y = torch.randn(64, 5), torch.randn(64, 1)
    ours = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
    theirs = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
    theirs.load_state_dict(ours.state_dict())
    own = Adam(ours.parameters(), lr=0.01, weight_decay=weight_decay)
    reference = torch.optim.Adam(theirs.parameters(), lr=0.01, weight_decay=weight_decay, fused=True)
    for _ in range(20):
        own.step(torch.autograd.grad(nn.functional.mse_loss(ours(x), y), list(ours.parameters())))
        reference.zero_grad()
        nn.functional.mse_loss(theirs(x), y).backward()
        reference.step()
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(mine, other)


def test_training_does_not_load_the_compiler() -> None:
    code = (
        "import sys, numpy as np; from diffoci import DifFOCI; x = np.random.rand(64, 3).astype('float32'); "
        "DifFOCI('dF1', model='nn', max_epochs=1).fit(x, x[:, 0] > 0.5); "
        "sys.exit(bool({'torch._dynamo', 'sympy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
