"""Random networks, and the folded ones: both compute the same."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from ringjet.ml.models._folding import folded
from ringjet.ml.models._functions import named
from ringjet.ml.models._layers import Activation, Affine, Head, Squares
from ringjet.ml.models._linear import Convolution, Pool, Scale, Select
from ringjet.ml.models._network import Concat, Network, Node, Product, Sum, restored

FUNCTIONS = ["square", "relu", "sigmoid", "tanh", "softplus", "softsign", "hard sigmoid"]
FUNCTIONS += [named("clip", 0, 6), named("leaky relu", 0.1)]


@dataclass
class Drawn:
    """A random network. values: the number and the shape of each value."""

    draws: np.random.Generator
    shape: tuple[int, ...]
    nodes: list[Node] = field(default_factory=list)
    values: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)

    def add(self, layer, inputs, shape):
        self.nodes.append(Node(layer, tuple(inputs)))
        self.values.append((len(self.nodes), tuple(shape)))

    def any_value(self, shape=None):
        known = [value for value in self.values if shape in (None, value[1])]
        return known[self.draws.integers(len(known))]

    def whole(self, low, high, count):
        return tuple(int(k) for k in self.draws.integers(low, high, count))


def scale(net, k, shape):
    shapes = [(), shape] if len(shape) == 1 else [(), (1, 1, 1), (shape[0], 1, 1), shape]
    of = shapes[net.draws.integers(len(shapes))]
    shift = net.draws.normal(size=of) * (net.draws.random() < 0.6)
    net.add(Scale(np.asarray(net.draws.normal(size=of)), np.asarray(shift), shape), [k], shape)


def convolution(net, k, shape):
    divisors = [d for d in range(1, shape[0] + 1) if shape[0] % d == 0]
    groups = int(net.draws.choice(divisors))
    outputs = groups * int(net.draws.integers(1, 3))
    kernel = net.draws.normal(size=(outputs, shape[0] // groups, *net.whole(1, 4, 2)))
    sizes = net.whole(1, 3, 2), net.whole(0, 3, 4), net.whole(1, 3, 2)
    layer = Convolution(kernel, net.draws.normal(size=outputs), shape, *sizes, groups)
    net.add(layer, [k], layer.output_shape)


def pool(net, k, shape):
    layer = Pool(shape, net.whole(1, 4, 2), net.whole(1, 3, 2), net.whole(0, 2, 4), bool(net.draws.integers(2)))
    net.add(layer, [k], layer.output_shape)


def select(net, k, shape):
    size = int(np.prod(shape))
    kind = net.draws.integers(3)
    if kind == 0:
        places = net.draws.integers(-1, size, net.draws.integers(1, 2 * size + 1))
    elif kind == 1:
        places = net.draws.permutation(size).reshape(shape)
    else:
        around = [(0, 0)] * (len(shape) - 1) + [net.whole(0, 3, 2)]
        places = np.pad(np.arange(size).reshape(shape), around, constant_values=-1)
    net.add(Select(places.ravel(), size), [k], places.shape if len(shape) == places.ndim else [places.size])


def affine(net, k, shape):
    outputs = int(net.draws.integers(1, 7))
    weights = net.draws.normal(size=(outputs, np.prod(shape)))
    net.add(Affine(weights, net.draws.normal(size=outputs)), [k], [outputs])


def activation(net, k, shape):
    net.add(Activation(str(net.draws.choice(FUNCTIONS))), [k], shape)


def two_values(net, k, shape):
    other = net.any_value(shape)[0]
    layer = Product() if net.draws.random() < 0.5 else Sum((1, int(net.draws.choice([1, -1]))))
    net.add(layer, [k, other], shape)


def squares(net, k, shape):
    net.add(Squares(), [k], [2 * int(np.prod(shape))])
    affine(net, *net.values[-1])


def concat(net, k, shape):
    other, other_shape = net.any_value()
    net.add(Concat(), [k, other], [int(np.prod(shape)) + int(np.prod(other_shape))])


KINDS = [scale, scale, scale, convolution, pool, select, affine, activation, two_values, squares, concat]


def drawn(seed):
    draws = np.random.default_rng(seed)
    net = Drawn(draws, tuple(int(k) for k in draws.integers(1, (4, 6, 6))))
    net.values.append((0, net.shape))
    for _ in range(draws.integers(1, 9)):
        k, shape = net.values[-1] if draws.random() < 0.75 else net.any_value()
        kind = KINDS[draws.integers(len(KINDS))]
        if len(shape) < 3 and kind in (convolution, pool):
            continue
        try:
            kind(net, k, shape)
        except ValueError:  # a window that is larger than the tensor
            continue
    return Network(net.nodes, net.shape, len(net.nodes), Head("value"))


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_random_networks_are_folded(first):
    smaller = 0
    for seed in range(first, first + 100):
        network = drawn(seed)
        x = np.random.default_rng(seed).normal(size=(5, network.features))
        known, made = network(x), folded(network)
        tolerance = 1e-7 * max(np.abs(known).max(), 1e-9)
        for other in (made, folded(made), restored(*made.stored(), made.head)):
            assert np.allclose(other(x), known, rtol=1e-7, atol=tolerance), seed
        smaller += len(made.nodes) < len(network.nodes)
    assert smaller >= 30


@pytest.mark.parametrize("bounds", [(-20.0, 20.0), (0.0, 200.0), (-500.0, 1e4), (-1e5, 1e5)])
def test_functions_that_are_cut_off_are_not_taken_for_known_ones(bounds):
    """Squares that are bounded far from 0, after the product and before it."""
    clip = Activation(named("clip", *bounds))
    after = [Node(Product(), (0, 0)), Node(clip, (1,)), Node(Scale(np.array(1.0), np.array(0.0), (3,)), (2,))]
    before = [Node(clip, (0,)), Node(Product(), (0, 1))]
    x = np.array([[3.0, -150.0, 2e5]])
    for nodes in (after, before):
        network = Network(nodes, (3,), len(nodes), Head("value"))
        assert not np.allclose(network(x), x**2)
        assert np.array_equal(folded(network)(x), network(x))
    plain = Network(before[:1] + [Node(Product(), (0, 0))], (3,), 2, Head("value"))
    assert [node.layer for node in folded(plain).nodes] == [Activation("square")]
