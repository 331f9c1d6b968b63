"""ONNX files that tests make, and their comparison with the reference implementation of ONNX."""

from __future__ import annotations

import numpy as np
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
