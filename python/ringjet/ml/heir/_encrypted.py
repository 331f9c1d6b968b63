"""Encrypted vectors: the dialects ckks, lwe, kernel, orion and preprocessing.

An encrypted vector is a ciphertext of ringjet, or in the clear an array with a row for each sample; a plaintext is an
array of one dimension. Rescalings, levels, relinearisations and bootstraps of HEIR have no effect: ringjet places its
own. Factors of 1 and terms of 0, which HEIR adds for its scales, are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._ringjet import LinearTransform
from . import _values
from ._text import Operation, malformed, unsupported
from ._values import Array

if TYPE_CHECKING:
    from ._machine import Machine

#: Coefficients of polynomials that are smaller, compared with the largest, are errors of their computation.
_NEGLIGIBLE = 1e-12


@dataclass
class Ranges:
    """The ranges of the factors of products, in the order of the operations. They are found in the clear, and stated of
    ciphertexts."""

    measured: list[tuple[float, float]] = field(default_factory=list)
    #: How much wider than what was measured the stated ranges are; None: measure.
    margin: float | None = None
    _next: int = 0

    def of(self, x: Any) -> Any:
        """The vector, with its range."""
        if self.margin is None:
            self.measured.append((float(x.min()), float(x.max())))
            return x
        if not self.measured:
            return x
        low, high = self.measured[self._next]
        self._next += 1
        middle, half = (low + high) / 2, self.margin * max((high - low) / 2, 1e-3)
        low, high = max(middle - half, x.range[0]), min(middle + half, x.range[1])
        return x.with_range(low, high) if low < high else x


@dataclass(frozen=True)
class Rule:
    """How an operation is computed, and the attributes that it may have."""

    function: Callable[[Machine, Operation, list[Any], list[list[int]]], tuple[Any, ...]]
    attributes: tuple[str, ...] = ()


def is_encrypted(x: Any) -> bool:
    """Whether it is a ciphertext, or stands for one."""
    return not isinstance(x, np.ndarray) or x.ndim == 2


def _short(x: Any) -> Any:
    """A plaintext whose elements are all the same as a number."""
    return float(x[0]) if not is_encrypted(x) and np.all(x == x[0]) else x


def _added(a: Any, b: Any) -> Any:
    a, b = _short(a), _short(b)
    if isinstance(a, float) or isinstance(b, float):
        vector, number = (b, a) if isinstance(a, float) else (a, b)
        return vector if isinstance(number, float) and number == 0 else vector + number
    return a + b


def _add(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    a, b = given
    return (a + b if not is_encrypted(a) and not is_encrypted(b) else _added(a, b),)


def _subtract(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    a, b = given
    if is_encrypted(b):
        return (_short(a) - b if is_encrypted(a) or np.any(a) else -b,)
    return _add(machine, op, [a, -b], lists)


def _multiply(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    a, b = given
    if is_encrypted(a) and is_encrypted(b):
        if a is b:
            a = machine.ranges.of(a)
            return (a * a,)
        return (machine.ranges.of(a) * machine.ranges.of(b),)
    vector, factor = (a, b) if is_encrypted(a) else (b, a)
    if not is_encrypted(vector):
        return (vector * factor,)
    if not np.any(factor):
        return (np.zeros(machine.slots),)
    number = _short(factor)
    return (vector if isinstance(number, float) and number == 1 else vector * number,)


def _negate(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    return (-given[0],)


def _same(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    return (given[0],)


def _rotate(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    steps = given[1] if len(given) > 1 else op.attributes.get("static_shift", "?").split(" : ")[0]
    return (_rotated(given[0], int(steps) % machine.slots),)


def _rotated(x: Any, steps: int) -> Any:
    """The vector, `steps` slots to the left."""
    if not steps:
        return x
    return np.roll(x, -steps, axis=-1) if isinstance(x, np.ndarray) else x.rotate(steps)


def _encode(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    """A plaintext with a number in every slot; a shorter vector is repeated, as in HEIR."""
    found = np.asarray(given[0], float)
    if found.ndim != 1 or machine.slots % len(found):
        raise unsupported(
            op.line, f"{op.name} of a tensor of shape {found.shape}", f"{machine.slots} numbers, or a part"
        )
    return (np.tile(found, machine.slots // len(found)),)


def _decode(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    dimensions, _ = _values.tensor(op, op.types.split(" -> ")[-1])
    return (_values.fitting(op, given[0], dimensions),)


def _diagonals(machine: Machine, op: Operation, matrix: Array) -> dict[int, Array]:
    """The diagonals of a linear transform by their rotations."""
    rotations = _values.integers(op.attributes.get("diagonal_indices", ""))
    rows = _values.integers(op.attributes.get("source_row_indices", "")) or list(range(len(rotations)))
    if len(rows) != len(rotations) or max(rows, default=-1) >= len(matrix) or machine.slots % matrix.shape[1]:
        raise malformed(op.line, f"{op.name}: {len(rotations)} diagonals in a tensor of shape {matrix.shape}")
    found: dict[int, Array] = {}
    for rotation, row in zip(rotations, rows, strict=True):
        diagonal = np.tile(matrix[row], machine.slots // matrix.shape[1])
        place = rotation % machine.slots
        found[place] = found[place] + diagonal if place in found else diagonal
    return {rotation: diagonal for rotation, diagonal in found.items() if np.any(diagonal)}


def _prepare(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    return (_diagonals(machine, op, given[0]),)


def _apply(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    return (_transformed(machine, *given),)


def _transform(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    return (_transformed(machine, given[0], _diagonals(machine, op, given[1])),)


def _transformed(machine: Machine, x: Any, diagonals: dict[int, Array]) -> Any:
    if not diagonals:
        return np.zeros(machine.slots)
    if isinstance(x, np.ndarray):
        return sum(diagonal * _rotated(x, rotation) for rotation, diagonal in diagonals.items())
    return x.matmul(LinearTransform.from_diagonals(machine.slots, diagonals))


def _chebyshev(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    ends = [op.attributes.get(name, default) for name, default in (("domain_start", "-1"), ("domain_end", "1"))]
    if [_values.floats(end) for end in ends] != [[-1.0], [1.0]]:
        raise unsupported(op.line, f"{op.name} from {ends[0]} to {ends[1]}", "the interval from -1 to 1")
    found = np.array(_values.floats(op.attributes.get("coefficients", "")))
    large = np.flatnonzero(np.abs(found) > _NEGLIGIBLE * np.max(np.abs(found), initial=0.0))
    if not large.size:
        raise malformed(op.line, f"{op.name} without coefficients")
    found[np.abs(found) <= _NEGLIGIBLE * np.max(np.abs(found))] = 0
    series = np.polynomial.Chebyshev(found[: large[-1] + 1])
    x = given[0]
    if not isinstance(x, np.ndarray):
        return (x.with_range(-1, 1).polynomial(series),)
    outside = max(float(x.max()) - 1, -1 - float(x.min()))
    if is_encrypted(x) and outside > 1e-6:
        raise unsupported(
            op.line,
            f"{op.name} of {x.min():.4g} to {x.max():.4g} for the calibration samples",
            "values from -1 to 1, the interval of HEIR's polynomials: scale weights and inputs, or give the function "
            "domain_lower and domain_upper before HEIR lowers it",
        )
    return (series(x),)


def _storage(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    return ({},)


def _store(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    value, storage = given
    storage[(_site(op), *lists[0])] = value
    return ()


def _load(machine: Machine, op: Operation, given: list[Any], lists: list[list[int]]) -> tuple[Any, ...]:
    place = (_site(op), *lists[0])
    if place not in given[0]:
        raise malformed(op.line, f"{op.name} from site {place[0]} at {place[1:]}, where nothing was stored")
    return (given[0][place],)


def _site(op: Operation) -> int:
    found = op.text.partition(" site ")[2].partition("<")[0]
    if not found.isdigit():
        raise malformed(op.line, f"{op.name} without a site")
    return int(found)


_ENCODING = ("encoding", "ring", "level", "scale")
_TRANSFORM = ("diagonal_indices", "source_row_indices", "diagonal_width", "bsgs_ratio", "orion_level", "slots")

#: The operations of encrypted vectors.
ENCRYPTED: dict[str, Rule] = {
    "ckks.add": Rule(_add),
    "ckks.add_plain": Rule(_add),
    "ckks.bootstrap": Rule(_same),
    "ckks.level_reduce": Rule(_same, ("levelToDrop",)),
    "ckks.mul": Rule(_multiply),
    "ckks.mul_plain": Rule(_multiply),
    "ckks.negate": Rule(_negate),
    "ckks.relinearize": Rule(_same, ("from_basis", "to_basis")),
    "ckks.rescale": Rule(_same, ("to_ring",)),
    "ckks.rotate": Rule(_rotate, ("static_shift",)),
    "ckks.sub": Rule(_subtract),
    "ckks.sub_plain": Rule(_subtract),
    "kernel.apply_linear_transform": Rule(_apply, _TRANSFORM),
    "kernel.eval_chebyshev": Rule(_chebyshev, ("coefficients",)),
    "kernel.linear_transform": Rule(_transform, _TRANSFORM),
    "kernel.prepare_linear_transform": Rule(_prepare, _TRANSFORM),
    "lwe.radd": Rule(_add),
    "lwe.radd_plain": Rule(_add),
    "lwe.rlwe_decode": Rule(_decode, _ENCODING),
    "lwe.rlwe_decrypt": Rule(_same),
    "lwe.rlwe_encode": Rule(_encode, _ENCODING),
    "lwe.rlwe_encrypt": Rule(_same),
    "lwe.rmul": Rule(_multiply),
    "lwe.rmul_plain": Rule(_multiply),
    "lwe.rnegate": Rule(_negate),
    "lwe.rsub": Rule(_subtract),
    "lwe.rsub_plain": Rule(_subtract),
    "orion.chebyshev": Rule(_chebyshev, ("coefficients", "domain_start", "domain_end")),
    "orion.linear_transform": Rule(_transform, _TRANSFORM),
    "preprocessing.empty": Rule(_storage),
    "preprocessing.load": Rule(_load),
    "preprocessing.store": Rule(_store),
}
