"""Operators of ONNX files in the clear, compared with the reference implementation of ONNX."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
sys.path.insert(0, str(Path(__file__).parent))

from onnx_files import IMAGE, TOKENS, VECTOR, file, kinds, one, read, weights, whole

OPERATORS = {
    "conv": one("Conv", IMAGE, weights(4, 3, 3, 2), weights(4), strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2]),
    "depthwise": one("Conv", IMAGE, weights(6, 1, 3, 3), group=3),
    "conv 1-D": one("Conv", (3, 9), weights(2, 3, 4), strides=[2], pads=[1, 2]),
    "conv same": one("Conv", IMAGE, weights(2, 3, 4, 4), auto_pad="SAME_UPPER", strides=[2, 2]),
    "conv lower": one("Conv", IMAGE, weights(2, 3, 4, 4), auto_pad="SAME_LOWER"),
    "transposed": one("ConvTranspose", IMAGE, weights(3, 2, 3, 4), weights(2), strides=[2, 3], pads=[1, 0, 2, 1]),
    "transposed wide": one(
        "ConvTranspose",
        (4, 5, 3),
        weights(4, 3, 2, 2),
        strides=[2, 2],
        dilations=[2, 1],
        output_padding=[1, 0],
    ),
    "transposed 1-D": one("ConvTranspose", (2, 5), weights(2, 3, 3), strides=[2], pads=[1, 0], output_padding=[1]),
    "gemm": one("Gemm", VECTOR, weights(4, 5), weights(4), transB=1, alpha=0.5, beta=2.0),
    "gemm plain": one("Gemm", VECTOR, weights(5, 4), weights(1, 4)),
    "matmul": one("MatMul", VECTOR, weights(5, 3)),
    "matmul rows": one("MatMul", TOKENS, weights(6, 3)),
    "matmul vector": one("MatMul", TOKENS, weights(6)),
    "matmul left": file(TOKENS, [("MatMul", "c x", "y", {})], {"c": weights(3, 4)}),
    "add channels": one("Add", IMAGE, weights(3, 1, 1)),
    "subtract from": file(IMAGE, [("Sub", "c x", "y", {})], {"c": weights(1, 3, 7, 1)}),
    "repeated": one("Mul", (3, 1, 2), weights(4, 1)),
    "divided": one("Div", VECTOR, weights(5)),
    "constant over": file(VECTOR, [("Div", "c x", "y", {})], {"c": weights(5)}),
    "norm of batches": one(
        "BatchNormalization", IMAGE, weights(3), weights(3), weights(3), np.abs(weights(3)), epsilon=0.1
    ),
    **{
        f"norm of batches, opset {opset}": one(
            "BatchNormalization", IMAGE, weights(3), weights(3), weights(3), np.abs(weights(3)), opset=opset
        )
        for opset in (7, 8, 9, 13, 14)
    },
    "leaky": one("LeakyRelu", VECTOR, alpha=0.2),
    "one slope": one("PRelu", IMAGE, np.full((3, 1, 1), 0.25, np.float32)),
    "elu": one("Elu", VECTOR, alpha=0.7),
    "selu": one("Selu", VECTOR),
    "gelu": one("Gelu", VECTOR),
    "gelu tanh": one("Gelu", VECTOR, approximate="tanh"),
    "swish": one("Swish", VECTOR, alpha=1.5, opset=24),
    "hard": one("HardSigmoid", VECTOR),
    "hard of torch": one("HardSigmoid", VECTOR, alpha=1 / 6, beta=0.5),
    "clip": one("Clip", VECTOR, np.float32(0.5), np.float32(1)),
    "clip old": one("Clip", VECTOR, opset=7, min=0.0, max=1.0),
    "max": one("Max", VECTOR, np.float32(0.4)),
    "min": one("Min", VECTOR, np.float32(0.4)),
    "power": one("Pow", VECTOR, np.float32(3)),
    "root": one("Pow", VECTOR, np.float32(0.5)),
    "inverse root": one("Pow", VECTOR, np.float32(-0.5)),
    "average": one("AveragePool", IMAGE, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]),
    "average counting": one("AveragePool", IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
    "average up": one("AveragePool", IMAGE, kernel_shape=[2, 4], strides=[2, 2], ceil_mode=1),
    "average 1-D": one("AveragePool", (2, 8), kernel_shape=[2], strides=[2]),
    "global": one("GlobalAveragePool", IMAGE),
    "global max": one("GlobalMaxPool", IMAGE),
    "max pool": one("MaxPool", IMAGE, kernel_shape=[2, 2], strides=[2, 2]),
    "max pool wide": one("MaxPool", IMAGE, kernel_shape=[5, 3], strides=[1, 2], pads=[2, 1, 2, 1]),
    "max pool up": one("MaxPool", IMAGE, kernel_shape=[2, 4], strides=[2, 3], ceil_mode=1),
    "max pool 1-D": one("MaxPool", (2, 8), kernel_shape=[3], strides=[2]),
    "flatten": one("Flatten", IMAGE),
    "reshape": one("Reshape", IMAGE, whole(0, -1, 3)),
    "squeeze": one("Squeeze", (3, 1, 2), whole(2)),
    "unsqueeze": one("Unsqueeze", VECTOR, whole(1, 3)),
    "transpose": one("Transpose", IMAGE, perm=[0, 2, 3, 1]),
    "pad": one("Pad", IMAGE, whole(0, 0, 1, 2, 0, 0, 3, 0), np.float32(0)),
    "pad reflecting": one("Pad", IMAGE, whole(0, 0, 1, 2, 0, 0, 3, 0), mode="reflect"),
    "pad old": one("Pad", IMAGE, opset=10, pads=[0, 0, 1, 1, 0, 0, 1, 1]),
    "slice": one("Slice", IMAGE, whole(1, -1), whole(6, -7), whole(2, 3), whole(2, -1)),
    "slice old": one("Slice", IMAGE, opset=9, starts=[1], ends=[3], axes=[2]),
    "gather": one("Gather", IMAGE, whole(2, 0), axis=1),
    "expand": one("Expand", (3, 1, 2), whole(1, 3, 4, 2)),
    "tile": one("Tile", TOKENS, whole(1, 2, 1)),
    "depth": one("DepthToSpace", (4, 2, 3), blocksize=2),
    "space": one("SpaceToDepth", (1, 4, 6), blocksize=2),
    "mean": one("ReduceMean", IMAGE, whole(2, 3), keepdims=0),
    "mean of channels": one("ReduceMean", IMAGE, whole(1)),
    "mean of two": one("ReduceMean", IMAGE, whole(-1, 1), keepdims=0),
    "mean old": one("ReduceMean", IMAGE, opset=13, axes=[-2]),
    "maxima": one("ReduceMax", IMAGE, whole(1, 3), keepdims=0),
    "maximum": one("ReduceMax", VECTOR, whole(-1)),
    "length": one("ReduceL2", IMAGE, whole(1)),
    "squares": one("ReduceSumSquare", IMAGE, whole(1, 2)),
    "celu": one("Celu", VECTOR, alpha=1.5),
    "sum": one("ReduceSum", IMAGE, whole(2)),
    "norm of layers": one("LayerNormalization", TOKENS, weights(6), weights(6), axis=-1, epsilon=1e-3),
    "norm of all": one("LayerNormalization", TOKENS, weights(4, 6), axis=1),
    "norm of instances": one("InstanceNormalization", IMAGE, weights(3), weights(3)),
    "norm of groups": one("GroupNormalization", (4, 3, 2), weights(4), weights(4), num_groups=2),
    "norm of groups old": one("GroupNormalization", (4, 3), weights(2), weights(2), num_groups=2, opset=18),
    "norm of squares": one("RMSNormalization", TOKENS, weights(6), opset=23),
    "softmax of rows": one("Softmax", TOKENS),
    "softmax old": one("Softmax", (2, 1, 3), opset=11, axis=3),
    "log softmax of rows": one("LogSoftmax", TOKENS, axis=1),
    **{
        op: one(op, VECTOR) for op in "Abs Erf Exp HardSwish Identity Log Neg Reciprocal Relu Softplus Softsign".split()
    },
    **{op: one(op, VECTOR) for op in ["Dropout", "Mish", "Sqrt", "Tanh"]},
    "two values": file(VECTOR, [("Relu", "x", "a", {}), ("Sub", "x a", "y", {})]),
    "three values": file(VECTOR, [("Relu", "x", "a", {}), ("Sum", "x a x", "y", {})]),
    "product": file(IMAGE, [("GlobalAveragePool", "x", "a", {}), ("Mul", "x a", "y", {})]),
    "quotient": file(VECTOR, [("Exp", "x", "a", {}), ("Div", "x a", "y", {})]),
    "max of values": file(VECTOR, [("Neg", "x", "a", {}), ("Max", "x a", "y", {})]),
    "min of values": file(VECTOR, [("Neg", "x", "a", {}), ("Min", "x a", "y", {})]),
    "concat": file(IMAGE, [("Relu", "x", "a", {}), ("Concat", "x a", "y", {"axis": 1})]),
    "concat last": file(IMAGE, [("Relu", "x", "a", {}), ("Concat", "x a x", "y", {"axis": -1})]),
    "split": file(TOKENS, [("Split", "x s", "a b", {"axis": 1}), ("Add", "a b", "y", {})], {"s": whole(2, 2)}),
    "resize to lengths": file(
        (2, 3, 2),
        [
            ("Shape", "x", "s", {}),
            ("Slice", "s zero two", "h", {}),
            ("Concat", "h lengths", "z", {"axis": 0}),
            ("Resize", "x none none z", "y", {"mode": "nearest"}),
        ],
        {"none": np.zeros(0, np.float32), "zero": whole(0), "two": whole(2), "lengths": whole(7, 3)},
    ),
    "resize axes": one("Resize", (2, 3, 2), *np.zeros((2, 0), np.float32), whole(6, 4), mode="nearest", axes=[2, 3]),
    "upsample": one("Upsample", (2, 3, 2), np.array([1, 1, 2, 3], np.float32), opset=9),
    "resize": file(
        (2, 3, 2),
        [("Resize", "x r s", "y", {"mode": "nearest", "coordinate_transformation_mode": "asymmetric"})],
        {"r": np.zeros(0, np.float32), "s": np.array([1, 1, 2, 2], np.float32)},
    ),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    network = read(OPERATORS[name])
    assert all(node.name for node in network.nodes)


def test_layers_are_those_of_the_operators():
    assert kinds(read(OPERATORS["conv"])) == "Convolution"
    assert kinds(read(OPERATORS["global"])) == "Pool"
    assert kinds(read(OPERATORS["flatten"])) == "" and kinds(read(OPERATORS["reshape"])) == ""
    network = read(OPERATORS["max pool"])
    assert kinds(network) == " ".join(["Select Select Sum Activation Sum"] * 2)
    assert {node.name for node in network.nodes} == {"MaxPool /maxpool0"}
    assert kinds(read(OPERATORS["concat"])) == "Activation Concat"


def test_batch_norm_is_that_of_evaluation_in_old_files():
    scale, shift, mean, variance = weights(3), weights(3), weights(3), np.abs(weights(3))
    x = np.random.default_rng(2).normal(size=(4, 3, 2))
    known = (x - mean[:, None]) / np.sqrt(variance[:, None] + 0.1) * scale[:, None] + shift[:, None]
    for opset in (7, 9, 13, 21):
        model = one("BatchNormalization", (3, 2), scale, shift, mean, variance, epsilon=0.1, opset=opset)
        assert np.allclose(read(model)(x.reshape(4, 6)), known.reshape(4, 6), atol=1e-5, rtol=1e-5)
