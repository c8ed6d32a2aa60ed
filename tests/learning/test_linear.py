"""Linear layers through oneDNN compute what torch's own do, and only where they should be quicker."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import Tensor, nn

from diffoci.learning import linear


def answers(layer: nn.Module, x: Tensor) -> list[Tensor]:
    """A layer's outputs, and the gradients of a curved function of them."""
    x = x.clone().requires_grad_()
    out = layer(x)
    return [out, *torch.autograd.grad(out.square().sum() / len(x), [x, *layer.parameters()])]


@pytest.mark.parametrize(("rows", "inputs", "outputs"), list(itertools.product((256, 1000), (16, 112), (16, 128))))
def test_values_and_gradients_are_torchs_own(rows: int, inputs: int, outputs: int) -> None:
    generator = torch.Generator().manual_seed(rows + inputs + outputs)
    layer = linear.linear(inputs, outputs, generator)
    x = torch.randn(rows, inputs, generator=generator)
    assert linear.takes_onednn(x, layer.weight)
    plain = nn.Linear(inputs, outputs)
    plain.load_state_dict(layer.state_dict())
    for found, wanted in zip(answers(layer, x), answers(plain, x), strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


def test_the_same_rows_have_the_same_bits_wherever_they_lie_in_memory() -> None:
    generator = torch.Generator().manual_seed(0)
    layer = linear.linear(112, 128, generator)
    x = torch.randn(300, 112, generator=generator)
    room = torch.empty(300 * 112 + 64)
    for shift in (1, 3, 16):
        moved = room[shift : shift + x.numel()].view_as(x).copy_(x)
        for found, wanted in zip(answers(layer, moved), answers(layer, x), strict=True):
            assert torch.equal(found, wanted)


def test_few_rows_thin_layers_and_other_precisions_stay_torchs_own() -> None:
    generator = torch.Generator().manual_seed(0)
    wide, thin = linear.linear(64, 64, generator), linear.linear(64, 1, generator)
    x = torch.randn(500, 64, generator=generator)
    assert linear.takes_onednn(x, wide.weight)
    assert not linear.takes_onednn(x[:100], wide.weight)
    assert not linear.takes_onednn(x, thin.weight)
    assert not linear.takes_onednn(x.double(), wide.weight.double())
    assert not linear.takes_onednn(x.to("meta"), wide.weight.to("meta"))


def test_without_onednn_every_layer_is_torchs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    layer = linear.linear(64, 64, generator)
    x = torch.randn(500, 64, generator=generator)
    monkeypatch.setattr(linear, "_HAS_ONEDNN", False)
    assert not linear.takes_onednn(x, layer.weight)
    assert torch.equal(layer(x), nn.functional.linear(x, layer.weight, layer.bias))
