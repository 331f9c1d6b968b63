"""Networks as a server computes them: polynomials stand for activations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..._ringjet import Ciphertext, Parameters
from ...errors import RingjetError
from ._folding import folded, is_scalable
from ._functions import needs_positive
from ._layers import Activation, Affine, Array, Squares
from ._linear import Convolution, Linear, Pool, Scale
from ._network import AT_ONCE, Approximation, Concat, Network, Node, Product, Sum, restored
from ._polynomial import UNIT_SQUARE, Polynomial
from ._rectifier import Kind, Rectifier

T = TypeVar("T")

#: Networks with more levels than this bootstrap.
MOST_LEVELS = 50


def extremes(network: Network, x: Array) -> dict[int, tuple[float, float]]:
    """The least and the largest input of each activation for samples, by its node."""
    found: dict[int, tuple[float, float]] = {}
    for i in range(0, len(x), AT_ONCE):
        values = network.values(x[i : i + AT_ONCE])
        for k, node in enumerate(network.nodes):
            if isinstance(node.layer, Activation):
                inputs = values[node.inputs[0]]
                low, high = found.get(k, (np.inf, -np.inf))
                found[k] = min(low, float(inputs.min())), max(high, float(inputs.max()))
    return found


def fitted(
    network: Network,
    samples: Array,
    margin: float,
    kinds: Mapping[int, Kind],
    known: Mapping[int, tuple[float, float]],
) -> Network:
    """The network with polynomials for activations, of the kinds by their nodes. Each is fitted to its inputs for the
    samples, as the polynomials before it give them; its interval is `margin` times as wide as that of these and of
    the known extremes, for functions of positive numbers as far down and up."""
    nodes: list[Node] = []
    values: list[Array | None] = [samples]
    last = last_uses(network)
    for k, node in enumerate(network.nodes):
        inputs = [x for x in (values[i] for i in node.inputs) if x is not None]
        if isinstance(node.layer, Activation):
            x, (low, high) = inputs[0], known[k]
            ends = min(low, float(x.min())), max(high, float(x.max()))
            node = replace(node, layer=_approximation(node.layer, x, ends, margin, kinds[k]))
        values.append(node.layer(*inputs))
        nodes.append(node)
        for i in node.inputs:
            values[i] = values[i] if last[i] > k else None
    return replace(network, nodes=nodes)


def _approximation(
    activation: Activation, x: Array, ends: tuple[float, float], margin: float, kind: Kind
) -> Polynomial | Rectifier:
    """What stands for an activation with these inputs."""
    low, high = ends
    if kind.is_comparison:
        return Rectifier.fitted(activation.function, margin * max(-low, high, 1e-3), kind.levels, x)
    if low > 0 and needs_positive(activation.function):
        ends = low / margin, high * margin
    else:
        ends = _wider(low, high, margin, activation.upper_bound)
    return Polynomial.fitted(activation.function, *ends, kind.degree, x)


def _wider(low: float, high: float, margin: float, most: float) -> tuple[float, float]:
    """The interval from low to high, `margin` times as wide, up to `most` where no value is larger."""
    if most < np.inf:
        return most - margin * max(most - low, 1e-3), most
    # slots without an element hold 0
    low, high = min(low, 0.0), max(high, 0.0)
    middle, half = (low + high) / 2, margin * max((high - low) / 2, 1e-3)
    return middle - half, middle + half


def summed(network: Network) -> Network:
    """The network with sums instead of means of a fixed number of elements, which take no level, and their factor behind
    them."""
    for k in reversed(range(len(network.nodes))):
        node = network.nodes[k]
        pool = node.layer
        if isinstance(pool, Pool) and not pool.is_sum and (pool.counts_padding or not any(pool.padding)):
            factor = Scale(np.array(1 / math.prod(pool.window)), np.array(0.0), pool.output_shape)
            network = _inserted(_with_node(network, k, replace(node, layer=replace(pool, is_sum=True))), k, factor)
    return network


def _inserted(network: Network, k: int, layer: Linear) -> Network:
    """The network with a layer behind node k, which all nodes take that took its result."""
    moved = [replace(node, inputs=tuple(i + (i > k) for i in node.inputs)) for node in network.nodes]
    nodes = [*moved[: k + 1], Node(layer, (k + 1,)), *moved[k + 1 :]]
    return replace(network, nodes=nodes, output=network.output + (network.output > k))


def _with_node(network: Network, k: int, node: Node) -> Network:
    """The network with another node k."""
    return replace(network, nodes=[*network.nodes[:k], node, *network.nodes[k + 1 :]])


def mapped(network: Network) -> Network:
    """The network whose linear layers map the intervals of the polynomials that follow them to that from -1 to 1, so
    that it takes no level of its own, and scale the results of comparisons back. In networks that bootstrap squares are
    scaled, too, since values above 1 cannot be bootstrapped."""
    is_deep = least_depth(network) > MOST_LEVELS
    nodes: list[Node] = []
    numbers, sizes = [0], network.sizes()

    def scaled(factor: float, shift: float, source: int, size: int) -> int:
        nodes.append(Node(Scale(np.array(factor), np.array(shift), (size,)), (source,)))
        return len(nodes)

    for k, node in enumerate(network.nodes):
        inputs, layer, size = tuple(numbers[i] for i in node.inputs), node.layer, sizes[k + 1]
        if (
            isinstance(layer, Approximation)
            and not layer.is_mapped
            and _has_map(network, layer, node.inputs[0], is_deep)
        ):
            middle, half = (layer.low + layer.high) / 2, (layer.high - layer.low) / 2
            inputs, layer = (scaled(1 / half, -middle / half, inputs[0], size),), replace(layer, is_mapped=True)
            back = half if isinstance(layer, Rectifier) else 1.0
        elif is_deep and isinstance(layer, Polynomial) and layer.function == "square" and layer != UNIT_SQUARE:
            half = max(-layer.low, layer.high)
            inputs, layer, back = (scaled(1 / half, 0.0, inputs[0], size),), UNIT_SQUARE, half**2
        else:
            back = 1.0
        nodes.append(replace(node, layer=layer, inputs=inputs))
        numbers.append(len(nodes) if back == 1 else scaled(back, 0.0, len(nodes), size))
    return folded(replace(network, nodes=nodes, output=numbers[network.output]))


def _has_map(network: Network, layer: Approximation, source: int, is_deep: bool) -> bool:
    """Whether a scale of its own before a polynomial takes no more levels than the polynomial without it, or the
    network bootstraps, for which values must be small. Slots without an element hold 0, which must lie in the interval
    of functions of positive numbers."""
    if isinstance(layer, Rectifier) or needs_positive(layer.function):
        return True
    if is_deep:
        # values above 1 cannot be bootstrapped
        return layer.function != "square"
    before = network.nodes[source - 1].layer if source else None
    terms = network.nodes[source - 1].inputs if isinstance(before, Sum) else ()
    alone = source != network.output and sum(other.inputs.count(source) for other in network.nodes) == 1
    taken = is_scalable(network, source) or any(is_scalable(network, i) for i in terms)
    return layer.function != "square" and alone and taken


def described(network: Network) -> list[list[str]]:
    """A row for each layer: what it is, its size, the interval of an activation."""
    rows = []
    for node in network.nodes:
        layer = node.layer
        if isinstance(layer, Approximation):
            rows.append([layer.function, f"degree {layer.degree}", f"{layer.low:.4g} to {layer.high:.4g}"])
        elif isinstance(layer, Linear):
            name = type(layer).__name__.lower()
            rows.append([name, f"{layer.inputs} -> {layer.outputs}", ""])
        else:
            rows.append([type(layer).__name__.lower(), "", ""])
    return rows


def outside(network: Network, x: Array) -> float:
    """The share of the inputs of all polynomials that lie outside their interval, for samples x."""
    values = network.values(x)
    counts = [
        node.layer.outside(values[node.inputs[0]]) for node in network.nodes if isinstance(node.layer, Approximation)
    ]
    total = sum(count.size for count in counts)
    return sum(int(count.sum()) for count in counts) / total if total else 0.0


def prepended(network: Network, layer: Linear) -> Network:
    """The network after a layer."""
    moved = [replace(node, inputs=tuple(k + 1 for k in node.inputs)) for node in network.nodes]
    return replace(network, nodes=[Node(layer, (0,)), *moved], output=network.output + 1)


def appended(network: Network, layer: Linear) -> Network:
    """A layer after the network."""
    nodes = [*network.nodes, Node(layer, (network.output,))]
    return replace(network, nodes=nodes, output=len(nodes))


def centred(network: Network) -> Network:
    """The network with the mean of all scores subtracted from each, where only their differences matter."""
    last = network.nodes[network.output - 1] if network.output else None
    if last is None or network.head.kind not in ("argmax", "nearest") or not isinstance(last.layer, Affine):
        return network
    layer = Affine(last.layer.weights - last.layer.weights.mean(axis=0), last.layer.bias - last.layer.bias.mean())
    return _with_node(network, network.output - 1, replace(last, layer=layer))


def last_uses(network: Network) -> list[int]:
    """The number of the last node that uses each value; that of the result is kept to the end."""
    last = [-1] * (len(network.nodes) + 1)
    for k, node in enumerate(network.nodes):
        for i in node.inputs:
            last[i] = k
    last[network.output] = len(network.nodes)
    return last


def combined(layer: Sum | Product, parts: Sequence[Ciphertext]) -> Ciphertext:
    """A layer of several inputs on ciphertexts."""
    if isinstance(layer, Product):
        return parts[0] * parts[1]
    made = parts[0] if layer.signs[0] > 0 else -parts[0]
    for sign, part in zip(layer.signs[1:], parts[1:], strict=True):
        made = made + part if sign > 0 else made - part
    return made


def at_lowest_level(
    params: Parameters, made: Callable[[int | None], T], left: Callable[[T], int], bootstraps: Callable[[T], int]
) -> T:
    """What `made` makes for inputs at the lowest level that it does not refuse, and with which it bootstraps no more often;
    None is the top level. left: how many levels the results of it have left."""
    first = made(None)
    for spare in range(left(first), 0, -1):
        assert params.top_level is not None, "CKKS has levels"
        try:
            found = made(params.top_level - spare)
        except RingjetError:
            continue
        if bootstraps(found) <= bootstraps(first):
            return found
    return first


def least_depth(network: Network) -> int:
    """A number of levels that no layout can do without."""
    taken = [0]
    for node in network.nodes:
        layer = node.layer
        levels = 0
        if isinstance(layer, Approximation):
            levels = layer.levels
        elif isinstance(layer, (Squares, Product, Affine, Convolution)):
            levels = 1
        taken.append(max(taken[k] for k in node.inputs) + levels)
    return taken[network.output]


def levels_behind(network: Network) -> list[int]:
    """How many levels the layers between each value and the next activations take, or the result of the network."""
    behind = [0] * (len(network.nodes) + 1)
    for k in reversed(range(len(network.nodes))):
        layer = network.nodes[k].layer
        if isinstance(layer, Approximation):
            continue
        taken = 0 if isinstance(layer, (Sum, Concat)) or (isinstance(layer, Pool) and layer.is_sum) else 1
        for i in network.nodes[k].inputs:
            behind[i] = max(behind[i], taken + behind[k + 1])
    return behind


def in_single_precision(network: Network) -> Network:
    """The network with weights that are exact in single precision."""
    described, arrays = network.stored()
    short = {name: a.astype(np.float32).astype(float) if a.dtype == float else a for name, a in arrays.items()}
    return restored(described, short, network.head)
