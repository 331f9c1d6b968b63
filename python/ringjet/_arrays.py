"""The one conversion of numbers that users give: arrays, lists, data frames and single numbers.

Nothing computes with a user's array in the user's own type: in uint8 10 - 200 is 66, in int64
2**62 + 2**62 is negative, and float16 has three digits. Every entry of the package, those in Rust
included, converts first: to float64 or complex128 where values are approximate, and to whole
numbers, which never pass through a double, where they are exact.

Values that a masked array hides, and missing values, are refused: nobody has said what they are.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Complex, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from ._checks import refusal
from .errors import NotFiniteError, SlotMismatchError

Array = npt.NDArray[Any]
_P = ParamSpec("_P")
_R = TypeVar("_R")

#: The classes of polynomials that numpy has.
_SERIES = (
    np.polynomial.Polynomial,
    np.polynomial.Chebyshev,
    np.polynomial.Legendre,
    np.polynomial.Hermite,
    np.polynomial.HermiteE,
    np.polynomial.Laguerre,
)

_INTEGERS = (
    "these parameters compute with integers: round them, as in np.rint(values).astype(int), or take parameters of CKKS"
)


def plain(values: Any, name: str = "values") -> Array:
    """The array of any values, of which none is hidden or missing. Its type stays."""
    _expect_shown(values, name)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise refusal(
            name, "parts of different lengths", f"an array, all of whose rows have one length ({error})"
        ) from None
    if array.dtype.kind == "O" and array.ndim:
        for index, x in enumerate(array.flat):
            _expect_known(x, index, name)
    return array


def numbers(values: Any, name: str = "values", *, finite: bool = True) -> Array:
    """An array of type complex128 if some value is complex by its type, and otherwise float64.

    Refuses values that are no numbers and, if `finite`, those that are not finite."""
    array = plain(values, name)
    if array.dtype.kind == "O":
        made = _numbers_of(array, name)
    elif array.dtype.kind in "biufc":
        with np.errstate(over="ignore"):  # numbers that only a longdouble holds become infinite
            made = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    else:
        raise _no_numbers(array.dtype)
    if finite:
        _expect_finite(made)
    return made


def reals(values: Any, name: str = "values", *, finite: bool = True) -> Array:
    """An array of type float64. Refuses complex values whose imaginary part is not 0, too."""
    array = numbers(values, name, finite=finite)
    if array.dtype.kind == "f":
        return array
    if np.any(array.imag):
        raise refusal(name, "complex values", "real values")
    return np.ascontiguousarray(array.real)


def integers(values: Any, name: str = "values") -> Array:
    """An array of type int64, or of Python's integers where some are larger. Refuses numbers of a
    type that is not of integers, also where their values are whole."""
    array = plain(values, name)
    # numpy turns a list of negative integers and integers above 2^63 into floats
    if array.dtype.kind == "f" and isinstance(values, (list, tuple)):
        array = np.asarray(values, object)
    if array.dtype.kind in "bi":
        return array.astype(np.int64)
    if array.dtype.kind == "u":
        return array.astype(np.int64 if array.size == 0 or array.max() < 1 << 63 else object)
    if array.dtype.kind in "fc":
        raise TypeError(f"values of type {array.dtype}, and {_INTEGERS}")
    if array.dtype.kind != "O":
        raise _no_numbers(array.dtype)
    found = [integer(x) for x in array.flat]
    try:
        return np.array(found, np.int64).reshape(array.shape)
    except OverflowError:
        return np.array(found, object).reshape(array.shape)


def given(values: Any, exact: bool, name: str = "values") -> Array:
    """The numbers that a scheme computes with: `integers` if it is exact, otherwise `numbers`."""
    return integers(values, name) if exact else numbers(values, name)


def operand(values: Any, exact: bool, slots: int, held: int, name: str = "values") -> Array:
    """The numbers that are combined with a ciphertext of `slots` slots, the first `held` of which
    hold values.

    A single number, also in an array of length 1, counts for every slot, as in numpy: the result
    then has no dimension. An array of `slots` numbers has one for each slot, and an array of `held`
    numbers one for each value. Any other is refused."""
    array = given(values, exact, name)
    if array.ndim == 0 or array.shape == (1,):
        return array.reshape(())
    if array.shape not in ((slots,), (held,)):
        raise _misfit(array, slots, held)
    return array


def number(value: Any, name: str = "value") -> float | complex:
    """A single number: of type float, or complex if it is complex by its type. It may be infinite or
    not a number."""
    _expect_shown(value, name)
    found = _number(value)
    if found is None:
        raise TypeError(f"{name}: a number is needed, not {_called(value)}")
    return found


def integer(value: Any) -> int:
    """A single integer. Refuses numbers of a type that is not of integers."""
    _expect_shown(value, "value")
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, np.timedelta64) or not hasattr(value, "__index__"):
        raise TypeError(f"a number of type {type(value).__name__}, and {_INTEGERS}")
    return operator.index(value)


def polynomial(p: Any) -> Any:
    """A polynomial with coefficients of type float64: of the class of `p` if that is a series of
    `numpy.polynomial`, and otherwise an array of coefficients with the constant first. Objects of
    other classes with coefficients and a domain, such as an `Approximation`, stay as they are."""
    if isinstance(p, np.poly1d):
        return reals(p.coeffs, "coefficients")[::-1]
    if isinstance(p, _SERIES):
        domain, window = (reals(ends, "interval") for ends in (p.domain, p.window))
        return type(p)(reals(p.coef, "coefficients"), domain, window)
    if hasattr(p, "coef") and hasattr(p, "domain"):
        return p
    return reals(p, "coefficients")


def plain_scalars(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, with Python's numbers in place of single numbers of numpy, decimals and fractions:
    a bound of type uint8 has no negative, and half a float16 has three digits."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        named = {name: _scalar(value, name) for name, value in kwargs.items()}
        return function(*(_scalar(value) for value in args), **named)  # type: ignore[arg-type]

    return call


def _scalar(value: object, name: str = "value") -> object:
    if not isinstance(value, (np.generic, Decimal, Fraction)) and not (
        isinstance(value, np.ndarray) and value.ndim == 0
    ):
        return value
    _expect_shown(value, name)
    if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind in "biu":
        return value.item()
    found = _number(value)
    return value if found is None else found


def _expect_shown(values: Any, name: str) -> None:
    """Refuses masked arrays that hide values, also in lists, and pandas' missing values."""
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.is_masked(values):
            hidden = int(np.sum(np.ma.getmaskarray(values)))
            raise refusal(
                name,
                f"a masked array that hides {hidden} of its {values.size} values",
                "values that all count: filled(...) says what the hidden ones are, compressed() leaves them out",
            )
    elif isinstance(values, (list, tuple)):
        kinds = tuple(kind for kind in set(map(type, values)) if issubclass(kind, (list, tuple, np.ma.MaskedArray)))
        if kinds:
            for part in values:
                if isinstance(part, kinds):
                    _expect_shown(part, name)
    elif callable(missing := getattr(values, "isna", None)) and np.any(found := np.asarray(missing())):
        raise _missing(int(np.flatnonzero(found)[0]), name)


