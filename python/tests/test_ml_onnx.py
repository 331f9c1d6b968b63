"""Networks of ONNX files in the clear, compared with the reference implementation of ONNX."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper

from ringjet.ml.models._folding import folded
from ringjet.ml.models._onnx import load, read_onnx

RNG = np.random.default_rng(1)


def weights(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def file(shape, nodes, constants=None, *, opset=21, outputs=("y",), batch="n", dtype=TensorProto.FLOAT):
    """A model with one input x for samples of a shape. nodes: (operator, inputs, output, attributes)."""
    made = [
        helper.make_node(op, names.split(), output.split(), name=f"/{op.lower()}{i}", **attributes)
        for i, (op, names, output, attributes) in enumerate(nodes)
    ]
    given = helper.make_tensor_value_info("x", dtype, [batch, *shape])
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    stored = [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(made, "test", [given], results, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def one(op, shape, *constants, opset=21, **attributes):
    """A model of one operator: its inputs are the samples, then constants."""
    named = {f"c{i}": array for i, array in enumerate(constants)}
    return file(shape, [(op, " ".join(["x", *named]), "y", attributes)], named, opset=opset)


def read(model, **options):
    """The network of a model. Compares it, and the folded one, with the reference implementation."""
    found = load(model, **options)
    network = read_onnx(found)
    x = RNG.uniform(0.1, 2, (3, np.prod(found.shape, dtype=int))).astype(np.float32)
    known, tolerance = found.reference(x), 1e-4
    assert np.allclose(network(x), known, rtol=tolerance, atol=tolerance * np.abs(known).max())
    assert np.allclose(folded(network)(x), known, rtol=tolerance, atol=tolerance * np.abs(known).max())
    return network


def kinds(network):
    return " ".join(type(node.layer).__name__ for node in network.nodes)


def whole(*values):
    return np.array(values, np.int64)


IMAGE, VECTOR, TOKENS = (3, 7, 6), (5,), (4, 6)
OPERATORS = {
    "conv": one("Conv", IMAGE, weights(4, 3, 3, 2), weights(4), strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2]),
    "depthwise": one("Conv", IMAGE, weights(6, 1, 3, 3), group=3),
    "conv 1-D": one("Conv", (3, 9), weights(2, 3, 4), strides=[2], pads=[1, 2]),
    "conv same": one("Conv", IMAGE, weights(2, 3, 4, 4), auto_pad="SAME_UPPER", strides=[2, 2]),
    "conv lower": one("Conv", IMAGE, weights(2, 3, 4, 4), auto_pad="SAME_LOWER"),
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
    "sum": one("ReduceSum", IMAGE, whole(2)),
    "norm of layers": one("LayerNormalization", TOKENS, weights(6), weights(6), axis=-1, epsilon=1e-3),
    "norm of all": one("LayerNormalization", TOKENS, weights(4, 6), axis=1),
    "norm of instances": one("InstanceNormalization", IMAGE, weights(3), weights(3)),
    "softmax of rows": one("Softmax", TOKENS),
    "softmax old": one("Softmax", (2, 1, 3), opset=11, axis=3),
    "log softmax of rows": one("LogSoftmax", TOKENS, axis=1),
    **{
        op: one(op, VECTOR) for op in "Abs Erf Exp HardSwish Identity Log Neg Reciprocal Relu Softplus Softsign".split()
    },
    **{op: one(op, VECTOR) for op in "Dropout Sqrt Tanh".split()},
    "two values": file(VECTOR, [("Relu", "x", "a", {}), ("Sub", "x a", "y", {})]),
    "three values": file(VECTOR, [("Relu", "x", "a", {}), ("Sum", "x a x", "y", {})]),
    "product": file(IMAGE, [("GlobalAveragePool", "x", "a", {}), ("Mul", "x a", "y", {})]),
    "quotient": file(VECTOR, [("Exp", "x", "a", {}), ("Div", "x a", "y", {})]),
    "max of values": file(VECTOR, [("Neg", "x", "a", {}), ("Max", "x a", "y", {})]),
    "min of values": file(VECTOR, [("Neg", "x", "a", {}), ("Min", "x a", "y", {})]),
    "concat": file(IMAGE, [("Relu", "x", "a", {}), ("Concat", "x a", "y", {"axis": 1})]),
    "concat last": file(IMAGE, [("Relu", "x", "a", {}), ("Concat", "x a x", "y", {"axis": -1})]),
    "split": file(TOKENS, [("Split", "x s", "a b", {"axis": 1}), ("Add", "a b", "y", {})], {"s": whole(2, 2)}),
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


def classifier(*ending, scores=3, opset=21):
    """A linear network with some operators at its end."""
    nodes = [("Gemm", "x w", "a", {})]
    for i, (op, attributes) in enumerate(ending):
        nodes.append((op, "ab"[i], "y" if i == len(ending) - 1 else "b", attributes))
    if not ending:
        nodes = [("Gemm", "x w", "y", {})]
    return file(VECTOR, nodes, {"w": weights(5, scores)}, opset=opset)


@pytest.mark.parametrize(
    ("model", "task", "head", "layers"),
    [
        (classifier(), None, "argmax", "Affine"),
        (classifier(), "values", "value", "Affine"),
        (classifier(scores=1), None, "value", "Affine"),
        (classifier(scores=1), "classes", "sign", "Affine"),
        (classifier(("Softmax", {})), None, "argmax", "Affine"),
        (classifier(("Softmax", {}), opset=9), None, "argmax", "Affine"),
        (classifier(("LogSoftmax", {"axis": 1})), "classes", "argmax", "Affine"),
        (classifier(("ArgMax", {"axis": 1})), None, "argmax", "Affine"),
        (classifier(("Softmax", {}), ("ArgMax", {"axis": -1, "keepdims": 0})), None, "argmax", "Affine"),
        (classifier(("Sigmoid", {}), scores=1), None, "sign", "Affine"),
        (classifier(("Sigmoid", {}), scores=1), "values", "value", "Affine Activation"),
        (classifier(("Sigmoid", {})), None, "value", "Affine Activation"),
        (classifier(("Sigmoid", {})), "classes", "argmax", "Affine"),
        (classifier(("Softmax", {})), "values", "value", "Affine Activation Pool Scale Activation Select Product"),
        (one("Softmax", TOKENS), None, "value", "Activation Pool Scale Activation Select Product"),
    ],
)
def test_the_end_of_a_network_says_what_scores_mean(model, task, head, layers):
    network = read(model, task=task)
    assert network.head.kind == head and kinds(network) == layers
    if head != "value":
        assert network.head.classes.tolist() == list(range(max(network.sizes()[-1], 2)))


def test_labels_of_scikit_learn():
    nodes = [("Gemm", "x w", "a", {}), ("Softmax", "a", "p", {}), ("ArgMax", "p", "label", {"axis": 1})]
    model = file(VECTOR, nodes, {"w": weights(5, 2)}, outputs=("label", "probabilities"))
    zipped = helper.make_node(
        "ZipMap", ["p"], ["probabilities"], domain="ai.onnx.ml", classlabels_strings=["no", "yes"]
    )
    model.graph.node.append(zipped)
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1))
    network = read(model)
    assert network.head.classes.tolist() == ["no", "yes"] and kinds(network) == "Affine"
    assert read(model, output="label").head.classes.tolist() == ["no", "yes"]


def test_shapes_may_be_computed_from_shapes():
    nodes = [
        ("Conv", "x k", "a", {}),
        ("Shape", "a", "s", {}),
        ("Gather", "s zero", "count", {}),
        ("Unsqueeze", "count first", "counts", {}),
        ("Concat", "counts rest", "target", {"axis": 0}),
        ("Reshape", "a target", "b", {}),
        ("Gemm", "b w", "y", {"transB": 1}),
    ]
    constants = {
        "k": weights(2, 3, 2, 2),
        "zero": np.int64(0),
        "first": whole(0),
        "rest": whole(-1),
        "w": weights(4, 60),
    }
    assert kinds(read(file(IMAGE, nodes, constants))) == "Convolution Affine"


def test_weights_may_be_computed_from_constants():
    scale = numpy_helper.from_array(np.float32(0.1))
    nodes = [
        ("Constant", "", "scale", {"value": scale}),
        ("DequantizeLinear", "w scale", "f", {}),
        ("Transpose", "f", "t", {}),
        ("MatMul", "x t", "y", {}),
    ]
    network = read(file(VECTOR, nodes, {"w": RNG.integers(-9, 9, (3, 5)).astype(np.int8)}))
    assert kinds(network) == "Affine" and np.abs(network.nodes[0].layer.weights).max() <= 0.9001


def test_norms_and_functions_that_exporters_write_out():
    names = {"sqrt2": np.float32(np.sqrt(2)), "one": np.float32(1), "half": np.float32(0.5), "two": np.float32(2)}
    gelu = [
        ("Div", "x sqrt2", "a", {}),
        ("Erf", "a", "b", {}),
        ("Add", "b one", "c", {}),
        ("Mul", "x c", "d", {}),
        ("Mul", "d half", "y", {}),
    ]
    assert folded(read(file(TOKENS, gelu, names))).nodes[0].layer.function == "gelu"
    norm = [
        ("ReduceMean", "x", "m", {"axes": [-1]}),
        ("Sub", "x m", "d", {}),
        ("Pow", "d two", "q", {}),
        ("ReduceMean", "q", "v", {"axes": [-1]}),
        ("Add", "v small", "e", {}),
        ("Sqrt", "e", "r", {}),
        ("Div", "d r", "n", {}),
        ("Mul", "n w", "s", {}),
        ("Add", "s w", "y", {}),
    ]
    network = read(file(TOKENS, norm, {**names, "small": np.float32(1e-3), "w": weights(6)}, opset=13))
    functions = [
        node.layer.function for node in folded(network).nodes if kinds(network) and hasattr(node.layer, "function")
    ]
    assert functions == ["square", "inverse square root"]


def test_batch_norm_and_padding_are_folded():
    nodes = [
        ("Pad", "x pads", "p", {}),
        ("Conv", "p k", "a", {}),
        ("BatchNormalization", "a s b m v", "n", {}),
        ("Relu", "n", "r", {}),
        ("AveragePool", "r", "q", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("Mul", "q two", "h", {}),
        ("Flatten", "h", "f", {}),
        ("Gemm", "f w b2", "y", {}),
    ]
    constants = {"pads": whole(0, 0, 1, 1, 0, 0, 1, 1), "k": weights(4, 3, 3, 3), "two": np.float32(2)}
    constants |= {"s": weights(4), "b": weights(4), "m": weights(4), "v": np.abs(weights(4)), "w": weights(36, 2)}
    network = read(file(IMAGE, nodes, {**constants, "b2": weights(2)}))
    assert kinds(network) == "Select Convolution Scale Activation Pool Scale Affine"
    assert kinds(folded(network)) == "Convolution Activation Pool Affine"
    assert folded(network).nodes[0].layer.padding == (1, 1, 1, 1)


def test_sources(tmp_path):
    model = OPERATORS["conv"]
    onnx.save(model, tmp_path / "m.onnx")
    x = RNG.normal(size=(2, 126))
    known = read_onnx(model)(x)
    for source in (tmp_path / "m.onnx", str(tmp_path / "m.onnx"), model.SerializeToString()):
        assert np.array_equal(read_onnx(source)(x), known)
    assert load(model).reference(x).shape == known.shape
    half = file(
        VECTOR, [("MatMul", "x w", "y", {})], {"w": weights(5, 3).astype(np.float16)}, dtype=TensorProto.FLOAT16
    )
    assert kinds(read_onnx(half)) == "Affine"
    pixels = file(VECTOR, [("Cast", "x", "a", {"to": 1}), ("MatMul", "a w", "y", {})], {"w": weights(5, 3)}, dtype=2)
    assert kinds(read_onnx(pixels)) == "Affine"


BROKEN = np.full((5, 3), np.nan, np.float32)
REFUSED = {
    r"Sin /sin0: expected one of these operators: Abs, Add": one("Sin", VECTOR),
    r"TopK .*: expected ArgMax as the last operator": one("TopK", VECTOR, whole(2)),
    r"MatMul /matmul0 with numbers that are not finite: expected finite": one("MatMul", VECTOR, BROKEN),
    r"MatMul /matmul1 with a matrix that depends on the sample": file(
        (3, 3), [("Relu", "x", "a", {}), ("MatMul", "x a", "y", {})]
    ),
    r"Transpose /transpose0 with samples that are not kept apart: expected axis 0": one(
        "Transpose", IMAGE, perm=[1, 0, 2, 3]
    ),
    r"Gather /gather0 with samples that are not": one("Gather", IMAGE, whole(0), axis=0),
    r"Reshape /reshape0 with a result of shape \(21, 6\)": one("Reshape", IMAGE, whole(-1, 6)),
    r"ReduceMean /reducemean0 with axes \[0\]": one("ReduceMean", IMAGE, whole(0)),
    r"ReduceSum /reducesum0 with no axes": one("ReduceSum", IMAGE),
    r"shape \[None, 3, None\]: expected a shape with all axes fixed but": file((3, "width"), [("Relu", "x", "y", {})]),
    r"shape \[4, 5\]: expected axis 0, the samples, to be dynamic or 1": file(
        VECTOR, [("Relu", "x", "y", {})], batch=4
    ),
    r"inputs \['x', 'z'\]: expected one input": None,
    r"QuantizeLinear /quantizelinear0: expected the file before its quantisation": one(
        "QuantizeLinear", VECTOR, np.float32(0.1), np.int8(0)
    ),
    r"Conv /conv0 with a tensor \(2, 3, 4, 5\): expected one or two axes": one(
        "Conv", (2, 3, 4, 5), weights(2, 2, 1, 1, 1)
    ),
    r"Conv /conv0: expected an operator whose inputs and attributes fit": one("Conv", IMAGE, weights(4, 2, 3, 3)),
    r"PRelu /prelu0 with 3 slopes": one("PRelu", IMAGE, weights(3, 1, 1)),
    r"MaxPool /maxpool0 with dilations": one("MaxPool", IMAGE, kernel_shape=[2, 2], dilations=[2, 2]),
    r"AveragePool .* with ceil_mode=1, count_include_pad=1": one(
        "AveragePool", IMAGE, kernel_shape=[2, 4], strides=[2, 2], ceil_mode=1, count_include_pad=1
    ),
    r"Pad /pad0 with the number 2.0: expected zeros": one("Pad", VECTOR, whole(0, 1, 0, 1), np.float32(2)),
    r"Pow /pow0 with exponents": one("Pow", VECTOR, np.float32(1.7)),
    r"Add /add0 with shapes": one("Add", VECTOR, weights(2, 1, 1)),
    r"Cast /cast0 with a result of whole numbers": one("Cast", VECTOR, to=7),
    r"Resize .* with mode linear": one(
        "Resize", (2, 3, 2), np.zeros(0, np.float32), np.array([1, 1, 2, 2], np.float32), mode="linear"
    ),
    r"BatchNormalization .*: expected a file that was exported in evaluation mode": one(
        "BatchNormalization", VECTOR, *np.ones((4, 5), np.float32), training_mode=1
    ),
    r"RandomNormal .* with random numbers": file(
        VECTOR, [("RandomNormal", "", "r", {"shape": [1, 5]}), ("Add", "x r", "y", {})]
    ),
    r"a result y that is the same for all samples": file(VECTOR, [("Neg", "c", "y", {})], {"c": weights(1, 5)}),
    r"finite scores for random samples": file(
        VECTOR, [("Abs", "x", "a", {}), ("Neg", "a", "b", {}), ("Log", "b", "y", {})]
    ),
    r"ArgMax .*: expected ArgMax as the last operator": one("ArgMax", TOKENS, axis=1),
    r"ONNX opset 6": one("Relu", VECTOR, opset=6),
    r"TreeEnsembleClassifier .*: expected the model of scikit-learn, XGBoost or LightGBM itself": None,
}


@pytest.mark.parametrize("message", REFUSED)
def test_models_that_cannot_be_read_are_refused(message):
    model = REFUSED[message]
    if "TreeEnsemble" in message:
        model = one("Relu", VECTOR)
        model.graph.node[0].op_type, model.graph.node[0].domain = "TreeEnsembleClassifier", "ai.onnx.ml"
    elif model is None:
        model = one("Relu", VECTOR)
        model.graph.input.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 5]))
    with pytest.raises(rj.ArgumentError, match=message):
        read_onnx(model)


def test_files_whose_results_differ_are_refused(monkeypatch):
    from ringjet.ml.models import _onnx_graph

    def wrong(call):
        return call.activation("leaky relu 0.001", call.tensor())

    monkeypatch.setitem(_onnx_graph.OPERATORS, "Relu", wrong)
    with pytest.raises(rj.ArgumentError, match="from those of its operators"):
        read_onnx(one("Relu", VECTOR))
    # two samples at once change each other
    nodes = [("Shape", "x", "s", {"end": 1}), ("Cast", "s", "f", {"to": 1}), ("Mul", "x f", "y", {})]
    with pytest.raises(rj.ArgumentError, match="depend on other samples"):
        read_onnx(file(VECTOR, nodes))


def test_bad_arguments_are_refused(tmp_path):
    model = OPERATORS["conv"]
    for options, text in (
        ({"task": "other"}, "task = 'other'"),
        ({"output": "z"}, r"output = 'z': expected one of the model's results: \['y'\]"),
    ):
        with pytest.raises(rj.ArgumentError, match=text):
            load(model, **options)
    two = file(VECTOR, [("Relu", "x", "y", {}), ("Neg", "x", "z", {})], outputs=("y", "z"))
    with pytest.raises(rj.ArgumentError, match=r"output = None: expected the name of one of .*\['y', 'z'\]"):
        read_onnx(two)
    assert read(two, output="z").nodes[0].layer.factor == -1
    with pytest.raises(rj.ArgumentError, match="model = dict: expected a path, bytes"):
        read_onnx({})
    for data in (b"nothing", b"", model.SerializeToString()[:-40]):
        with pytest.raises(rj.MalformedError):
            read_onnx(data)
    with pytest.raises(FileNotFoundError):
        read_onnx(tmp_path / "absent.onnx")


def test_a_network_for_images():
    folder = Path(os.environ.get("RINGJET_DATA", Path(__file__).parents[3] / "shared/data"))
    if not (folder / "resnet20-cifar10.onnx").exists():
        pytest.skip(f"no resnet20-cifar10.onnx in {folder}, the folder that RINGJET_DATA names")
    network = read(folder / "resnet20-cifar10.onnx")
    found = np.load(folder / "cifar10-sample.npz")
    means, deviations = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)
    x = ((found["test"][:100] / 255 - means) / deviations).transpose(0, 3, 1, 2).reshape(100, -1)
    assert np.mean(network.head(network(x)) == found["test_labels"][:100].ravel()) > 0.75
