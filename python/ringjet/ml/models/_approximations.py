"""Chooses the polynomials that stand for activations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ._layers import Activation, Array
from ._network import Network
from ._rectifier import Kind, has_kink
from ._scores import agreement
from ._steps import MOST_LEVELS, extremes, fitted

#: Polynomials that are tried, each of the largest degree of its number of levels.
_POLYNOMIALS = [Kind(levels, 2**levels - 1) for levels in range(2, 8)]

#: Comparisons that are tried after these. Fewer levels are worse than the polynomial of degree 127, and with more
#: none is left for a layer behind them before the next bootstrap.
_COMPARISONS = [Kind(levels) for levels in range(10, 13)]

#: Activations with more levels than this are bootstrapped one by one.
_TWO_OF_THEM = 5

#: Values to which polynomials are fitted in a layer, about.
_FITTED = 1 << 20

#: How far scores with polynomials may be from exact ones where a network bootstraps, in shares of their ranges. Errors of
#: many layers add up, and agreement alone would not show it before classes change.
_NEAR = 0.01


class _Tried(NamedTuple):
    """A network with polynomials, and how it compares with the network."""

    network: Network
    agreement: float
    is_enough: bool


def approximated(
    network: Network, x: Array, centre: Array, spread: Array, wanted: float, margin: float
) -> tuple[Network, float]:
    """The network with polynomials for activations, and its agreement with the network: of few levels, with which at
    most `(1 - wanted) / 4` of the samples disagree, if there are such. Where the network bootstraps, scores are also near
    those of the network. Every second sample is for fitting, the others for comparing. The centre is what slots without a
    sample hold: it must lie in all intervals. spread: the ranges of scores."""
    held, samples = x[1::2], np.concatenate([x[::2], centre[None]])
    exact, ends = network(held), extremes(network, samples)
    known = network.head(exact)
    # layers with many values need fewer samples
    fits = samples[:: -(-len(samples) * max(network.sizes()) // _FITTED)] if ends else samples[:1]
    activations = {k: network.nodes[k].layer for k in ends}
    is_deep = len(ends) * _TWO_OF_THEM > MOST_LEVELS
    places = {k: _kinds(layer, is_deep) for k, layer in activations.items() if isinstance(layer, Activation)}

    # samples to come agree less often than those for which kinds are chosen
    target = 1 - (1 - wanted) / 4

    def tried(chosen: dict[int, int]) -> _Tried:
        made = fitted(network, fits, margin, {k: places[k][step] for k, step in chosen.items()}, ends)
        scores = made(held)
        is_near = not is_deep or bool((np.abs(scores - exact) <= _NEAR * spread).all())
        reached = agreement(network.head, network.head(scores), known, spread)
        return _Tried(made, reached, is_near and reached >= target)

    def everywhere(step: int) -> dict[int, int]:
        return {k: min(step, len(kinds) - 1) for k, kinds in places.items()}

    last = max(map(len, places.values()), default=1) - 1
    found: dict[int, _Tried] = {}
    for step in _halving(last, lambda step: found[step].is_enough) if is_deep else range(last + 1):
        found[step] = tried(everywhere(step))
        if not is_deep and found[step].is_enough:
            break
    enough = [step for step, trial in found.items() if trial.is_enough]
    step = min(enough) if enough else max(found, key=lambda step: (found[step].agreement, step))
    chosen, best = everywhere(step), found[step]
    if not is_deep:  # one that bootstraps gains nothing from fewer levels of one activation
        for k in places:
            while best.is_enough and chosen[k]:
                lower = {**chosen, k: chosen[k] - 1}
                trial = tried(lower)
                if not trial.is_enough:
                    break
                chosen, best = lower, trial
    return best.network, best.agreement


def _halving(last: int, is_enough: Callable[[int], bool]) -> Iterator[int]:
    """The steps up to the last one that are tried, where those above one that is enough are too: few of them."""
    low, high = 0, last + 1
    while low < high:
        middle = (low + high) // 2
        yield middle
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)


def _kinds(activation: Activation, is_deep: bool) -> list[Kind]:
    """What may stand for an activation, by levels."""
    if not has_kink(activation.function):
        return _POLYNOMIALS
    return [kind for kind in _POLYNOMIALS if not is_deep or kind.levels <= _TWO_OF_THEM] + _COMPARISONS
