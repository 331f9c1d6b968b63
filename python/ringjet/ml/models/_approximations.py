"""Chooses the degrees of the polynomials that stand for activations."""

from __future__ import annotations

import numpy as np

from ._layers import Activation, Array
from ._network import Network
from ._scores import agreement
from ._steps import fitted

#: Degrees that are tried, each the largest of its number of levels.
_DEGREES = (3, 7, 15, 31, 63, 127)


def approximated(
    network: Network, x: Array, centre: Array, spread: Array, wanted: float, margin: float
) -> tuple[Network, float]:
    """The network with polynomials for activations, and its agreement with the network: of low degrees, with which at
    most `(1 - wanted) / 4` of the samples disagree, if there are such. Every second sample is for fitting, the
    others for comparing. The centre is what slots without a sample hold: it must lie in all intervals. spread: the
    ranges of scores."""
    held, samples = x[1::2], np.concatenate([x[::2], centre[None]])
    known = network.head(network(held))
    places = [k for k, node in enumerate(network.nodes) if isinstance(node.layer, Activation)]

    def tried(degrees: dict[int, int]) -> tuple[Network, float]:
        made = fitted(network, samples, margin, degrees)
        return made, agreement(network.head, network.head(made(held)), known, spread)

    # samples to come agree less often than those for which degrees are chosen
    target = 1 - (1 - wanted) / 4
    for degree in _DEGREES:
        degrees = dict.fromkeys(places, degree)
        made, reached = tried(degrees)
        if reached >= target or not places:
            break
    for k in places:
        while reached >= target and degrees[k] > _DEGREES[0]:
            lower = {**degrees, k: _DEGREES[_DEGREES.index(degrees[k]) - 1]}
            found = tried(lower)
            if found[1] < target:
                break
            degrees, (made, reached) = lower, found
    return made, reached
