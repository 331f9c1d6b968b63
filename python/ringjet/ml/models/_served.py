"""Models that a service offers. A call has the ciphertexts of so many samples as a plan is for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ... import _ringjet
from ..._checks import refusal
from ..._ringjet import Ciphertext, Parameters, Server
from ...errors import MalformedError, RingjetError
from ...vectors.matrices import EncryptedMatrix, _bytes
from ...vectors.matrices._layouts import LAYOUTS
from ._columns import ColumnsCircuit
from ._files import described, interface_of, read_server
from ._interface import Circuit, Interface
from ._layers import Array
from ._model import Model
from ._packing import COUNT
from ._parties import Client
from ._slots import SlotsCircuit
from ._tree_circuit import TreeCircuit

#: The layout of samples and scores, and the bytes before those of the matrix, by the kind of the packing.
_LAYOUTS = {"columns": ("columns", 0), "slots": ("rows", COUNT), "trees": ("rows", COUNT)}


@dataclass(frozen=True)
class Offered:
    """A model as a program of a service."""

    function: Callable[..., Any]
    params: Parameters
    #: The options of its inputs.
    options: dict[str, Any]
    #: What clients are told: the file of a client, and how many samples a call has.
    document: dict[str, Any]

    @staticmethod
    def of(model: Model | str | PathLike[str], allow_insecure: bool = False) -> Offered:
        """A compiled model, or the folder that one was saved to."""
        if isinstance(model, Model):
            interface, circuit = model._interface, model._circuit
        else:
            interface, circuit = read_server(model, allow_insecure)
        params = interface.params
        function, options = _program(circuit, params)
        document = {"client": described(interface), "samples": circuit.together(params)}
        return Offered(function, params, options, document)


class Remote:
    """The client's part of a model that a service offers."""

    def __init__(self, document: dict[str, Any], client: _ringjet.Client) -> None:
        """document: as `Offered` has it. client: of the model's parameters."""
        self._interface, self._samples = _checked(document, client.params.allow_insecure)
        self._client = client
        if self._client.params != self._interface.params:
            raise MalformedError("a model with other parameters than its program")

    def requests(self, X: Any) -> Iterator[tuple[int, list[bytes]]]:
        """The number of samples and the ciphertexts of each call."""
        interface = self._interface
        normal = interface.packing.normal(interface.samples(X))
        for start in range(0, len(normal), self._samples):
            part = normal[start : start + self._samples]
            data = interface.packing.encrypt(self._client, part)
            matrix = data[_LAYOUTS[interface.packing.kind][1] :]
            yield len(part), list(_bytes.read(matrix, len(matrix)).pieces)

    def predictions(self, answers: Sequence[tuple[int, list[bytes]]]) -> Array:
        """The classes or values that the answers of all calls hold."""
        client, interface = Client.of(self._interface, self._client), self._interface
        whole = [self._matrix(samples, ciphertexts) for samples, ciphertexts in answers]
        scores = [client.scores(interface.wrapped(data, are_scores=True)) for data in whole]
        return interface.head(np.concatenate(scores))

    def _matrix(self, samples: int, ciphertexts: list[bytes]) -> bytes:
        """The scores of a call as the server of a model returns them."""
        name, before = _LAYOUTS[self._interface.packing.kind]
        shape = (samples, len(ciphertexts)) if name == "columns" else (len(ciphertexts), self._client.slots)
        matrix = _bytes.written(shape, LAYOUTS[name].of(self._client.slots, shape), ciphertexts)
        return samples.to_bytes(before, "little") + matrix if before else matrix


def _checked(document: dict[str, Any], allow_insecure: bool) -> tuple[Interface, int]:
    """What a service says of a model."""
    try:
        interface, samples = interface_of(document["client"], allow_insecure), int(document["samples"])
        if interface.packing.kind not in _LAYOUTS or samples < 1:
            raise ValueError(f"{samples} samples a call, packed as {interface.packing.kind!r}")
    except RingjetError:
        raise
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise MalformedError(f"no model: {type(error).__name__}: {error}") from None
    return interface, samples


def _program(circuit: Circuit, params: Parameters) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A circuit as a function of ciphertexts, and the options of these."""
    if isinstance(circuit, SlotsCircuit):
        program = circuit.program(params)

        def rows(server: Server, sample: Ciphertext) -> Any:
            return [program.run(server, sample)]

        return rows, program.options()
    if isinstance(circuit, TreeCircuit):
        trees = circuit.program(params.slots)
        return lambda sample: [trees(sample)], {"magnitudes": [circuit.sent.bounds], "level": circuit.level(params)}
    if not isinstance(circuit, ColumnsCircuit):
        raise refusal("model", f"a circuit of the kind {circuit.kind!r}", f"one of {', '.join(_LAYOUTS)}")
    features, slots = circuit.network.features, params.slots

    def columns(*features: Ciphertext) -> Any:
        found = circuit(EncryptedMatrix([list(features)], (slots, len(features)), "columns"))
        return list(found.blocks[0])

    options = {"magnitudes": 1.0, "counts": slots, "level": circuit.level(params)}
    return columns, {name: [option] * features for name, option in options.items()}
