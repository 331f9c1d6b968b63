"""A dry run: what a computation does to levels, and where it bootstraps, without keys, data or computing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar, cast

import numpy as np
import numpy.typing as npt

from . import _ringjet
from ._ringjet import Ciphertext, LinearTransform, Parameters
from ._scheme import expect_ckks
from .errors import (
    ArgumentError,
    LevelExhaustedError,
    MissingBootstrappingKeysError,
    NoBootstrappingError,
    NoSuchLevelError,
    RingjetError,
    SlotMismatchError,
)

if TYPE_CHECKING:
    from typing_extensions import Self

#: Constants up to this size that are integers cost no level.
_FREE_INTEGERS = 65536

_HERE = str(Path(__file__).parent)


@dataclass(frozen=True)
class Bootstrap:
    """A bootstrap that a dry run met."""

    #: File and line of the caller.
    where: str
    #: The operation that asked for it.
    operation: str
    #: The level before it.
    level: int
    slots: int


@dataclass
class DryRun:
    """What `plan` found."""

    #: What the function returned, with symbols in place of ciphertexts.
    result: Any = None
    #: In order.
    bootstraps: list[Bootstrap] = field(default_factory=list)
    #: How often each operation is done.
    operations: Counter[str] = field(default_factory=Counter)
    #: The lowest level of anything.
    lowest: int | None = None
    assume_keys: bool = True

    @property
    def levels(self) -> list[int]:
        """The levels left in the results, in order."""
        return [symbol.level for symbol in _symbols(self.result)]

    def __repr__(self) -> str:
        lines = [f"{len(self.bootstraps)} bootstrap(s), levels left: {', '.join(map(str, self.levels)) or 'none'}"]
        places = Counter((b.where, b.operation, b.level, b.slots) for b in self.bootstraps)
        for (where, operation, level, slots), times in places.items():
            lines.append(f"  {times} x {where}: {operation} at level {level}, {slots} slots")
        lines.append("operations: " + ", ".join(f"{n} {name}" for name, n in sorted(self.operations.items())))
        return "\n".join(lines)

    def _note(self, operation: str, level: int, times: int = 1) -> None:
        self.operations[operation] += times
        self.lowest = level if self.lowest is None else min(level, self.lowest)


class Symbol:
    """Stands for a ciphertext in a dry run: it has a level, a scale and slots, and the operators of `Ciphertext`."""

    __array_ufunc__ = None

    def __init__(self, params: Parameters, level: int | None = None, slots: int | None = None) -> None:
        """`level`: the highest of messages by default. `slots`: all by default."""
        self._init(params, params.depth if level is None else level, params.slots if slots is None else slots, DryRun())

    def _init(self, params: Parameters, level: int, slots: int, run: DryRun) -> None:
        expect_ckks(params, "dry run", 'Server(backend="model", params=...) counts, and its ciphertexts know log_q')
        if not 0 <= level <= params.depth:
            raise _no_level(level, params.depth)
        if slots < 1 or slots & (slots - 1) or slots > params.slots:
            expected = f"a power of two up to {params.slots}"
            message = f"slots = {slots}: expected {expected}"
            raise _error(ArgumentError, message, name="slots", value=str(slots), expected=expected)
        self.params, self.level, self.slots, self._run = params, level, slots, run

    def _at(self, level: int, slots: int | None = None) -> Symbol:
        made = Symbol.__new__(Symbol)
        made._init(self.params, level, self.slots if slots is None else slots, self._run)
        return made

    @property
    def scale(self) -> float:
        """Binary logarithm of the scale."""
        return float(self.params.levels[self.level]["scale_bits"])

    def _with_levels(self, levels: int, operation: str) -> Symbol:
        """Bootstrapped as operators do where fewer than `levels` are left."""
        lowest = self.params.bootstrap_input_level
        if lowest is None or not self._run.assume_keys:
            return self
        if self.level >= lowest + levels or levels > self.params.depth - lowest:
            return self
        return self._bootstrapped(operation)

    def _bootstrapped(self, operation: str) -> Symbol:
        lowest = self.params.bootstrap_input_level
        if lowest is None:
            params, instead = repr(self.params), 'choose a preset whose name has "boot" in it'
            raise _error(NoBootstrappingError, f"{params} cannot bootstrap: {instead}", params=params, instead=instead)
        if not self._run.assume_keys:
            raise _error(MissingBootstrappingKeysError, "no bootstrapping keys in this dry run")
        if self.level < lowest:
            raise _exhausted("bootstrapping", lowest, self.level)
        self._run.bootstraps.append(Bootstrap(_caller(), operation, self.level, self.slots))
        self._run._note("bootstrap", self.level)
        return self._at(self.params.depth)

    def _spend(self, operation: str, other: Symbol | None = None) -> Symbol:
        a = self._with_levels(1, operation)
        b = a if other is None or other is self else other._with_levels(1, operation)
        level = min(a.level, b.level)
        if level == 0:
            raise _exhausted(operation, 1, 0)
        self._run._note(operation, level - 1)
        return self._at(level - 1)

    def _joined(self, other: Symbol) -> None:
        if other.slots != self.slots:
            message = f"operands have {self.slots} and {other.slots} slots"
            raise _error(SlotMismatchError, message, lhs=self.slots, rhs=other.slots)
        if other._run is not self._run:
            raise TypeError("symbols of two dry runs meet: give both to plan()")

    def _vector(self, other: Any) -> npt.NDArray[Any] | None:
        """A number (no dimensions) or a vector of as many values as slots; None for what is neither."""
        if not isinstance(other, (SupportsFloat, complex, list, tuple, np.ndarray)):
            return None
        array = np.asarray(other)
        if array.size == 1:
            array = array.reshape(())
        if array.ndim and array.shape != (self.slots,):
            message = f"operands have {self.slots} and {array.size} slots"
            raise _error(SlotMismatchError, message, lhs=self.slots, rhs=array.size)
        return array

    def _sum(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            self._joined(other)
            self._run._note("sum", min(self.level, other.level))
            return self._at(min(self.level, other.level))
        if self._vector(other) is None:
            return NotImplemented
        self._run._note("sum", self.level)
        return self._at(self.level)

    __add__ = __radd__ = __sub__ = __rsub__ = _sum

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            self._joined(other)
            return self._spend("product", other)
        vector = self._vector(other)
        if vector is None:
            return NotImplemented
        if vector.ndim or vector.imag:
            return self._spend("plain product")
        if float(vector.real).is_integer() and abs(vector.real) <= _FREE_INTEGERS:
            return self._at(self.level)
        return self._spend("constant product")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            raise TypeError("no division by a ciphertext: multiply by a polynomial that approximates 1/x")
        vector = self._vector(other)
        return NotImplemented if vector is None else self * (1.0 / vector)

    def __neg__(self) -> Symbol:
        return self._at(self.level)

    def __pos__(self) -> Self:
        return self

    def __pow__(self, exponent: int) -> Symbol:
        known = {1: self}

        def power(n: int) -> Symbol:
            if n not in known:
                high = 1 << ((n - 1).bit_length() - 1)
                a, b = power(high), power(n - high)
                known[n] = a._spend("power", b)
            return known[n]

        return self._at(self.level) if exponent == 0 else power(exponent)

    def __bool__(self) -> bool:
        raise TypeError("an encrypted vector has no truth value: nobody but the client can look inside")

    def rotate(self, k: int) -> Symbol:
        if k % self.slots:
            self._run._note("rotation", self.level)
        return self._at(self.level)

    def rotations(self, ks: Sequence[int]) -> list[Symbol]:
        return [self.rotate(k) for k in ks]

    def conjugate(self) -> Symbol:
        self._run._note("rotation", self.level)
        return self._at(self.level)

    def inner_sum(self, stride: int, count: int) -> Symbol:
        self._run._note("rotation", self.level, len(_ringjet.inner_sum_rotations(stride, count)))
        return self._at(self.level)

    def polynomial(self, p: Any) -> Symbol:
        depth = _depth(p)
        x = self._with_levels(depth, "polynomial")
        if x.level < depth:
            raise _exhausted("polynomial", depth, x.level)
        self._run._note("polynomial", x.level - depth)
        return self._at(x.level - depth)

    def matmul(self, matrix: LinearTransform | npt.ArrayLike) -> Symbol:
        slots = matrix.slots if isinstance(matrix, LinearTransform) else len(np.asarray(matrix))
        if slots != self.slots:
            raise _error(SlotMismatchError, f"operands have {slots} and {self.slots} slots", lhs=slots, rhs=self.slots)
        return self._spend("matrix")

    __rmatmul__ = matmul

    def to_level(self, level: int) -> Symbol:
        if level > self.level:
            raise _no_level(level, self.level)
        self._run._note("level", level)
        return self._at(level)

    def bootstrap(self, real: bool = False) -> Symbol:
        return self._bootstrapped("bootstrap")

    def times_i(self) -> Symbol:
        return self._at(self.level)

    def with_slots(self, slots: int) -> Symbol:
        return self._at(self.level, slots)

    def with_magnitude(self, magnitude: float) -> Symbol:
        return self

    def __repr__(self) -> str:
        return f"Symbol(level {self.level}/{self.params.depth}, scale 2^{self.scale:.2f}, {self.slots} slots)"


_C = TypeVar("_C", bound="Ciphertext | Symbol")


def plan(function: Callable[..., Any], *inputs: Any, bootstrapping: bool | None = None) -> DryRun:
    """Runs `function` on symbols instead of ciphertexts, and says where and how often it would bootstrap and which levels
    are left. Nothing is computed.

    inputs: what the function takes. A `Ciphertext` is replaced by a symbol of its level and slots, `Parameters` by that of
    a fresh ciphertext, also inside lists, tuples and dictionaries; everything else is passed as it is. bootstrapping:
    whether there will be keys for it; by default where the parameters can. Keys for rotations are taken to be there.
    """
    run = DryRun(assume_keys=bootstrapping is not False)
    run.result = function(*(_symbolic(x, run) for x in inputs))
    return run


def weighted_sum(ciphertexts: Sequence[_C], weights: npt.ArrayLike, level: int | None = None) -> _C:
    """The sum of `weight * ciphertext`, with one rescaling in all: cheaper and more precise than the operators. The result
    is at `level`, by default one below the lowest ciphertext; HEAAN has none."""
    if not any(isinstance(ct, Symbol) for ct in ciphertexts):
        return cast(_C, _ringjet.weighted_sum(cast(Sequence[Ciphertext], ciphertexts), weights, level))
    symbols = cast(Sequence[Symbol], ciphertexts)
    first = symbols[0]
    for symbol in symbols:
        first._joined(symbol)
    lowest = min(symbol.level for symbol in symbols)
    level = lowest - 1 if level is None else level
    if level >= lowest or level < 0:
        raise _exhausted("weighted_sum", level + 1, lowest)
    first._run._note("weighted sum", level)
    return cast(_C, first._at(level))


def sum_of_products(xs: Sequence[_C], ys: Sequence[_C]) -> _C:
    """The sum of `x * y` over two lists of ciphertexts. With one relinearisation in all it is cheaper than the operators; with
    HEAAN it does as they do."""
    if not any(isinstance(ct, Symbol) for ct in (*xs, *ys)):
        natives = cast(Sequence[Ciphertext], xs), cast(Sequence[Ciphertext], ys)
        return cast(_C, _ringjet.sum_of_products(*natives))
    if len(xs) != len(ys):
        message = f"ys = {len(ys)} ciphertexts: expected {len(xs)}"
        raise _error(ArgumentError, message, name="ys", value=f"{len(ys)} ciphertexts", expected=str(len(xs)))
    first = cast(Symbol, xs[0])
    ready = []
    for ct in cast(Sequence[Symbol], (*xs, *ys)):
        first._joined(ct)
        ready.append(ct._with_levels(1, "product"))
    level = min(symbol.level for symbol in ready)
    if level == 0:
        raise _exhausted("multiplication", 1, 0)
    first._run._note("product", level - 1, len(xs))
    return cast(_C, first._at(level - 1))


_E = TypeVar("_E", bound=RingjetError)


def _error(kind: type[_E], message: str, **fields: Any) -> _E:
    error = kind(message)
    for name, value in fields.items():
        setattr(error, name, value)
    return error


def _no_level(level: int, top: int) -> NoSuchLevelError:
    return _error(NoSuchLevelError, f"level {level} does not exist: the top level is {top}", level=level, top=top)


def _exhausted(operation: str, needed: int, left: int) -> LevelExhaustedError:
    message = f"{operation} needs {needed} level(s), but {left} are left"
    return _error(LevelExhaustedError, message, op=operation, needed=needed, left=left)


def _symbolic(x: Any, run: DryRun) -> Any:
    if isinstance(x, (Ciphertext, Symbol)):
        x = Symbol(x.params, x.level if x.params.scheme == "ckks" else None, x.slots)
        x._run = run
        return x
    if isinstance(x, Parameters):
        return _symbolic(Symbol(x), run)
    if isinstance(x, dict):
        return {key: _symbolic(value, run) for key, value in x.items()}
    if type(x) in (list, tuple):
        return type(x)(_symbolic(value, run) for value in x)
    return x


def _symbols(x: Any) -> list[Symbol]:
    if isinstance(x, Symbol):
        return [x]
    if isinstance(x, dict):
        x = list(x.values())
    return [symbol for value in x for symbol in _symbols(value)] if isinstance(x, (list, tuple)) else []


def _caller() -> str:
    """The nearest line outside this file, or outside the package where there is one."""
    frame = sys._getframe(1)
    nearest = None
    while frame is not None:
        name = frame.f_code.co_filename
        if name != __file__ and not name.startswith("<frozen"):
            place = f"{name}:{frame.f_lineno}"
            nearest = nearest or place
            if not name.startswith(_HERE):
                return place
        frame = frame.f_back  # type: ignore[assignment]
    return nearest or "?"


def _depth(p: Any) -> int:
    """Levels that a polynomial takes."""
    mapped = False
    if isinstance(p, np.poly1d):
        coefficients = np.asarray(p.coeffs)[::-1]
    elif hasattr(p, "coef") and hasattr(p, "domain"):
        if isinstance(p, np.polynomial.Polynomial):
            coefficients = p.convert(domain=[-1, 1], kind=np.polynomial.Polynomial, window=[-1, 1]).coef
        else:
            coefficients = p.coef
            mapped = list(p.domain) != [-1.0, 1.0]
    else:
        coefficients = np.asarray(p)
    nonzero = np.flatnonzero(coefficients)
    degree = int(nonzero[-1]) if len(nonzero) else 0
    return degree.bit_length() + mapped if degree else 0
