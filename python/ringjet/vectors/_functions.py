"""Functions of every slot, and softmax."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev

from .. import _ringjet
from .._checks import count, ends, refusal
from .._scheme import FUNCTIONS, expect
from ..errors import ArgumentError
from ._cache import cached
from ._series import depth, products

if TYPE_CHECKING:
    from .._ringjet import Ciphertext

_Interval = tuple[float, float]
_Vector = npt.NDArray[np.float64]

#: The part of the requested error that programs of several polynomials may use.
_MARGIN = 0.9

#: The largest degree of a polynomial, and the largest one whose best polynomial is found quickly.
_MOST_DEGREE, _QUICK_DEGREE = 4095, 400

#: Up to this many values, softmax uses the small method.
_FEW = 64


class Functions:
    """Methods that compute a function of every slot.

    interval, or low and high: they must hold the values of all slots, also of those that the caller
    does not use (`fill` of `encrypt` sets these). `OutsideIntervalError` is raised otherwise, before
    anything is computed. error: the largest distance from the function on the interval. The errors
    of encryption come on top of it. `rj.plan` shows the levels that a function takes.
    """

    __slots__ = ()

    def apply(self, f: str | Callable[..., Any], interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """A function of every slot: a polynomial within `error` of it on `interval`, (low, high),
        which must hold all values. f, interval and error are those of `approximate`, which says the
        degree and the levels that it takes. Not with HEAAN, BGV and BFV."""
        return _applied(self, "apply", f, interval, error)

    def exp(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """The exponential function."""
        return _applied(self, "exp", "exp", interval, error)

    def log(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """The natural logarithm, on an interval above 0."""
        expect(cast("Ciphertext", self), "log", FUNCTIONS)
        low, high = ends(interval)
        _expect_interval(low, high, "above 0", low > 0)
        return _applied(self, "log", "log", (low, high), error)

    def sin(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """The sine."""
        return _applied(self, "sin", "sin", interval, error)

    def cos(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """The cosine."""
        return _applied(self, "cos", "cos", interval, error)

    def tanh(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """The hyperbolic tangent."""
        return _applied(self, "tanh", "tanh", interval, error)

    def erf(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """The error function."""
        return _applied(self, "erf", "erf", interval, error)

    def sigmoid(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """The logistic function, `1 / (1 + exp(-x))`."""
        return _applied(self, "sigmoid", "sigmoid", interval, error)

    def softplus(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """`log(1 + exp(x))`."""
        return _applied(self, "softplus", "softplus", interval, error)

    def gelu(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """x times the distribution function of the normal distribution."""
        return _applied(self, "gelu", "gelu", interval, error)

    def silu(self, interval: _Interval, *, error: float = 1e-4) -> Ciphertext:
        """x times its logistic function."""
        return _applied(self, "silu", "silu", interval, error)

    def reciprocal(self, low: float, high: float, *, error: float = 1e-4) -> Ciphertext:
        """1 / x for values from low to high, an interval without 0.

        It is the best polynomial, or a smaller polynomial followed by steps of Goldschmidt's
        iteration: whichever takes fewer levels, then fewer products of ciphertexts."""
        _expect_interval(low, high, "without 0", low > 0 or high < 0)
        x = _inside(cast("Ciphertext", self), "reciprocal", low, high)
        if high < 0:
            return cast("Ciphertext", -_program("reciprocal", -high, -low, error).run(-x))
        return cast("Ciphertext", _program("reciprocal", low, high, error).run(x))

    def sqrt(self, low: float, high: float, *, error: float = 1e-4) -> Ciphertext:
        """The square root of values from low to high, low >= 0.

        It is the best polynomial, which takes the fewest levels, or where its degree would be
        above 4095, a product of several polynomials. With low = 0 it takes many levels: 12 for
        values up to 1 and an error of 1e-4."""
        _expect_interval(low, high, "from 0 on", low >= 0)
        x = _inside(cast("Ciphertext", self), "sqrt", low, high)
        return cast("Ciphertext", _program("sqrt", low, high, error).run(x))

    def inverse_sqrt(self, low: float, high: float, *, error: float = 1e-4) -> Ciphertext:
        """`1 / sqrt(x)` for values from low to high, low > 0; chosen as `sqrt` is."""
        _expect_interval(low, high, "above 0", low > 0)
        x = _inside(cast("Ciphertext", self), "inverse_sqrt", low, high)
        return cast("Ciphertext", _program("inverse_sqrt", low, high, error).run(x))

    def power(self, exponent: float, interval: _Interval | None = None, *, error: float = 1e-4) -> Ciphertext:
        """x to the power of any real exponent. Exponents 0, 1, 2, ... give `x**exponent`, which is no
        approximation and needs no interval. Other exponents need an interval above 0; those above 0
        also take one that begins at 0."""
        x = cast("Ciphertext", self)
        if not math.isfinite(exponent):
            raise refusal("exponent", exponent, "a finite number")
        if exponent >= 0 and exponent == int(exponent):
            return x ** int(exponent)
        expect(x, f"x**{exponent:g}", FUNCTIONS)
        if interval is None:
            raise refusal("interval", None, f"(low, high) above 0 for the exponent {exponent:g}")
        low, high = ends(interval)
        if exponent > 0:
            _expect_interval(low, high, "from 0 on", low >= 0)
        else:
            _expect_interval(low, high, "above 0", low > 0)
        named = {-1.0: Functions.reciprocal, 0.5: Functions.sqrt, -0.5: Functions.inverse_sqrt}.get(exponent)
        if named is not None:
            return named(self, low, high, error=error)
        return x.apply(lambda v: v**exponent, (low, high), error=error)

    def softmax(self, n: int | None = None, *, bound: float, error: float = 1e-4) -> Ciphertext:
        """`exp(x) / sum(exp(x))` over the first n values, by default all that the
        ciphertext holds; 0 in all other slots.

        bound: values are between -bound and bound (`OutsideIntervalError` otherwise). error: the
        largest distance of a result from the true one. It holds because exp(x - bound) is computed
        within `error * exp(-2 * bound) / 3`, which moves a quotient by at most a third of the error,
        and the reciprocal of the sum within a third of the error. The errors of encryption come on
        top, and grow up to `exp(2 * bound)` times, so bounds should be narrow. It takes the keys of
        `rj.inner_sum_rotations(1, slots)`."""
        x = expect(cast("Ciphertext", self), "softmax", FUNCTIONS)
        slots = x.slots
        n = count(x, n)
        _expect_error(error)
        error = min(error, 1.0)
        # doubles have 13 digits for polynomials
        most = 0.5 * math.log(error / 3 / 1e-12) if error > 3e-12 else 0.0
        if not 0 < bound <= most:
            raise refusal("bound", bound, f"above 0 and at most {most:.3g}, where an error of {error:g} can be reached")
        least = math.exp(-2 * bound)
        exact = error * least / 3
        series = _ringjet.approximate(lambda v: np.exp(np.asarray(v) - bound), (-bound, bound), exact)
        x = _inside(x, "softmax", -bound, bound)
        low, high = n * (least - exact), n * (1 + exact)
        # With few values the sum is scaled so that its interval has a width of 2, which is mapped to
        # [-1, 1] without spending a level. Scaling costs precision in proportion to n.
        scale = 2 / (high - low) if n <= _FEW else 1.0
        coefficients = scale * np.asarray(series.coef)
        if n == slots:
            powers = _Part(Chebyshev(coefficients, domain=(-bound, bound)), scale)(x)
        else:
            # the product with the mask also maps the interval to [-1, 1]
            padding = np.arange(slots) >= n
            powers = (x * np.where(padding, 0, 1 / bound)).with_range(-1, 1)
            powers = powers.polynomial(Chebyshev(coefficients), slope=scale * bound)
            powers = powers - np.where(padding, scale * float(series(0.0)), 0)
        largest, low, high = scale * (1 + exact), scale * low, scale * high
        powers = powers.with_range(-scale * exact, largest)
        total = powers.inner_sum(1, slots, terms=n).with_range(low, high)
        inverse = _program("reciprocal", low, high, error / (3 * largest)).run
        if isinstance(inverse, _Part):
            # no value is larger than the sum: an error d of the sum moves a quotient by d / low
            inverse = replace(inverse, slope=min(inverse.slope, 1.01 / low))
        return cast("Ciphertext", powers * inverse(total)).with_range(-error, 1 + error).with_count(n)


@dataclass(frozen=True)
class _Part:
    """A polynomial of a ciphertext or of an array. `slope`: its steepest slope where values are."""

    series: Chebyshev
    slope: float

    @property
    def degree(self) -> int:
        return len(self.series.coef) - 1

    @property
    def levels(self) -> int:
        return depth(self.series)

    @property
    def products(self) -> int:
        """Products of ciphertexts, about."""
        return products(self.degree)

    def __call__(self, x: Any) -> Any:
        return self.series(x) if isinstance(x, np.ndarray) else x.polynomial(self.series, slope=self.slope)


def _part(coefficients: npt.ArrayLike, domain: _Interval, values: _Vector) -> _Part:
    """A Chebyshev series on the domain. `values`: those of its argument."""
    series = Chebyshev(np.asarray(coefficients), domain=domain)
    # a little more, for arguments between the values
    return _Part(series, 1.01 * float(np.max(np.abs(series.deriv()(values)))))


def _bounded(x: Any, low: float, high: float) -> Any:
    """States the range of a ciphertext."""
    return x if isinstance(x, np.ndarray) else x.with_range(low, high)


@dataclass(frozen=True)
class _Program:
    """A way to compute a function on an interval, of ciphertexts and of arrays alike."""

    name: str
    levels: int
    #: Products of ciphertexts, about.
    products: int
    run: Callable[[Any], Any]

    def distance(self, function: Callable[[_Vector], _Vector], low: float, high: float) -> float:
        """The largest distance from a function on a dense grid with both ends."""
        x = _grid(low, high)
        with np.errstate(all="ignore"):
            return float(np.max(np.abs(self.run(x) - function(x)), initial=0))


_EXACT: dict[str, Callable[[_Vector], _Vector]] = {
    "reciprocal": lambda x: 1 / x,
    "sqrt": np.sqrt,
    "inverse_sqrt": lambda x: 1 / np.sqrt(x),
}


@cached(256)
def _program(name: str, low: float, high: float, error: float) -> _Program:
    """The program with the fewest levels, and of those the fewest products, that is within `error` of
    the function on [low, high]."""
    _expect_error(error)
    low, high = float(low), float(high)
    found, refused = [], refusal("error", error, f"a larger number on [{low:g}, {high:g}]")
    for domain in _domains(low, high):
        try:
            found += _direct(name, domain, low, high, error)
        except ArgumentError as reason:
            refused = reason
    if name == "reciprocal":
        found += _goldschmidt(low, high, error)
    elif not found:
        # a composition with as many levels as a polynomial has no larger degree
        found += _products(name, low, high, error)
    for program in sorted(found, key=lambda program: (program.levels, program.products)):
        if program.distance(_EXACT[name], low, high) <= error:
            return program
    raise refused


def _domains(low: float, high: float) -> list[_Interval]:
    """The interval, and the next larger one that is mapped to [-1, 1] without spending a level; only
    that one if it is hardly larger."""
    times = math.floor(2 / (high - low) * (1 + 1e-12))
    if not 1 <= times <= 1 << 20:
        return [(low, high)]
    larger = (low, low + 2 / times)
    return [larger] if larger[1] - low < 1.05 * (high - low) else [(low, high), larger]


def _direct(name: str, domain: _Interval, low: float, high: float, error: float) -> list[_Program]:
    """The best polynomial on `domain`, unless its degree is too large."""
    a, b = domain
    values = _grid(low, high)
    if a > 0:
        # the error of the best polynomial falls by this factor with each degree
        rate = math.acosh((b + a) / (b - a))
        largest = math.sqrt(b) if name == "sqrt" else 1 / a if name == "reciprocal" else 1 / math.sqrt(a)
        if math.log(max(largest / error, 2)) / rate > 2 * _MOST_DEGREE:
            return []
    elif (needed := (2 * math.sqrt(b) / (math.pi * error) - 1) / 2) > _QUICK_DEGREE:
        if needed > _MOST_DEGREE:
            return []
        part = _part(_root_series(math.ceil(needed)) * math.sqrt(b), domain, values)
        return [_Program("polynomial", part.levels, part.products, part)]
    # a little less, so that rounding does not carry the distance above the error
    part = _part(_ringjet.approximate(name, domain, error * (1 - 1e-9)).coef, domain, values)
    return [_Program("polynomial", part.levels, part.products, part)]


def _root_series(degree: int) -> _Vector:
    """The Chebyshev series of sqrt((1 + u) / 2), whose terms are `-(-1)**k * 4 / (pi * (4 * k**2 - 1))`
    for k > 0. Terms above degree d add up to at most `2 / (pi * (2 * d + 1))`."""
    k = np.arange(degree + 1)
    terms = np.asarray(-4 / np.pi * (-1.0) ** k / (4.0 * k**2 - 1))
    terms[0] = 2 / np.pi
    return terms


def _goldschmidt(low: float, high: float, error: float) -> list[_Program]:
    """1 / x as `p(x) * (1 + e) * (1 + e**2) * (1 + e**4) * ...` with e = 1 - x p(x).

    e is the polynomial of degree n with e(0) = 1 that is smallest on the interval: T_n, mapped to
    the interval and scaled. p is of degree n - 1. Both are evaluated on their own, so that e is ready
    when p is. After k factors the distance is `e**(2**k) / x`."""
    found = []
    for domain in _domains(low, high):
        a, b = domain
        middle = math.acosh((b + a) / (b - a))
        for steps in range(1, 12):
            # the largest e that is small enough after the steps
            largest = (_MARGIN * error * low) ** (0.5**steps)
            degree = max(2, math.ceil(math.acosh(1 / largest) / middle)) if largest < 1 else 2
            if degree <= _MOST_DEGREE // 8:
                found.append(_goldschmidt_of(domain, low, high, degree, steps, error))
    return found


def _goldschmidt_of(domain: _Interval, low: float, high: float, degree: int, steps: int, error: float) -> _Program:
    a, b = domain
    middle = math.acosh((b + a) / (b - a))
    largest = 1 / math.cosh(degree * middle)
    sign = -1.0 if degree % 2 else 1.0  # T_n(-u) = (-1)**n T_n(u), and 0 is on the side of -1
    remainder = Chebyshev([0.0] * degree + [sign * largest], domain=domain)

    def quotient(u: _Vector) -> _Vector:
        x = 0.5 * (a + b) + 0.5 * (b - a) * u
        return np.asarray((1 - remainder(x)) / x)

    values = _grid(low, high)
    first, rest = (_part(c, domain, values) for c in (Chebyshev.interpolate(quotient, degree - 1).coef, remainder.coef))

    def run(x: Any) -> Any:
        y, e, size = first(x), _bounded(rest(x), -largest, largest), largest
        for step in range(steps):
            y = _bounded(y + y * e, 0, 2 / low)
            if step + 1 < steps:
                size = size * size
                e = _bounded(e * e, 0, size)
        return _bounded(y, 1 / high - error, 1 / low + error)

    levels = max(first.levels, rest.levels) + steps
    products = first.products + rest.products + 2 * steps - 1
    return _Program(f"{steps} steps from degree {degree - 1}", levels, products, run)


def _products(name: str, low: float, high: float, error: float) -> list[_Program]:
    """`sqrt` and `inverse_sqrt` by polynomials whose composition is the sign.

    If f_1, f_2, ... are odd polynomials whose composition is close to 1 on [sqrt(low / high), 1], and
    s_0 = x / high, s_i = f_i(sqrt(s_(i-1)))**2, then the product of f_i(sqrt(s)) / sqrt(s), with s =
    s_(i-1), is close to 1 / sqrt(s_0): it is f_n(...) / sqrt(s_0). All of them are polynomials of s.
    Newton's iteration is f = (3 * t - t**3) / 2 in each step; `sign_stages` gives better ones."""
    relative = _MARGIN * (error * math.sqrt(low) if name == "inverse_sqrt" else error / math.sqrt(high))
    gap = math.sqrt(low / high)
    if name == "sqrt":
        # the composition stays within [0, 1], so smaller roots are off by less than themselves
        gap = max(gap, relative)
    gap, relative = gap * (1 - 1e-9), min(relative, 0.5)
    if relative < 1e-10 or gap < 2.0**-36:
        return []
    stages = [np.asarray(coefficients) for coefficients, _ in _ringjet.sign_stages(gap, relative)]
    times = math.floor(2 / high * (1 + 1e-12))
    domain = (0.0, 2 / times if 1 <= times <= 1 << 20 else high)
    if domain[1] > 1.5 * high or len(stages) < 2:
        domain = (0.0, high)
    return [] if len(stages) < 2 else [_product_of(name, stages, domain, low, high, gap, error)]


