"""A ciphertext of the counting backend that records its operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from . import _arrays, _clear, _integers, _ringjet
from ._clear import Clear, Vector
from ._methods import Methods
from ._ringjet import Ciphertext, LinearTransform

if TYPE_CHECKING:
    from ._tracker import Tracker


class Tracked(Methods):
    """Replaces a `Ciphertext` in `plan` and `simulate`, with all its operations. `isinstance(x,
    Ciphertext)` is true."""

    #: Makes pandas leave binary operators to this class.
    __pandas_priority__ = 5000

    def __init__(self, tracker: Tracker, ct: Ciphertext, clear: Clear | None) -> None:
        self._tracker, self._ct, self._clear = tracker, ct, clear
        #: What a simulation has warned of: the values exceed their stated bounds, overflow the
        #: modulus, drown in errors or wrap around modulo t.
        self._exceeds = self._overflows = self._drowned = self._wraps = False
        #: File and line of the operation that made it.
        self._where = "?"

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Ciphertext

    def _values(self) -> Clear:
        assert self._clear is not None, "only a simulation has values"
        return self._clear

    def __getattr__(self, name: str) -> Any:
        """The ciphertext's own properties."""
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._ct, name)
        if callable(value):
            raise AttributeError(f"plan and simulate do not know Ciphertext.{name}")
        return value

    @property
    def _zero_padded(self) -> bool:
        return self._ct._zero_padded

    # ---- operators ----

    def _binary(
        self,
        method: str,
        names: tuple[str, str, str],
        other: Any,
        values: Callable[[Vector, Vector], Vector],
        neutral: int = 0,
    ) -> Any:
        """`names`: the operation's names with a ciphertext, a vector and a number."""
        if type(other) is Tracked:
            return self._tracker.step(
                names[0], [self, other], lambda a, b: getattr(a, method)(b), lambda a, b: a.joined(b, values)
            )
        if hasattr(type(other), "_is_encrypted"):
            if isinstance(other, Ciphertext):
                raise TypeError("ciphertexts of a run of plan() or simulate() meet others")
            return NotImplemented
        numbers = isinstance(other, (list, tuple)) or hasattr(other, "__array__")
        name = names[1 if numbers and np.size(other) != 1 else 2]

        def clear(a: Clear) -> Clear:
            return a.mapped(lambda v: values(v, _clear.operand(other, self.slots, a.modulus, self._ct.count, neutral)))

        return self._tracker.step(name, [self], lambda a: getattr(a, method)(other), clear)

    def __add__(self, other: Any) -> Any:
        return self._binary("__add__", _SUM, other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._binary("__radd__", _SUM, other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._binary("__sub__", _SUM, other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("__rsub__", _SUM, other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._binary("__mul__", _PRODUCT, other, lambda a, b: a * b, 1)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("__rmul__", _PRODUCT, other, lambda a, b: b * a, 1)

    def __truediv__(self, other: Any) -> Any:
        return self._binary("__truediv__", _PRODUCT, other, lambda a, b: a / b, 1)

    def __neg__(self) -> Any:
        return self._one("negation", lambda a: -a, lambda a: a.mapped(lambda v: -v))

    def __pos__(self) -> Tracked:
        return self

    def __pow__(self, exponent: Any, modulo: Any = None) -> Any:
        return self._one("power", lambda a: a.__pow__(exponent, modulo), lambda a: a.power(int(exponent)))

    def __rmatmul__(self, matrix: Any) -> Any:
        return self.matmul(matrix)

    def __hash__(self) -> int:
        return hash(self._ct)

    def __copy__(self) -> Tracked:
        return self

    def __deepcopy__(self, memo: Any) -> Tracked:
        return self

    def __reduce__(self) -> Any:
        return self._ct.__reduce__()

    def __repr__(self) -> str:
        return repr(self._ct)

    def _repr_html_(self) -> str:
        return self._ct._repr_html_()

    # ---- methods ----

    def _one(self, operation: str, native: Callable[[Ciphertext], Any], clear: Callable[[Clear], Clear]) -> Any:
        return self._tracker.step(operation, [self], native, clear)

    def rotate(self, k: int) -> Any:
        return self._one("rotation", lambda a: a.rotate(k), lambda a: a.rotated(k))

    def rotations(self, ks: Sequence[int]) -> Any:
        ks = list(ks)
        return self._tracker.steps_of(
            "rotation", [self], lambda a: a.rotations(ks), lambda a: [a.rotated(k) for k in ks]
        )

    def conjugate(self) -> Any:
        return self._one("conjugation", lambda a: a.conjugate(), lambda a: a.mapped(np.conj))

    def swap_rows(self) -> Any:
        return self._one("swap of rows", lambda a: a.swap_rows(), lambda a: a.swapped())

    def inner_sum(self, stride: int, count: int, *, terms: int | None = None) -> Any:
        return self._one(
            "inner sum", lambda a: a.inner_sum(stride, count, terms=terms), lambda a: a.inner_sum(stride, count)
        )

    def polynomial(self, p: Any, *, slope: float | None = None) -> Any:
        known = len(self._tracker.warnings)
        error = self._approximates(p) if self._clear is not None else None
        return self._tracker.step(
            "polynomial",
            [self],
            lambda a: a.polynomial(p, slope=slope),
            lambda a: a.polynomial(p),
            error,
            # outside of its interval a polynomial may have any size; a warning was given
            excused=len(self._tracker.warnings) > known,
        )

    def _approximates(self, p: Any) -> float | None:
        """Warns of values outside of the series' interval. Returns the approximation error, or None
        if `p` names no function that it approximates."""
        values, span = self._values(), _clear.interval(p)
        inside = np.ones(self.slots, bool)
        if span is not None:
            inside = ~values.outside(*span)
            count, padded = self.slots - int(inside.sum()), int((~inside & values.padding).sum())
            if count:
                slots, leave = ("1 slot", "leaves") if count == 1 else (f"{count} slots", "leave")
                slots += f", of them {padded} padding," if padded else ""
                found = values.range(~inside)
                self._tracker.warn("polynomial", f"{slots} {leave} [{span[0]:g}, {span[1]:g}]: values are in {found}")
        function = getattr(p, "function", None)
        chosen = values.values[inside & ~values.padding]
        if not callable(function) or not chosen.size:
            return None
        return float(np.max(np.abs(_clear.evaluate(p, chosen) - function(chosen))))

    def _warns_of_gap(self, op: str, gap: float, unit: float, zeros: bool, used: npt.NDArray[np.bool_] | None) -> None:
        """Warns of values that are closer to 0 than a comparison tells apart. `zeros`: 0 is told
        apart; `used`: the slots that matter; `unit`: what the user calls 1."""
        if self._clear is None:
            return
        size = np.abs(self._clear.values.real)
        closer = ~self._clear.padding & (size < gap * (1 - 1e-9))
        if zeros:
            closer &= size > 0
        if used is not None:
            closer &= used
        if not (count := int(closer.sum())):
            return
        slot = int(np.argmin(np.where(closer, size, np.inf)))
        values = "1 value is" if count == 1 else f"{count} values are"
        text = f"{values} closer than the gap {gap * unit:.4g} to where the result changes"
        self._tracker.warn(op, f"{text}, by {size[slot] * unit:.4g} in slot {slot}: results may be anything between")

    def _afresh(self, op: str, needed: int, error: Exception) -> Tracked:
        """In a simulation, a ciphertext of the same values with at least `needed` levels, after a
        warning. Otherwise raises `error`."""
        fresh = self._tracker.afresh(self._ct) if self._clear is not None else self._ct
        if fresh.level < needed:
            raise error
        self._tracker.goes_on(op, error)
        made = Tracked(self._tracker, fresh, self._clear)
        made._exceeds, made._overflows = self._exceeds, self._overflows
        made._drowned, made._where = self._drowned, self._where
        return made

    def matmul(self, matrix: LinearTransform | npt.ArrayLike) -> Any:
        return self._one("matrix", lambda a: a.matmul(matrix), lambda a: a.transformed(matrix))

    def to_level(self, level: int) -> Any:
        return self._one("level", lambda a: a.to_level(level), lambda a: a)

    def rescale(self, bits: int | None = None) -> Any:
        return self._one("rescaling", lambda a: a.rescale(bits), lambda a: a)

    def mod_down_to(self, log_q: int) -> Any:
        return self._one("modulus", lambda a: a.mod_down_to(log_q), lambda a: a)

    def bootstrap(self, real: bool = False) -> Any:
        return self._one("bootstrap", lambda a: a.bootstrap(real), lambda a: self._refreshed(a, real))

    def _refreshed(self, values: Clear, real: bool) -> Clear:
        if not real or self.params.scheme != "ckks" or values.values.dtype.kind == "f":
            return values
        if np.any(values.values.imag):
            self._tracker.warn("bootstrap", "values are not real, and real=True keeps their real parts")
        return values.mapped(np.real)

    def times_i(self) -> Any:
        return self._one("times i", lambda a: a.times_i(), lambda a: a.mapped(lambda v: 1j * v))

    def with_slots(self, slots: int) -> Any:
        def clear(a: Clear) -> Clear:
            if slots < self.slots and not a.repeats(slots):
                self._tracker.warn("slots", f"values do not repeat after {slots} slots, and become their means")
            return a.repeated(slots)

        return self._one("slots", lambda a: a.with_slots(slots), clear)

    def with_count(self, count: int) -> Any:
        return self._one("count", lambda a: a.with_count(count), lambda a: a)

    def with_magnitude(self, magnitude: float) -> Any:
        return self._one("magnitude", lambda a: a.with_magnitude(magnitude), lambda a: a)

    def with_range(self, low: float, high: float) -> Any:
        return self._one("range", lambda a: a.with_range(low, high), lambda a: a)

    def with_error(self, deviation: float) -> Any:
        return self._one("error", lambda a: a.with_error(deviation), lambda a: a)

    def to_bytes(self) -> bytes:
        return self._ct.to_bytes()


_SUM = ("sum", "plain sum", "constant sum")
_PRODUCT = ("product", "plain product", "constant product")


def weighted_sum(ciphertexts: Sequence[Ciphertext], weights: npt.ArrayLike, level: int | None = None) -> Ciphertext:
    """The sum of `weight * ciphertext` over two sequences of the same length, with a single
    rescaling. It is cheaper and more precise than the operators. The result is at `level`, by
    default one below the lowest ciphertext. HEAAN takes no `level`. Weights of BGV and BFV are whole
    numbers below 2**53 in size, taken modulo t."""
    first = _first_tracked(ciphertexts)
    if first is None:
        return _ringjet.weighted_sum(ciphertexts, weights, level)

    def clear(*values: Clear) -> Clear:
        factors = _arrays.numbers(weights, "weights")
        if (modulus := values[0].modulus) is not None:
            factors = _integers.residues(factors, modulus)
        terms = [a.times(w) for a, w in zip(values, factors, strict=True)]
        return values[0]._made(_clear.sum_of(terms), np.all([a.padding for a in values], axis=0))

    def native(*cts: Ciphertext) -> Ciphertext:
        return _ringjet.weighted_sum(cts, weights, level)

    return cast(Ciphertext, first._tracker.step("weighted sum", _all_tracked(ciphertexts), native, clear))


def sum_of_products(xs: Sequence[Ciphertext], ys: Sequence[Ciphertext]) -> Ciphertext:
    """The sum of `x * y` over two sequences of the same length. With CKKS it takes a single
    relinearisation, so it is cheaper than the operators; with HEAAN it does the same as the
    operators."""
    first = _first_tracked([*xs, *ys])
    if first is None:
        return _ringjet.sum_of_products(xs, ys)

    def clear(*values: Clear) -> Clear:
        pairs = list(zip(values[: len(xs)], values[len(xs) :], strict=True))
        padding = np.all([a.padding & b.padding for a, b in pairs], axis=0)
        return values[0]._made(_clear.sum_of([a.times(b.values) for a, b in pairs]), padding)

    def native(*cts: Ciphertext) -> Ciphertext:
        return _ringjet.sum_of_products(cts[: len(xs)], cts[len(xs) :])

    return cast(Ciphertext, first._tracker.step("sum of products", _all_tracked([*xs, *ys]), native, clear))


def _first_tracked(ciphertexts: Sequence[Any]) -> Tracked | None:
    return next((ct for ct in ciphertexts if type(ct) is Tracked), None)


def _all_tracked(ciphertexts: Sequence[Any]) -> list[Tracked]:
    if any(type(ct) is not Tracked for ct in ciphertexts):
        raise TypeError("ciphertexts of a run of plan() or simulate() meet others")
    return list(ciphertexts)
