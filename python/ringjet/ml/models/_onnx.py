"""Reads networks from ONNX files, and PyTorch modules by their export to ONNX."""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from ..._checks import refusal
from ...errors import ArgumentError, MalformedError, RingjetError
from ._functions import function
from ._layers import Array, Head
from ._network import Network
from ._onnx_call import attributes_of, evaluator, package, text
from ._onnx_graph import DAMAGES, expect_known, needed, read_nodes

#: What the scores of a network mean; None: what its last operators say.
Task = Literal["classes", "values"] | None

#: Operators whose result has the same order as their input, or the same numbers.
_TRANSPARENT = ("Cast", "Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze")

#: How far the results of a file, which computes in single or half precision, may be from those of the network.
_SINGLE, _HALF = 1e-4, 3e-2

#: How many samples of an example are compared.
_COMPARED = 16


@dataclass(frozen=True)
class OnnxFile:
    """An ONNX file with the result that is wanted of it. `load` makes it."""

    model: Any
    opset: int
    #: The name of its input, and the shape and type of a sample.
    input: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    #: Whether it takes several samples at once.
    is_batched: bool
    #: The name of the result, and of the scores: what softmax, arg max or a sigmoid at the end are computed of.
    output: str
    scores: str
    #: The operators between the two, the last one first.
    ending: tuple[str, ...]
    task: Task

    def reference(self, x: Array) -> Array:
        """The scores of samples, one a row, as the reference implementation of ONNX computes the file."""
        return self.results(x, [self.scores])[0]

    def results(self, x: Array, names: Sequence[str], at_once: int = 1) -> list[Array]:
        """Values of the file for samples, one a row each."""
        onnx, model = package(), copy.deepcopy(self.model)
        nodes = list(needed(model.graph, names))
        del model.graph.node[:], model.graph.output[:]
        model.graph.node.extend(nodes)
        rows = np.asarray(x, self.dtype).reshape(-1, at_once, *self.shape)
        try:
            model.graph.output.extend(onnx.helper.make_value_info(name, onnx.TypeProto()) for name in names)
            session = evaluator(model)
            with np.errstate(all="ignore"):
                found = [session.run(None, {self.input: row}) for row in rows]
            return [np.concatenate([np.reshape(y, (at_once, -1)) for y in parts]) for parts in zip(*found, strict=True)]
        except Exception as error:  # any that an operator raises
            expected = f"a file that the reference implementation of ONNX computes: {error}"
            raise refusal("model", f"a batch of {at_once} samples", expected) from None


def load(source: Any, *, example: Any = None, output: str | None = None, task: Task = None) -> OnnxFile:
    """The network of a path, bytes, an `onnx.ModelProto`, or a `torch.nn.Module`.

    example: a batch of samples, which only a module needs. output: the name of the wanted result, by default the only
    one, or the probabilities beside labels. task: whether the result is one score for each class, or values; by
    default classes where softmax, arg max or a single sigmoid end the network, or several scores without them.
    """
    if task not in (None, "classes", "values"):
        raise refusal("task", repr(task), '"classes", "values" or None')
    model = _model(source, example)
    opset = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=0)
    if opset < 7:
        raise refusal("model", f"ONNX opset {opset}", "opset 7 or later: export it again")
    with _checked():
        name, shape, dtype, is_batched = _input(model.graph)
        wanted = _output(model.graph, output)
        scores, ending = _ending(model.graph, wanted)
        expect_known(model.graph, name, scores)
        file = OnnxFile(model, opset, name, shape, dtype, is_batched, wanted, scores, ending, task)
        return file if not ending or _is_head(file) else replace(file, scores=wanted, ending=())


def read_onnx(source: Any, *, example: Any = None, output: str | None = None, task: Task = None) -> Network:
    """The network of an `OnnxFile`, or of what `load` takes, compared with the reference implementation of ONNX on
    random samples and on some of the example. Refuses operators that cannot be computed on encrypted samples, and says
    which ones can."""
    file = source if isinstance(source, OnnxFile) else load(source, example=example, output=output, task=task)
    with _checked():
        network = _network(file)
    samples = _samples(file)
    given = np.zeros((0, 1)) if example is None else np.asarray(example)[:_COMPARED].astype(float)
    if given.size == len(given) * network.features:
        samples = np.concatenate([samples, given.reshape(-1, network.features).astype(file.dtype).astype(float)])
    _expect_same(file, network, samples)
    return network


# --- files ---


@contextlib.contextmanager
def _checked() -> Iterator[None]:
    """Refuses a file where reading it fails in a way that nothing else has noticed."""
    try:
        yield
    except RingjetError:
        raise
    except (*DAMAGES, package("onnx.checker").ValidationError) as error:
        raise MalformedError(f"an ONNX file that contradicts itself: {type(error).__name__}: {error}") from None


