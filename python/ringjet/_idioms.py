"""What Python and numpy ask of vectors and numbers, answered with ringjet's own calls.

Operators and functions that mean the same for ciphertexts work. All others raise a `TypeError` or an
`AttributeError` that names the call to make instead, with this ciphertext's scheme.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ._answers import ATTRIBUTES, MATRIX, NO_ARRAY, NUMPY, PYTHON, Answer
from ._scheme import EQUALITY, FUNCTIONS, ORDER, lacks
from .errors import ArgumentError, ComparisonError, DetachedError

if TYPE_CHECKING:
    from ._ringjet import Parameters


def unanswered(x: Any, used: str) -> TypeError:
    """The error for an operator or a function of Python, written as in `PYTHON`."""
    return TypeError(_text(x, used, _table(x).get(used) or PYTHON[used]))


def bad_exponent(x: Any, exponent: Any) -> ArgumentError | TypeError:
    """The error for an exponent that is no whole number from 0 on."""
    if isinstance(exponent, Idioms) or hasattr(type(exponent), "_is_encrypted"):
        return unanswered(x, "x ** y")
    calls = {
        -1: "use x.reciprocal(low, high) for 1 / x",
        0.5: "use x.sqrt(low, high)",
        -0.5: "use x.inverse_sqrt(low, high)",
    }
    call = calls.get(exponent) if isinstance(exponent, (int, float)) else None
    call = call or "x.power(a, (low, high)) takes any real exponent"
    instead = lacks(_params(x), FUNCTIONS)
    words = call if instead is None else f"{_scheme(x)} has no other powers: {instead}"
    error = ArgumentError(f"exponent = {exponent!r}: expected a whole number from 0 on; {words}")
    error.name, error.value, error.expected = "exponent", repr(exponent), "a whole number from 0 on"
    return error


def _table(x: Any) -> dict[str, Answer]:
    return MATRIX if getattr(type(x), "_is_matrix", False) else {}


def _numpy_answer(x: Any, name: str) -> Answer | None:
    found = _table(x).get(name) or NUMPY.get(name)
    if found is not None and getattr(type(x), "_is_matrix", False) and name not in MATRIX and "x." in found.call:
        return Answer(f"A.map(lambda x: {found.call.split(', with')[0]}), element by element", found.need)
    return found


def _params(x: Any) -> Parameters:
    while getattr(type(x), "_is_matrix", False):
        x = x.blocks[0][0]
    return cast("Parameters", x.params)


def _scheme(x: Any) -> str:
    return str(_params(x).scheme).upper()


def _text(x: Any, used: str, answer: Answer | None) -> str:
    """`used`: what the user wrote."""
    refused = f"{used} is not for encrypted {'matrices' if getattr(type(x), '_is_matrix', False) else 'vectors'}"
    if answer is None:
        return f"{refused}: the methods of ringjet.Ciphertext and the functions of ringjet compute with them"
    try:
        instead = lacks(_params(x), answer.need)
    except DetachedError:  # a pickle of a ciphertext whose server is not in this process
        instead = None
    if instead is not None:
        return f"{refused}. {_scheme(x)} has nothing like it: {instead}"
    return f"{refused}: {'' if answer.explains else 'use '}{answer.call}"


def _refuses(used: str) -> Callable[..., Any]:
    """A method that answers `used`."""

    def refuse(self: Any, *_: Any) -> NoReturn:
        raise unanswered(self, used)

    return refuse


#: ufuncs that mean the same for ciphertexts: the operators with the ciphertext on the left and on the
#: right.
_UFUNCS = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "power": ("__pow__", "__rpow__"),
    "float_power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "negative": ("__neg__",),
    "positive": ("__pos__",),
}


#: ufuncs that compare for equality and for order.
_EQUALITIES, _ORDERS = ("equal", "not_equal"), ("less", "less_equal", "greater", "greater_equal")


class _OfType:
    """A method that instances do not have. Arrays look `__array_ufunc__` up in a type. Masked arrays
    ask an instance: where it has none, they leave the operator to it, which refuses their masks."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self._method if instance is None else None


