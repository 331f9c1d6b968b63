"""Residual networks whose activations are learned quadratics, in PyTorch.

`Quadratic` is a x^2 + b x + c, with its own numbers for each channel. A network learns it through `Hermite`: the
Hermite expansion of the rectifier up to degree 2, each term of which has batch normalisation (Park, Kim, Jung, Lee,
"AESPA: Accuracy Preserving Low-degree Polynomial Activation for Fast Private Inference", 2022, arXiv 2201.06699, and
there HerPN). `frozen` turns one into the other.
"""

import copy
import io
import math

import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

#: The coefficients of the normalised Hermite polynomials x and (x^2 - 1) / sqrt(2) in the expansion of the rectifier.
#: The constant one is a part of the shift.
RECTIFIER = (0.5, 1 / math.sqrt(4 * math.pi))


class Hermite(nn.Module):
    """The sum of x and x^2, each with batch normalisation, times factors of each channel, plus a shift. With batch
    normalisation x^2 is the same as the Hermite polynomial of degree 2. factors: (2, channels), shift: (channels,),
    by default those of the rectifier."""

    def __init__(self, channels, factors=None, shift=None):
        super().__init__()
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels, affine=False) for _ in RECTIFIER)
        factors = torch.tensor(RECTIFIER)[:, None].repeat(1, channels) if factors is None else factors
        self.factors = nn.Parameter(factors)
        self.shift = nn.Parameter(torch.zeros(channels) if shift is None else shift)

    def forward(self, x):
        linear, square = (
            factor[:, None, None] * norm(base)
            for factor, norm, base in zip(self.factors, self.norms, (x, x * x), strict=True)
        )
        return linear + square + self.shift[:, None, None]

    def coefficients(self):
        """a, b and c in evaluation mode."""
        b, a = (f / torch.sqrt(n.running_var + n.eps) for f, n in zip(self.factors, self.norms, strict=True))
        return a, b, self.shift - b * self.norms[0].running_mean - a * self.norms[1].running_mean


class Quadratic(nn.Module):
    """a x^2 + b x + c, with its own numbers for each channel."""

    def __init__(self, a, b, c):
        super().__init__()
        self.a, self.b, self.c = (nn.Parameter(part.detach().clone()[:, None, None]) for part in (a, b, c))

    def forward(self, x):
        return self.a * x * x + self.b * x + self.c


class Rectifier(nn.Sequential):
    """Batch normalisation and a rectifier."""

    def __init__(self, channels):
        super().__init__(nn.BatchNorm2d(channels), nn.ReLU())


class Block(nn.Module):
    """Two convolutions beside the identity, or beside a convolution of 1 x 1 where the channels change. activation:
    made for a number of channels."""

    def __init__(self, inputs, outputs, stride, activation, *, bias=False):
        super().__init__()
        self.first, self.second = convolution(inputs, outputs, stride, bias), convolution(outputs, outputs, 1, bias)
        self.around = None if inputs == outputs else nn.Conv2d(inputs, outputs, 1, stride, bias=bias)
        self.between, self.last = activation(outputs), activation(outputs)

    def forward(self, x):
        around = x if self.around is None else self.around(x)
        return self.last(self.second(self.between(self.first(x))) + around)


class Residual(nn.Module):
    """A residual network of blocks, a mean of each channel, and a dense layer. widths: the channels of each group of
    `depth` blocks; every group but the first begins with stride 2."""

    def __init__(self, inputs, widths, depth, activation, *, bias=False):
        super().__init__()
        self.convolution, self.activation = convolution(inputs, widths[0], 1, bias), activation(widths[0])
        befores = [widths[0], *(width for width in widths for _ in range(depth))]
        strides = [2 if k % depth == 0 and k else 1 for k in range(depth * len(widths))]
        self.blocks = nn.ModuleList(
            Block(before, after, stride, activation, bias=bias)
            for before, after, stride in zip(befores, befores[1:], strides, strict=False)
        )
        self.dense = nn.Linear(widths[-1], 10)

    def features(self, x):
        """What each activation that ends a block, or the first convolution, gives."""
        found = [self.activation(self.convolution(x))]
        for block in self.blocks:
            found.append(block(found[-1]))
        return found

    def scores(self, features):
        """The scores for what the last block gives."""
        return self.dense(features.mean(dim=(2, 3)))

    def forward(self, x):
        return self.scores(self.features(x)[-1])


def convolution(inputs, outputs, stride, bias):
    return nn.Conv2d(inputs, outputs, 3, stride, 1, bias=bias)


def frozen(model):
    """A copy in evaluation mode with quadratics for Hermite expansions."""
    model = copy.deepcopy(model).eval()
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, Hermite):
                setattr(parent, name, Quadratic(*child.coefficients()))
    return model.eval()


def resnet20(file):
    """ResNet-20 with the weights of an ONNX file whose convolutions are in the order of computation, with that around
    a block after those of the block."""
    graph = onnx.load(file).graph
    arrays = {found.name: torch.tensor(numpy_helper.to_array(found)) for found in graph.initializer}
    nodes = [node for node in graph.node if node.op_type in ("Conv", "Gemm")]
    model = Residual(3, (16, 32, 64), 3, lambda channels: nn.ReLU(), bias=True)
    layers = [model.convolution]
    for block in model.blocks:
        layers += [layer for layer in (block.first, block.second, block.around) if layer is not None]
    for layer, node in zip([*layers, model.dense], nodes, strict=True):
        weight, bias = (arrays[name] for name in node.input[1:])
        if layer.weight.shape != weight.shape:
            raise ValueError(f"{file} is no ResNet-20 as this module writes it: {node.name}")
        layer.weight.data, layer.bias.data = weight, bias
    return model.eval()


def exported(model, shape):
    """The network as an ONNX file."""
    buffer = io.BytesIO()
    sample = torch.zeros(1, *shape)
    options = {"opset_version": 17, "dynamo": False, "dynamic_axes": {"x": {0: "n"}}}
    torch.onnx.export(model.eval(), (sample,), buffer, input_names=["x"], output_names=["scores"], **options)
    return buffer.getvalue()


def accuracy(scores, labels):
    """The share of samples whose largest score is that of the label."""
    return float((scores.argmax(1) == labels).float().mean())


def cross_entropy(scores, wanted):
    """The cross entropy with the probabilities that other scores give."""
    return functional.cross_entropy(scores, wanted.softmax(1))