def _model(source: Any, example: Any) -> Any:
    onnx = package()
    if any(kind.__module__.startswith("torch.") and kind.__name__ == "Module" for kind in type(source).__mro__):
        source = _exported(source, example)
    try:
        if isinstance(source, onnx.ModelProto):
            model = source
        elif isinstance(source, (bytes, bytearray)):
            model = onnx.load_model_from_string(bytes(source))
        elif isinstance(source, (str, PathLike)):
            model = onnx.load(fspath(source))
        else:
            raise refusal("model", type(source).__name__, "a path, bytes, an onnx.ModelProto or a torch.nn.Module")
        model = onnx.inliner.inline_local_functions(model) if model.functions else model
    except (RingjetError, OSError):
        raise
    except Exception as error:  # of protobuf, which has several types
        raise MalformedError(f"no ONNX file: {error}") from None
    if not model.graph.node or model.graph.sparse_initializer:
        raise MalformedError("no ONNX file with operators and dense weights")
    return model


def _exported(module: Any, example: Any) -> bytes:
    """A PyTorch module as an ONNX file, in evaluation mode."""
    if example is None:
        raise refusal(
            "example", None, "a batch of samples, since a PyTorch module does not know the shape of its input"
        )
    torch = importlib.import_module("torch")
    parameter = next((p for p in module.parameters() if p.is_floating_point()), torch.zeros(1))
    sample = torch.as_tensor(np.asarray(example)[:1]).to(parameter.dtype)
    # the older exporter needs no other packages
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    made = io.BytesIO()
    try:
        copied = copy.deepcopy(module).cpu().eval()
        axes = {"x": {0: "samples"}}
        torch.onnx.export(copied, (sample,), made, input_names=["x"], dynamic_axes=axes, **options)
    except Exception as error:  # any that the module or the exporter raises
        expected = f"a module that torch.onnx.export takes with an example {tuple(sample.shape)}: {error}"
        raise refusal("model", type(module).__name__, expected) from None
    return made.getvalue()


def _input(graph: Any) -> tuple[str, tuple[int, ...], np.dtype[Any], bool]:
    """The name of the input of a graph, the shape and type of a sample, and whether it takes several at once."""
    weights = {weight.name for weight in graph.initializer}
    found = [value for value in graph.input if value.name not in weights]
    if len(found) != 1:
        raise refusal("model", f"inputs {[value.name for value in found]}", "one input, the samples")
    kind = found[0].type.tensor_type
    sizes = [size.dim_value if size.HasField("dim_value") else None for size in kind.shape.dim]
    name = f"input {found[0].name} of shape {sizes}"
    if not sizes or any(size is None or size < 1 for size in sizes[1:]):
        raise refusal(
            "model", name, "a shape with all axes fixed but axis 0, the samples: export it with dynamic axis 0 alone"
        )
    if sizes[0] not in (None, 0, 1):
        raise refusal("model", name, "axis 0, the samples, to be dynamic or 1: export it with a batch of one sample")
    try:
        dtype = np.dtype(package().helper.tensor_dtype_to_np_dtype(kind.elem_type))
    except (KeyError, TypeError):
        dtype = np.dtype(object)
    if dtype.kind not in "fiu":
        raise refusal("model", f"{name}, type {dtype}", "real numbers")
    return found[0].name, tuple(int(size or 0) for size in sizes[1:]), dtype, sizes[0] != 1


def _output(graph: Any, wanted: str | None) -> str:
    """The name of the result. Files of scikit-learn have labels, and probabilities after them."""
    names = [value.name for value in graph.output]
    if wanted is not None:
        if wanted not in names:
            raise refusal("output", repr(wanted), f"one of the model's results: {names}")
        return wanted
    if len(names) == 2 and "label" in names[0] and "prob" in names[1]:
        # behind this operator they are dictionaries
        maps = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "ZipMap"}
        return str(maps.get(names[1], names[1]))
    if len(names) != 1:
        raise refusal("output", None, f"the name of one of the model's results: {names}")
    return str(names[0])


def _ending(graph: Any, output: str) -> tuple[str, tuple[str, ...]]:
    """The name of the scores of a result, and the operators that are computed of them."""
    makers = {name: node for node in graph.node for name in node.output if name}
    scores, name = output, output
    ending: list[str] = []
    while name in makers:
        node = makers.pop(name)  # a damaged file may have circles
        is_end = node.op_type in ("Softmax", "LogSoftmax", "ArgMax") or (node.op_type == "Sigmoid" and not ending)
        if not node.input or not (is_end or node.op_type in _TRANSPARENT):
            break
        name = node.input[0]
        if is_end:
            scores = name
            ending.append(node.op_type)
    return scores, tuple(ending)


