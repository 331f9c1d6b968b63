"""The two parties of a compiled model."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy.typing as npt

from ... import _ringjet
from ...vectors.matrices import decrypt_matrix, encrypt_matrix, load_matrix
from ._files import Sides, read_client, read_server
from ._layers import Array
from ._steps import Step, encrypted


class Client:
    """Has the secret key: encrypts samples, and reads what the server returns."""

    def __init__(self, sides: Sides, seed: int | bytes | None = None) -> None:
        self._sides = sides
        self._client = _ringjet.Client(sides.params, seed=seed)

    @staticmethod
    def load(path: str | PathLike[str], seed: int | bytes | None = None) -> Client:
        """A client with a fresh key, for the model whose file client.json this is."""
        return Client(read_client(path), seed)

    def keys(self) -> bytes:
        """The keys that a server needs. They are public."""
        return self._client.evaluation_keys(**self._sides.keys).to_bytes()

    def encrypt(self, X: npt.ArrayLike) -> bytes:
        """Samples, one a row, for the server. Refuses features outside the range that the model was compiled
        for."""
        x = self._sides.normal(self._sides.samples(X))
        return encrypt_matrix(self._client, x, layout="columns", magnitude=1.0).to_bytes()

    def scores(self, data: bytes) -> Array:
        """The scores that a server returned, one row a sample."""
        return decrypt_matrix(self._client, data)

    def decrypt(self, data: bytes) -> Array:
        """The classes or values of what a server returned."""
        return self._sides.head(self.scores(data))


class Server:
    """Computes a model on encrypted samples."""

    def __init__(self, sides: Sides, steps: Sequence[Step], keys: bytes, *, threads: int | None = None) -> None:
        self._steps = list(steps)
        insecure = sides.params.allow_insecure
        self._server = _ringjet.Server(keys, threads=threads, allow_insecure=insecure)

    @staticmethod
    def load(folder: str | PathLike[str], keys: bytes, *, threads: int | None = None) -> Server:
        """The server of the model in a folder, with the bytes of a client's keys."""
        return Server(*read_server(folder), keys, threads=threads)

    def predict(self, data: bytes) -> bytes:
        """The scores of encrypted samples."""
        return encrypted(self._steps, load_matrix(self._server, data)).to_bytes()
