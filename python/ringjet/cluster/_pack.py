"""Functions and items as bytes, for the nodes. Secrets are refused.

Functions go by cloudpickle, Ray's pickles: functions of the main program and local functions by
value, functions of installed modules by name. Ciphertexts go as their wire format.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from .._ringjet import Client
from ..errors import ClusterError, RingjetError
from . import _errors
from ._ray import ray

Bytes = npt.NDArray[np.uint8]

#: Where the wire format has its magic and the kind of object, and the kind of secret keys.
_MAGIC, _KIND, _SECRET_KEY = b"RJET", 7, 2

_kinds: dict[type, type] = {}


def check_public(value: object) -> None:
    """Refuses a client, and the bytes of a secret key."""
    if isinstance(value, Client):
        raise _errors.secret("a Client")
    if isinstance(value, (bytes, bytearray, memoryview)) and _holds_secret_key(value):
        raise _errors.secret("the bytes of a secret key")
    if (
        isinstance(value, np.ndarray)
        and value.dtype.itemsize == 1
        and _holds_secret_key(value.reshape(-1).view(np.uint8))
    ):
        raise _errors.secret("an array with the bytes of a secret key")


def _holds_secret_key(data: Any) -> bool:
    """Whether the first object of the data is a secret key, or the first one after parameters."""
    head = bytes(data[:48])
    if len(head) < 48 or head[:4] != _MAGIC:
        return False
    if head[_KIND] == 1:
        length = int.from_bytes(head[24:32], "little")
        rest = bytes(data[length : length + 48])
        return rest[:4] == _MAGIC and len(rest) > _KIND and rest[_KIND] == _SECRET_KEY
    return head[_KIND] == _SECRET_KEY


def _careful() -> Any:
    """A pickler of cloudpickle's that looks at every object before it is written. Its base class is
    known only where Ray is installed."""
    base = ray().cloudpickle.Pickler
    if base not in _kinds:
        _kinds[base] = type("Careful", (base,), {"persistent_id": _seen})
    return _kinds[base]


def _seen(_: object, value: object) -> None:
    """Called by the pickler with every object. None: the object is written as usual."""
    check_public(value)


def packed(value: object, what: str) -> bytes:
    """The value as bytes. `what` names it in errors."""
    out = io.BytesIO()
    try:
        _careful()(out, protocol=5).dump(value)
    except RingjetError:
        raise
    except Exception as error:
        raise ClusterError(f"{what} cannot be sent to the nodes: {error}") from error
    return out.getvalue()


def unpacked(data: Any) -> Any:
    """The value of `packed`."""
    return ray().cloudpickle.loads(data)


def array(data: Any) -> Bytes:
    """The bytes as an array, which the object store hands out without copying."""
    return np.frombuffer(data, dtype=np.uint8)
