"""Functions that pickles of this package call. Whoever opens a pickle trusts it, so sizes have no
limit. Insecure parameters are refused unless this process allows them."""

from __future__ import annotations

from ._ringjet import Encryptor, EvaluationKeys, LinearTransform, Parameters, PublicKey, RecordedProgram
from ._ringjet import restore_ciphertext as ciphertext

_allow_insecure = False


def allow_insecure_pickles(allow: bool = True) -> None:
    """Allows this process to open pickles of insecure parameters and of keys for them;
    `allow=False` forbids it again. For experiments only. Worker processes need a call of their own,
    such as in the initializer of a pool."""
    global _allow_insecure
    _allow_insecure = allow


def parameters(text: str) -> Parameters:
    return Parameters.from_json(text, allow_insecure=_allow_insecure)


def keys(data: bytes) -> EvaluationKeys:
    return EvaluationKeys.from_bytes(data, max_bytes=len(data), allow_insecure=_allow_insecure)


def public_key(data: bytes) -> PublicKey:
    return PublicKey.from_bytes(data, max_bytes=len(data), allow_insecure=_allow_insecure)


def encryptor(data: bytes) -> Encryptor:
    return Encryptor.from_bytes(data, max_bytes=len(data), allow_insecure=_allow_insecure)


def program(data: bytes) -> RecordedProgram:
    return RecordedProgram.from_bytes(data, max_bytes=len(data), allow_insecure=_allow_insecure)


def transform(data: bytes) -> LinearTransform:
    return LinearTransform.from_bytes(data, max_bytes=len(data))
