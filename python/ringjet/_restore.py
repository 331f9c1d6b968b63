"""What pickles name. A pickle is trusted by whoever opens it, so there is no limit."""

from __future__ import annotations

from ._ringjet import EvaluationKeys, PublicKey


def keys(data: bytes) -> EvaluationKeys:
    return EvaluationKeys.from_bytes(data, max_bytes=len(data), allow_insecure=True)


def public_key(data: bytes) -> PublicKey:
    return PublicKey.from_bytes(data, max_bytes=len(data), allow_insecure=True)
