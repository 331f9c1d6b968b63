"""A network as a server computes it on samples in a ciphertext each."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar, Literal

import numpy as np

from ..._checks import refusal
from ..._ringjet import Ciphertext, Parameters, Server
from ...program import Plan, Program
from ...program import compile as recorded
from ...vectors.matrices import EncryptedMatrix, load_matrix
from ._layers import Affine, Array, Squares
from ._linear import Convolution, Linear, Select
from ._network import Approximation, Concat, Network, Product, Sum
from ._noise import Noise, propagated
from ._packing import COUNT, Slots, side_by_side
from ._places import Place, Room, after
from ._rectifier import Rectifier
from ._steps import appended, at_lowest_level, combined, described, levels_behind, outside

#: An error that adds nothing to that of an operation.
_TINY = 1e-15

#: Samples that say how large values are.
_BOUNDED = 4

#: A value: the ciphertexts of its parts, in order.
_Value = list[Ciphertext]

#: The same value of several ciphertexts of samples.
_Values = list[_Value]

#: What a node does with the values of its inputs.
_Operation = Callable[..., _Value]

#: What computes a node from the values of all nodes before it, on a server.
Step = Callable[[Sequence[_Values], Server], _Values]


@dataclass(frozen=True)
class SlotsCircuit:
    """A network on samples side by side in a ciphertext, or on one sample a ciphertext, which repeats in its slots. Layers
    move the elements of a sample between its slots."""

    kind: ClassVar[str] = "slots"
    network: Network
    #: Whether a ciphertext has one sample.
    is_alone: bool = False
    #: What a server keeps of the diagonals of matrices: "coefficients" take less memory and more time.
    keep: Literal["encoded", "coefficients"] = "encoded"
    #: The standard deviations of the errors of all values, which the program states; none where estimates are not known
    #: better.
    errors: tuple[float, ...] = ()
    _programs: dict[tuple[str, int], Program] = field(default_factory=dict, init=False, repr=False, compare=False)

    @functools.cached_property
    def layout(self) -> Layout:
        """Where all values lie."""
        return Layout(self.network)

    def program(self, params: Parameters, count: int = 1) -> Program:
        """The network on one or two ciphertexts as a program. Two are bootstrapped together, which is faster than one after
        the other. Refuses parameters with too few slots or levels."""
        if self.layout.slots > params.slots:
            expected = f"parameters with {self.layout.slots} slots or more, which a sample takes"
            raise refusal("params", repr(params), expected)
        key = params.fingerprint, count
        if key not in self._programs:
            computed = self.layout.computed(self.room(params), count, self.errors)
            if count > 1:
                self._programs[key] = recorded(computed, params, level=self.level(params))
                return self._programs[key]
            self._programs[key] = at_lowest_level(
                params,
                lambda level: recorded(computed, params, level=level),
                lambda made: min(made.plan().levels),
                lambda made: len(made.plan().bootstraps),
            )
        return self._programs[key]

    def together(self, params: Parameters) -> int:
        """How many samples a plan is for: as many as a ciphertext holds."""
        return 1 if self.is_alone else params.slots // self.layout.slots

    def room(self, params: Parameters) -> Room:
        """The slots of a ciphertext."""
        return Room(self.layout.slots, self.together(params), self.keep)

    def stated(self, params: Parameters, normal: Array) -> SlotsCircuit:
        """The circuit that states the errors of all values, as noise of the size that each layer adds becomes on its way
        through the network. normal: samples as they are sent."""
        room, network = self.room(params), self.layout.network
        some = normal[:: -(-len(normal) // _BOUNDED)]
        bounds = [max(float(np.abs(x).max()), _TINY) for x in network.values(some)]
        found = replace(self, errors=propagated(network, normal, self.layout.noise(params, room, bounds)))
        # the same layout, whose matrices take long to make
        found.__dict__["layout"] = self.layout
        return found

    def packing(self, params: Parameters, centre: Array, half: Array) -> Slots:
        """How a client packs samples."""
        layout, together = self.layout, self.together(params)
        return Slots(centre, half, self.network.shape, layout.slots, together, self.level(params), layout.results)

    def level(self, params: Parameters) -> int | None:
        """The level of what is sent; None for the top level."""
        (level,) = self.program(params).options()["level"]
        return None if level is None else int(level)

    def run(self, server: Server, data: memoryview) -> bytes:
        """Computes on the bytes of samples."""
        x = load_matrix(server, data[COUNT:], max_bytes=len(data))
        slots = server.params.slots
        if x.layout != "rows" or x.shape[1] != slots or x.slots != slots:
            raise refusal("data", f"a matrix of shape {x.shape} in {x.layout!r}", f'rows of {slots} slots in "rows"')
        ciphertexts, made = [row[0] for row in x.blocks], []
        while ciphertexts:
            count = min(len(ciphertexts), 2 if server.params.can_bootstrap else 1)
            found = self.program(server.params, count).run(server, *ciphertexts[:count])
            made += [[part] for part in (found if count > 1 else [found])]
            ciphertexts = ciphertexts[count:]
        return bytes(data[:COUNT]) + EncryptedMatrix(made, x.shape, "rows").to_bytes()

    def plan(self, params: Parameters, device: str | PathLike[str] | None = None) -> Plan:
        """The plan for a ciphertext."""
        return self.program(params).plan(device=device)

    def simulate(self, params: Parameters, normal: Array, seed: int | None) -> tuple[Array, tuple[str, ...]]:
        """What the server returns for samples as they are sent, with errors of the size that the plan states. The samples
        of the first ciphertext are computed in its slots, where all warnings are found, the others by the network."""
        program, exact = self.program(params), self.network(normal)
        values, warnings = self.first(params, normal)
        exact[: len(values)] = values
        size = 2.0 ** -program.plan().outputs[0].precision_bits
        errors = size * np.random.default_rng(seed).standard_normal(exact.shape)
        return exact + errors, warnings

    def first(self, params: Parameters, normal: Array) -> tuple[Array, tuple[str, ...]]:
        """What slots have for the samples of the first ciphertext, without errors, and warnings."""
        slots, samples = self.layout.slots, self.together(params)
        packed = side_by_side(normal[:samples], self.network.shape, slots, samples, params.slots)[0]
        found = self.program(params).simulate(packed)
        values = found.outputs[0].slot_values.real[: slots * samples].reshape(slots, samples)
        return values.T[: len(normal), self.layout.results], tuple(str(warning) for warning in found.warnings)

    def described(self) -> list[list[str]]:
        """A row for each layer."""
        return described(self.layout.network)

    def outside(self, normal: Array) -> float:
        """The share of activations whose input lies outside their interval."""
        return outside(self.network, normal)

    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """All of it for JSON, and the weights."""
        found, arrays = self.network.stored()
        own = {"is alone": self.is_alone, "keep": self.keep, "errors": list(self.errors)}
        return {"circuit": self.kind, **own, **found}, arrays

    @staticmethod
    def restored(found: dict[str, Any], network: Network) -> SlotsCircuit:
        """Reads what `stored` gave."""
        if found["keep"] not in ("encoded", "coefficients"):
            raise ValueError(f"diagonals that are kept as {found['keep']!r}")
        if type(found["is alone"]) is not bool:
            raise ValueError(f"a circuit that is alone: {found['is alone']!r}")
        made = SlotsCircuit(network, found["is alone"], found["keep"], tuple(map(float, found["errors"])))
        nodes = len(made.layout.network.nodes)
        if made.errors and (len(made.errors) != nodes + 1 or not all(0 < e < np.inf for e in made.errors)):
            raise ValueError(f"{len(made.errors)} errors of {nodes} layers, or some that no value has")
        return made


class Layout:
    """Where the values of a network lie in the slots of a sample."""

    def __init__(self, network: Network) -> None:
        #: The places of the parts of each value, those of the samples first.
        self.places = _places(network)
        if len(self.places[network.output]) > 1:
            # the result is in one ciphertext
            size = sum(len(place.slots) for place in self.places[network.output])
            network = appended(network, Select(np.arange(size), size))
            self.places = _places(network)
        self.network = network
        room = max(place.room for parts in self.places for place in parts)
        #: The number of slots.
        self.slots = 1 << (room - 1).bit_length()
        (last,) = self.places[network.output]
        #: The slot of each result.
        self.results = last.slots
        self._made: tuple[Room, list[_Operation]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Copies make their operations again."""
        return {**self.__dict__, "_made": None}

    def operations(self, room: Room) -> list[_Operation]:
        """What each node does with the values of its inputs. Those of the last room are kept: their matrices are large."""
        if self._made is None or self._made[0] != room:
            self._made = None
            operations = [
                _operation(room, node.layer, [self.places[k] for k in node.inputs], parts)
                for node, parts in zip(self.network.nodes, self.places[1:], strict=True)
            ]
            self._made = room, operations
        return self._made[1]

    def steps(self, room: Room, errors: tuple[float, ...] = ()) -> list[Step]:
        """What each node does. errors: of each value, which are stated."""
        nodes, operations = self.network.nodes, self.operations(room)
        domains, behind = _domains(self.network)[1:], levels_behind(self.network)[1:]

        def step(k: int) -> Step:
            def result(values: Sequence[_Values], server: Server) -> _Values:
                inputs = [values[i] for i in nodes[k].inputs]
                if isinstance(layer := nodes[k].layer, Approximation):
                    inputs = [_with_levels(inputs[0], layer.levels + behind[k], server)]
                found = [operations[k](*parts) for parts in zip(*inputs, strict=True)]
                return [[stated(part) for part in parts] for parts in found]

            def stated(part: Ciphertext) -> Ciphertext:
                part = part.with_error(errors[k + 1]) if errors else part
                domain = domains[k]
                return part if domain is None else part.with_range(*domain)

            return result

        return [step(k) for k in range(len(nodes))]

    def sent(self, x: Ciphertext, room: Room) -> _Value:
        """What the first node takes, of a ciphertext in whose slots samples repeat."""
        return [x.with_slots(room.slots * room.samples)]

    def computed(
        self, room: Room, count: int = 1, errors: tuple[float, ...] = ()
    ) -> Callable[..., Ciphertext | list[Ciphertext]]:
        """The network as a function of a server and `count` ciphertexts."""
        steps = self.steps(room, errors)

        def all_of(server: Server, *x: Ciphertext) -> list[Ciphertext]:
            values = [[self.sent(part, room) for part in x]]
            for step in steps:
                values.append(step(values, server))
            return [parts[0].with_slots(x[0].slots) for parts in values[self.network.output]]

        def one(server: Server, x: Ciphertext) -> Ciphertext:
            return all_of(server, x)[0]

        def two(server: Server, x: Ciphertext, y: Ciphertext) -> list[Ciphertext]:
            return all_of(server, x, y)

        return one if count == 1 else two

    def noise(self, params: Parameters, room: Room, bounds: list[float]) -> Noise:
        """The noise that each node adds to its result, for values of these sizes."""
        server = Server(backend="model", params=params)

        def fresh(k: int) -> _Value:
            made = server.input(slots=room.slots * room.samples, magnitude=bounds[k])
            return [made.with_error(_TINY)] * len(self.places[k])

        def error(parts: _Value) -> float:
            return float(2.0 ** -min(part.precision_bits for part in parts))

        added: list[tuple[float, ...]] = [(error([server.input(magnitude=1.0)]),)]
        for node, operation in zip(self.network.nodes, self.operations(room), strict=True):
            if isinstance(node.layer, Rectifier):
                x = fresh(node.inputs[0])[0].with_range(-1.0, 1.0)
                stages = [x.polynomial(series, slope=slope) for series, slope in node.layer.series()]
                added.append(tuple(error([made]) for made in [*stages, x * x]))
            else:
                added.append((error(operation(*(fresh(k) for k in node.inputs))),))
        if not params.can_bootstrap:
            return Noise(tuple(added), 0.0)
        return Noise(tuple(added), error([server.bootstrap(fresh(0)[0], real=True)]))