def _expect_known(x: Any, index: int, name: str) -> None:
    """Refuses what stands for a missing value."""
    if x is None or type(x).__name__ in ("NAType", "NaTType"):
        raise _missing(index, name)
    _expect_shown(x, name)


def _missing(index: int, name: str) -> Exception:
    return refusal(
        name, f"a missing value at index {index}", "values without gaps: fillna(...) says what missing ones are"
    )


def _expect_finite(array: Array) -> None:
    if not (finite := np.isfinite(array)).all():
        index = int(np.flatnonzero(~finite)[0])
        z = array.flat[index]
        value = float(z.imag if np.isfinite(z.real) else z.real)
        error = NotFiniteError(f"value {value} at index {index} is not finite")
        error.index, error.value = index, value
        raise error


def _numbers_of(array: Array, name: str) -> Array:
    """The numbers of an array of objects."""
    found = []
    for x in array.flat:
        number = _number(x)
        if number is None:
            raise _no_numbers(_called(x))
        found.append(number)
    kind = np.complex128 if any(isinstance(x, complex) for x in found) else np.float64
    return np.array(found, kind).reshape(array.shape)


def _number(x: Any) -> float | complex | None:
    """A number of any class; None for anything else."""
    if isinstance(x, np.generic) and (isinstance(x, np.timedelta64) or not isinstance(x, (np.number, np.bool_))):
        return None
    if isinstance(x, np.ndarray) and (x.ndim or x.dtype.kind not in "biufc"):
        return None
    if isinstance(x, (str, bytes, bytearray)) or not (isinstance(x, Complex) or hasattr(x, "__float__")):
        return None
    is_complex = np.iscomplexobj(x) or (isinstance(x, Complex) and not isinstance(x, Real))
    try:
        return complex(x) if is_complex else float(x)
    except OverflowError:  # an integer or a fraction beyond the largest double
        return float("inf") if x > 0 else float("-inf")
    except ValueError:  # a signalling NaN of decimals
        return float("nan")


def _called(x: Any) -> str:
    kind = type(x)
    return f"{kind.__module__}.{kind.__name__}" if kind.__module__ not in ("builtins", "numpy") else kind.__name__


def _no_numbers(kind: Any) -> TypeError:
    return TypeError(f"values of type {kind} are no numbers that can be encrypted")


def _misfit(array: Array, slots: int, held: int) -> SlotMismatchError:
    found = f"{array.size} numbers" if array.ndim == 1 else f"shape {array.shape}"
    fitting = (
        f"{slots}, one for each slot" if held == slots else f"{held}, one for each value, or {slots}, one for each slot"
    )
    text = f"an array of {found} does not fit a ciphertext of {slots} slots: give {fitting}, or one number for all"
    if array.ndim == 1 and array.size < slots:
        fill = f"np.pad(array, (0, {slots - array.size}), constant_values=...)"
        text += f"; {fill} says what stands in the other slots (0 to add, 1 to multiply or divide by leaves them as they are)"
    error = SlotMismatchError(text)
    error.lhs, error.rhs = slots, array.size
    return error