def _is_head(file: OnnxFile) -> bool:
    """Whether the owner of the scores can compute what ends the file: it is of classes, and of all scores at once."""
    scores, found = file.results(_samples(file), [file.scores, file.output])
    count = scores.shape[1]
    # several sigmoids are values, unless the caller says that they are classes
    if count == 0 or file.task == "values" or (count == 1) != (file.ending == ("Sigmoid",)):
        return file.task == "classes" and set(file.ending) == {"Sigmoid"}
    for op in reversed(file.ending):
        if op == "Sigmoid":
            scores = function("sigmoid")(scores)
        elif op == "ArgMax":
            scores = scores.argmax(axis=1)[:, None]
        else:
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores = powers / powers.sum(axis=1, keepdims=True)
            scores = np.log(scores) if op == "LogSoftmax" else scores
    return scores.shape == found.shape and np.allclose(scores, found, rtol=1e-2, atol=1e-3)


# --- networks ---


def _network(file: OnnxFile) -> Network:
    nodes, scores = read_nodes(file.model.graph, file.opset, file.input, file.shape, file.scores)
    count = scores.size
    is_classes = bool(file.ending) or (count > 1 and not _ending(file.model.graph, file.output)[1])
    if file.task == "values" or (file.task is None and not is_classes):
        head = Head("value")
    else:
        if count == 1 and file.ending != ("Sigmoid",):
            # the sign of a probability says nothing, and a file does not say whether its score is one
            expected = 'a file that ends with Sigmoid; or task="values", and a threshold for what predict returns'
            raise refusal("task", '"classes" for one score', expected)
        head = Head("sign" if count == 1 else "argmax", _classes(file.model.graph, max(count, 2)))
    return Network(nodes, file.shape, scores.number, head)


def _classes(graph: Any, count: int) -> Array:
    """The classes, which files of scikit-learn name; numbers in others."""
    for node in graph.node:
        if node.op_type == "ZipMap":
            found = attributes_of(node)
            labels = found.get("classlabels_int64s") or [text(label) for label in found.get("classlabels_strings", [])]
            if len(labels) == count:
                return np.array(labels)
    return np.arange(count)


def _samples(file: OnnxFile) -> Array:
    """Random samples, half of them with negative numbers, as the input type of the file holds them."""
    draws, size = np.random.default_rng(0), math.prod(file.shape)
    if file.dtype.kind in "iu":
        return draws.integers(0, 100, (6, size)).astype(float)
    rows = np.concatenate([draws.normal(size=(3, size)), draws.uniform(size=(3, size))])
    return rows.astype(file.dtype).astype(float)


def _is_half(file: OnnxFile) -> bool:
    """Whether a part of a file computes in half precision."""
    graph, half = file.model.graph, (10, 16)
    casts = any(attributes_of(node).get("to") in half for node in graph.node if node.op_type == "Cast")
    weights = any(weight.data_type in half for weight in graph.initializer)
    return casts or weights or (file.dtype.itemsize < 4 and file.dtype.kind == "f")


def _expect_same(file: OnnxFile, network: Network, x: Array) -> None:
    """Refuses a file whose reference implementation gives other scores for samples than the network, or other ones for
    several samples at once."""
    known = file.reference(x)
    with np.errstate(all="ignore"):
        found = network(x)
    rows = np.all(np.isfinite(known), axis=1) & (known.shape[1] > 0)
    if found.shape != known.shape or not rows.any():
        raise refusal("model", f"scores of shape {known.shape[1:]}", "finite scores for random samples")
    most = _HALF if _is_half(file) else _SINGLE
    known, found = known[rows], found[rows]
    size = np.abs(known).max(axis=1)
    far = np.max(
        np.abs(found - known).max(axis=1) / np.maximum(size.astype(float), max(float(size.max()) / 100, 1e-300))
    )
    if not far <= most:
        raise refusal("model", f"a file whose scores are {far:.2g} from those of its operators", f"{most} at most")
    if file.is_batched:
        try:
            pairs = x[: len(x) // 2 * 2]
            together = file.results(pairs, [file.scores], at_once=2)[0][rows[: len(pairs)]]
        except ArgumentError:
            return  # a file for one sample, whatever it states
        known = known[: len(together)]
        if together.shape != known.shape or not np.allclose(
            together, known, rtol=most, atol=most * np.abs(known).max()
        ):
            raise refusal("model", "scores that depend on other samples of a batch", "scores of each sample by itself")
