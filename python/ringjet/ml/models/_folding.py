"""Networks with as few layers as possible that compute the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ._functions import PLAIN
from ._layers import Activation, Affine, Array, Squares
from ._linear import Convolution, Pool, Scale, Select
from ._network import Layer, Network, Node, Product, Sum

#: The functions that are recognised where a network computes them by others, and the points where they are compared.
_KNOWN = ("square", "silu", "gelu", "gelu tanh", "hard swish", "mish", "softsign")
_FAR = np.array([50.0, 1e3, 1e6])  # where a function may be cut off
_POINTS = np.concatenate([np.linspace(-12, 12, 193), np.linspace(-1, 1, 41), _FAR, -_FAR])


def folded(network: Network) -> Network:
    """The network with scales, selections and affine layers merged into the layers beside them, and with known
    functions (silu, gelu) as one activation where it computes them by others. Values that several nodes use stay,
    but for scales that these can take over, and nothing becomes larger."""
    network = _used(network)
    while (found := next((made for rewrite in _REWRITES if (made := rewrite(network)) is not None), None)) is not None:
        network = _used(found)
    return network


def _used(network: Network) -> Network:
    """The network without nodes on which its output does not depend."""
    needed = {network.output}
    for k in range(len(network.nodes), 0, -1):
        if k in needed:
            needed.update(network.nodes[k - 1].inputs)
    values = sorted(needed | {0})
    numbers = {k: i for i, k in enumerate(values)}
    nodes = [
        replace(network.nodes[k - 1], inputs=tuple(numbers[i] for i in network.nodes[k - 1].inputs)) for k in values[1:]
    ]
    return replace(network, nodes=nodes, output=numbers[network.output])


def _uses(network: Network) -> list[int]:
    """How many nodes use each value; the owner of the scores is one of them."""
    uses = [0] * (len(network.nodes) + 1)
    for k in itertools.chain([network.output], *(node.inputs for node in network.nodes)):
        uses[k] += 1
    return uses


def _replaced(network: Network, layers: dict[int, Layer | None]) -> Network:
    """The network with other layers as the results of values, which keep their numbers. None: the value is that of
    the node's input."""
    nodes, same = [], list(range(len(network.nodes) + 1))
    for k, node in enumerate(network.nodes, start=1):
        inputs = tuple(same[i] for i in node.inputs)
        layer = layers.get(k, node.layer)
        if layer is None:
            same[k] = inputs[0]
        nodes.append(replace(node, layer=node.layer if layer is None else layer, inputs=inputs))
    return replace(network, nodes=nodes, output=same[network.output])


# --- known functions ---


def _recognised(network: Network) -> Network | None:
    """The network with one more known function as an activation."""
    for k in range(len(network.nodes), 0, -1):
        node = network.nodes[k - 1]
        if isinstance(node.layer, (Product, Scale)):
            for root in sorted(ancestors(network, k), reverse=True):
                name = _name(_scalar(network, k, root))
                if name is not None:
                    nodes = list(network.nodes)
                    nodes[k - 1] = replace(node, layer=Activation(name), inputs=(root,))
                    return replace(network, nodes=nodes)
    return None


def _name(found: Array | None) -> str | None:
    """The name of the function with these values at `_POINTS`."""
    if found is None:
        return None
    return next((name for name in _KNOWN if np.allclose(found, PLAIN[name](_POINTS), rtol=1e-6, atol=1e-6)), None)


def ancestors(network: Network, value: int) -> set[int]:
    """The values from which a value is computed element by element, in a few steps."""
    found, last = set(), {value}
    for _ in range(8):
        nodes = [network.nodes[k - 1] for k in last if k]
        last = {i for node in nodes if isinstance(node.layer, (Product, Sum, Activation, Scale)) for i in node.inputs}
        found |= last
    return found


def _scalar(network: Network, value: int, root: int) -> Array | None:
    """A value as a function of an element of another one, at `_POINTS`; None if it is none, the same for all
    elements."""
    found = {root: _POINTS}
    with np.errstate(all="ignore"):
        for k in range(root + 1, value + 1):
            node = network.nodes[k - 1]
            if all(i in found for i in node.inputs):
                inputs = [found[i] for i in node.inputs]
                if isinstance(node.layer, (Product, Sum, Activation)):
                    found[k] = node.layer(*inputs)
                elif isinstance(node.layer, Scale) and _is_uniform(node.layer):
                    found[k] = inputs[0] * node.layer.factor.flat[0] + node.layer.shift.flat[0]
    return found.get(value)


