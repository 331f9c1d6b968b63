"""The two parties of a compiled model."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import Any

from ... import _ringjet
from ..._checks import refusal
from ._computation import Computation
from ._files import read_client, read_server
from ._interface import Circuit, Interface
from ._layers import Array


class PredictionWarning(UserWarning):
    """Scores far outside the range of calibration: inputs of activations may have been outside their interval, and
    the results may be wrong."""


class Client:
    """Has the secret key: encrypts samples, and reads what the server returns."""

    def __init__(self, interface: Interface, seed: int | bytes | None = None) -> None:
        self._interface = interface
        self._client = _ringjet.Client(interface.params, seed=seed)

    @staticmethod
    def load(
        path: str | PathLike[str],
        seed: int | bytes | None = None,
        *,
        key: str | PathLike[str] | None = None,
        allow_insecure: bool = False,
    ) -> Client:
        """A client for the model whose file client.json this is, with a fresh key. key: the file of a key that `save_key`
        wrote, to use that key instead. allow_insecure: accept parameters that are weaker than they say."""
        interface = read_client(path, allow_insecure)
        if key is None:
            return Client(interface, seed)
        if seed is not None:
            raise refusal("seed", "a seed and a key", "one of them")
        client = _ringjet.Client.load(key, params=interface.params, allow_insecure=allow_insecure)
        return Client.of(interface, client)

    @classmethod
    def of(cls, interface: Interface, client: _ringjet.Client) -> Client:
        """The client with the secret key of another one."""
        made = cls.__new__(cls)
        made._interface, made._client = interface, client
        return made

    def save_key(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the secret key to a file that its owner alone may read, for `load`. A file with another key is refused,
        unless `overwrite` is True."""
        self._client.save(path, overwrite=overwrite)

    def keys(self) -> bytes:
        """The keys that a server needs. They are public."""
        return self._client.evaluation_keys(**self._interface.keys).to_bytes()

    def encrypt(self, X: Any) -> bytes:
        """Samples, one a row, for the server. Refuses features outside the range that the model was compiled
        for."""
        packing = self._interface.packing
        data = packing.encrypt(self._client, packing.normal(self._interface.samples(X)))
        return self._interface.wrapped(data, are_scores=False)

    def scores(self, data: bytes) -> Array:
        """The scores that a server returned, one row a sample. Warns with `PredictionWarning` of scores that no
        sample like those of calibration has."""
        interface = self._interface
        scores = interface.packing.decrypt(self._client, interface.unwrapped(data, are_scores=True))
        if scores.ndim != 2 or scores.shape[1] != len(interface.low):
            raise refusal("data", f"scores of shape {scores.shape}", f"(samples, {len(interface.low)})")
        scores = interface.scores(scores)
        strange = interface.strange(scores)
        if interface.has_activations and strange.any():
            text = f"{int(strange.sum())} of {len(scores)} samples have scores far outside the range of calibration"
            warnings.warn(f"{text}: their results may be wrong", PredictionWarning, stacklevel=3)
        return scores

    def decrypt(self, data: bytes) -> Array:
        """The classes or values of what a server returned."""
        return self._interface.head(self.scores(data))


class Server:
    """Computes a model on encrypted samples."""

    def __init__(self, interface: Interface, circuit: Circuit, keys: bytes, *, threads: int | None = None) -> None:
        self._computation = Computation(interface, circuit)
        insecure = interface.params.allow_insecure
        self._server = _ringjet.Server(keys, threads=threads, allow_insecure=insecure)

    @staticmethod
    def load(
        folder: str | PathLike[str], keys: bytes, *, threads: int | None = None, allow_insecure: bool = False
    ) -> Server:
        """The server of the model in a folder, with the bytes of a client's keys. allow_insecure: as for
        `Client.load`."""
        return Server(*read_server(folder, allow_insecure), keys, threads=threads)

    def predict(self, data: bytes | bytearray | memoryview) -> bytes:
        """The scores of encrypted samples. Refuses samples for another model. A memoryview, such as that of a mapped
        file, is not copied."""
        return self._computation(self._server, data)