class Idioms:
    """Operators of Python and functions of numpy."""

    __slots__ = ()

    #: Marks what native operators leave to the other operand.
    _is_encrypted = True

    __matmul__ = _refuses("x @ y")
    __rtruediv__ = _refuses("a / x")
    __rpow__ = _refuses("a ** x")
    __floordiv__ = __rfloordiv__ = _refuses("x // y")
    __mod__ = __rmod__ = _refuses("x % y")
    __divmod__ = __rdivmod__ = _refuses("divmod(x, y)")
    __and__ = __rand__ = _refuses("x & y")
    __or__ = __ror__ = _refuses("x | y")
    __xor__ = __rxor__ = _refuses("x ^ y")
    __lshift__ = __rlshift__ = _refuses("x << k")
    __rshift__ = __rrshift__ = _refuses("x >> k")
    __invert__ = _refuses("~x")
    __abs__ = _refuses("abs(x)")
    __round__ = _refuses("round(x)")
    __floor__ = _refuses("math.floor(x)")
    __ceil__ = _refuses("math.ceil(x)")
    __trunc__ = _refuses("math.trunc(x)")
    __float__ = _refuses("float(x)")
    __int__ = _refuses("int(x)")
    __complex__ = _refuses("complex(x)")
    __len__ = _refuses("len(x)")
    __getitem__ = _refuses("x[i]")
    __setitem__ = __delitem__ = _refuses("x[i] = y")
    __iter__ = __reversed__ = _refuses("for v in x")

    def __contains__(self, value: object) -> bool:
        return self == value  # raises

    def __format__(self, spec: str) -> str:
        if spec:
            raise unanswered(self, "format(x)")
        return repr(self)

    def __bool__(self) -> NoReturn:
        raise TypeError("an encrypted vector has no truth value: nobody but the client can look inside")

    def __eq__(self, other: object) -> NoReturn:
        calls = "rj.equal(x, y) makes encrypted zeros and ones, and `is` tells whether two names mean one ciphertext"
        raise _comparison(self, calls, EQUALITY)

    __ne__ = __eq__

    def __lt__(self, other: object) -> NoReturn:
        calls = "rj.greater, rj.less and rj.equal make encrypted zeros and ones, rj.maximum takes the larger, rj.minimum the smaller"
        raise _comparison(self, calls, ORDER)

    __le__ = __gt__ = __ge__ = __lt__

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError(NO_ARRAY)

    @_OfType
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        name = ufunc.__name__
        if method != "__call__":
            answer = _numpy_answer(self, "sum") if (name, method) == ("add", "reduce") else None
            raise TypeError(_text(self, f"np.{name}.{method}", answer))
        # a += x
        if out is not None and out[0] is not inputs[0]:
            raise TypeError(f"np.{name}: a ciphertext cannot be written into an array; leave out= away")
        if options:
            raise TypeError(f"np.{name}: ciphertexts take no {', '.join(options)}")
        if name in ("square", "conjugate"):
            return cast(Any, self) * self if name == "square" else cast(Any, self).conjugate()
        if name in _UFUNCS:
            return _operated(name, *inputs)
        if name in _EQUALITIES + _ORDERS:
            return self == None if name in _EQUALITIES else self < None  # noqa: E711  raises
        raise TypeError(_text(self, f"np.{name}", _numpy_answer(self, name)))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> NoReturn:
        name = function.__name__
        raise TypeError(_text(self, f"np.{name}", _numpy_answer(self, name)))

    def __getattr__(self, name: str) -> Any:
        raise attribute(self, name)


def attribute(x: Any, name: str) -> AttributeError:
    """The error for an attribute that x does not have."""
    kind = "EncryptedMatrix" if getattr(type(x), "_is_matrix", False) else "Ciphertext"
    answer = None if name.startswith("_") else _table(x).get(name) or ATTRIBUTES.get(name) or _numpy_answer(x, name)
    if answer is not None:
        return AttributeError(_text(x, f"{'A' if kind == 'EncryptedMatrix' else 'x'}.{name}", answer))
    known = [] if name.startswith("_") else difflib.get_close_matches(name, [n for n in dir(type(x)) if n[0] != "_"], 1)
    meant = f": did you mean {known[0]}?" if known else ""
    return AttributeError(f"{kind!r} object has no attribute {name!r}{meant}")


def _comparison(x: Any, calls: str, need: str) -> ComparisonError:
    """The error for a comparison. `calls`: those of schemes that have what it needs."""
    try:
        instead = lacks(_params(x), need)
    except DetachedError:  # see _text
        instead = None
    words = (
        calls
        if instead is None
        else f"`is` tells whether two names mean one ciphertext. {_scheme(x)} has no order: {instead}"
    )
    if instead is not None and need == EQUALITY:
        words = words.replace("no order", "no equality")
    return ComparisonError(f"encrypted values are not compared, nobody but the client can look inside: {words}")


def _operated(name: str, *inputs: Any) -> Any:
    """The operator of a ufunc."""
    methods = _UFUNCS[name]
    if len(inputs) == 1:
        return getattr(inputs[0], methods[0])()
    a, b = inputs
    for x, y, method in ((a, b, methods[0]), (b, a, methods[1])):
        if hasattr(type(x), "_is_encrypted") and (made := getattr(x, method)(y)) is not NotImplemented:
            return made
    found = " and ".join(type(z).__name__ for z in inputs)
    raise TypeError(f"np.{name}: ciphertexts are combined with ciphertexts, arrays and numbers, not {found}")