def _is_uniform(layer: Scale) -> bool:
    """Whether a scale is the same for all elements."""
    return bool(np.all(layer.factor == layer.factor.flat[0]) and np.all(layer.shift == layer.shift.flat[0]))


# --- linear layers that become one ---


def _merged_neighbours(network: Network) -> Network | None:
    """The network with two neighbours as one layer, or without a selection of everything."""
    uses = _uses(network)
    for k, node in enumerate(network.nodes, start=1):
        layer, before = node.layer, node.inputs[0]
        if _changes_nothing(layer):
            return _replaced(network, {k: None})
        if len(node.inputs) == 1 and before and uses[before] == 1:
            merged = _merged(network.nodes[before - 1].layer, layer)
            if merged is not None:
                return _replaced(_named(network, before, k), {before: None, k: merged})
    return None


def _changes_nothing(layer: Layer) -> bool:
    if isinstance(layer, Scale):
        return bool(np.all(layer.factor == 1) and np.all(layer.shift == 0))
    return isinstance(layer, Select) and np.array_equal(layer.indices, np.arange(layer.inputs))


def _named(network: Network, first: int, second: int) -> Network:
    """The second node with the name of the first one, if it has none or only scales or selects."""
    nodes = list(network.nodes)
    one, other = nodes[first - 1], nodes[second - 1]
    if not isinstance(one.layer, (Scale, Select)) or not other.name:
        nodes[second - 1] = replace(other, name=one.name)
    return replace(network, nodes=nodes)


def _merged(first: Layer, second: Layer) -> Layer | None:
    """The two layers as one, if there is one that is not larger."""
    for kind, other, merge in _MERGES:
        if isinstance(first, kind) and isinstance(second, other):
            return merge(first, second)
    return None


def _affines(first: Affine, second: Affine) -> Affine | None:
    smaller = second.outputs * first.inputs <= first.weights.size + second.weights.size
    return second.after(first) if smaller else None


def _scale_after_affine(first: Affine, second: Scale) -> Affine:
    return Affine(first.weights * second.factors[:, None], first.bias * second.factors + second.bias)


def _scale_before_affine(first: Scale, second: Affine) -> Affine:
    return Affine(second.weights * first.factors, second.bias + second.weights @ first.bias)


def _scales(first: Scale, second: Scale) -> Scale:
    if first.shape == second.shape:
        return Scale(first.factor * second.factor, first.shift * second.factor + second.shift, first.shape)
    shift = first.bias * second.factors + second.bias
    return Scale(first.factors * second.factors, shift, (first.inputs,))


def _scale_after_convolution(first: Convolution, second: Scale) -> Convolution | None:
    factor = _of_channels(second.factors, first.output_shape[0])
    if factor is None:
        return None
    shift = _of_channels(second.bias, first.output_shape[0])
    return first.scaled(factor, second.bias.reshape(first.output_shape) if shift is None else shift)


def _scale_before_convolution(first: Scale, second: Convolution) -> Convolution | None:
    factor = _of_channels(first.factors, second.shape[0])
    if factor is None:
        return None
    by_group = second.kernel.reshape(second.groups, -1, *second.kernel.shape[1:])
    kernel = (by_group * factor.reshape(second.groups, 1, -1, 1, 1)).reshape(second.kernel.shape)
    shift = _of_channels(first.bias, second.shape[0])
    if shift is None or (any(second.padding) and np.any(shift)):
        # padding is zero after the scale, so that the results at the border get less of the shift
        return replace(second, kernel=kernel, channel_bias=second(first.bias[None])[0].reshape(second.output_shape))
    bias = (by_group * shift.reshape(second.groups, 1, -1, 1, 1)).sum(axis=(2, 3, 4)).ravel()
    return replace(second, kernel=kernel).scaled(np.ones(len(bias)), bias)


def _by_channel(layer: Scale, channels: int) -> tuple[Array, Array] | None:
    """Factor and shift of each channel, if they are the same for all its elements."""
    factor, shift = (_of_channels(part, channels) for part in (layer.factors, layer.bias))
    return None if factor is None or shift is None else (factor, shift)


def _of_channels(numbers: Array, channels: int) -> Array | None:
    """The number of each channel, if all its elements have the same."""
    parts = numbers.reshape(channels, -1)
    return None if np.any(parts != parts[:, :1]) else np.asarray(parts[:, 0])


def _selects(first: Select, second: Select) -> Select:
    return Select(np.where(second.indices >= 0, first.indices[second.indices], -1), first.inputs)


def _select_after_affine(first: Affine, second: Select) -> Affine | None:
    if second.outputs > first.outputs:
        return None
    kept = (second.indices >= 0) * 1.0
    return Affine(first.weights[second.indices] * kept[:, None], first.bias[second.indices] * kept)


