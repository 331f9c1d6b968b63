"""Networks with more levels than ciphertexts have: comparisons for rectifiers, bootstraps, and errors as they are
measured."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.ml.models._compiled_network import Wishes, compiled_network
from ringjet.ml.models._folding import folded
from ringjet.ml.models._functions import function
from ringjet.ml.models._layers import Activation, Affine, Head
from ringjet.ml.models._linear import Scale
from ringjet.ml.models._network import Network, Node, Sum, restored
from ringjet.ml.models._rectifier import Kind, Rectifier
from ringjet.ml.models._slots import SlotsCircuit
from ringjet.ml.models._steps import extremes, fitted, mapped

DATA = Path(os.environ.get("RINGJET_DATA", Path(__file__).parents[2] / "../shared/data"))
SEED = 63
FEATURES, BLOCKS = 16, 3

#: Insecure and small: bootstraps in a fraction of a second.
CHAIN = {"log_n": 10, "message_levels": 12, "shared_primes": True, "slots_to_coeffs_bits": 36, "allow_insecure": True}


def residual(rng):
    """A residual network of dense layers with rectifiers, the scores between about -1 and 1."""
    nodes, value = [], 0

    def put(layer, *inputs):
        nodes.append(Node(layer, inputs))
        return len(nodes)

    def dense(n):
        return Affine(rng.normal(size=(n, FEATURES)) / np.sqrt(FEATURES / 2), rng.normal(size=n) / 8)

    for _ in range(BLOCKS):
        first = put(Activation("relu"), put(dense(FEATURES), value))
        value = put(Activation("relu"), put(Sum((1, 1)), put(dense(FEATURES), first), value))
    return Network(nodes, (FEATURES,), put(dense(3), value), Head("value"))


@pytest.mark.parametrize("name", ["relu", "abs", "leaky relu 0.1"])
def test_comparisons_stand_for_functions_with_a_kink(name):
    rng = np.random.default_rng(SEED)
    values = 3 * rng.normal(size=2000)
    most = 1.5 * np.abs(values).max()
    for levels, error in ((10, 3e-3), (12, 1.5e-3), (13, 8e-4)):
        made = Rectifier.fitted(name, most, levels, values)
        x = np.linspace(*made.domain, 20001)
        assert np.abs(made(x) - function(name)(x)).max() < 2 * error * most
        # errors do not add up: their mean at the values is far smaller
        assert abs(np.mean(made(values) - function(name)(values))) < 0.1 * error * most
        assert made.levels <= levels and Rectifier.restored(made.stored()) == made
        low, high = made(x).min(), made(x).max()
        assert made.results()[0] <= low and high <= made.results()[1]


def test_scales_around_comparisons_go_into_the_layers_beside_them():
    rng = np.random.default_rng(SEED)
    network, x = residual(rng), rng.uniform(-1, 1, (64, FEATURES))
    kinds = {k: Kind(10) for k, node in enumerate(network.nodes) if isinstance(node.layer, Activation)}
    plain = fitted(network, x, 1.5, kinds, extremes(network, x))
    made = mapped(folded(plain))
    assert np.allclose(made(x), plain(x), rtol=0, atol=1e-10)
    assert all(node.layer.is_mapped for node in made.nodes if isinstance(node.layer, Rectifier))
    # scales are left on the ways around two layers alone, where the levels are not missing
    scales = [k for k, node in enumerate(made.nodes, start=1) if isinstance(node.layer, Scale)]
    taken = {i for node in made.nodes if isinstance(node.layer, Sum) for i in node.inputs}
    assert len(scales) == BLOCKS and taken.issuperset(scales)
    found = restored(*made.stored(), made.head)
    assert np.array_equal(found(x), made(x))


@pytest.fixture(scope="module")
def deep():
    """A deep network, its compiled form, and samples that were not used for that."""
    rng = np.random.default_rng(SEED)
    network, params = residual(rng), rj.bootstrap_chain(**CHAIN)
    x = rng.uniform(-1, 1, (64, FEATURES))
    kinds = {k: Kind(10) for k, node in enumerate(network.nodes) if isinstance(node.layer, Activation)}
    made = mapped(folded(fitted(network, x, 1.5, kinds, extremes(network, x))))
    return network, made, params, rng.uniform(-1, 1, (64, FEATURES))


@pytest.mark.parametrize("is_alone", [False, True])
def test_deep_networks_bootstrap_and_errors_are_as_stated(deep, is_alone):
    network, made, params, x = deep
    circuit = SlotsCircuit(made, is_alone=is_alone).stated(params, x)
    plan, packing = circuit.plan(params), circuit.packing(params, np.zeros(FEATURES), np.ones(FEATURES))
    assert len(plan.bootstraps) >= 2 * BLOCKS - 1
    client = rj.Client(params, seed=SEED)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    samples = x if not is_alone else x[:2]
    found = packing.decrypt(client, circuit.run(server, packing.encrypt(client, samples)))
    stated = 2.0 ** -plan.outputs[0].precision_bits
    measured = np.sqrt(np.mean((found - made(samples)) ** 2))
    # vectors of few slots have smaller errors than estimated
    assert (0.02 if is_alone else 0.05) < measured / stated < 1
    # the scores are those of the network, up to the errors of comparisons
    assert np.abs(found - network(samples)).max() < 0.05


@pytest.mark.skipif(not os.environ.get("RINGJET_FULL"), reason="takes 16 GB; make test-full runs it")
def test_an_encrypted_image_has_the_logits_of_resnet_20():
    pytest.importorskip("onnx")
    if not (DATA / "resnet20-cifar10.onnx").exists():
        pytest.skip(f"{DATA} has no resnet20-cifar10.onnx: RINGJET_DATA names the folder")
    with np.load(DATA / "cifar10-sample.npz") as found:
        known, tests = (
            ((found[name] / 255 - (0.4914, 0.4822, 0.4465)) / (0.2023, 0.1994, 0.2010)).transpose(0, 3, 1, 2)
            for name in ("calibration", "test")
        )
    model = rj.ml.compile(DATA / "resnet20-cifar10.onnx", known, memory=16 * 10**9)
    assert model.simulate(tests[:100], seed=SEED).agreement >= 0.99
    client = model.client(seed=SEED)
    scores = client.scores(model.server(client.keys()).predict(client.encrypt(tests[:1])))
    exact = model.scores(tests[:1], mode="clear")
    assert scores.argmax() == exact.argmax() and np.abs(scores - exact).max() < 0.2


@pytest.mark.parametrize("widths", [(FEATURES,), (8, FEATURES)], ids=["a layer", "a bottleneck"])
def test_deep_networks_compile_for_the_bootstrap_that_they_need(widths):
    rng, nodes, value, last = np.random.default_rng(SEED), [], 0, FEATURES
    for _ in range(14):
        for n in widths:
            nodes.append(Node(Affine(rng.normal(size=(n, last)) / np.sqrt(last / 2), rng.normal(size=n) / 8), (value,)))
            value, last = value + 1, n
        nodes.append(Node(Activation("relu"), (value,)))
        value += 1
    network = Network(nodes, (FEATURES,), value, Head("argmax", np.arange(FEATURES)))
    x = rng.uniform(-1, 1, (200, FEATURES))
    model = compiled_network(network, x, None, Wishes(None, 0.9, 1.5, None, 10**11), is_single=False)
    assert model.layout == "slots" and model.params.can_bootstrap and model.params.security == 128
    assert 7 <= len(model.plan.bootstraps) <= 14
    trial = model.simulate(rng.uniform(-1, 1, (100, FEATURES)), seed=SEED)
    assert trial.agreement >= 0.85 and not trial.warnings


@pytest.mark.parametrize("level", [3, 4, 8, 9, 13, 14, 16])
def test_keys_are_for_the_level_at_which_they_are_used(level):
    """Levels 8 and 9 have the same number of primes, and so have 13 and 14."""
    plan = rj.plan(lambda x: x.rotate(1), "n16-boot", level=level)
    assert level <= plan.keys["levels"].get("1", 16) <= level + (level in (8, 13))
