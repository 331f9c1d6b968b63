"""Comparisons of encrypted values, and what is made of them slot by slot."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev

from .. import _arrays, _ringjet
from .._checks import real, refusal
from .._scheme import EQUALITY, ORDER, expect
from ..errors import LevelExhaustedError, NoiseBudgetError, SchemeError
from ._cache import cached
from ._series import depth, products

if TYPE_CHECKING:
    from .._ringjet import Ciphertext, Parameters
    from ..integers._values import Clear, EncryptedIntegers

#: The smallest difference that comparisons tell apart, in units of the values, and the largest
#: distance of results from the true ones, where none is given.
GAP: float = 2.0**-10
ERROR: float = 2.0**-10

#: How many standard deviations of the operands' errors have to fit between two values.
_DEVIATIONS = 8

#: A level costs as much as so many products of ciphertexts: levels come back by bootstrapping.
_LEVEL = 3


class Comparisons:
    """Methods that compare every slot."""

    __slots__ = ()

    def sign(self, *, gap: float = GAP, error: float = ERROR) -> Ciphertext:
        """The sign of every slot: within `error` of -1 or 1 for absolute values of at least `gap`,
        between -1 and 1 for smaller ones, and 0 for 0.

        It is a composition of the best polynomials of their degrees, with the fewest levels for
        this gap and error (Lee et al., ePrint 2021/1215). Gaps relative to the largest possible
        value cost levels: state a narrow bound (`magnitude` of `encrypt`, or `with_range`). A
        gap that the ciphertext's errors may exceed is refused."""
        return signed(expect(cast("Ciphertext", self), "sign", ORDER), gap, error, op="sign")

    def positive(self, *, gap: float = GAP, error: float = ERROR) -> Ciphertext:
        """1 for values of at least `gap`, 0 for values of at most `-gap`, each within `error`.
        Values between them get values between 0 and 1, and 0 gets 1/2."""
        return _positive(cast("Ciphertext", self), gap, error, "positive")

    def abs(self, *, error: float = ERROR) -> Ciphertext:
        """The absolute value of every slot, within `error`."""
        return _absolute(cast("Ciphertext", self), error, "abs")

    def relu(self, *, error: float = ERROR) -> Ciphertext:
        """The larger one of 0 and the value, within `error`, in every slot."""
        x = cast("Ciphertext", self)
        return (x + _absolute(x, 2 * error, "relu")) * 0.5


@_arrays.plain_scalars
def greater(x: Ciphertext, y: Ciphertext | npt.ArrayLike, *, gap: float = GAP, error: float = ERROR) -> Ciphertext:
    """1 where x is larger than y by at least `gap`, 0 where it is smaller by at least `gap`, each
    within `error`. Closer values get values between 0 and 1, and equal ones 1/2."""
    return _positive(x - y, gap, error, "greater")


@_arrays.plain_scalars
def less(x: Ciphertext, y: Ciphertext | npt.ArrayLike, *, gap: float = GAP, error: float = ERROR) -> Ciphertext:
    """1 where x is smaller than y by at least `gap`; otherwise as `greater`."""
    return _positive(y - x, gap, error, "less")


@_arrays.plain_scalars
def equal(
    x: Ciphertext | npt.ArrayLike,
    y: Ciphertext | npt.ArrayLike,
    *,
    within: float = 0.0,
    gap: float | None = None,
    error: float | None = None,
) -> Ciphertext:
    """1 where x and y differ by at most `within`, 0 where they differ by at least `within + gap`,
    each within `error`. `gap` and `error` are 2**-10 by default.

    BGV and BFV: exactly 1 where the integers x and y are equal, and exactly 0 elsewhere; `within`,
    `gap` and `error` are refused. It is `1 - (x - y)**(t - 1)` modulo the plaintext modulus t,
    which must be a prime (`t_bits` gives a product of primes), and takes `log2(t - 1)` products in a
    row, rounded up: 16 for the presets' t = 65537, which bgv-n15 and bfv-n15 have room for."""
    if not isinstance(x, _ringjet.Ciphertext) and not isinstance(y, _ringjet.Ciphertext):
        raise TypeError("equal takes at least one ciphertext: arrays alone are compared by np.equal")
    difference = cast("Ciphertext", cast(Any, x) - y)
    if difference.params.t is not None:
        _expect_exact(within=within or None, gap=gap, error=error)
        return _zeros(difference)
    if not within >= 0:
        raise refusal("within", within, "at least 0")
    gap, error = GAP if gap is None else gap, ERROR if error is None else error
    difference, middle = expect(difference, "equal", EQUALITY), within + gap / 2
    low = signed(difference + middle, gap / 2, error, 0.5, 0.5, op="equal").with_range(0, 1)
    high = signed(middle - difference, gap / 2, error, 0.5, 0.5, op="equal").with_range(0, 1)
    return low * high


