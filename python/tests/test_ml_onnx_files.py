"""ONNX files in the clear: what their scores mean, how they are read and folded, and which are refused."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

onnx = pytest.importorskip("onnx")
sys.path.insert(0, str(Path(__file__).parent))

from onnx import TensorProto, helper, numpy_helper
from onnx_files import IMAGE, RNG, TOKENS, VECTOR, file, kinds, one, read, weights, whole

from ringjet.ml.models import _onnx_graph
from ringjet.ml.models._folding import folded
from ringjet.ml.models._onnx import load, read_onnx


CONVOLUTION = one("Conv", IMAGE, weights(4, 3, 3, 2))


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
        (classifier(("Sigmoid", {}), scores=1), "classes", "sign", "Affine"),
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


def test_classes_of_one_score_need_a_sigmoid():
    """The score 0 is the threshold of logits, not of probabilities."""
    ends = {
        "linear": [],
        "clipped": [("Sigmoid", "a", "p", {}), ("Clip", "p low high", "y", {})],
        "written out": [
            ("Neg", "a", "b", {}),
            ("Exp", "b", "c", {}),
            ("Add", "c one", "d", {}),
            ("Reciprocal", "d", "y", {}),
        ],
        "one of two": [
            ("Concat", "a b", "c", {"axis": 1}),
            ("Softmax", "c", "p", {}),
            ("Gather", "p i", "y", {"axis": 1}),
        ],
    }
    constants = {"w": weights(5, 1), "low": np.float32(1e-7), "high": np.float32(1 - 1e-7), "one": np.float32(1)}
    for name, end in ends.items():
        first = [("Gemm", "x w", "a" if end else "y", {})]
        negative = [("Neg", "a", "b", {})] if name == "one of two" else []
        model = file(VECTOR, first + negative + end, {**constants, "i": whole(1)})
        with pytest.raises(
            rj.ArgumentError, match=r'task = "classes" for one score: expected a file that ends with Sig'
        ):
            read_onnx(model, task="classes")
        assert read(model).head.kind == "value"


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
    # by operators that are known for constants alone
    nodes = [
        ("Shape", "x", "s", {"start": 1}),
        ("ReduceProd", "s", "p", {}),
        ("Mod", "p two", "m", {}),
        ("Cast", "m", "f", {"to": 1}),
        ("Floor", "f", "g", {}),
        ("Add", "x g", "y", {}),
    ]
    network = read(file(VECTOR, nodes, {"two": whole(2)}))
    assert kinds(network) == "Scale" and network.nodes[0].layer.shift == 1


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
    model = CONVOLUTION
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
    r"MatMul /matmul1 with two matrices that depend on the sample: expected a matrix of constants": file(
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
    r"GroupNormalization .* with 2 groups of 3 channels": one(
        "GroupNormalization", IMAGE, weights(3), weights(3), num_groups=2
    ),
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
    r"Resize .* with scales \[1.0, 1.0, 1.5, 2.0\] of lengths \[1, 2, 3, 2\]: expected scales to whole": one(
        "Resize", (2, 3, 2), np.zeros(0, np.float32), np.array([1, 1, 1.5, 2], np.float32), mode="nearest"
    ),
    r"Resize .* with opset 10: expected Resize of opset 11": one(
        "Resize", (2, 3, 2), np.array([1, 1, 2, 2], np.float32), opset=10
    ),
    r"Upsample .* with opset 7: expected Resize of opset 11": one(
        "Upsample", (2, 3, 2), scales=[1.0, 1.0, 2.0, 2.0], opset=7
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


def test_half_precision_and_zeros():
    """Scores that are all zero, and casts to half precision between weights in single precision."""
    zero = file(VECTOR, [("MatMul", "x w", "y", {})], {"w": np.zeros((5, 3), np.float32)})
    assert np.array_equal(read_onnx(zero)(np.ones((2, 5))), np.zeros((2, 3)))
    nodes = [
        ("MatMul", "x w", "a", {}),
        ("Cast", "a", "h", {"to": TensorProto.FLOAT16}),
        ("Relu", "h", "r", {}),
        ("Cast", "r", "f", {"to": TensorProto.FLOAT}),
        ("MatMul", "f v", "y", {}),
    ]
    mixed = file(VECTOR, nodes, {"w": weights(5, 4), "v": weights(4, 3)})
    assert kinds(read_onnx(mixed)) == "Affine Activation Affine"


def test_files_whose_results_differ_are_refused(monkeypatch):
    def wrong(call):
        return call.activation("leaky relu 0.001", call.tensor())

    monkeypatch.setitem(_onnx_graph.OPERATORS, "Relu", wrong)
    with pytest.raises(rj.ArgumentError, match="from those of its operators"):
        read_onnx(one("Relu", VECTOR))
    # a difference that random samples do not show, but those of the caller
    monkeypatch.undo()

    def bounded(call):
        return call.activation("clip -9.0 9.0", call.tensor())

    monkeypatch.setitem(_onnx_graph.OPERATORS, "Identity", bounded)
    assert kinds(read_onnx(one("Identity", VECTOR), example=np.ones((4, 5)))) == "Activation"
    with pytest.raises(rj.ArgumentError, match="from those of its operators"):
        read_onnx(one("Identity", VECTOR), example=np.full((4, 5), 20.0))
    # two samples at once change each other
    nodes = [("Shape", "x", "s", {"end": 1}), ("Cast", "s", "f", {"to": 1}), ("Mul", "x f", "y", {})]
    with pytest.raises(rj.ArgumentError, match="depend on other samples"):
        read_onnx(file(VECTOR, nodes))


CONTRADICTIONS = [
    lambda graph: setattr(graph.input[0].type.tensor_type, "elem_type", 777),
    lambda graph: setattr(graph.initializer[0], "data_type", 777),
    lambda graph: setattr(graph.initializer[0], "data_type", 0),
    lambda graph: graph.initializer[0].dims.append(7),
    lambda graph: setattr(graph.initializer[0], "raw_data", b"123"),
    lambda graph: setattr(graph.initializer[0], "data_location", TensorProto.EXTERNAL),
    lambda graph: setattr(graph.input[0].type.tensor_type.shape.dim[1], "dim_value", 88),
    lambda graph: graph.node[-1].ClearField("input"),
    lambda graph: graph.node[0].input.append("lost"),
    lambda graph: graph.input[0].type.ClearField("tensor_type"),
]


@pytest.mark.parametrize("change", CONTRADICTIONS)
def test_files_that_contradict_themselves_are_refused(change):
    for original in (classifier(), classifier(("Softmax", {})), classifier(("Tanh", {}))):
        model = onnx.ModelProto.FromString(original.SerializeToString())
        change(model.graph)
        for source in (model, model.SerializeToString()):
            with pytest.raises((rj.ArgumentError, rj.MalformedError)):
                read_onnx(source)


def test_damaged_files_are_refused():
    """Files with wrong bytes are refused, or the reference implementation computes what was read."""
    draws, counts = np.random.default_rng(3), {"read": 0, "refused": 0}
    for model in (CONVOLUTION, classifier(("Softmax", {}))):
        data = model.SerializeToString()
        for _ in range(150):
            changed = bytearray(data)
            changed[draws.integers(len(data))] = draws.integers(256)
            try:
                read_onnx(bytes(changed))
                counts["read"] += 1
            except (rj.ArgumentError, rj.MalformedError):
                counts["refused"] += 1
    assert min(counts.values()) > 30
    loop = one("Identity", VECTOR)
    loop.graph.node[0].input[0] = "y"
    with pytest.raises(rj.MalformedError, match="Identity /identity0: no value y"):
        read_onnx(loop)
    circle = one("Relu", VECTOR)
    circle.graph.node[0].input[0] = "y"
    with pytest.raises(rj.MalformedError, match="Relu /relu0: no value y, or only after it"):
        read_onnx(circle)


def test_the_documentation_names_every_operator():
    page = (Path(__file__).parents[2] / "docs/cookbook/which-models.md").read_text()
    table = page[page.index("## Operators of ONNX") : page.index("| not supported")]
    named = set(re.findall(r"`([A-Z][A-Za-z0-9]+)`", table))
    assert named == set(_onnx_graph.OPERATORS) | {"ArgMax"}


def test_bad_arguments_are_refused(tmp_path):
    model = CONVOLUTION
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


TORCH = Path(__file__).parent / "data/torch"
EXPORTED = {  # the layers that are left after folding
    "block": "Convolution Activation Convolution Convolution Sum Activation Pool Affine",
    "mixer": None,
    "convolutions": "Convolution Activation Pool Convolution Activation "
    + 2 * "Select Select Sum Activation Sum "
    + "Affine",
    "functions": "Affine" + 8 * " Activation" + " Affine",
    "channels": "Convolution Select Select Sum Activation Sum Select Convolution",
}


@pytest.mark.parametrize("exporter", ["traced", "dynamo"])
@pytest.mark.parametrize("name", EXPORTED)
def test_modules_that_pytorch_exported(name, exporter):
    path = TORCH / f"{name}-{exporter}.onnx"
    stored = np.load(TORCH / "results.npz")
    x = stored[f"{name}.samples"].reshape(4, -1)
    known = stored[f"{name}.results"].reshape(4, -1)
    assert np.allclose(read(path, task="values")(x), known, atol=1e-5, rtol=1e-5)
    network = read(path, task="classes")
    classes = known[:, 0] > 0.5 if known.shape[1] == 1 else known.argmax(axis=1)
    assert np.array_equal(network.head(network(x)), classes)
    assert EXPORTED[name] in (None, kinds(folded(network)))
    functions = {node.layer.function for node in folded(network).nodes if hasattr(node.layer, "function")}
    assert functions >= {"block": {"relu"}, "mixer": {"gelu", "square", "inverse square root"}}.get(name, set())


def test_a_module_of_pytorch():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(), torch.nn.ReLU())
    network = read(module, example=np.zeros((3, 5)))
    assert kinds(folded(network)) == "Affine Activation" and module.training
    with pytest.raises(rj.ArgumentError, match="example = None: expected a batch of samples"):
        read_onnx(module)
    with pytest.raises(rj.ArgumentError, match="a module that torch.onnx.export takes with an example"):
        read_onnx(module, example=np.zeros((3, 6)))


def test_intervals_of_functions_of_positive_numbers_are_positive():
    nodes = [("Gemm", "x w", "a", {}), ("Softmax", "a", "p", {}), ("Gemm", "p v", "y", {})]
    draws = np.random.default_rng(4)
    w, v, x = 0.5 * draws.normal(size=(5, 4)), draws.normal(size=(4, 3)), draws.uniform(-1, 1, (300, 5))
    model = file(VECTOR, nodes, {"w": w.astype(np.float32), "v": v.astype(np.float32)})
    compiled = rj.ml.compile(model, x[:200])
    rows = [row for row in str(compiled).splitlines() if row.startswith("reciprocal")]
    assert len(rows) == 1 and float(rows[0].split()[3]) > 0
    known = load(model).reference(x[200:]).argmax(axis=1)
    assert np.mean(compiled.predict(x[200:]) == known) >= 0.97
    assert np.array_equal(compiled.predict(x[200:], mode="clear"), known)


def test_a_network_for_images():
    folder = Path(os.environ.get("RINGJET_DATA", Path(__file__).parents[3] / "shared/data"))
    if not (folder / "resnet20-cifar10.onnx").exists():
        pytest.skip(f"no resnet20-cifar10.onnx in {folder}, the folder that RINGJET_DATA names")
    network = read(folder / "resnet20-cifar10.onnx")
    found = np.load(folder / "cifar10-sample.npz")
    means, deviations = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)
    x = ((found["test"][:100] / 255 - means) / deviations).transpose(0, 3, 1, 2).reshape(100, -1)
    assert np.mean(network.head(network(x)) == found["test_labels"][:100].ravel()) > 0.75
