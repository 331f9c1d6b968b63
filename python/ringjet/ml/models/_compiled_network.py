"""Compiles networks: ranges, polynomials, scales, the circuit and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters
from ...errors import RingjetError
from ._approximations import approximated
from ._choice import Choice, Search, parameters
from ._columns import ColumnsCircuit
from ._folding import folded
from ._files import named
from ._interface import Circuit, Interface
from ._layers import Array
from ._linear import Scale
from ._model import Model
from ._network import Approximation, Network
from ._quadratics import with_squares
from ._scores import agreement, scale
from ._slots import SlotsCircuit
from ._steps import MOST_LEVELS, appended, in_single_precision, least_depth, levels_behind, mapped, prepended, summed

#: Width of the accepted range of a feature, in multiples of its range in calibration.
_REACH = 4

#: How far scores that are computed in slots may be from those of the network.
_SAME = 1e-6

#: The largest number of samples on which parameters are compared.
_TRIALS = 256


@dataclass(frozen=True)
class Wishes:
    """What a caller of `compile` asks for."""

    params: Parameters | str | None
    agreement: float
    margin: float
    batch: int | None
    memory: int


def compiled_network(network: Network, x: Array, names: list[str] | None, wishes: Wishes, *, is_single: bool) -> Model:
    """A network for a server. x: the calibration samples. names: of their features. is_single: whether the weights have
    single precision."""
    (centre, half), scores = ranges(x, network), network(x)
    shift, unit = scale(network.head, scores)
    made = _scaled(_approximated(with_squares(network, x), x, centre, scores, wishes), centre, half, shift, unit)
    # such weights keep their precision, and take no more room
    made = in_single_precision(made) if is_single else made
    share = _share(network, made, x, (centre, half), (shift, unit))
    normal = (x[::2] - centre) / half
    search = Search(share, wishes.agreement, least_depth(made), wishes.memory, normal)
    chosen = _chosen(made, search, wishes)
    packing = chosen.circuit.packing(chosen.params, centre, half)
    unnamed = Interface(
        params=chosen.params,
        head=network.head,
        packing=packing,
        shape=network.shape,
        names=names,
        shift=shift,
        unit=unit,
        low=scores.min(axis=0),
        high=scores.max(axis=0),
        has_activations=any(isinstance(node.layer, Approximation) for node in made.nodes),
        keys=dict(chosen.plan.keys),
        fingerprint="",
    )
    return Model(network, chosen.circuit, named(unnamed, chosen.circuit), chosen.plan, chosen.reasons)


def _approximated(network: Network, x: Array, centre: Array, scores: Array, wishes: Wishes) -> Network:
    """The network with polynomials. Refuses one that no polynomials stand for."""
    wanted = wishes.agreement
    made, reached = approximated(network, x, centre, np.ptp(scores, axis=0), wanted, wishes.margin)
    if reached < wanted:
        raise refusal("agreement", wanted, f"at most {reached:.4f}, which the best polynomials and comparisons reach")
    return made


def _scaled(network: Network, centre: Array, half: Array, shift: Array, unit: Array) -> Network:
    """The network from what a client sends, between -1 and 1, to what a server returns, which is about 1 at most."""
    image = len(network.shape) == 3
    given = Scale(half[:1], np.zeros(1), half.shape) if image else Scale(half, centre, half.shape)
    returned = Scale(1 / unit, -shift / unit, unit.shape)
    return mapped(folded(summed(appended(prepended(network, given), returned))))


def _share(
    network: Network, made: Network, x: Array, sent: tuple[Array, Array], returned: tuple[Array, Array]
) -> Callable[[Array], float]:
    """The agreement of samples that were not used for polynomials, by the sizes of errors. made: the network as a server
    computes it. sent, returned: the centre and the half of features, shift and unit of scores."""
    held, head, spread = x[1::2], network.head, np.ptp(network(x), axis=0)
    tests = held[:: -(-len(held) // _TRIALS)]
    exact, wanted = made((tests - sent[0]) / sent[1]), head(network(tests))

    def share(errors: Array) -> float:
        found = exact + errors * np.random.default_rng(0).standard_normal(exact.shape)
        return agreement(head, head(found * returned[1] + returned[0]), wanted, spread)

    return share


def _expect_same_in_slots(network: Network, choice: Choice, normal: Array) -> None:
    """Refuses slots that do not have what the network gives, or whose values leave an interval."""
    if not isinstance(choice.circuit, SlotsCircuit):
        return
    found, problems = choice.circuit.first(choice.params, normal)
    exact = network(normal[: len(found)])
    far = float(np.abs(found - exact).max()) / max(1.0, float(np.abs(exact).max()))
    problems = tuple(text for text in problems if "right" not in text)
    if far > _SAME or problems:
        reason = problems[0] if problems else f"scores in slots are {far:.2g} from those of the network"
        raise refusal("batch", None, f"a network that can be computed on samples in slots: {reason}")


def ranges(x: Array, network: Network) -> tuple[Array, Array]:
    """The middle of the accepted range of each feature, and half of its width. All numbers of a tensor (channels,
    height, width) have one range around 0, since convolutions take what is around it for 0."""
    if len(network.shape) == 3:
        return np.zeros(x.shape[1]), np.full(x.shape[1], _REACH / 2 * max(float(np.abs(x).max()), 1e-300))
    low, high = x.min(axis=0), x.max(axis=0)
    centre = (low + high) / 2
    # a feature that is constant in calibration may become twice as large, or reach 1
    return centre, np.where(high > low, _REACH * (high - low) / 2, np.maximum(np.abs(centre), 1.0))


def _chosen(network: Network, search: Search, wishes: Wishes) -> Choice:
    """The circuit and the parameters. Without a batch samples are sent in columns, if that is possible; otherwise what
    takes the least time for so many samples."""
    choices: list[Choice] = []
    refused: list[RingjetError] = []
    for circuit, of_it in _candidates(network, search, wishes):
        if choices and (wishes.batch is None or circuit.kind == choices[-1].circuit.kind):
            break
        try:
            found = parameters(wishes.params, circuit, of_it)
            _expect_same_in_slots(network, found, search.normal)
            choices.append(found)
        except RingjetError as error:
            refused.append(error)
    if not choices:
        raise refused[0]
    count = wishes.batch or 1
    return min(choices, key=lambda found: found.seconds * -(-count // found.circuit.together(found.params)))


def _candidates(network: Network, search: Search, wishes: Wishes) -> Iterator[tuple[Circuit, Search]]:
    """The circuits that are tried, with what their parameters must reach. Of one kind the first that is possible is taken."""
    if search.depth <= MOST_LEVELS:
        yield ColumnsCircuit(network), search
        yield SlotsCircuit(network), search
        yield SlotsCircuit(network, keep="coefficients"), search
        return
    # a bootstrap leaves so many levels to an activation, and to the layers behind it
    behind = levels_behind(network)
    longest = max(
        node.layer.levels + behind[k]
        for k, node in enumerate(network.nodes, start=1)
        if isinstance(node.layer, Approximation)
    )
    bootstrapping = replace(search, longest=longest)
    if wishes.batch is not None and wishes.batch > 1:
        yield SlotsCircuit(network, keep="coefficients"), bootstrapping
    yield SlotsCircuit(network, is_alone=True, keep="coefficients"), bootstrapping