def _expect_exact(**tolerances: float | None) -> None:
    """Refuses tolerances of comparisons, which integers do not have."""
    for name, value in tolerances.items():
        if value is not None:
            raise refusal(name, value, "none with BGV and BFV: integers are equal or not")


def _zeros(x: Ciphertext) -> Ciphertext:
    """1 where integers modulo a prime t are 0, and 0 elsewhere: by Fermat the power t - 1 of a number
    is 1 unless the number is 0."""
    params = x.params
    t, primes = cast(int, params.t), json.loads(params.to_json())["t"]
    if len(primes) > 1:
        text = (
            f"{params.scheme.upper()} modulo the product of {len(primes)} primes, which t_bits gives, has no equality: it tells in "
            "each component whether values are equal modulo one prime, and cannot join what the components tell. Compare digits "
            "below 65537 under parameters without t_bits, and multiply what `equal` gives for each digit"
        )
        refused = SchemeError(text)
        refused.scheme, refused.op = params.scheme.upper(), "equal"
        raise refused
    try:
        return 1 - x ** (t - 1)
    except NoiseBudgetError as e:
        raise _too_deep(e, t) from e


def _too_deep(cause: NoiseBudgetError, t: int) -> NoiseBudgetError:
    """The error of an equality modulo t, with what it takes."""
    from .._presets import presets  # only here: it imports the module of ciphertexts

    depth = (t - 2).bit_length()
    enough = [p.name for p in presets() if p.parameters.t == t and p.depth >= depth]
    names = f"presets with such a depth: {', '.join(enough)}" if enough else "no preset has such a depth"
    error = NoiseBudgetError(
        f"equal: {depth} products in a row, for integers modulo t = {t}, and the noise budget is too small by "
        f"{cause.needed - cause.available:.1f} bits; {names}. Compare fresh ciphertexts, before other products"
    )
    error.op, error.needed, error.available = "equal", cause.needed, cause.available
    return error


@overload
def maximum(x: EncryptedIntegers, y: EncryptedIntegers | Clear) -> EncryptedIntegers: ...
@overload
def maximum(x: Ciphertext, y: Ciphertext | npt.ArrayLike, *, error: float = ERROR) -> Ciphertext: ...
@_arrays.plain_scalars
def maximum(x: Any, y: Any, *, error: float = ERROR) -> Any:
    """The larger one of x and y in every slot, within `error`; of encrypted integers exactly."""
    if (exact := _integers(x, y)) is not None:
        return exact.maximum(x, y)
    return (x + y + _absolute(x - y, 2 * error, "maximum")) * 0.5


@overload
def minimum(x: EncryptedIntegers, y: EncryptedIntegers | Clear) -> EncryptedIntegers: ...
@overload
def minimum(x: Ciphertext, y: Ciphertext | npt.ArrayLike, *, error: float = ERROR) -> Ciphertext: ...
@_arrays.plain_scalars
def minimum(x: Any, y: Any, *, error: float = ERROR) -> Any:
    """The smaller one of x and y in every slot, within `error`; of encrypted integers exactly."""
    if (exact := _integers(x, y)) is not None:
        return exact.minimum(x, y)
    return (x + y - _absolute(x - y, 2 * error, "minimum")) * 0.5