def _with_levels(values: _Values, levels: int, server: Server) -> _Values:
    """The values, bootstrapped where they could not be bootstrapped any more after so many levels."""
    parts = [part for value in values for part in value]
    least = parts[0].params.bootstrap_input_level
    if least is None or min(part.level for part in parts) >= levels + least:
        return values
    # more than two would be bootstrapped as one, with larger errors than are stated
    pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
    made = iter([part for pair in pairs for part in server.bootstrap_many(pair, real=True)])
    return [[next(made) for _ in value] for value in values]


def _domains(network: Network) -> list[tuple[float, float] | None]:
    """The interval in which each value lies, where polynomials take it."""
    found: list[tuple[float, float] | None] = [None] * (len(network.nodes) + 1)
    for node in network.nodes:
        if isinstance(node.layer, Approximation):
            (k,) = node.inputs
            low, high = found[k] or (-np.inf, np.inf)
            found[k] = max(low, node.layer.domain[0]), min(high, node.layer.domain[1])
    return found


def _places(network: Network) -> list[list[Place]]:
    """The places of the parts of each value, those of the samples first."""
    linear = _taken_by_linear_layers(network)
    places = [[Place.packed(network.shape, repeats=True)]]
    for k, node in enumerate(network.nodes, start=1):
        places.append(_after(node.layer, [places[i] for i in node.inputs], k in linear))
    return places


