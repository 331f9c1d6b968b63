"""Trains small networks on digits of 28 x 28 pixels with numpy, and writes them as ONNX.

The images are the 1797 digits of scikit-learn, 8 x 8 pixels, enlarged to 28 x 28 by linear interpolation. The last
500 of a fixed order are for tests.
"""

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from sklearn import datasets

TESTS = 500


def digits():
    """Images (samples, 1, 28, 28) with pixels from 0 to 1, and labels."""
    x, y = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    at = np.clip((np.arange(28) + 0.5) * 8 / 28 - 0.5, 0, 7)
    low = np.minimum(at.astype(int), 6)
    rows = np.zeros((28, 8))
    rows[np.arange(28), low], rows[np.arange(28), low + 1] = 1 - (at - low), at - low
    images = rows @ (x[order].reshape(-1, 8, 8) / 16) @ rows.T
    return images[:, None].astype(np.float32), y[order]


class Convolution:
    def __init__(self, rng, outputs, inputs, size, stride=1, padding=0):
        self.stride, self.padding = stride, padding
        bound = np.sqrt(6 / (inputs * size * size))
        self.weights = rng.uniform(-bound, bound, (outputs, inputs, size, size)).astype(np.float32)
        self.bias = np.zeros(outputs, np.float32)

    def forward(self, x):
        p, s, size = self.padding, self.stride, self.weights.shape[2]
        self.padded = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
        self.windows = sliding_window_view(self.padded, (size, size), (2, 3))[:, :, ::s, ::s]
        return np.einsum("ncyxij,ocij->noyx", self.windows, self.weights, optimize=True) + self.bias[:, None, None]

    def backward(self, g):
        self.gradients = np.einsum("ncyxij,noyx->ocij", self.windows, g, optimize=True), g.sum(axis=(0, 2, 3))
        back, (_, _, rows, columns), s = np.zeros_like(self.padded), g.shape, self.stride
        for i, j in np.ndindex(*self.weights.shape[2:]):
            part = np.einsum("noyx,oc->ncyx", g, self.weights[:, :, i, j], optimize=True)
            back[:, :, i : i + s * rows : s, j : j + s * columns : s] += part
        p = self.padding
        return back[:, :, p:-p, p:-p] if p else back

    def node(self, x, y, k):
        pads = [self.padding] * 4
        return helper.make_node("Conv", [x, f"w{k}", f"b{k}"], [y], pads=pads, strides=[self.stride] * 2)


class Dense:
    def __init__(self, rng, outputs, inputs):
        bound = np.sqrt(6 / inputs)
        self.weights = rng.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        self.bias = np.zeros(outputs, np.float32)

    def forward(self, x):
        self.x = x
        return x @ self.weights.T + self.bias

    def backward(self, g):
        self.gradients = g.T @ self.x, g.sum(axis=0)
        return g @ self.weights

    def node(self, x, y, k):
        return helper.make_node("Gemm", [x, f"w{k}", f"b{k}"], [y], transB=1)


class Relu:
    def forward(self, x):
        self.positive = x > 0
        return x * self.positive

    def backward(self, g):
        return g * self.positive

    def node(self, x, y, k):
        return helper.make_node("Relu", [x], [y])


class Square:
    def forward(self, x):
        self.x = x
        return x * x

    def backward(self, g):
        return 2 * g * self.x

    def node(self, x, y, k):
        return helper.make_node("Mul", [x, x], [y])


class Mean:
    """The mean of windows of 2 x 2."""

    def forward(self, x):
        n, c, h, w = x.shape
        return x.reshape(n, c, h // 2, 2, w // 2, 2).mean(axis=(3, 5))

    def backward(self, g):
        return np.repeat(np.repeat(g, 2, axis=2), 2, axis=3) / 4

    def node(self, x, y, k):
        return helper.make_node("AveragePool", [x], [y], kernel_shape=[2, 2], strides=[2, 2])


class Flat:
    def forward(self, x):
        self.shape = x.shape
        return x.reshape(len(x), -1)

    def backward(self, g):
        return g.reshape(self.shape)

    def node(self, x, y, k):
        return helper.make_node("Flatten", [x], [y])


def networks():
    """The layers of each network."""
    rng = np.random.default_rng(1)
    return {
        # LeNet-5 with means and rectifiers
        "LeNet-5, relu": [
            *(Convolution(rng, 6, 1, 5, padding=2), Relu(), Mean(), Convolution(rng, 16, 6, 5), Relu(), Mean(), Flat()),
            *(Dense(rng, 120, 400), Relu(), Dense(rng, 84, 120), Relu(), Dense(rng, 10, 84)),
        ],
        # the network of CryptoNets (Gilad-Bachrach et al., ICML 2016), as LoLa computes it
        "CryptoNets, square": [
            *(Convolution(rng, 5, 1, 5, stride=2, padding=1), Square(), Flat()),
            *(Dense(rng, 100, 845), Square(), Dense(rng, 10, 100)),
        ],
        "784-128-10, relu": [Flat(), Dense(rng, 128, 784), Relu(), Dense(rng, 10, 128)],
    }


def forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


def trained(layers, x, y, epochs=30, seed=0, batch=32, decay=0.0):
    """Trains with Adam on the cross entropy, at a falling rate. decay: how much of a weight is subtracted from it in
    each step, in multiples of the rate."""
    rng = np.random.default_rng(seed)
    weighted = [layer for layer in layers if hasattr(layer, "weights")]
    state = [[np.zeros_like(a) for a in (w.weights, w.bias) for _ in range(2)] for w in weighted]
    step = 0
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        for part in np.split(order, range(batch, len(x), batch)):
            scores = forward(layers, x[part])
            p = np.exp(scores - scores.max(axis=1, keepdims=True))
            g = p / p.sum(axis=1, keepdims=True)
            g[np.arange(len(part)), y[part]] -= 1
            g /= len(part)
            for layer in reversed(layers):
                g = layer.backward(g)
            step += 1
            rate = 2e-3 * (1 - epoch / epochs)
            for layer, moments in zip(weighted, state, strict=True):
                for k, (a, d) in enumerate(zip((layer.weights, layer.bias), layer.gradients, strict=True)):
                    m, v = moments[2 * k], moments[2 * k + 1]
                    m += 0.1 * (d - m)
                    v += 0.001 * (d * d - v)
                    a -= rate * ((m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-7) + decay * a)
    return layers


def exported(layers, shape=(1, 28, 28)):
    """The network as an ONNX file. shape: of a sample."""
    nodes, arrays, name = [], [], "x"
    for k, layer in enumerate(layers):
        nodes.append(layer.node(name, f"v{k}", k))
        name = f"v{k}"
        if hasattr(layer, "weights"):
            arrays += [numpy_helper.from_array(layer.weights, f"w{k}"), numpy_helper.from_array(layer.bias, f"b{k}")]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["samples", *shape])
    y = helper.make_tensor_value_info(name, TensorProto.FLOAT, ["samples", 10])
    graph = helper.make_graph(nodes, "network", [x], [y], arrays)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()