@overload
def where(condition: Ciphertext, x: EncryptedIntegers, y: EncryptedIntegers | Clear) -> EncryptedIntegers: ...
@overload
def where(condition: Ciphertext, x: Clear, y: EncryptedIntegers) -> EncryptedIntegers: ...
@overload
def where(condition: Ciphertext, x: Ciphertext | npt.ArrayLike, y: Ciphertext | npt.ArrayLike) -> Ciphertext: ...
def where(condition: Ciphertext, x: Any, y: Any) -> Any:
    """x where the condition is 1, and y where it is 0; `greater` and the others make conditions.
    Elsewhere it is between them: `condition * x + (1 - condition) * y`. Of encrypted integers it takes a
    level, and no bootstrap."""
    if (exact := _integers(x, y)) is not None:
        return exact.where(condition, x, y)
    if isinstance(x, _ringjet.Ciphertext) or isinstance(y, _ringjet.Ciphertext):
        return condition * (x - y) + y
    if not isinstance(condition, _ringjet.Ciphertext):
        raise TypeError("where takes at least one ciphertext: with arrays alone, np.where chooses")
    clear = _difference(x, y, condition.params)
    if clear is None:
        return condition * x + (1 - condition) * y
    return condition * clear + y


def _integers(*operands: Any) -> Any:
    """The module of operations of encrypted integers, where an operand is one; else None."""
    from ..integers import EncryptedIntegers, _operations  # only here: integers are made of ciphertexts

    return _operations if any(isinstance(x, EncryptedIntegers) for x in operands) else None


