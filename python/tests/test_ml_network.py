"""Layers of networks in the clear: their matrices, files and foldings."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ringjet.ml.models import _network
from ringjet.ml.models._folding import folded
from ringjet.ml.models._functions import PLAIN, erf, function, named
from ringjet.ml.models._layers import Activation, Affine, Head, Squares
from ringjet.ml.models._linear import Convolution, Pool, Scale, Select, restored, stored
from ringjet.ml.models._network import Concat, Network, Node, Product, Sum

RNG = np.random.default_rng(0)


def convolution(shape, outputs, window, **options):
    kernel = RNG.normal(size=(outputs, shape[0] // options.get("groups", 1), *window))
    return Convolution(kernel, RNG.normal(size=outputs), shape, **options)


LAYERS = {
    "affine": Affine(RNG.normal(size=(3, 5)), RNG.normal(size=3)),
    "3x3": convolution((3, 7, 6), 4, (3, 3), padding=(1, 1, 1, 1)),
    "strided": convolution((2, 9, 8), 3, (3, 2), strides=(2, 3), padding=(1, 0, 2, 1)),
    "dilated": convolution((2, 9, 11), 3, (3, 3), dilations=(2, 3), padding=(2, 2, 2, 2)),
    "grouped": convolution((4, 5, 5), 6, (2, 3), groups=2, padding=(0, 1, 1, 1)),
    "depthwise": convolution((4, 5, 5), 4, (3, 3), groups=4, strides=(2, 2)),
    "1-D": convolution((3, 1, 12), 2, (1, 4), strides=(1, 2), padding=(0, 1, 0, 3)),
    "whole": convolution((2, 4, 3), 5, (4, 3)),
    "mean": Pool((3, 6, 8), (2, 2), (2, 2)),
    "overlapping": Pool((2, 7, 7), (3, 3), (2, 2), (1, 1, 1, 1)),
    "counting": Pool((2, 7, 6), (3, 2), (2, 1), (1, 1, 0, 0), counts_padding=True),
    "global": Pool((5, 4, 3), (4, 3), (4, 3)),
    "channels": Scale(RNG.normal(size=(3, 1, 1)), RNG.normal(size=(3, 1, 1)), (3, 4, 2)),
    "one number": Scale(np.array(2.0), np.array(-1.0), (4,)),
    "one product": Scale(np.array(2.0) * np.array(3.0), np.array(1.0), (4,)),
    "each": Scale(RNG.normal(size=(3, 2)), np.array(0.0), (3, 2)),
    "chosen": Select(np.array([3, -1, 0, 0, 4, -1]), 6),
}


def matrix(layer):
    """The matrix of a layer by its entries, whose equal places add up."""
    made = np.zeros((layer.outputs, layer.inputs))
    np.add.at(made, layer.entries()[:2], layer.entries()[2])
    return made


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_entries_are_the_matrix_of_a_layer(layer):
    x = RNG.normal(size=(4, layer.inputs))
    found = x @ matrix(layer).T + layer.bias
    assert found.shape == (4, layer.outputs)
    assert np.allclose(found, layer(x), atol=1e-12, rtol=0)


def slow_convolution(layer, x):
    """By the definition: one element of the result after the other."""
    (channels, height, width), (outputs, rows, columns) = layer.shape, layer.output_shape
    x, result = x.reshape(layer.shape), np.zeros(layer.output_shape)
    for o, y, z in np.ndindex(outputs, rows, columns):
        result[o, y, z] = layer.channel_bias[o]
        for c, i, j in np.ndindex(*layer.kernel.shape[1:]):
            first = o // (outputs // layer.groups) * (channels // layer.groups)
            row = y * layer.strides[0] + i * layer.dilations[0] - layer.padding[0]
            column = z * layer.strides[1] + j * layer.dilations[1] - layer.padding[1]
            if 0 <= row < height and 0 <= column < width:
                result[o, y, z] += layer.kernel[o, c, i, j] * x[first + c, row, column]
    return result.ravel()


@pytest.mark.parametrize("name", [name for name, layer in LAYERS.items() if isinstance(layer, Convolution)])
def test_convolutions_are_those_of_the_definition(name):
    x = RNG.normal(size=(2, LAYERS[name].inputs))
    assert np.allclose(LAYERS[name](x), [slow_convolution(LAYERS[name], row) for row in x], atol=1e-12, rtol=0)


def test_means_of_windows():
    x = np.arange(1.0, 10.0)[None]
    assert Pool((1, 3, 3), (2, 2), (1, 1))(x).tolist() == [[3, 4, 6, 7]]
    border = Pool((1, 3, 3), (2, 2), (2, 2), (1, 1, 0, 0))
    assert border(x).tolist() == [[1, 2.5, 5.5, 7]]
    counting = Pool((1, 3, 3), (2, 2), (2, 2), (1, 1, 0, 0), counts_padding=True)
    assert counting(x).tolist() == [[0.25, 1.25, 2.75, 7]]
    assert border.keeps_shift and not counting.keeps_shift
    assert Select(np.array([2, -1, 2]), 9)(x).tolist() == [[3, 0, 3]]
    assert Scale(np.array([[2.0], [3.0], [0.0]]), np.array(1.0), (3, 3))(x).tolist() == [[3, 5, 7, 13, 16, 19, 1, 1, 1]]


def test_the_matrix_of_a_large_convolution_has_no_padding():
    layer = convolution((16, 32, 32), 32, (3, 3), strides=(2, 2), padding=(1, 1, 1, 1))
    rows, columns, values = layer.entries()
    assert len(rows) == len(columns) == len(values) == 32 * 16 * (9 * 15 * 15 + 2 * 6 * 15 + 4)
    assert values.dtype == float and np.array_equal(np.unique(rows), np.arange(layer.outputs))


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_stored(name):
    described, arrays = stored(LAYERS[name])
    made = restored(json.loads(json.dumps(described)), arrays)
    x = RNG.normal(size=(2, made.inputs))
    assert type(made) is type(LAYERS[name]) and np.array_equal(made(x), LAYERS[name](x))


@pytest.mark.parametrize(
    ("name", "changed", "arrays"),
    [
        ("3x3", {"padding": [1, 1, -1, 1]}, {}),
        ("3x3", {"strides": [0, 1]}, {}),
        ("3x3", {"strides": [1.5, 1]}, {}),
        ("3x3", {"shape": [3, 7]}, {}),
        ("3x3", {"shape": [3, 1, 0]}, {}),
        ("3x3", {"groups": 2}, {}),
        ("3x3", {"layer": "other"}, {}),
        ("3x3", {}, {"channel_bias": np.zeros(3)}),
        ("3x3", {}, {"kernel": np.full((4, 3, 3, 3), np.nan)}),
        ("3x3", {}, {"kernel": np.zeros((4, 3, 3, 3), int)}),
        ("whole", {"dilations": [2, 1]}, {}),
        ("mean", {"window": [9, 9]}, {}),
        ("mean", {"padding": [2, 0, 0, 0]}, {}),
        ("channels", {}, {"shift": np.zeros((2, 1, 1))}),
        ("chosen", {"inputs": 4}, {}),
        ("chosen", {}, {"indices": np.array([-2])}),
        ("chosen", {}, {"indices": np.zeros(3)}),
        ("affine", {}, {"bias": np.zeros(2)}),
    ],
)
def test_layers_that_contradict_themselves_are_refused(name, changed, arrays):
    described, known = stored(LAYERS[name])
    with pytest.raises((KeyError, ValueError)):
        restored({**described, **changed}, {**known, **arrays})


def chain(shape, *layers):
    """A network of layers one after the other."""
    nodes = [Node(layer, (k,), f"node {k}") for k, layer in enumerate(layers)]
    return Network(nodes, shape, len(nodes), Head("value"))


def scale(shape, axis=0, shift=True):
    """A random scale of each channel."""
    kept = tuple(n if k == axis else 1 for k, n in enumerate(shape))
    return Scale(RNG.normal(size=kept), RNG.normal(size=kept) * shift, shape)


def padding(shape, top, left, bottom, right):
    """A selection that puts zeros around a tensor."""
    places = np.arange(np.prod(shape)).reshape(shape)
    wide = np.pad(places, [(0, 0), (top, bottom), (left, right)], constant_values=-1)
    return Select(wide.ravel(), places.size), wide.shape


def same(network, kinds, tolerance=1e-9):
    """Compares a network with the folded one, and the kinds of its layers with those expected."""
    made = folded(network)
    x = RNG.normal(size=(5, network.sizes()[0]))
    assert np.allclose(made(x), network(x), atol=tolerance, rtol=tolerance)
    assert [type(node.layer).__name__ for node in made.nodes] == kinds.split()
    return made


PLAIN_3X3 = convolution((3, 6, 6), 4, (3, 3))
PADDED_3X3 = convolution((3, 6, 6), 4, (3, 3), padding=(1, 1, 1, 1))
GROUPED = convolution((4, 6, 6), 6, (3, 3), groups=2)
HALF = Scale(np.array(0.5), np.array(0.0), (144,))


def test_scales_are_merged_into_linear_layers():
    made = same(chain((3, 6, 6), PADDED_3X3, scale((4, 6, 6)), Activation("relu")), "Convolution Activation")
    assert made.nodes[0].name == "node 0"
    same(chain((3, 6, 6), scale((3, 6, 6)), PLAIN_3X3), "Convolution")
    same(chain((4, 6, 6), scale((4, 6, 6)), GROUPED, scale((6, 4, 4))), "Convolution")
    # zeros of the padding are no shifted zeros: results at the border have a bias of their own
    made = same(
        chain((3, 6, 6), scale((3, 6, 6)), PADDED_3X3, scale((4, 6, 6)), Activation("tanh")), "Convolution Activation"
    )
    bias = made.nodes[0].layer.channel_bias
    assert bias.shape == (4, 6, 6) and np.ptp(bias[0, 1:-1, 1:-1]) < 1e-12 < np.ptp(bias[0])
    again = _network.restored(*made.stored(), made.head)
    assert np.array_equal(again(np.ones((1, 108))), made(np.ones((1, 108))))
    same(chain((3, 6, 6), scale((3, 6, 6), shift=False), PADDED_3X3), "Convolution")
    # a scale along the rows is none of channels
    same(chain((3, 6, 6), PADDED_3X3, scale((4, 6, 6), axis=1)), "Convolution Scale")
    same(chain((3, 6, 6), scale((3, 6, 6)), scale((3, 6, 6), axis=2), Activation("tanh")), "Scale Activation")
    affine = Affine(RNG.normal(size=(4, 7)), RNG.normal(size=4))
    same(chain((7,), scale((7,)), affine, scale((4,))), "Affine")
    same(chain((7,), Scale(np.array([1.0]), np.array(0.0), (7,)), Activation("relu")), "Activation")


def test_scales_move_past_means_and_selections():
    mean, backwards = Pool((4, 6, 6), (2, 2), (2, 2)), Select(np.arange(36)[::-1].copy(), 36)
    affine = Affine(RNG.normal(size=(3, 36)), RNG.normal(size=3))
    same(
        chain((3, 6, 6), PADDED_3X3, mean, backwards, Scale(np.array(2.0), np.array(1.0), (36,))),
        "Convolution Pool Select",
    )
    same(chain((3, 6, 6), PADDED_3X3, mean, scale((4, 3, 3))), "Convolution Pool")
    relu = Activation("relu")
    same(chain((4, 6, 6), relu, scale((4, 6, 6)), mean, affine), "Activation Pool Affine")
    same(chain((4, 6, 6), relu, scale((4, 6, 6)), mean, relu), "Activation Scale Pool Activation")
    counting = Pool((4, 6, 6), (3, 3), (1, 1), (1, 1, 1, 1), counts_padding=True)
    # each channel of a selection has its scale, also in another order
    turned = Select(np.arange(144).reshape(4, 36).T.ravel().copy(), 144)
    same(chain((3, 6, 6), PADDED_3X3, turned, scale((36, 4), axis=1), relu), "Convolution Select Activation")
    same(chain((3, 6, 6), PADDED_3X3, turned, scale((36, 4), axis=0), relu), "Convolution Select Scale Activation")
    chosen = Select(np.array([3, -1, 3, 40]), 144)
    same(chain((4, 6, 6), relu, scale((4, 6, 6)), chosen, Affine(np.eye(4), np.ones(4))), "Activation Select Affine")
    one, other = Affine(np.eye(3), np.ones(3)), Select(np.array([0, -1, 0, 2]), 3)
    repeated, shifted = np.array([2.0, 5.0, 2.0, 3.0]), np.array([1.0, 0.0, 1.0, 0.0])
    same(chain((3,), one, other, Scale(repeated, shifted, (4,)), relu), "Affine Select Activation")
    same(chain((3,), one, other, Scale(repeated, shifted[::-1].copy(), (4,)), relu), "Affine Select Scale Activation")
    same(chain((3,), one, other, Scale(repeated[::-1].copy(), shifted, (4,)), relu), "Affine Select Scale Activation")
    same(chain((4, 6, 6), scale((4, 6, 6)), counting, Affine(np.eye(144), np.zeros(144))), "Scale Pool Affine")
    same(chain((4, 6, 6), HALF, counting, Affine(np.eye(144), np.zeros(144))), "Pool Affine")


def test_selections_and_affine_layers_are_merged():
    turn = Select(np.arange(108).reshape(3, 36).T.ravel().copy(), 108)
    back = Select(np.arange(108).reshape(36, 3).T.ravel().copy(), 108)
    same(chain((3, 6, 6), turn, back), "")
    same(chain((3, 6, 6), turn, turn, Activation("relu")), "Select Activation")
    wide = Affine(RNG.normal(size=(5, 108)), RNG.normal(size=5))
    same(chain((3, 6, 6), turn, wide, Select(np.array([4, -1, 0]), 5)), "Affine")
    around, shape = padding((3, 6, 6), 1, 2, 0, 3)
    assert same(chain((3, 6, 6), around, convolution(shape, 2, (3, 3))), "Convolution").nodes[0].layer.padding == (
        1,
        2,
        0,
        3,
    )
    turned = Select(around.indices[::-1].copy(), around.inputs)
    same(chain((3, 6, 6), turned, convolution(shape, 2, (3, 3))), "Select Convolution")
    small, large = (
        Affine(RNG.normal(size=(2, 9)), RNG.normal(size=2)),
        Affine(RNG.normal(size=(9, 2)), RNG.normal(size=9)),
    )
    same(chain((9,), small, large), "Affine Affine")
    same(chain((2,), large, small), "Affine")


def test_values_with_two_uses_stay():
    nodes = [Node(PADDED_3X3, (0,)), Node(scale((4, 6, 6)), (1,)), Node(Sum((1, -1)), (2, 1)), Node(HALF, (0,))]
    nodes[3] = Node(Activation("relu"), (0,))
    same(Network(nodes, (3, 6, 6), 3, Head("value")), "Convolution Scale Sum")
    # but a scale that all of them can take over
    shared = [Node(scale((3, 6, 6)), (0,)), Node(PLAIN_3X3, (1,)), Node(PLAIN_3X3, (1,)), Node(Sum((1, 1)), (2, 3))]
    same(Network(shared, (3, 6, 6), 4, Head("value")), "Convolution Convolution Sum")
    shared[2] = Node(PADDED_3X3, (1,))
    shared[3] = Node(Concat(), (2, 3))
    same(Network(shared, (3, 6, 6), 4, Head("value")), "Convolution Convolution Concat")
    # those that can take it over do, the others go on using it
    shared[1] = Node(Activation("relu"), (1,))
    same(Network(shared, (3, 6, 6), 4, Head("value")), "Scale Activation Convolution Concat")
    joined = [Node(PLAIN_3X3, (0,)), Node(Concat(), (1, 0, 1)), Node(Squares(), (2,))]
    same(Network(joined, (3, 6, 6), 3, Head("value")), "Convolution Concat Squares")


def test_known_functions_are_recognised():
    third, half = (Scale(np.array(a), np.array(b), (6,)) for a, b in ((1 / 6, 0.0), (0.5, 0.0)))

    def found(*nodes):
        network = Network([Node(layer, inputs) for layer, inputs in nodes], (6,), len(nodes), Head("value"))
        made = same(network, "Activation", 1e-6)
        return made.nodes[0].layer.function

    assert found((Activation("sigmoid"), (0,)), (Product(), (1, 0))) == "silu"
    root = Scale(np.float64(np.float32(1 / np.sqrt(2))).reshape(()), np.array(0.0), (6,))
    one = Scale(np.array(1.0), np.array(1.0), (6,))
    gelu = (root, (0,)), (Activation("erf"), (1,)), (one, (2,)), (Product(), (3, 0)), (half, (4,))
    assert found(*gelu) == "gelu"
    three = Scale(np.array(1.0), np.array(3.0), (6,))
    assert found((three, (0,)), (Activation("clip 0.0 6.0"), (1,)), (Product(), (0, 2)), (third, (3,))) == "hard swish"
    assert found((Product(), (0, 0))) == "square"
    other = [Node(Activation("tanh"), (0,)), Node(Product(), (0, 1))]
    same(Network(other, (6,), 2, Head("value")), "Activation Product")


def test_networks_are_stored():
    layers = [
        Node(PADDED_3X3, (0,), "first"),
        Node(HALF, (1,)),
        Node(Sum((1, -1)), (1, 2)),
        Node(Activation("elu 0.5"), (3,)),
    ]
    layers += [
        Node(Product(), (4, 1)),
        Node(Concat(), (5, 0)),
        Node(Squares(), (6,)),
        Node(Activation("exp", 0.0), (7,)),
    ]
    network = Network(layers, (3, 6, 6), 8, Head("value"))
    described, arrays = network.stored()
    described = json.loads(json.dumps(described, allow_nan=False))
    made = _network.restored(described, arrays, network.head)
    x = 0.1 * RNG.normal(size=(70, 108))
    assert np.array_equal(made(x), network(x)) and made.nodes[0].name == "first"
    assert made.nodes[7].layer == Activation("exp", 0.0) and made.sizes() == [
        108,
        144,
        144,
        144,
        144,
        144,
        252,
        504,
        504,
    ]
    for k, change in [
        (0, {"layer": "?"}),
        (1, {"inputs of node": [2]}),
        (2, {"signs": [2, 1]}),
        (3, {"function": "elu"}),
    ]:
        nodes = [{**node, **change} if i == k else node for i, node in enumerate(described["nodes"])]
        with pytest.raises((KeyError, ValueError)):
            _network.restored({**described, "nodes": nodes}, arrays, network.head)
    for change in ({"shape": [3, 6]}, {"shape": []}, {"output": 9}, {"output": -1}):
        with pytest.raises((KeyError, ValueError)):
            _network.restored({**described, **change}, arrays, network.head)


def test_functions_have_their_values():
    x = np.array([-1000.0, -3.0, -0.5, 0.0, 0.25, 4.0, 1000.0])
    with np.errstate(over="raise"):
        found = {name: function(name)(x) for name in ("sigmoid", "silu", "gelu", "gelu tanh", "softplus", "elu 2.0")}
    assert found["sigmoid"][0] < 1e-300 and found["sigmoid"][[3, 6]].tolist() == [0.5, 1]
    assert np.allclose(found["silu"], x * found["sigmoid"])
    assert (
        np.allclose(found["gelu"], x * (1 + erf(x / np.sqrt(2))) / 2)
        and abs(erf(np.array([0.5]))[0] - 0.5204998778130465) < 1e-15
    )
    assert np.max(np.abs(found["gelu"] - found["gelu tanh"])) < 1e-3
    assert found["softplus"][[0, 6]].tolist() == [0, 1000] and abs(found["softplus"][3] - np.log(2)) < 1e-15
    assert np.allclose(found["elu 2.0"], [-2, 2 * np.expm1(-3), 2 * np.expm1(-0.5), 0, 0.25, 4, 1000])
    small = x[1:6]
    assert function("leaky relu 0.1")(small).tolist() == [-0.30000000000000004, -0.05, 0, 0.25, 4]
    assert function("clip -1 2")(small).tolist() == [-1, -0.5, 0, 0.25, 2] and function("power 3")(small)[0] == -27
    assert function("hard sigmoid")(small).tolist() == [0, 0.5 - 0.5 / 6, 0.5, 0.5 + 0.25 / 6, 1]
    assert function("hard swish")(small).tolist() == [0, -0.5 * (0.5 - 0.5 / 6), 0, 0.25 * (0.5 + 0.25 / 6), 4]
    assert function("softsign")(small).tolist() == [-0.75, -0.5 / 1.5, 0, 0.2, 0.8]
    above = np.array([0.25, 4.0])
    assert function("inverse square root")(above).tolist() == [2, 0.5] and function("square root")(above).tolist() == [
        0.5,
        2,
    ]
    assert function("reciprocal")(above).tolist() == [4, 0.25] and function("power -0.5")(above).tolist() == [2, 0.5]
    assert named("elu", np.float32(0.1)) == "elu 0.1" and named("clip", 0, np.inf) == "clip 0.0 inf"
    assert named("clip", 0.1, 1 / 3) == "clip 0.1 0.3333333333333333"
    for name in ("", "power", "clip 1", "elu nan", "relu 3", "elu x"):
        with pytest.raises((KeyError, ValueError)):
            function(name)
    assert set(PLAIN) >= {"abs", "exp", "log", "relu", "square", "tanh"}
