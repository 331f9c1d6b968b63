"""The operators of ONNX files that become layers of networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import _onnx_elements as elements
from . import _onnx_matrices as matrices
from . import _onnx_shapes as shapes
from . import _onnx_windows as windows
from ._functions import named
from ._onnx_call import Call, Value

_FUNCTIONS = {
    "Abs": "abs",
    "Erf": "erf",
    "Exp": "exp",
    "HardSwish": "hard swish",
    "Log": "log",
    "Mish": "mish",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Sigmoid": "sigmoid",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "Sqrt": "square root",
    "Tanh": "tanh",
}
_RESHAPED = ["Flatten", "Reshape", "Squeeze", "Unsqueeze"]
_MOVED = ["Concat", "DepthToSpace", "Expand", "Gather", "Pad", "Resize", "Slice", "SpaceToDepth", "Split", "Tile"]

#: The operators that can be read, and what reads them.
OPERATORS: dict[str, Callable[[Call], Value | Sequence[Value]]] = {
    **dict.fromkeys(["ReduceL2", "ReduceMean", "ReduceSum", "ReduceSumSquare"], matrices.reduce),
    **{op: elements.function(name) for op, name in _FUNCTIONS.items()},
    **dict.fromkeys(_RESHAPED, shapes.reshaped),
    **dict.fromkeys([*_MOVED, "Transpose", "Upsample"], shapes.moved),
    "Add": elements.add,
    "AveragePool": windows.average,
    "BatchNormalization": matrices.batch_norm,
    "Cast": elements.cast,
    "Celu": elements.celu,
    "Clip": elements.clip,
    "Conv": windows.convolution,
    "ConvTranspose": windows.transposed,
    "Div": elements.divide,
    "Dropout": elements.same,
    "Elu": lambda call: call.activation(named("elu", call.attribute("alpha", 1.0)), call.tensor()),
    "Gelu": elements.gelu,
    "Gemm": matrices.gemm,
    "GlobalAveragePool": windows.global_average,
    "GlobalMaxPool": windows.global_maximum,
    "GroupNormalization": matrices.group_norm,
    "HardSigmoid": elements.hard_sigmoid,
    "Identity": elements.same,
    "InstanceNormalization": matrices.instance_norm,
    "LayerNormalization": matrices.layer_norm,
    "LeakyRelu": elements.leaky,
    "LogSoftmax": matrices.softmax,
    "MatMul": matrices.matmul,
    "Max": elements.extreme,
    "MaxPool": windows.maximum,
    "Min": elements.extreme,
    "Mul": elements.multiply,
    "Neg": lambda call: call.scaled(call.tensor(), -1.0, 0.0),
    "PRelu": elements.leaky,
    "RMSNormalization": matrices.rms_norm,
    "ReduceMax": windows.reduced_maximum,
    "Pow": elements.power,
    "Selu": elements.selu,
    "Shape": shapes.shape,
    "Softmax": matrices.softmax,
    "Sub": elements.subtract,
    "Sum": elements.total,
    "Swish": elements.swish,
}

#: What to use instead of other operators.
NEAREST = {
    "ArgMax": "ArgMax as the last operator, over the classes",
    "Attention": "Conv or Gemm layers: products of two values are element by element",
    "Einsum": "MatMul with constant weights",
    "GRU": "Conv or Gemm layers",
    "Greater": "Relu or Sigmoid",
    "GreaterOrEqual": "Relu or Sigmoid",
    "Hardmax": "Softmax, or ArgMax as the last operator",
    "If": "a file that was exported in evaluation mode, without branches",
    "LSTM": "Conv or Gemm layers",
    "Less": "Relu or Sigmoid",
    "LessOrEqual": "Relu or Sigmoid",
    "Loop": "a file that was exported in evaluation mode, without loops",
    "QuantizeLinear": "the file before its quantisation",
    "DynamicQuantizeLinear": "the file before its quantisation",
    "QLinearConv": "the file before its quantisation",
    "QLinearMatMul": "the file before its quantisation",
    "Scan": "a file that was exported in evaluation mode, without loops",
    "Sign": "Tanh",
    "ThresholdedRelu": "Relu",
    "TopK": "ArgMax as the last operator",
    "Where": "Clip or Relu",
}