def _difference(x: npt.ArrayLike, y: npt.ArrayLike, params: Parameters) -> npt.NDArray[Any] | None:
    """x - y of numbers in the clear, with a modulus as messages; None if some of them has too many
    bits for one."""
    if (modulus := params.t) is None:
        left, right = _arrays.numbers(x, "x"), _arrays.numbers(y, "y")
    else:
        left, right = (params._messages(_arrays.integers(z)).astype(object) for z in (x, y))
    try:
        made = np.asarray(left - right, left.dtype if modulus is not None else None)
    except ValueError:
        raise refusal("y", f"an array of shape {right.shape}", f"a number, or the shape {left.shape} of x") from None
    if modulus is None:
        return made
    made = (made + modulus // 2) % modulus - modulus // 2
    return made if np.all((made >= -(1 << 63)) & (made < 1 << 63)) else None


def _positive(x: Ciphertext, gap: float, error: float, op: str) -> Ciphertext:
    """`Comparisons.positive`, on behalf of the operation `op`."""
    return signed(expect(x, op, ORDER), gap, 2 * error, 0.5, 0.5, op=op).with_range(0, 1)


def signed(
    x: Ciphertext,
    gap: float,
    error: float,
    factor: float = 1.0,
    constant: float = 0.0,
    *,
    op: str,
    unit: float = 1.0,
    used: npt.NDArray[np.bool_] | None = None,
) -> Ciphertext:
    """`factor * sign(x) + constant`, where the sign is within `error` for |x| >= gap. `op`: the
    operation that wants it, `unit`: what the user calls 1, and `used`: the slots that matter, for
    errors and warnings."""
    real(x)
    most = largest(x)
    if not 0 < gap < most:
        raise refusal("gap", gap, f"above 0 and below {most:g}, the largest value")
    noise = _DEVIATIONS * 2.0**-x.precision_bits
    if gap <= noise:
        raise refusal("gap", gap * unit, f"more than {noise * unit:.1e}, which the errors of the values may reach")
    x = x._states_gap(op, gap, unit, constant == 0, None if used is None else used.tolist())
    made = _composed(x, composition((gap - noise) / most, error, most, factor, constant), op)
    return made.with_range(constant - abs(factor), constant + abs(factor))


def _composed(x: Ciphertext, stages: list[tuple[Chebyshev, float]], op: str) -> Ciphertext:
    """The polynomials, one after the other. Too few levels for all are noticed at once."""
    x = with_levels(x, levels(stages), op)
    for stage, slope in stages:
        x = x.polynomial(stage, slope=slope)
    return x


def levels(stages: list[tuple[Chebyshev, float]]) -> int:
    """The levels that a composition takes."""
    return sum(depth(stage) for stage, _ in stages)


def with_levels(x: Ciphertext, needed: int, op: str) -> Ciphertext:
    """x. Refuses too few levels where no bootstrap gets them back; a simulation goes on with more."""
    if x.level >= needed or x.params.can_bootstrap:
        return x
    error = LevelExhaustedError(
        f"{op} needs {needed} levels, but {x.level} are left: choose a wider gap or a larger error, or parameters "
        "with more levels, or ones that bootstrap"
    )
    error.op, error.needed, error.left = op, needed, x.level
    if (fresh := x._afresh(op, needed, str(error))) is None:
        raise error
    return fresh


def largest(x: Ciphertext) -> float:
    """The largest absolute value that a ciphertext may have, but at least 1: the interval [-1, 1]
    saves a level."""
    return float(max(1.0, *map(abs, x.range)))


@cached(256)
def composition(gap: float, error: float, most: float, factor: float, constant: float) -> list[tuple[Chebyshev, float]]:
    """The polynomials whose composition is `factor * sign + constant` on [-most, most], and their
    slopes for values beyond the gap. `gap` is relative to `most`."""
    # a gap that is a little smaller stands for many gaps that differ by rounding
    rounded = 2.0 ** (math.floor(64 * math.log2(gap)) / 64)
    stages = [(np.asarray(coefficients), slope) for coefficients, slope in _ringjet.sign_stages(rounded, error)]
    last, slope = stages[-1]
    last = last * factor
    last[0] += constant
    stages[-1] = (last, slope * abs(factor))
    first, slope = stages[0]
    polynomials = [(Chebyshev(first, domain=(-most, most)), slope / most)]
    return polynomials + [(Chebyshev(c, domain=(-1, 1)), slope) for c, slope in stages[1:]]


def _absolute(x: Ciphertext, error: float, op: str) -> Ciphertext:
    """|x| within `error`: by one polynomial, or as the product of x with its sign. `op`: the
    operation that wants it."""
    expect(x, op, ORDER)
    if not error > 0:
        raise refusal("error", error, "a positive number")
    real(x)
    most = largest(x)
    single, gap = _absolute_plan(error / most)
    if single is not None:
        return x.polynomial(Chebyshev(most * single, domain=(-most, most)), slope=1).with_range(-error, most + error)
    sign = _composed(x, composition(gap, min(error / most, 0.5), most, 1.0, 0.0), op)
    return (x * sign.with_range(-1, 1)).with_range(0, most)


@cached(64)
def _absolute_plan(error: float) -> tuple[npt.NDArray[np.float64] | None, float]:
    """How |x| on [-1, 1] is computed within `error`: the coefficients of a polynomial, or the gap of
    a sign by which x is multiplied; whichever costs less."""
    # |x| is at most 0.29 / degree away from its best polynomial (Bernstein)
    degree = math.ceil(0.29 / error)
    grid = np.concatenate([np.linspace(0, 1, 20_001), error * np.linspace(0, 16, 4_001)])
    gap, composed = 0.5, 0.0
    for width in (3.0, 2.5, 2.0, 1.5, 1.0):
        gap, sign = min(width * error, 0.5), grid
        stages = composition(gap, min(error, 0.5), 1.0, 1.0, 0.0)
        for stage, _ in stages:
            sign = stage(sign)
        if np.max(grid * (1 - sign)) <= 0.98 * error:
            composed = sum(_cost(stage.degree()) for stage, _ in stages) + 1 + _LEVEL
            break
    if degree > 4000 or _cost(degree) > composed:
        return None, gap
    return np.asarray(_ringjet.approximate("abs", (-1, 1), error).coef), gap


def _cost(degree: int) -> float:
    """The cost of a polynomial in products of ciphertexts, about."""
    return products(degree) + _LEVEL * math.ceil(math.log2(degree + 1))