def _select_before_affine(first: Select, second: Affine) -> Affine | None:
    if first.inputs > first.outputs:
        return None
    weights, used = np.zeros((first.inputs, second.outputs)), first.indices >= 0
    np.add.at(weights, first.indices[used], second.weights.T[used])
    return Affine(weights.T, second.bias)


def _padding_before_convolution(first: Select, second: Convolution) -> Convolution | None:
    """A selection that adds zeros around a tensor, as padding of the convolution."""
    channels, rows, columns = second.shape
    inside = first.indices.reshape(second.shape) >= 0
    down, across = inside.any(axis=(0, 2)), inside.any(axis=(0, 1))
    height, width = int(down.sum()), int(across.sum())
    if not height or not width or first.inputs != channels * height * width:
        return None
    top, left = int(down.argmax()), int(across.argmax())
    padding = (top, left, rows - top - height, columns - left - width)
    around = [(0, 0), (padding[0], padding[2]), (padding[1], padding[3])]
    places = np.arange(first.inputs).reshape(channels, height, width)
    if min(padding) < 0 or not np.array_equal(np.pad(places, around, constant_values=-1).ravel(), first.indices):
        return None
    inner = second.padding
    total = (top + inner[0], left + inner[1], padding[2] + inner[2], padding[3] + inner[3])
    return replace(second, shape=(channels, height, width), padding=total)


_MERGES: Sequence[tuple[type[Layer], type[Layer], Callable[..., Layer | None]]] = (
    (Affine, Affine, _affines),
    (Affine, Scale, _scale_after_affine),
    (Scale, Affine, _scale_before_affine),
    (Scale, Scale, _scales),
    (Convolution, Scale, _scale_after_convolution),
    (Scale, Convolution, _scale_before_convolution),
    (Select, Select, _selects),
    (Affine, Select, _select_after_affine),
    (Select, Affine, _select_before_affine),
    (Select, Convolution, _padding_before_convolution),
)


# --- scales beside means and selections ---


def _moved_scale(network: Network) -> Network | None:
    """The network with one more scale moved along means and selections, and merged into the layer behind them."""
    uses = _uses(network)
    for k, node in enumerate(network.nodes, start=1):
        if not isinstance(node.layer, Scale):
            continue
        chain = _chain(network, uses, k)
        for way in (chain[chain.index(k) :], chain[: chain.index(k) + 1][::-1]):
            found = _along(network, way, forwards=way[-1] > k)
            if found is not None:
                return found
    return None


def _chain(network: Network, uses: list[int], k: int) -> list[int]:
    """The longest sequence of values through k each of which only the next one uses, and nothing else."""
    chain = [k]
    while (before := network.nodes[chain[0] - 1].inputs) and len(before) == 1 and before[0] and uses[before[0]] == 1:
        chain.insert(0, before[0])
    following = {node.inputs: i for i, node in enumerate(network.nodes, start=1) if len(node.inputs) == 1}
    while uses[chain[-1]] == 1 and (chain[-1],) in following:
        chain.append(following[(chain[-1],)])
    return chain


def _along(network: Network, way: Sequence[int], forwards: bool) -> Network | None:
    """The network with the scale that begins a way merged into the first layer of the way that is neither a mean
    nor a selection, if it can be moved there."""
    scale = network.nodes[way[0] - 1].layer
    assert isinstance(scale, Scale)
    for value in way[1:]:
        layer = network.nodes[value - 1].layer
        if isinstance(layer, (Pool, Select)):
            moved = _past(scale, layer, forwards)
            if moved is None:
                return None
            scale = moved
            continue
        merged = _merged(scale, layer) if forwards else _merged(layer, scale)
        return None if merged is None else _replaced(network, {way[0]: None, value: merged})
    return None


def _past(scale: Scale, layer: Pool | Select, forwards: bool) -> Scale | None:
    """The scale on the other side of a mean or a selection, if there is one: forwards after the layer, where it was
    before it, or the other way around."""
    if isinstance(layer, Select):
        return _past_selection(scale, layer, forwards)
    if np.any(scale.shift) and not layer.keeps_shift:
        return None
    found = _by_channel(scale, layer.shape[0])
    if found is None:
        return None
    factor, shift = (part.reshape(-1, 1, 1) for part in found)
    return Scale(factor, shift, layer.output_shape if forwards else layer.shape)