def _product_of(
    name: str, stages: list[_Vector], domain: _Interval, low: float, high: float, gap: float, error: float
) -> _Program:
    root = math.sqrt(domain[1])
    t = np.sqrt(_grid(max(low, gap**2 * high), high) / domain[1])
    factors, squares = [], []
    for i, stage in enumerate(stages):
        f = Chebyshev(stage)
        where = domain if i == 0 else (-1.0, 1.0)
        s = t**2 * domain[1] if i == 0 else 2 * t**2 - 1
        scale = 1.0 if i else root if name == "sqrt" else 1 / root
        power = 1.0 if name == "sqrt" and i == 0 else -1.0
        factors.append(_fitted(f, (len(stage) - 1 + int(power)) // 2, where, s, scale, power))
        if i + 1 < len(stages):
            squares.append(_fitted(f, len(stage) - 1, where, s, 2.0, None))
        t = np.clip(f(t), 0, 1)
    most = math.sqrt(high) if name == "sqrt" else 1 / math.sqrt(low)

    def run(x: Any) -> Any:
        s, y = x, None
        for i, factor in enumerate(factors):
            part = factor(s)
            y = part if y is None else _bounded(y * part, 0, 1.001 * most)
            if i < len(squares):
                s = _bounded(squares[i](s), -1, 1)
        least = math.sqrt(low) if name == "sqrt" else 1 / math.sqrt(high)
        return _bounded(y, least - error, most + error)

    levels = sum(part.levels for part in squares) + factors[-1].levels + 1
    products = sum(part.products for part in factors + squares) + len(factors) - 1
    return _Program(f"{len(factors)} factors", levels, products, run)


def _fitted(f: Chebyshev, degree: int, domain: _Interval, values: _Vector, scale: float, power: float | None) -> _Part:
    """A polynomial of s on the domain, where t = sqrt(s) and s is mapped to [0, 1]: `scale * f(t) *
    t**power`, or without a power `scale * f(t)**2 - 1`. `values`: those of s that matter."""

    def function(u: _Vector) -> _Vector:
        t = np.sqrt(0.5 + 0.5 * u)
        made: _Vector = scale * f(t) ** 2 - 1 if power is None else scale * f(t) * t**power
        return made

    return _part(Chebyshev.interpolate(function, degree).coef, domain, values)


@cached(4)
def _grid(low: float, high: float) -> _Vector:
    """40,002 points from low to high, half of them evenly on a logarithmic scale."""
    even = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.linspace(0, np.pi, 20_001))
    ratio = np.geomspace(max(low, 1e-12 * high), high, 20_001)
    points: _Vector = np.clip(np.concatenate([even, ratio]), low, high)
    return points


def _applied(x: Any, op: str, f: str | Callable[..., Any], interval: _Interval, error: float) -> Ciphertext:
    """The function f of every slot, on behalf of the operation `op`."""
    x = expect(cast("Ciphertext", x), op, FUNCTIONS)
    return cast("Ciphertext", x.polynomial(_ringjet.approximate(f, interval, error)))


def _inside(x: Ciphertext, op: str, low: float, high: float) -> Ciphertext:
    """x, if all of its values are real and from low to high. `op`: the operation that wants it."""
    expect(x, op, FUNCTIONS)
    (a, b), slack = x.range, 1e-9 * (high - low)
    if not (x.is_real and low - slack <= a and b <= high + slack):
        # raises the error of values outside of the interval; a simulation goes on
        x.polynomial(Chebyshev([0, 1], domain=(low, high)))
    return x


def _expect_interval(low: float, high: float, which: str, fits: bool) -> None:
    if not (math.isfinite(low) and math.isfinite(high) and low < high and fits):
        raise refusal("interval", f"[{low:g}, {high:g}]", f"an interval {which}: low < high")


def _expect_error(error: float) -> None:
    if not (error > 0 and math.isfinite(error)):
        raise refusal("error", error, "a positive number")
