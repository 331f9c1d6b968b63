"""Quadratics that networks learn for each channel: they become squares between linear layers."""

from __future__ import annotations

import numpy as np
import pytest
import ringjet as rj
from ringjet.ml.models._folding import folded
from ringjet.ml.models._layers import Activation, Head
from ringjet.ml.models._linear import Scale
from ringjet.ml.models._network import Network, Node, Product
from ringjet.ml.models._quadratics import with_squares
from ringjet.ml.models._rectifier import Kind
from ringjet.ml.models._slots import SlotsCircuit
from ringjet.ml.models._steps import extremes, fitted, mapped, summed

from .onnx_files import RNG, file, kinds, read, weights

IMAGE = (2, 6, 6)
SAMPLES = RNG.uniform(-1, 1, (40, 72))

#: Ways to write a x^2 + b x + c: nodes from x to y, with the names of the constants.
FORMS = {
    "factor first": [("Mul", "a x", "p"), ("Mul", "p x", "q"), ("Mul", "b x", "r"), ("Add", "q r", "s")],
    "square first": [("Mul", "x x", "p"), ("Mul", "p a", "q"), ("Mul", "x b", "r"), ("Add", "r q", "s")],
    "power": [("Pow", "x two", "p"), ("Mul", "p a", "q"), ("Mul", "x b", "r"), ("Sub", "q r", "s")],
    "Horner": [("Mul", "a x", "p"), ("Add", "p b", "q"), ("Mul", "q x", "s")],
}


def quadratic(form, k, source):
    """Nodes of quadratic k of a value, which give `y{k}`."""
    names = {"x": source, "two": "two", **{name: f"{name}{k}" for name in "abcpqrs"}}
    nodes = [*FORMS[form], ("Add", "s c", "y")]
    names["y"] = f"y{k}"
    return [(op, " ".join(names[i] for i in inputs.split()), names[output], {}) for op, inputs, output in nodes]


def coefficients(k, channels, a=None, b=None):
    """The constants of quadratic k, with signs of both kinds and a channel that is constant."""
    a = RNG.uniform(0.2, 0.5, channels) * np.resize([1, -1], channels) if a is None else a
    b = RNG.uniform(-1, 1, channels) if b is None else b
    a, b = (np.where(np.arange(channels) == 2, 0, part) for part in (a, b))
    made = {"a": a, "b": b, "c": RNG.normal(size=channels)}
    return {f"{name}{k}": part.astype(np.float32)[:, None, None] for name, part in made.items()}


def plain(form="factor first", **constants):
    """Convolution, quadratic, convolution, quadratic, dense."""
    padded = {"pads": [1, 1, 1, 1]}
    nodes = [
        ("Conv", "x w1", "v1", padded),
        *quadratic(form, 1, "v1"),
        ("Conv", "y1 w2", "v2", padded),
        *quadratic(form, 2, "v2"),
        ("Flatten", "y2", "v3", {}),
        ("Gemm", "v3 w3", "y", {}),
    ]
    made = {"w1": weights(4, 2, 3, 3) / 3, "w2": weights(3, 4, 3, 3) / 6, "w3": weights(108, 3) / 10}
    made |= {"two": np.float32(2)} | coefficients(1, 4) | coefficients(2, 3) | constants
    return file(IMAGE, nodes, made)


def residual():
    """Two convolutions beside the identity, with quadratics behind each convolution and the sum."""
    nodes = [
        ("Conv", "x w1", "v1", {"pads": [1, 1, 1, 1]}),
        *quadratic("factor first", 1, "v1"),
        ("Conv", "y1 w2", "v2", {"pads": [1, 1, 1, 1]}),
        *quadratic("factor first", 2, "v2"),
        ("Conv", "y2 w3", "v3", {"pads": [1, 1, 1, 1]}),
        ("Add", "v3 y1", "v4", {}),
        *quadratic("factor first", 3, "v4"),
        ("GlobalAveragePool", "y3", "v5", {}),
        ("Flatten", "v5", "v6", {}),
        ("Gemm", "v6 w4", "y", {}),
    ]
    made = {"w1": weights(4, 2, 3, 3) / 3, "w2": weights(4, 4, 3, 3) / 6, "w3": weights(4, 4, 3, 3) / 6}
    made |= {"w4": weights(4, 3)} | coefficients(1, 4) | coefficients(2, 4) | coefficients(3, 4)
    return file(IMAGE, nodes, made)


def squared(model):
    """The network of a file with squares. Compares both."""
    network = folded(read(model))
    made = with_squares(network, SAMPLES)
    assert np.allclose(made(3 * SAMPLES), network(3 * SAMPLES), rtol=1e-9, atol=1e-9)
    return made


@pytest.mark.parametrize("form", FORMS)
def test_quadratics_become_squares_between_linear_layers(form):
    made = squared(plain(form))
    assert kinds(made) == "Convolution Activation Convolution Activation Affine"
    assert {node.layer for node in made.nodes if isinstance(node.layer, Activation)} == {Activation("square")}
    # the second convolution adds less of the constants where its window reaches into the padding
    assert made.nodes[0].layer.channel_bias.shape == (4,) and made.nodes[2].layer.channel_bias.shape == (3, 6, 6)


def test_factors_stay_beside_a_block():
    made = squared(residual())
    expected = "Convolution Activation Scale Convolution Activation Convolution Sum Activation Pool Affine"
    assert sorted(kinds(made).split()) == sorted(expected.split())
    (beside,) = [node for node in made.nodes if isinstance(node.layer, Scale) and np.any(node.layer.factor != 1)]
    assert isinstance(made.nodes[beside.inputs[0] - 1].layer, Activation)


@pytest.mark.parametrize(("model", "levels"), [(plain(), 5), (residual(), 7)])
def test_a_layer_and_its_quadratic_take_two_levels(model, levels):
    made = squared(model)
    kinds = {k: Kind(2, 3) for k, node in enumerate(made.nodes) if isinstance(node.layer, Activation)}
    circuit = SlotsCircuit(mapped(folded(summed(fitted(made, SAMPLES, 1.5, kinds, extremes(made, SAMPLES))))))
    params = rj.preset("n15-depth9")
    sent = circuit.level(params)
    assert (params.top_level if sent is None else sent) - min(circuit.plan(params).levels) == levels


@pytest.mark.parametrize("a", [0, 1e-4])
def test_almost_linear_channels_keep_their_linear_part(a):
    """The vertex is far away, so that the square would be far larger than what it stands for."""
    constants = coefficients(1, 4, a=np.array([0.3, -0.3, 0, a]), b=np.ones(4))
    made = squared(plain(**constants))
    assert kinds(made) == "Convolution Activation Scale Scale Sum Convolution Activation Affine"
    assert kinds(squared(plain("Horner", **constants))).split().count("Product") == 1


def test_polynomials_of_other_degrees_stay():
    cube = [Node(Product(), (0, 0)), Node(Product(), (1, 0))]
    network = Network(cube, (3,), 2, Head("value"))
    made = with_squares(network, SAMPLES[:, :3])
    assert kinds(made) == "Activation Product"
    assert np.array_equal(made(SAMPLES[:, :3]), network(SAMPLES[:, :3]))


def test_encrypted_quadratics_are_those_of_the_network():
    model = rj.ml.compile(plain(), SAMPLES.astype(np.float32), batch=1, task="values", agreement=0.5)
    client = model.client()
    found = client.decrypt(model.server(client.keys()).predict(client.encrypt(SAMPLES[:5])))
    known = model.predict(SAMPLES[:5], mode="clear")
    assert np.abs(found - known).max() <= 1e-3 * np.ptp(known)
