"""Random networks in the slots of samples, computed on numbers in place of ciphertexts."""

from __future__ import annotations

import numpy as np
import pytest

from ringjet.ml.models._layers import Affine, Head, Squares
from ringjet.ml.models._linear import Convolution, Pool, Scale, Select
from ringjet.ml.models._network import Concat, Network, Node, Product, Sum
from ringjet.ml.models._packing import side_by_side
from ringjet.ml.models._places import Room
from ringjet.ml.models._slots import Layout


class Vector:
    """The slots of a ciphertext, with its operations."""

    def __init__(self, slots):
        self.slots = slots

    def with_slots(self, _):
        return self

    def matmul(self, matrix):
        return Vector(matrix._apply(self.slots).real)

    def inner_sum(self, stride, count):
        return Vector(sum(np.roll(self.slots, -stride * k) for k in range(count)))

    def __mul__(self, other):
        return Vector(self.slots * getattr(other, "slots", other))

    def __add__(self, other):
        return Vector(self.slots + getattr(other, "slots", other))

    def __sub__(self, other):
        return Vector(self.slots - other.slots)


def random_linear(rng, shape):
    """A layer for a tensor, and the shape of its result; ValueError where there is none of the drawn kind."""
    n, kind = int(np.prod(shape)), rng.choice(["affine", "convolution", "pool", "scale", "uniform", "select"])
    if kind == "affine":
        outputs = int(rng.integers(1, 20))
        return Affine(rng.normal(size=(outputs, n)), rng.normal(size=outputs)), (outputs,)
    if kind == "scale":
        return Scale(rng.normal(size=shape), rng.normal(size=shape), shape), shape
    if kind == "uniform":
        return Scale(np.array(2.0), np.array(0.5), shape), shape
    if kind == "select":
        outputs = int(rng.integers(1, n + 2))
        return Select(rng.integers(-1, n, outputs), n), (outputs,)
    if len(shape) != 3:
        raise ValueError(f"{kind} of a vector")
    window, strides = (tuple(map(int, rng.integers(1, 4, 2))) for _ in range(2))
    strides = (strides[0], strides[0]) if rng.random() < 0.7 else strides
    padding = tuple(map(int, rng.integers(0, 2, 4))) if rng.random() < 0.4 else (0, 0, 0, 0)
    if kind == "pool":
        made = Pool(shape, window, strides, padding, counts_padding=True, is_sum=bool(rng.random() < 0.7))
    else:
        outputs = int(rng.integers(1, 5))
        kernel = rng.normal(size=(outputs, shape[0], *window))
        made = Convolution(kernel, rng.normal(size=outputs), shape, strides, padding)
    return made, tuple(map(int, made.output_shape))


def random_network(rng):
    sides = (rng.integers(1, 4), rng.integers(2, 6), rng.integers(2, 6))
    shapes = [tuple(map(int, sides)) if rng.random() < 0.75 else (int(rng.integers(1, 9)),)]
    nodes = []
    for _ in range(rng.integers(1, 7)):
        i = int(rng.integers(max(0, len(shapes) - 3), len(shapes)))
        size, kind = (
            int(np.prod(shapes[i])),
            rng.choice(["linear", "squares", "concat", "sum", "product"], p=[0.6, *[0.1] * 4]),
        )
        if kind == "linear":
            try:
                layer, shape = random_linear(rng, shapes[i])
            except ValueError:
                continue
            nodes.append(Node(layer, (i,)))
        elif kind == "squares":
            nodes.append(Node(Squares(), (i,)))
            shape = (2 * size,)
        elif kind == "concat":
            j = int(rng.integers(len(shapes)))
            nodes.append(Node(Concat(), (i, j)))
            shape = (size + int(np.prod(shapes[j])),)
        else:
            j = int(rng.choice([j for j, shape in enumerate(shapes) if np.prod(shape) == size]))
            nodes.append(Node(Sum((1, 1)) if kind == "sum" else Product(), (i, j)))
            shape = shapes[i]
        shapes.append(shape)
    return Network(nodes, shapes[0], len(nodes), Head("value"))


@pytest.mark.parametrize("block", range(4))
def test_slots_have_what_networks_give(block):
    for seed in range(100 * block, 100 * block + 100):
        rng = np.random.default_rng(seed)
        network = random_network(rng)
        layout, samples = Layout(network), 4
        x = rng.uniform(-1, 1, (samples, network.features))
        packed = side_by_side(x, network.shape, layout.slots, samples, layout.slots * samples)[0]
        made = layout.computed(Room(layout.slots, samples))(None, Vector(packed)).slots
        found = made.reshape(layout.slots, samples).T[:, layout.results]
        wanted = network(x)
        assert np.allclose(found, wanted, rtol=0, atol=1e-9 * max(1, np.abs(wanted).max())), f"seed {seed}"
