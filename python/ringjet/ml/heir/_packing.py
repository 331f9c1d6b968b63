"""How inputs and results of a program of HEIR lie in slots: the client's part."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._checks import refusal
from ..._ringjet import Ciphertext, Client, Encryptor
from ...errors import MalformedError
from ..models._interface import numbers
from ._machine import Machine
from ._text import Function, malformed
from ._values import Array, empty, shape

_FORMAT = "ringjet heir packing 1"


@dataclass(frozen=True)
class Places:
    """Where the elements of a tensor are: for an input the element in each slot of each ciphertext, for a result the
    slot of each element, counted over all ciphertexts. -1 stands for 0."""

    shape: tuple[int, ...]
    ciphertexts: int
    index: Array

    def taken(self, source: Array) -> Array:
        """The elements at the places, of arrays with an element or a slot in their last dimension."""
        return np.where(self.index >= 0, np.take(source, np.maximum(self.index, 0), axis=-1), 0.0)


@dataclass(frozen=True)
class Packing:
    """Packs inputs into slots, and unpacks results. It knows no weights: it is what a client needs."""

    slots: int
    #: The range of the elements of inputs.
    low: float
    high: float
    inputs: tuple[Places, ...]
    results: tuple[Places, ...]

    def pack(self, *inputs: npt.ArrayLike) -> list[Array]:
        """The slots of each ciphertext, for one value of each input."""
        return [vector for group in self.packed(inputs) for vector in group]

    def packed(self, inputs: Sequence[Any]) -> list[Array]:
        """For each input an array with a row for each ciphertext."""
        if len(inputs) != len(self.inputs):
            raise refusal("inputs", len(inputs), f"{len(self.inputs)} of the shapes {[p.shape for p in self.inputs]}")
        made = []
        for i, (values, places) in enumerate(zip(inputs, self.inputs, strict=True)):
            array = numbers(f"inputs[{i}]", values)
            if array.size != np.prod(places.shape, dtype=int):
                raise refusal(f"inputs[{i}]", f"an array of shape {array.shape}", f"the shape {places.shape}")
            if array.size and not (self.low <= array.min() and array.max() <= self.high):
                found = f"values from {array.min():.6g} to {array.max():.6g}"
                raise refusal(
                    f"inputs[{i}]", found, f"{self.low:.6g} to {self.high:.6g}, the range stated for this program"
                )
            made.append(places.taken(array.reshape(-1)))
        return made

    def unpack(self, *vectors: npt.ArrayLike) -> Any:
        """The results of decrypted vectors: an array, or a tuple of them where HEIR's function has several results."""
        found = [np.asarray(vector, float) for vector in vectors]
        counts = [places.ciphertexts for places in self.results]
        if len(found) != sum(counts) or any(vector.shape != (self.slots,) for vector in found):
            shapes = [vector.shape for vector in found]
            raise refusal("vectors", f"arrays of the shapes {shapes}", f"{sum(counts)} vectors of {self.slots} numbers")
        made, start = [], 0
        for places, count in zip(self.results, counts, strict=True):
            whole = np.concatenate(found[start : start + count])
            made.append(places.taken(whole).reshape(places.shape))
            start += count
        return made[0] if len(made) == 1 else tuple(made)

    def encrypt(self, client: Client | Encryptor, *inputs: npt.ArrayLike) -> list[Ciphertext]:
        """Encrypts one value of each input. The ciphertexts are the inputs of the program."""
        magnitude = (self.low, self.high)
        return [client.encrypt(vector, magnitude=magnitude) for vector in self.pack(*inputs)]

    def decrypt(self, client: Client, result: Ciphertext | Sequence[Ciphertext]) -> Any:
        """Decrypts what the program returned."""
        ciphertexts = [result] if isinstance(result, Ciphertext) else result
        return self.unpack(*(client.decrypt(ciphertext, all_slots=True) for ciphertext in ciphertexts))

    def to_json(self) -> str:
        """The packing as JSON. For each input: its shape, the number of its ciphertexts, and which element is in each
        slot, -1 for a 0. For each result likewise the slot of each element."""
        places = {name: [_stored(p) for p in getattr(self, name)] for name in ("inputs", "results")}
        return json.dumps({"format": _FORMAT, "slots": self.slots, "low": self.low, "high": self.high, **places})

    @staticmethod
    def from_json(text: str) -> Packing:
        """Reads what `to_json` wrote."""
        try:
            found = json.loads(text)
            if found["format"] != _FORMAT:
                raise ValueError(f"its format is not {_FORMAT!r}")
            slots, low, high = _whole(found["slots"]), float(found["low"]), float(found["high"])
            inputs, results = (tuple(map(_restored, found[name])) for name in ("inputs", "results"))
            packing = Packing(slots, low, high, inputs, results)
            packing._check()
        except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise MalformedError(f"damaged packing: {type(error).__name__}: {error}") from None
        return packing

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the packing as JSON."""
        Path(path).write_text(self.to_json())

    @staticmethod
    def load(path: str | PathLike[str]) -> Packing:
        """Reads the file of `save`."""
        try:
            return Packing.from_json(Path(path).read_text())
        except (MalformedError, UnicodeDecodeError) as error:
            raise MalformedError(f"{path}: {error}") from None

    def _check(self) -> None:
        is_power = self.slots > 1 and not self.slots & (self.slots - 1)
        if not (is_power and -np.inf < self.low < self.high < np.inf and self.inputs and self.results):
            raise ValueError("slots, a range, inputs or results that cannot be")
        for places in (*self.inputs, *self.results):
            if places.ciphertexts < 1 or min(places.shape, default=1) < 1 or not places.index.size:
                raise ValueError(f"{places.ciphertexts} ciphertexts of a tensor of shape {places.shape}")
            if places.index.min() < -1:
                raise ValueError(f"the place {places.index.min()}")
        for places in self.inputs:
            if places.index.ndim != 2 or places.index.shape != (places.ciphertexts, self.slots):
                raise ValueError(f"an input in ciphertexts of shape {places.index.shape}")
            if places.index.max() >= math.prod(places.shape):
                raise ValueError("an element that the input does not have")
        for places in self.results:
            if places.index.ndim != 1 or places.index.size != math.prod(places.shape):
                raise ValueError(f"{places.index.size} elements of a result of shape {places.shape}")
            if places.index.max() >= self.slots * places.ciphertexts:
                raise ValueError("a slot that the ciphertexts of a result do not have")


def read(
    machine: Machine, encryptions: Sequence[Function], decryptions: Sequence[Function], ends: tuple[float, float]
) -> Packing:
    """The packing that the functions for clients of a file say. ends: the range of the elements of inputs."""
    inputs = tuple(_input(machine, function) for function in encryptions)
    results = tuple(_result(machine, function) for function in decryptions)
    return Packing(machine.slots, ends[0], ends[1], inputs, results)


def vectors(value: Any) -> list[Any]:
    """The encrypted vectors of an argument or a result: a tensor of them, or one."""
    return list(value.reshape(-1)) if isinstance(value, np.ndarray) and value.dtype == object else [value]


def tensor_of(type_: str, found: Sequence[Any]) -> Any:
    """The reverse, for an argument of this type."""
    known = shape(type_)
    if known is None:
        return found[0]
    made = empty(known[0], "!")
    for place, vector in zip(np.ndindex(made.shape), found, strict=True):
        made[place] = vector
    return made


def count(type_: str) -> int:
    """The number of vectors in an argument of this type."""
    known = shape(type_)
    return 1 if known is None else int(np.prod(known[0], dtype=int))


def _input(machine: Machine, function: Function) -> Places:
    dimensions = _dimensions(function.arguments[0][1])

    def moved(elements: Array) -> Array:
        given = elements.reshape(dimensions)[()]
        made = machine.call(function, [given, *[None] * (len(function.arguments) - 1)])
        return np.array(vectors(made[0]), float)

    index = _selected(function, moved, int(np.prod(dimensions, dtype=int)))
    return Places(dimensions, len(index), index)


def _result(machine: Machine, function: Function) -> Places:
    type_ = function.arguments[0][1]
    dimensions, ciphertexts = _dimensions(function.results[0]), count(type_)

    def moved(elements: Array) -> Array:
        given = tensor_of(type_, list(elements.reshape(ciphertexts, machine.slots)))
        made = machine.call(function, [given, *[None] * (len(function.arguments) - 1)])
        return np.array(made[0], float).ravel()

    return Places(dimensions, ciphertexts, _selected(function, moved, ciphertexts * machine.slots))


def _dimensions(type_: str) -> tuple[int, ...]:
    known = shape(type_)
    return () if known is None else known[0]


def _selected(function: Function, moved: Callable[[Array], Array], size: int) -> Array:
    """Which elements a function copies to which places. Refuses functions that do more than copying."""
    index = moved(np.arange(1.0, size + 1)) - 1
    whole: Array = np.rint(index).astype(np.int64)
    probe = np.random.default_rng(0).normal(size=size)
    expected = np.where(whole >= 0, np.take(probe, np.clip(whole, 0, size - 1)), 0.0)
    if np.any(whole != index) or whole.min() < -1 or whole.max() >= size or not np.array_equal(moved(probe), expected):
        raise malformed(function.line, f"@{function.name} does not only copy numbers to slots or from them")
    return whole


def _stored(places: Places) -> dict[str, Any]:
    return {"shape": list(places.shape), "ciphertexts": places.ciphertexts, "index": places.index.tolist()}


def _restored(found: dict[str, Any]) -> Places:
    index = np.array(found["index"])
    if index.dtype != np.int64:
        raise TypeError(f"places of type {index.dtype}")
    return Places(tuple(map(_whole, found["shape"])), _whole(found["ciphertexts"]), index)


def _whole(number: Any) -> int:
    if type(number) is not int:
        raise TypeError(f"{number} is no whole number")
    return number
