"""The arguments of a call: values, ciphertexts and names of stored ciphertexts, by the names of inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import refusal
from .._ringjet import Ciphertext
from ..errors import InputNamesError

_NAME = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Stored:
    """A ciphertext that `ServiceClient.store` put into the service under this name. Calls take it as
    an input."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise refusal("name", repr(self.name), "1 to 64 letters, digits, - and _, a letter or digit first")


def bound(program: str, inputs: Sequence[str], values: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """One argument for each input, in order: first those without a name, then those with one. Raises
    `InputNamesError` for any others."""
    found = [*inputs[: len(values)], *(f"[{i}]" for i in range(len(inputs), len(values))), *named]
    if sorted(found) != sorted(inputs):
        raise wrong_inputs(program, inputs, found)
    rest = inputs[len(values) :]
    return [*values, *(named[name] for name in rest)]


def wrong_inputs(program: str, expected: Sequence[str], found: Sequence[str]) -> InputNamesError:
    """The error for a call with other inputs than the program has."""
    takes, has = ", ".join(expected), ", ".join(found) or "none"
    error = InputNamesError(f"{program} takes the inputs {takes}; the call has {has}")
    error.expected, error.found = list(expected), list(found)
    return error


def ready(value: Any) -> bytes | None:
    """The bytes of an argument that is a ciphertext already; None for values."""
    if isinstance(value, Ciphertext):
        return value.to_bytes()
    return bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) else None


def count_of(value: Any) -> int | None:
    """How many values an argument holds; None for bytes, which nobody has read."""
    if isinstance(value, Ciphertext):
        return int(value.count)
    return None if ready(value) is not None else int(np.size(value))
