"""Small ONNX models for tests, good ones and bad ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def write_onnx(path: Path, *, width: int = 2) -> None:
    """Sigmoid of 1.5 times the first of some columns, which come as one matrix."""
    helper, numbers = _onnx()
    weights = helper.make_tensor("w", numbers, [width, 1], [1.5, *[0.0] * (width - 1)])
    nodes = [helper.make_node("MatMul", ["x", "w"], ["z"]), helper.make_node("Sigmoid", ["z"], ["p"])]
    inputs = [helper.make_tensor_value_info("x", numbers, [None, width])]
    _write(path, nodes, inputs, helper.make_tensor_value_info("p", numbers, [None, 1]), [weights])


def write_sum(path: Path, *columns: str) -> None:
    """The sum of two columns, each an input by its name."""
    helper, numbers = _onnx()
    inputs = [helper.make_tensor_value_info(name, numbers, [None]) for name in columns]
    out = helper.make_tensor_value_info("p", numbers, [None])
    _write(path, [helper.make_node("Add", list(columns), ["p"])], inputs, out)


def write_elsewhere(path: Path, location: str) -> None:
    """A model whose weight lies in another file."""
    import onnx

    helper, numbers = _onnx()
    weight = helper.make_tensor("w", numbers, [1], bytes(4), raw=True)
    onnx.external_data_helper.set_external_data(weight, location)
    weight.ClearField("raw_data")
    inputs = [helper.make_tensor_value_info("ability", numbers, [None])]
    out = helper.make_tensor_value_info("p", numbers, [None])
    _write(path, [helper.make_node("Mul", ["ability", "w"], ["p"])], inputs, out, [weight])


def write_endless(path: Path) -> None:
    """A loop without end."""
    import onnx

    helper, numbers = _onnx()
    whole, truth = onnx.TensorProto.INT64, onnx.TensorProto.BOOL
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["go_on"]),
            helper.make_node("Sin", ["x"], ["y"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", whole, []),
            helper.make_tensor_value_info("go", truth, []),
            helper.make_tensor_value_info("x", numbers, [None]),
        ],
        [helper.make_tensor_value_info("go_on", truth, []), helper.make_tensor_value_info("y", numbers, [None])],
    )
    always = helper.make_tensor("always", truth, [], [True])
    inputs = [helper.make_tensor_value_info("ability", numbers, [None])]
    out = helper.make_tensor_value_info("p", numbers, [None])
    _write(path, [helper.make_node("Loop", ["", "always", "ability"], ["p"], body=body)], inputs, out, [always])


def write_huge(path: Path) -> None:
    """Adds the mean of 6.4 GB of numbers, which it lays out one beside the other."""
    import onnx

    helper, numbers = _onnx()
    sides = helper.make_tensor("sides", onnx.TensorProto.INT64, [2], [40_000, 40_000])
    one = helper.make_tensor("one", numbers, [1], [1.0])
    nodes = [
        helper.make_node("Expand", ["one", "sides"], ["wide"]),
        helper.make_node("ReduceMean", ["wide"], ["mean"], keepdims=0),
        helper.make_node("Add", ["ability", "mean"], ["p"]),
    ]
    inputs = [helper.make_tensor_value_info("ability", numbers, [None])]
    _write(path, nodes, inputs, helper.make_tensor_value_info("p", numbers, [None]), [sides, one])


def write_many(path: Path) -> None:
    """Gives every person's score twice."""
    helper, numbers = _onnx()
    inputs = [helper.make_tensor_value_info("ability", numbers, [None])]
    out = helper.make_tensor_value_info("p", numbers, [None])
    _write(path, [helper.make_node("Concat", ["ability", "ability"], ["p"], axis=0)], inputs, out)


def _onnx() -> tuple[Any, int]:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    return onnx.helper, onnx.TensorProto.FLOAT


def _write(path: Path, nodes: list[Any], inputs: list[Any], out: Any, weights: list[Any] | None = None) -> None:
    helper, _ = _onnx()
    graph = helper.make_graph(nodes, "model", inputs, [out], weights or [])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
