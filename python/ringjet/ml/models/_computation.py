"""A model as a function of a server and of encrypted samples."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

from ... import _ringjet
from ._files import read_server
from ._interface import Circuit, Interface


@dataclass(frozen=True)
class Computation:
    """What a server computes for a model, as a function of a `ringjet.Server` and of the bytes of
    `Client.encrypt`. It can be pickled, and holds no secret: `Cluster.map` takes it."""

    interface: Interface
    circuit: Circuit

    @staticmethod
    def load(folder: str | PathLike[str]) -> Computation:
        """The computation of the model in a folder."""
        made = Computation(*read_server(folder))
        # the circuit keeps what it makes for a plan, so that no copy makes it again
        made.circuit.plan(made.interface.params)
        return made

    def __call__(self, server: _ringjet.Server, data: bytes | bytearray | memoryview) -> bytes:
        """The scores of encrypted samples, for `Client.decrypt`. Refuses samples for another model."""
        samples = self.interface.unwrapped(data, are_scores=False)
        return self.interface.wrapped(self.circuit.run(server, samples), are_scores=True)
