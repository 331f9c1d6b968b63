"""Quadratics of each channel, which networks learn instead of rectifiers, as squares between linear layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ._folding import ancestors, folded
from ._layers import Activation, Array
from ._linear import Scale
from ._network import Network, Node, Product, Sum

#: How far the vertex of a quadratic may be from 0, in multiples of the largest input. The squares are then at most
#: (1 + 8)^2 times as large as those of the inputs.
_FAR = 8.0

#: The number of samples that give the largest inputs.
_SAMPLES = 16


def with_squares(network: Network, samples: Array) -> Network:
    """The network with `a (x + b / 2a)^2 + c - b^2 / 4a` wherever it computes a x^2 + b x + c by products and sums. The
    numbers a, b and c are those of an element. The shift becomes a part of the layer before the square and the factor
    a part of the layers behind it, so that a quadratic takes one level. Where a channel is almost linear, its vertex is
    far from all inputs that samples give: then products and sums stay, which take two levels."""
    values = network.values(samples[:: -(-len(samples) // _SAMPLES)])
    largest = [float(np.abs(value).max()) for value in values]
    for k in range(len(network.nodes), 0, -1):
        found = _quadratic(network, k)
        if found is None:
            continue
        root, (c, b, a) = found
        shift = _vertex(a, b)
        if np.abs(shift).max() <= _FAR * largest[root]:
            network = _replaced(network, k, root, shift, a, c - a * shift**2)
    return folded(network)


def _vertex(a: Array, b: Array) -> Array:
    """b / 2a, 0 for constants and infinite for linear functions."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(b == 0, 0.0, b / (2 * a))


def _quadratic(network: Network, k: int) -> tuple[int, Array] | None:
    """The first value of whose elements value k, a product or a sum, is a quadratic, and its coefficients; None if
    there is no such value."""
    if not isinstance(network.nodes[k - 1].layer, (Product, Sum)):
        return None
    sizes = network.sizes()
    for root in sorted(ancestors(network, k)):
        polynomials = _polynomials(network, k, root, sizes[root])
        if k in polynomials and np.any(polynomials[k][2]):
            return root, polynomials[k]
    return None


def _polynomials(network: Network, k: int, root: int, size: int) -> dict[int, Array]:
    """The values up to k that are polynomials of degree 2 at most of each element of the root: their coefficients
    (3, elements), the constant one first."""
    found = {root: np.repeat([[0.0], [1.0], [0.0]], size, axis=1)}
    for i in range(root + 1, k + 1):
        node = network.nodes[i - 1]
        if all(j in found for j in node.inputs):
            made = _polynomial(node, [found[j] for j in node.inputs])
            if made is not None:
                found[i] = made
    return found


def _polynomial(node: Node, inputs: list[Array]) -> Array | None:
    layer = node.layer
    if isinstance(layer, Sum):
        return layer(*inputs)
    if isinstance(layer, Scale):
        made = inputs[0] * layer.factors
        made[0] += layer.bias
        return made
    if isinstance(layer, Product) or layer == Activation("square"):
        return _product(inputs[0], inputs[-1])
    return None


def _product(p: Array, q: Array) -> Array | None:
    """The product of two polynomials, if its degree is at most 2."""
    if np.any(p[2]) and np.any(q[1:]) or np.any(q[2]) and np.any(p[1:]):
        return None
    return np.stack([p[0] * q[0], p[0] * q[1] + p[1] * q[0], p[0] * q[2] + p[1] * q[1] + p[2] * q[0]])


def _replaced(network: Network, k: int, root: int, shift: Array, factor: Array, constant: Array) -> Network:
    """The network with `factor * (x + shift)^2 + constant` as value k, where x is the root. Two values are new before
    it."""
    nodes, name, shape = network.nodes, network.nodes[k - 1].name, shift.shape
    square = [
        Node(Scale(np.array(1.0), shift, shape), (root,)),
        Node(Activation("square"), (k,), name),
        Node(Scale(factor, constant, shape), (k + 1,)),
    ]
    behind = [replace(node, inputs=tuple(i + 2 * (i >= k) for i in node.inputs)) for node in nodes[k:]]
    output = network.output + 2 * (network.output >= k)
    return replace(network, nodes=[*nodes[: k - 1], *square, *behind], output=output)