def _operation(room: Room, layer: Any, inputs: list[list[Place]], to: list[Place]) -> _Operation:
    """What a node does with the values of its inputs."""
    if isinstance(layer, Approximation):
        return lambda x: [layer.encrypted(part) for part in x]
    if isinstance(layer, Squares):
        return lambda x: [*x, *(part * part for part in x)]
    if isinstance(layer, Concat):
        return lambda *values: [part for x in values for part in x]
    if isinstance(layer, (Sum, Product)):
        moves = [_moves(room, parts, to) for parts in inputs]

        def joined(*values: _Value) -> _Value:
            moved = [move(x) for move, x in zip(moves, values, strict=True)]
            return [combined(layer, parts) for parts in zip(*moved, strict=True)]

        return joined
    return _linear(room, layer, inputs[0], to[0])


def _linear(room: Room, layer: Linear, parts: list[Place], to: Place) -> _Operation:
    ends = [0, *itertools.accumulate(len(place.slots) for place in parts)]
    made = [room.transform(layer, slice(ends[k], ends[k + 1]), place, to) for k, place in enumerate(parts)]
    return lambda x: [functools.reduce(operator.add, [apply(part) for apply, part in zip(made, x, strict=True)])]


def _moves(room: Room, parts: list[Place], to: list[Place]) -> _Operation:
    """The parts of a value in another place."""
    if len(parts) == 1 and np.array_equal(parts[0].slots, to[0].slots) and to[0].period in (None, parts[0].period):
        return lambda x: x
    size = sum(len(place.slots) for place in parts)
    return _linear(room, Select(np.arange(size), size), parts, to[0])


def _after(layer: Any, inputs: list[list[Place]], is_free: bool) -> list[Place]:
    """The places of the parts of a result."""
    if isinstance(layer, Squares):
        return inputs[0] * 2
    if isinstance(layer, Concat):
        return [place for parts in inputs for place in parts]
    if isinstance(layer, Linear):
        whole = inputs[0][0] if len(inputs[0]) == 1 else Place.packed((layer.inputs,))
        return [after(layer, whole, is_free and len(inputs[0]) == 1)]
    if len(inputs) == 1:
        return inputs[0]
    first, size = inputs[0][0], sum(len(place.slots) for place in inputs[0])
    if all(len(parts) == 1 and parts[0].is_like(first) for parts in inputs):
        return [replace(first, is_free=False)]
    # all go to the place of the first one, if that is one ciphertext
    return [replace(first, period=None, is_free=False) if len(inputs[0]) == 1 else Place.packed((size,))]


def _taken_by_linear_layers(network: Network) -> set[int]:
    """The values that only layers with a matrix take: these choose from all slots, and multiply."""
    found = set(range(len(network.nodes) + 1)) - {network.output}
    for node in network.nodes:
        if not isinstance(node.layer, (Affine, Convolution, Select)):
            found -= set(node.inputs)
    return found