def _past_selection(scale: Scale, layer: Select, forwards: bool) -> Scale | None:
    places, used = layer.indices, layer.indices >= 0
    if forwards:
        return Scale(scale.factors[places], np.where(used, scale.bias[places], 0.0), (layer.outputs,))
    factors, shifts = np.ones(layer.inputs), np.zeros(layer.inputs)
    factors[places[used]], shifts[places[used]] = scale.factors[used], scale.bias[used]
    moved = Scale(factors, shifts, (layer.inputs,))
    # an element that is selected twice has one scale, and zeros have no shift
    same = np.array_equal(factors[places[used]], scale.factors[used]) and np.array_equal(
        layer(moved.bias[None])[0], scale.bias
    )
    return moved if same else None


def _spread_scale(network: Network) -> Network | None:
    """The network with one more scale merged into those layers that use it and that it can be merged into."""
    for k, node in enumerate(network.nodes, start=1):
        users = {i: user for i, user in enumerate(network.nodes, start=1) if k in user.inputs}
        if not isinstance(node.layer, Scale) or not users:
            continue
        found = {i: _merged(node.layer, user.layer) for i, user in users.items() if len(user.inputs) == 1}
        merged = {i: layer for i, layer in found.items() if layer is not None}
        if len(merged) == len(users) and k != network.output:
            return _replaced(network, {k: None, **merged})
        if merged:
            nodes = list(network.nodes)
            for i, layer in merged.items():
                nodes[i - 1] = replace(nodes[i - 1], layer=layer, inputs=node.inputs)
            return replace(network, nodes=nodes)
    return None


def _scale_before_sum(network: Network) -> Network | None:
    """The network with one more scale of a sum as scales of its terms, where a layer takes one of these in."""
    uses = _uses(network)
    for k, node in enumerate(network.nodes, start=1):
        value = node.inputs[0]
        total = network.nodes[value - 1] if value else None
        if not isinstance(node.layer, Scale) or total is None or uses[value] > 1 or not isinstance(total.layer, Sum):
            continue
        taken = [is_scalable(network, i) for i in total.inputs]
        if any(taken):
            return _with_scaled_terms(network, k, value, taken.index(True))
    return None


def is_scalable(network: Network, value: int) -> bool:
    """Whether a value comes from a layer that can scale and shift it, and a single layer uses it."""
    layer = network.nodes[value - 1].layer if value else None
    return isinstance(layer, (Affine, Convolution, Scale)) and _uses(network)[value] == 1


def _with_scaled_terms(network: Network, k: int, value: int, shifted: int) -> Network:
    """The network with scales of the terms of a sum, instead of scale k of the sum. shifted: the term that gets the shift."""
    scale, total = network.nodes[k - 1].layer, network.nodes[value - 1]
    assert isinstance(scale, Scale) and isinstance(total.layer, Sum)
    zero = np.zeros(())
    terms = [
        Node(replace(scale, shift=sign * scale.shift if j == shifted else zero), (i,))
        for j, (i, sign) in enumerate(zip(total.inputs, total.layer.signs, strict=True))
    ]
    # the terms come before the sum
    moved = [i if i < value else i + len(terms) for i in range(len(network.nodes) + 1)]
    nodes = [replace(node, inputs=tuple(moved[i] for i in node.inputs)) for node in network.nodes]
    nodes[value - 1] = replace(total, inputs=tuple(range(value, value + len(terms))))
    nodes[value - 1 : value - 1] = terms
    found = replace(network, nodes=nodes, output=moved[network.output])
    return _replaced(found, {moved[k]: None})


# --- scales before squares ---


def _scaled_squares(network: Network) -> Network | None:
    """The network with one more scale before `Squares` merged into the affine layer behind them."""
    uses = _uses(network)
    for k, node in enumerate(network.nodes, start=1):
        squares = node.inputs[0]
        scale = network.nodes[squares - 1].inputs[0] if squares else 0
        if not (scale and uses[squares] == uses[scale] == 1):
            continue
        first, middle = network.nodes[scale - 1].layer, network.nodes[squares - 1].layer
        if isinstance(first, Scale) and isinstance(middle, Squares) and isinstance(node.layer, Affine):
            return _replaced(network, {scale: None, k: _before_squares(first, node.layer)})
    return None


def _before_squares(scale: Scale, layer: Affine) -> Affine:
    """The layer for x and the squares of x that gives what `layer` gives for y and the squares of y, where y is the
    scaled x."""
    factor, shift = scale.factors, scale.bias
    linear, square = np.split(layer.weights, 2, axis=1)
    weights = np.concatenate([linear * factor + 2 * square * factor * shift, square * factor**2], axis=1)
    return Affine(weights, layer.bias + linear @ shift + square @ shift**2)


_REWRITES = (_recognised, _merged_neighbours, _moved_scale, _spread_scale, _scale_before_sum, _scaled_squares)
