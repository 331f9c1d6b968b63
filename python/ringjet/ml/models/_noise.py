"""How errors of ciphertexts grow on their way through a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._layers import Array
from ._network import Approximation, Network
from ._rectifier import Rectifier
from ._steps import last_uses

#: Samples that are computed with and without noise.
_SAMPLES = 16

#: By how much stated errors are larger than those of most elements.
_MARGIN = 1.5

#: The share of the elements of a value whose error is at most the stated one before the margin.
_SHARE = 0.999


@dataclass(frozen=True)
class Noise:
    """The standard deviations of independent errors."""

    #: Of the samples, and of what each node adds to its result. Comparisons have several: of each polynomial, and of the
    #: product.
    added: tuple[tuple[float, ...], ...]
    #: Of a bootstrap; 0 where there is none.
    bootstrap: float


def propagated(network: Network, normal: Array, noise: Noise) -> tuple[float, ...]:
    """The standard deviations of the errors of all values, for the noise that each node adds: measured on samples, which are
    computed with and without it. A value may be bootstrapped, and then has the error of that too.

    Estimates of ciphertexts cannot know how independent errors are: layer by layer they take the worst case, which is
    up to 100,000 times too large in deep networks."""
    rng, last = np.random.default_rng(0), last_uses(network)
    (sent,) = noise.added[0]
    # few samples are computed several times, with noise of their own each time
    samples = np.resize(normal[:: -(-len(normal) // _SAMPLES)], (_SAMPLES, normal.shape[1]))
    exact: list[Array | None] = [samples]
    noisy: list[Array | None] = [_with(samples, sent, rng)]
    found = [sent]
    for k, node in enumerate(network.nodes):
        layer, added = node.layer, noise.added[k + 1]
        inputs, others = ([x for x in (values[i] for i in node.inputs) if x is not None] for values in (exact, noisy))
        made = layer(*inputs)
        if isinstance(layer, Approximation):
            others = [_with(x, noise.bootstrap, rng) for x in others]
        if isinstance(layer, Rectifier):
            other = layer.noisy(others[0], [error * rng.standard_normal(made.shape) for error in added])
        else:
            other = _with(layer(*others), added[0], rng)
        exact.append(made)
        noisy.append(other)
        found.append(_MARGIN * float(np.hypot(_deviation(other - made), noise.bootstrap)))
        for i in node.inputs:
            if last[i] == k:
                exact[i] = noisy[i] = None
    return tuple(found)


def _with(x: Array, deviation: float, rng: np.random.Generator) -> Array:
    return np.asarray(x + deviation * rng.standard_normal(x.shape))


def _deviation(errors: Array) -> float:
    """The standard deviation that few elements exceed. errors: of samples, one a row."""
    return float(np.quantile(np.sqrt(np.mean(errors * errors, axis=0)), _SHARE))
