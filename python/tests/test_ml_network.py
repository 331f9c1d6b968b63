"""Layers of networks in the clear: their matrices, files and foldings."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ringjet.ml.models._layers import Affine
from ringjet.ml.models._linear import Convolution, Pool, Scale, Select, restored, stored

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
