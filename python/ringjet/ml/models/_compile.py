"""Compiles fitted models, so that a server computes them on encrypted samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters
from ._choice import expect_same, memory_here, number
from ._compiled_network import Wishes, compiled_network, ranges
from ._ensemble import compiled
from ._folding import folded
from ._interface import names_of, rows
from ._layers import Array
from ._model import Model
from ._network import Network, Node
from ._onnx import Task, read_onnx
from ._sklearn import read
from ._steps import centred
from ._tree_readers import reads as is_ensemble


def compile(
    model: Any,
    calibration: Any,
    *,
    params: Parameters | str | None = None,
    agreement: float = 0.99,
    margin: float = 1.5,
    batch: int | None = None,
    memory: int | None = None,
    task: Task = None,
    hide_thresholds: bool = False,
) -> Model:
    """A fitted model, for a server that computes it on encrypted samples.

    model: of scikit-learn a linear model for classes or values, a kernel machine, GaussianNB, KMeans,
    NearestCentroid, nearest neighbours, an MLP, a tree, or an ensemble of trees; or a Pipeline of scalers, PCA or
    TruncatedSVD and one of them. Its `predict` is compared with what was read of it. Of XGBoost and LightGBM a model,
    a Booster, its JSON as a dictionary, or the path of such a JSON file, ending in .json. Or a network: an ONNX file
    as a path, bytes or an `onnx.ModelProto`, or a `torch.nn.Module`, which is exported to ONNX. It is compared with
    the reference implementation of ONNX.
    calibration: samples such as those that will come, one a row. They give the ranges of features; every second
    one gives the intervals of activations, and the others choose degrees and parameters.
    params: by default the smallest preset of CKKS with which the model reaches `agreement`, or parameters with exactly the
    levels that are needed, if these are faster. A network with more than 50 levels gets parameters that bootstrap.
    agreement: the least share of calibration samples with the same class as the model's, or with all values
    within a thousandth of their ranges.
    margin: the factor by which the interval of each activation exceeds the range of its inputs in calibration. Inputs
    outside cannot be noticed on ciphertexts, and give wrong scores: `Model.simulate` counts them, and a client warns of
    scores far outside those of calibration. A feature outside four times its range in calibration is refused when
    it is encrypted.
    batch: how many samples are usually sent together. By default there is a ciphertext for each feature, and up to
    as many samples as a ciphertext has slots take the same time, unless that takes too much memory. For few samples
    a ciphertext for each sample can be faster: with a number the estimates of both are compared. Networks that bootstrap
    have a sample in each ciphertext, or with a number above 1 as many as fit, if there is memory for that.
    memory: the bytes that a server has, by default those of this machine.
    task: "classes" or "values", what the scores of a network mean. By default they are classes where softmax, arg max
    or a single sigmoid end it, or several scores without them.
    hide_thresholds: of trees. By default a client computes for itself which comparisons with the thresholds of each
    feature hold. So client.json has all thresholds, sorted, without the trees, and the results are exact. With True
    it sends the features, and the server compares: that takes far longer, and features near a threshold may be taken
    for either side. `Model.simulate` warns of them.
    """
    agreement, margin = number("agreement", agreement, 0, 1), number("margin", margin, 1, 1e6)
    if batch is not None and (not isinstance(batch, (int, np.integer)) or batch < 1):
        raise refusal("batch", repr(batch), "a whole number of at least 1")
    memory = memory_here() if memory is None else _bytes(memory)
    if is_ensemble(model):
        return compiled(model, calibration, params, agreement, memory, hide_thresholds)
    if hide_thresholds:
        raise refusal("hide_thresholds", True, "trees: other models have no thresholds")
    known = _source(model, calibration, task)
    wishes = Wishes(params, agreement, margin, batch, memory)
    if known.predict is not None:
        expect_same(model, known.predict, known.network, known.samples, *ranges(known.samples, known.network))
    return compiled_network(known.network, known.samples, known.names, wishes, is_single=_is_network(model))


def _bytes(memory: Any) -> int:
    if not isinstance(memory, (int, np.integer)) or memory < 1:
        raise refusal("memory", repr(memory), "a number of bytes, such as 16 * 2**30")
    return int(memory)


@dataclass(frozen=True)
class _Source:
    """What was read of a model and of the calibration samples."""

    network: Network
    samples: Array
    names: list[str] | None
    #: The predictions of the original; None where they were compared when it was read.
    predict: Callable[[Array], Any] | None


def _source(model: Any, calibration: Any, task: Task) -> _Source:
    names = names_of([str(name) for name in getattr(model, "feature_names_in_", [])] or None, calibration)
    if _is_network(model):
        network, predict = read_onnx(model, example=calibration, task=task), None
    elif task is not None:
        raise refusal("task", repr(task), "None: what this model predicts is known")
    else:
        layers, head = read(model)
        features = int(getattr(model, "n_features_in_", np.shape(calibration)[-1] if np.ndim(calibration) else 0))
        nodes = [Node(layer, (k,)) for k, layer in enumerate(layers)]
        network, predict = Network(nodes, (features,), len(nodes), head), model.predict
    x = rows("calibration", calibration, network.shape)
    if len(np.unique(x, axis=0)) < 2:
        raise refusal("calibration", f"an array of shape {np.shape(calibration)}", "two different samples or more")
    return _Source(folded(centred(network)), x, names, predict)


def _is_network(model: Any) -> bool:
    """Whether a model is an ONNX file, or becomes one."""
    packages = {kind.__module__.split(".")[0] for kind in type(model).__mro__}
    return isinstance(model, (str, PathLike, bytes, bytearray)) or bool(packages & {"onnx", "torch"})
