"""Networks on encrypted samples, compared with the reference implementation of ONNX."""

from __future__ import annotations

import numpy as np
import pytest

import ringjet as rj
from ringjet.ml.models._layers import Affine, Head
from ringjet.ml.models._linear import Convolution, Pool
from ringjet.ml.models._network import Network, Node
from ringjet.ml.models._packing import side_by_side
from ringjet.ml.models._places import Room
from ringjet.ml.models._slots import Layout

onnx = pytest.importorskip("onnx")
pytest.importorskip("sklearn")

from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from sklearn import datasets
from sklearn.linear_model import LogisticRegression

RNG = np.random.default_rng(0)
ROWS = 64


def model(nodes, arrays, shape, outputs):
    """An ONNX file with the input "x" and the result "y"."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["samples", *shape])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["samples", outputs])
    stored = [numpy_helper.from_array(np.asarray(a, np.float32), name) for name, a in arrays.items()]
    graph = helper.make_graph([helper.make_node(*node, **options) for node, options in nodes], "g", [x], [y], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def reference(file, x):
    return ReferenceEvaluator(file).run(None, {"x": np.asarray(x, np.float32)})[0]


def digits():
    """Images (samples, 1, 8, 8) with pixels from 0 to 1, and labels, in a fixed order."""
    x, y = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(x))
    return x[order].reshape(-1, 1, 8, 8) / 16, y[order]


@pytest.fixture(scope="module")
def image_network():
    """A network with two convolutions and a mean, whose last layer scikit-learn fitted to features of digits."""
    x, y = digits()
    kernels = {
        "k": RNG.normal(size=(6, 1, 3, 3)) / 3,
        "b": RNG.normal(size=6) / 8,
        "l": RNG.normal(size=(12, 6, 3, 3)) / 8,
        "c": np.zeros(12),
    }
    nodes = [
        (("Conv", ["x", "k", "b"], ["1"]), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
        (("Relu", ["1"], ["2"]), {}),
        (("Conv", ["2", "l", "c"], ["3"]), {"pads": [1, 1, 1, 1]}),
        (("Mul", ["3", "3"], ["4"]), {}),
        (("AveragePool", ["4"], ["5"]), {"kernel_shape": [2, 2], "strides": [2, 2]}),
        (("Flatten", ["5"], ["y"]), {}),
    ]
    features = reference(model(nodes, kernels, (1, 8, 8), 48), x[:-ROWS])
    scale = features.std(axis=0)
    fitted = LogisticRegression(max_iter=2000).fit(features / scale, y[:-ROWS])
    nodes[-1] = (("Flatten", ["5"], ["6"]), {})
    nodes.append((("Gemm", ["6", "w", "v"], ["y"]), {"transB": 1}))
    weights = {**kernels, "w": fitted.coef_ / scale, "v": fitted.intercept_}
    return model(nodes, weights, (1, 8, 8), 10), x[:-ROWS], x[-ROWS:], y[-ROWS:]


@pytest.fixture(scope="module")
def compiled_images(image_network):
    file, known, rows, _ = image_network
    return rj.ml.compile(file, known, batch=1), rows


@pytest.mark.parametrize("batch", [None, 1], ids=["columns", "slots"])
def test_images_get_the_classes_of_the_file(image_network, batch):
    file, known, rows, labels = image_network
    compiled = rj.ml.compile(file, known, batch=batch)
    assert compiled.layout == ("slots" if batch else "columns")
    wanted = reference(file, rows).argmax(axis=1)
    assert np.mean(wanted == labels) > 0.9
    assert np.array_equal(compiled.predict(rows, mode="clear"), wanted)
    assert np.mean(compiled.predict(rows) == wanted) >= 0.98  # one of 64 rows may differ
    trial = compiled.simulate(rows, labels, seed=1)
    assert trial.agreement >= 0.96 and trial.outside == 0  # with the largest errors that there can be


def test_files_are_as_small_as_the_weights(image_network, compiled_images, tmp_path):
    file, (compiled, rows) = image_network[0], compiled_images
    compiled.save(tmp_path)
    own = sum(np.prod(array.dims) * 4 for array in file.graph.initializer)
    with np.load(tmp_path / "weights.npz") as arrays:
        stored = sum(arrays[name].nbytes for name in arrays)
    # and the factor of the scores' range, which no file has
    assert stored <= 1.2 * own
    client = rj.ml.Client.load(tmp_path / "client.json")
    server = rj.ml.Server.load(tmp_path, client.keys())
    wanted = reference(file, rows[:3]).argmax(axis=1)
    assert np.array_equal(client.decrypt(server.predict(client.encrypt(rows[:3]))), wanted)


def sample_values(layout, vector):
    """What the transforms of a layout make of slots, in the clear."""
    for node, places, to in zip(layout.network.nodes, layout.places, layout.places[1:], strict=False):
        found = Room(layout.slots, 1).transform(node.layer, slice(0, node.layer.inputs), places[0], to[0])
        if found.matrix is not None:
            vector = found.matrix._apply(vector).real
        for stride, count in found.sums:
            vector = sum(np.roll(vector, -stride * k) for k in range(count))
        vector = vector + found.bias
    return vector


def test_strides_keep_the_gap_and_two_convolutions_follow_each_other():
    first = Convolution(RNG.normal(size=(32, 16, 3, 3)), RNG.normal(size=32), (16, 32, 32), (2, 2), (1, 1, 1, 1))
    second = Convolution(RNG.normal(size=(32, 32, 3, 3)), RNG.normal(size=32), first.output_shape, (1, 1), (1, 1, 1, 1))
    network = Network([Node(first, (0,)), Node(second, (1,))], (16, 32, 32), 2, Head("value"))
    layout = Layout(network)
    assert layout.slots == 16384
    made = Room(layout.slots, 1).transform(first, slice(0, first.inputs), layout.places[0][0], layout.places[1][0])
    assert len(made.matrix.rotations) <= 40
    offsets = {(int(a) - int(b)) % layout.slots for a, b in zip(*strided_places(first, layout), strict=True)}
    assert len(offsets) <= 256
    x = RNG.normal(size=(1, first.inputs))
    found = sample_values(layout, layout.places[0][0].vector(x[0], layout.slots))
    assert np.allclose(found[layout.results], network(x)[0], atol=1e-9)


def strided_places(layer, layout):
    row, column, _ = layer.entries()
    return layout.places[0][0].slots[column], layout.places[1][0].slots[row]


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 6, 10), (5, 7, 7)])
def test_sums_of_windows_and_dense_layers_find_their_elements(shape):
    first = Convolution(RNG.normal(size=(7, shape[0], 3, 3)), RNG.normal(size=7), shape, padding=(1, 1, 1, 1))
    pool = Pool(first.output_shape, (2, 2), (2, 2), is_sum=True)
    dense = Affine(RNG.normal(size=(13, pool.outputs)), RNG.normal(size=13))
    last = Affine(RNG.normal(size=(40, 13)), RNG.normal(size=40))
    layers = [first, pool, dense, last]
    network = Network([Node(layer, (k,)) for k, layer in enumerate(layers)], shape, 4, Head("value"))
    layout = Layout(network)
    x = RNG.normal(size=(1, first.inputs))
    found = sample_values(layout, layout.places[0][0].vector(x[0], layout.slots))
    assert np.allclose(found[layout.results], network(x)[0], atol=1e-9)


def test_samples_lie_side_by_side():
    x = RNG.normal(size=(5, 6))
    rows = side_by_side(x, (6,), 8, 4, 32)
    assert rows.shape == (2, 32)
    assert np.array_equal(side_by_side(x, (6,), 8, 4, 64), np.tile(rows, 2))
    assert np.array_equal(rows[0].reshape(8, 4)[:6].T, x[:4])
    # the last sample fills the second ciphertext
    assert np.array_equal(rows[1].reshape(8, 4)[:6].T, np.repeat(x[4:], 4, axis=0))


def branches(nodes, arrays, outputs):
    """Calibration samples, others, and a file of these nodes."""
    x = RNG.uniform(-1, 1, (200, 6))
    return model(nodes, arrays, (6,), outputs), x[:160], x[160:]


W, V = RNG.normal(size=(5, 6)) / 2, RNG.normal(size=(5, 6)) / 2
BRANCHES = {
    "sum": [
        (("Gemm", ["x", "w"], ["1"]), {"transB": 1}),
        (("Tanh", ["1"], ["2"]), {}),
        (("Gemm", ["x", "v"], ["3"]), {"transB": 1}),
        (("Add", ["2", "3"], ["y"]), {}),
    ],
    "difference": [
        (("Gemm", ["x", "w"], ["1"]), {"transB": 1}),
        (("Sigmoid", ["1"], ["2"]), {}),
        (("Sub", ["1", "2"], ["y"]), {}),
    ],
    "product": [
        (("Gemm", ["x", "w"], ["1"]), {"transB": 1}),
        (("Gemm", ["x", "v"], ["2"]), {"transB": 1}),
        (("Mul", ["1", "2"], ["y"]), {}),
    ],
    "concat": [
        (("Gemm", ["x", "w"], ["1"]), {"transB": 1}),
        (("Mul", ["x", "x"], ["2"]), {}),
        (("Concat", ["1", "2"], ["3"]), {"axis": 1}),
        (("Gemm", ["3", "u"], ["y"]), {"transB": 1}),
    ],
}


@pytest.mark.parametrize("batch", [None, 1], ids=["columns", "slots"])
@pytest.mark.parametrize("name", BRANCHES)
def test_branches_meet(name, batch):
    arrays = {"w": W, "v": V, "u": RNG.normal(size=(5, 11)) / 3}
    used = {i for (_, inputs, _), _ in BRANCHES[name] for i in inputs}
    file, known, rows = branches(BRANCHES[name], {k: a for k, a in arrays.items() if k in used}, 5)
    compiled = rj.ml.compile(file, known, batch=batch, task="values")
    wanted = reference(file, rows)
    assert np.max(np.abs(compiled.predict(rows) - wanted)) < 2e-3 * np.ptp(wanted)


def test_samples_far_outside_the_known_range_are_refused(compiled_images):
    compiled, rows = compiled_images
    with pytest.raises(rj.ArgumentError, match="accepted range"):
        compiled.client().encrypt(10 * rows)


def test_levels_of_keys_make_them_small(compiled_images):
    compiled, _ = compiled_images
    keys = compiled.plan.keys
    client = rj.Client(compiled.params)
    own = len(client.evaluation_keys(**keys).to_bytes())
    whole = len(client.evaluation_keys(**{**keys, "levels": {}}).to_bytes())
    assert own < 0.75 * whole


def test_what_cannot_be_computed_is_refused(image_network):
    file, known, rows, _ = image_network
    with pytest.raises(rj.ArgumentError, match="batch"):
        rj.ml.compile(file, known, batch=0)
    with pytest.raises(rj.ArgumentError, match="of memory, and there are"):
        rj.ml.compile(file, known, memory=1 << 20, batch=1)
    with pytest.raises(rj.ArgumentError, match="task"):
        rj.ml.compile(LogisticRegression().fit(known[:50, 0, 0], np.arange(50) % 2), known[:50, 0, 0], task="classes")
    with pytest.raises(rj.ArgumentError, match="1, 4, 8.: expected shape .samples, 1, 8, 8"):
        rj.ml.compile(file, known[:, :, :4])
    with pytest.raises(rj.ArgumentError, match="not finite"):
        rj.ml.compile(file, np.where(known > 0.9, np.nan, known))


PADDED = {
    # slots without an element get p(0) of a polynomial, or sums of what lies beside them
    "scale": [
        (("Gemm", ["x", "w"], ["1"]), {"transB": 1}),
        (("Sigmoid", ["1"], ["2"]), {}),
        (("Sub", ["2", "h"], ["3"]), {}),
        (("Relu", ["3"], ["4"]), {}),
        (("Gemm", ["4", "v"], ["y"]), {"transB": 1}),
    ],
    "mean": [
        (("Conv", ["x", "k"], ["1"]), {"pads": [1, 1, 1, 1]}),
        (("AveragePool", ["1"], ["2"]), {"kernel_shape": [2, 2], "strides": [2, 2]}),
        (("Relu", ["2"], ["3"]), {}),
        (("Flatten", ["3"], ["4"]), {}),
        (("Gemm", ["4", "u"], ["y"]), {"transB": 1}),
    ],
}


@pytest.mark.parametrize("name", PADDED)
def test_slots_without_an_element_stay_in_the_intervals(name):
    arrays = {"w": W / 5, "h": np.array(0.5), "v": RNG.normal(size=(3, 5)), "k": RNG.normal(size=(1, 1, 3, 3))}
    arrays["u"] = RNG.normal(size=(3, 9))
    used = {i for (_, inputs, _), _ in PADDED[name] for i in inputs}
    shape = (6,) if name == "scale" else (1, 6, 6)
    x = RNG.uniform(-1, 1, (200, *shape))
    if name == "mean":
        x[:, :, ::2] += 3  # stripes: sums at other places are far larger
    file = model(PADDED[name], {k: a for k, a in arrays.items() if k in used}, shape, 3)
    compiled = rj.ml.compile(file, x[:160], batch=1, task="values", agreement=0.5)
    assert compiled.layout == "slots"
    wanted = reference(file, x[160:])
    assert np.max(np.abs(compiled.predict(x[160:]) - wanted)) < 0.05 * np.ptp(wanted)
    assert not [text for text in compiled.simulate(x[160:]).warnings if "leave" in text]


def test_channels_at_the_end_are_refused():
    nodes = [(("Conv", ["x", "k"], ["1"]), {}), (("Flatten", ["1"], ["y"]), {})]
    file = model(nodes, {"k": RNG.normal(size=(2, 3, 3, 3))}, (3, 4, 5), 12)
    x = RNG.uniform(size=(20, 3, 4, 5))
    with pytest.raises(rj.ArgumentError, match="expected shape .samples, 3, 4, 5"):
        rj.ml.compile(file, np.moveaxis(x, 1, -1))
    compiled = rj.ml.compile(file, x, task="values")
    with pytest.raises(rj.ArgumentError, match="expected shape .samples, 3, 4, 5"):
        compiled.predict(np.moveaxis(x, 1, -1), mode="clear")
    assert np.array_equal(compiled.predict(x.reshape(20, -1), mode="clear"), compiled.predict(x, mode="clear"))


def test_values_outside_their_interval_are_counted(image_network):
    file, known, rows, _ = image_network
    compiled = rj.ml.compile(file, known / 2, batch=1, margin=1.0)
    assert compiled.simulate(rows).outside > compiled.simulate(rows / 2).outside
