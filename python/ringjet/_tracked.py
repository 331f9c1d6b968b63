"""Programs on ciphertexts of the counting backend, with every operation noted: what `plan`, `simulate` and `estimate` run on.

Levels, scales, errors and bootstraps are those of the counting ciphertext, which the library's own evaluator makes. Beside it
a simulation carries values in the clear.
"""

from __future__ import annotations

import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from . import _clear, _ringjet
from ._clear import Clear, Range, Vector
from ._estimate import Estimate, Keys
from ._ringjet import Ciphertext, LinearTransform, Parameters, Server
from .errors import BootstrapMagnitudeError, NoValuesError, OutsideIntervalError

#: What bootstrapping is for: values of at most this magnitude.
_BOOTSTRAPPED = 1.0

#: What a simulation notes, and goes on.
_REFUSALS = (OverflowError, OutsideIntervalError, BootstrapMagnitudeError)

#: A magnitude with which a simulation goes on where the library refuses the true one.
_TINY = 2.0**-20

_PACKAGE = str(Path(__file__).parent)
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


@dataclass(frozen=True)
class Bootstrap:
    """A bootstrap that a program met."""

    #: File and line of the caller.
    where: str
    #: The operation that asked for it.
    operation: str
    #: The level of that operation's operand, the lowest one first; with HEAAN the bits of its modulus.
    level: int
    slots: int


@dataclass(frozen=True)
class Step:
    """An operation of a program, and the ciphertext that it made."""

    #: File and line of the caller.
    where: str
    operation: str
    #: The level left; with HEAAN the bits of the modulus left.
    level: int
    #: Binary logarithm of the scale.
    scale: float
    slots: int
    #: The bound on the values that is stated, or follows from those that are.
    magnitude: float
    precision_bits: float
    #: How many bootstraps it took.
    bootstraps: int
    #: In a simulation: of the slots that hold given values, and of those that are padding.
    given: Range | None = None
    padding: Range | None = None
    #: Of a polynomial with an attribute `function`: how far the two are apart, at worst, where given values are within the
    #: polynomial's interval.
    error: float | None = None


@dataclass(frozen=True)
class Finding:
    """What a simulation warns of."""

    where: str
    operation: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {'' if self.operation == 'input' else self.operation + ': '}{self.text}"


class Tracker:
    """What a program does on a counting server, in order."""

    def __init__(self, server: Server, simulates: bool = False) -> None:
        self.server, self.simulates = server, simulates
        self.steps: list[Step] = []
        self.bootstraps: list[Bootstrap] = []
        self.operations: Counter[str] = Counter()
        self.warnings: list[Finding] = []
        self._keys: list[dict[str, Any]] = []
        #: How many bootstraps the server had counted before the operation at hand.
        self._seen = 0

    def input(
        self,
        name: str,
        slots: int | None = None,
        level: int | None = None,
        log_q: int | None = None,
        magnitude: float = 1.0,
        complex: bool = False,
        values: Clear | None = None,
    ) -> Tracked:
        """A fresh ciphertext whose values have a stated magnitude."""
        ct = self.server.input(slots, level, log_q=log_q, magnitude=magnitude, complex=complex)
        return self._made(ct, f"input {name}".rstrip(), "input", [], values)

    def step(
        self,
        operation: str,
        operands: Sequence[Tracked],
        native: Callable[..., Any],
        clear: Callable[..., Clear],
        error: float | None = None,
        excused: bool = False,
    ) -> Any:
        """One operation: `native` is given the ciphertexts of the operands, `clear` their values. `error` is that of an
        approximation; `excused`: values beyond what is stated are no news."""

        def natives(*cts: Ciphertext) -> Any:
            made = native(*cts)
            return made if made is NotImplemented else [made]

        made = self.steps_of(operation, operands, natives, lambda *values: [clear(*values)], error, excused)
        return made if made is NotImplemented else made[0]

    def steps_of(
        self,
        operation: str,
        operands: Sequence[Tracked],
        native: Callable[..., Any],
        clear: Callable[..., Sequence[Clear]],
        error: float | None = None,
        excused: bool = False,
    ) -> Any:
        """An operation with several results."""
        if any(operand._tracker is not self for operand in operands):
            raise TypeError("ciphertexts of two runs meet: each run of plan() or simulate() has its own")
        made, went_on = self._run(operation, operands, native, excused)
        if made is NotImplemented:
            return made
        where = caller()
        bootstraps = self._bootstrapped(where, operation, operands)
        values = clear(*(operand._values() for operand in operands)) if self.simulates else [None] * len(made)
        if went_on:
            made = [ct.with_magnitude(size(value)) for ct, value in zip(made, cast(list[Clear], values), strict=True)]
        counts = [bootstraps] + [0] * (len(made) - 1)
        return [
            self._made(ct, where, operation, operands, value, count, error, excused)
            for ct, value, count in zip(made, values, counts, strict=True)
        ]

    def warn(self, operation: str, text: str) -> None:
        """Notes a warning at the caller's line."""
        self.warnings.append(Finding(caller(), operation, text))

    def keys(self) -> dict[str, Any]:
        """The keys that the program has used, as arguments of `Client.evaluation_keys`."""
        self._keys = [joined([*self._keys, used(self.server).request()])]
        return self._keys[0]

    def restart(self) -> None:
        """The server counts from nothing again; keys are kept in mind."""
        self.keys()
        self.server.reset_counts()

    def _run(
        self, operation: str, operands: Sequence[Tracked], native: Callable[..., Any], excused: bool
    ) -> tuple[Any, bool]:
        """What `native` makes, and whether that took other magnitudes than those that are stated."""
        cts = [operand._ct for operand in operands]
        self._seen = self.server._bootstraps
        try:
            return native(*cts), False
        except _REFUSALS as error:
            if not self.simulates:
                raise
            refused = error
        # that values do leave a polynomial's interval was said before, and that they are too large to bootstrap follows
        said = excused and isinstance(refused, OutsideIntervalError)
        large = not all(operand._values().within(_BOOTSTRAPPED) for operand in operands)
        if not said and not (large and isinstance(refused, BootstrapMagnitudeError)):
            self.warn(operation, str(refused))
        # values may be smaller than the bound that was refused; where they are not, only the shape of the result counts
        for true in (True, False):
            restated = {id(o._ct): _restated(o, refused, true) for o in operands}
            self._seen = self.server._bootstraps
            try:
                return native(*(restated[id(ct)] for ct in cts)), True
            except _REFUSALS:
                continue
        raise refused

    def _bootstrapped(self, where: str, operation: str, operands: Sequence[Tracked]) -> int:
        count = self.server._bootstraps - self._seen
        distinct = sorted({id(o._ct): o for o in operands}.values(), key=lambda o: left(o._ct))
        self.operations["bootstrap"] += count
        for i in range(count):
            operand = distinct[min(i, len(distinct) - 1)]
            self.bootstraps.append(Bootstrap(where, operation, left(operand._ct), operand.slots))
            if i < len(distinct) and self.simulates and not operand._values().within(_BOOTSTRAPPED):
                hint = f"bootstrapping is for values up to {_BOOTSTRAPPED:g}: scale them down before"
                text = f"values up to {operand._values().largest:.4g} are bootstrapped; {hint}"
                self.warnings.append(Finding(where, operation, text))
        return count

    def _made(
        self,
        ct: Ciphertext,
        where: str,
        operation: str,
        operands: Sequence[Tracked],
        values: Clear | None,
        bootstraps: int = 0,
        error: float | None = None,
        excused: bool = False,
    ) -> Tracked:
        made = Tracked(self, ct, values)
        given = padding = None
        if values is not None:
            given, padding = values.range(~values.padding), values.range(values.padding)
            self._check(made, where, operation, operands, excused)
        if operation not in ("bootstrap", "input"):
            self.operations[operation] += 1
        step = Step(
            where, operation, left(ct), ct.scale, ct.slots, stated(ct), ct.precision_bits, bootstraps, given, padding, error
        )
        self.steps.append(step)
        return made

    def _check(self, made: Tracked, where: str, operation: str, operands: Sequence[Tracked], excused: bool) -> None:
        """Warns where values first leave the modulus or the magnitude that is stated: what follows from them is not new."""
        values, ct = made._values(), made._ct
        made._exceeds = not values.within(stated(ct))
        beyond = values.outside(*ct.range)
        excused = excused or (operation not in ("magnitude", "range") and any(o._exceeds for o in operands))
        if made._exceeds and not excused:
            text = f"values up to {values.largest:.4g} exceed the stated magnitude {stated(ct):.4g}"
            self.warnings.append(Finding(where, operation, text))
        elif operation == "range" and np.any(beyond):
            low, high = ct.range
            text = f"values in {values.range(np.ones_like(beyond))} exceed the stated range [{low:g}, {high:g}]"
            self.warnings.append(Finding(where, operation, text))
        room = ct._room(values.values) if np.all(np.isfinite(values.values)) else -np.inf
        made._overflows = room <= 0 or any(o._overflows for o in operands)
        if made._overflows and not any(o._overflows for o in operands):
            of = f"level {left(ct)}" if ct.params.scheme == "ckks" else f"{left(ct)} bits"
            text = f"values up to {values.largest:.4g} do not fit the modulus of {of}"
            missing = f": {-room:.1f} bits are missing" if np.isfinite(room) else ""
            self.warnings.append(Finding(where, operation, f"{text}{missing}; scale them down"))


class Tracked:
    """Stands for a `Ciphertext`, with all its operations. `isinstance(x, Ciphertext)` holds."""

    __array_ufunc__ = None
    #: pandas leaves operators to this class.
    __pandas_priority__ = 5000

    def __init__(self, tracker: Tracker, ct: Ciphertext, clear: Clear | None) -> None:
        self._tracker, self._ct, self._clear = tracker, ct, clear
        self._exceeds = self._overflows = False

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Ciphertext

    def _values(self) -> Clear:
        assert self._clear is not None, "only a simulation has values"
        return self._clear

    def __getattr__(self, name: str) -> Any:
        """What a ciphertext knows about itself."""
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._ct, name)
        if callable(value):
            raise AttributeError(f"plan and simulate do not know Ciphertext.{name}")
        return value

    # ---- operators ----

    def _binary(self, method: str, names: tuple[str, str, str], other: Any, values: Callable[[Vector, Vector], Vector]) -> Any:
        """`names`: with a ciphertext, a vector and a number."""
        if type(other) is Tracked:
            return self._tracker.step(
                names[0], [self, other], lambda a, b: getattr(a, method)(b), lambda a, b: a.joined(b, values)
            )
        numbers = isinstance(other, (list, tuple)) or hasattr(other, "__array__")
        name = names[1 if numbers and np.size(other) != 1 else 2]

        def clear(a: Clear) -> Clear:
            return a.mapped(lambda v: values(v, _clear.operand(other, self.slots)))

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
        return self._binary("__mul__", _PRODUCT, other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("__rmul__", _PRODUCT, other, lambda a, b: b * a)

    def __truediv__(self, other: Any) -> Any:
        return self._binary("__truediv__", _PRODUCT, other, lambda a, b: a / b)

    def __neg__(self) -> Any:
        return self._one("negation", lambda a: -a, lambda a: a.mapped(lambda v: -v))

    def __pos__(self) -> Tracked:
        return self

    def __pow__(self, exponent: Any, modulo: Any = None) -> Any:
        return self._one(
            "power", lambda a: a.__pow__(exponent, modulo), lambda a: a.mapped(lambda v: v ** int(exponent))
        )

    def __rmatmul__(self, matrix: Any) -> Any:
        return self.matmul(matrix)

    def __eq__(self, other: object) -> Any:
        return self._ct == (other._ct if type(other) is Tracked else other)

    def __ne__(self, other: object) -> Any:
        return self._ct != (other._ct if type(other) is Tracked else other)

    def __lt__(self, other: object) -> Any:
        return cast(Any, self._ct) < (other._ct if type(other) is Tracked else other)

    def __le__(self, other: object) -> Any:
        return cast(Any, self._ct) <= (other._ct if type(other) is Tracked else other)

    def __hash__(self) -> int:
        return hash(self._ct)

    def __bool__(self) -> bool:
        return bool(self._ct)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._ct.__array__(dtype, copy)

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

    def inner_sum(self, stride: int, count: int) -> Any:
        return self._one("inner sum", lambda a: a.inner_sum(stride, count), lambda a: a.inner_sum(stride, count))

    def polynomial(self, p: Any) -> Any:
        known = len(self._tracker.warnings)
        error = self._approximates(p) if self._clear is not None else None
        return self._tracker.step(
            "polynomial",
            [self],
            lambda a: a.polynomial(p),
            lambda a: a.mapped(lambda v: _clear.evaluate(p, v)),
            error,
            # beyond its interval a polynomial is as large as it likes
            excused=len(self._tracker.warnings) > known,
        )

    def _approximates(self, p: Any) -> float | None:
        """Warns of values outside of a series' interval; the error of the approximation, where what it is near to is known."""
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

    def with_magnitude(self, magnitude: float) -> Any:
        return self._one("magnitude", lambda a: a.with_magnitude(magnitude), lambda a: a)

    def with_range(self, low: float, high: float) -> Any:
        return self._one("range", lambda a: a.with_range(low, high), lambda a: a)

    def to_bytes(self) -> bytes:
        return self._ct.to_bytes()


_SUM = ("sum", "plain sum", "constant sum")
_PRODUCT = ("product", "plain product", "constant product")


class TrackedServer:
    """Stands for a `Server`. `isinstance(server, Server)` holds."""

    def __init__(self, tracker: Tracker) -> None:
        self._tracker, self._server = tracker, tracker.server

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Server

    @property
    def params(self) -> Parameters:
        return self._server.params

    @property
    def backend(self) -> str:
        return self._server.backend

    @property
    def key_id(self) -> str:
        return self._server.key_id

    @property
    def threads(self) -> int:
        return self._server.threads

    @property
    def rotations(self) -> list[int]:
        return self._server.rotations

    @property
    def bootstrapping(self) -> list[int]:
        return self._server.bootstrapping

    @property
    def _bootstraps(self) -> int:
        return self._server._bootstraps

    def load(self, data: Any, *, max_bytes: int = 0) -> Any:
        """A ciphertext of this run is loaded already."""
        if type(data) is Tracked:
            return data
        raise TypeError("plan and simulate make the inputs: load takes a ciphertext that they gave to the program")

    def input(
        self,
        slots: int | None = None,
        level: int | None = None,
        *,
        log_q: int | None = None,
        magnitude: float = 1.0,
        complex: bool = False,
    ) -> Any:
        if self._tracker.simulates:
            error = NoValuesError("a simulation needs values: give the arrays of all inputs to simulate()")
            error.op, error.backend = "input", self.backend
            raise error
        return self._tracker.input("", slots, level, log_q, magnitude, complex)

    def bootstrap(self, ciphertext: Any, real: bool = False, progress: Any = None) -> Any:
        return self._tracker.step(
            "bootstrap",
            [ciphertext],
            lambda a: self._server.bootstrap(a, real, progress),
            lambda a: ciphertext._refreshed(a, real),
        )

    def bootstrap_many(self, ciphertexts: Sequence[Any], real: bool = False, progress: Any = None) -> Any:
        all_ = list(ciphertexts)
        return self._tracker.steps_of(
            "bootstrap",
            all_,
            lambda *cts: self._server.bootstrap_many(list(cts), real, progress),
            lambda *values: [x._refreshed(a, real) for x, a in zip(all_, values, strict=True)],
        )

    def prepare_bootstrapping(self, slots: int | None = None, progress: Any = None) -> None:
        self._server.prepare_bootstrapping(slots, progress)

    def estimate(self, device: Any) -> Estimate:
        return self._server.estimate(device)

    def reset_counts(self) -> None:
        self._tracker.restart()

    def __repr__(self) -> str:
        return repr(self._server)


def weighted_sum(ciphertexts: Sequence[Ciphertext], weights: npt.ArrayLike, level: int | None = None) -> Ciphertext:
    """The sum of `weight * ciphertext`, with one rescaling in all: cheaper and more precise than the operators. The result is
    at `level`, by default one below the lowest ciphertext; HEAAN has none."""
    first = _first_tracked(ciphertexts)
    if first is None:
        return _ringjet.weighted_sum(ciphertexts, weights, level)

    def clear(*values: Clear) -> Clear:
        terms = [a.values * w for a, w in zip(values, np.asarray(weights), strict=True)]
        return Clear(_clear.sum_of(terms), np.all([a.padding for a in values], axis=0))

    def native(*cts: Ciphertext) -> Ciphertext:
        return _ringjet.weighted_sum(cts, weights, level)

    return cast(Ciphertext, first._tracker.step("weighted sum", _all_tracked(ciphertexts), native, clear))


def sum_of_products(xs: Sequence[Ciphertext], ys: Sequence[Ciphertext]) -> Ciphertext:
    """The sum of `x * y` over two lists of ciphertexts. With one relinearisation in all it is cheaper than the operators; with
    HEAAN it does as they do."""
    first = _first_tracked([*xs, *ys])
    if first is None:
        return _ringjet.sum_of_products(xs, ys)

    def clear(*values: Clear) -> Clear:
        pairs = [a.joined(b, lambda v, w: v * w) for a, b in zip(values[: len(xs)], values[len(xs) :], strict=True)]
        return Clear(_clear.sum_of([p.values for p in pairs]), np.all([p.padding for p in pairs], axis=0))

    def native(*cts: Ciphertext) -> Ciphertext:
        return _ringjet.sum_of_products(cts[: len(xs)], cts[len(xs) :])

    return cast(Ciphertext, first._tracker.step("sum of products", _all_tracked([*xs, *ys]), native, clear))


def _first_tracked(ciphertexts: Sequence[Any]) -> Tracked | None:
    return next((ct for ct in ciphertexts if type(ct) is Tracked), None)


def _all_tracked(ciphertexts: Sequence[Any]) -> list[Tracked]:
    if any(type(ct) is not Tracked for ct in ciphertexts):
        raise TypeError("ciphertexts of a run of plan() or simulate() meet others")
    return list(ciphertexts)


def stated(ct: Ciphertext) -> float:
    """The bound on the magnitude of a ciphertext's values that is stated, or follows from those that are."""
    return ct.magnitude


def size(values: Clear) -> float:
    """A magnitude that can be stated for values: theirs, as far as it is a positive number."""
    return float(np.clip(np.nan_to_num(values.largest, nan=np.inf), _TINY, 2.0**1000))


def _restated(operand: Tracked, refused: Exception, true: bool) -> Ciphertext:
    """The ciphertext with a bound that the library takes: the true one of its values, or one that is always taken."""
    ct, values = operand._ct, operand._values()
    if isinstance(refused, OutsideIntervalError):
        middle = 0.5 * (refused.a + refused.b)
        real = values.values.real
        return ct.with_range(float(real.min()), float(real.max())) if true else ct.with_range(middle, middle)
    return ct.with_magnitude(size(values) if true else _TINY)


def left(ct: Ciphertext) -> int:
    """What a ciphertext has left to spend: its level, or with HEAAN the bits of its modulus."""
    return ct.level if ct.params.scheme == "ckks" else ct.log_q


def used(server: Server) -> Keys:
    """The keys that a counting server's program has used; they are the same on every device."""
    return server.estimate(_ringjet.devices()[0]).keys


def joined(requests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All keys of several requests."""
    rotations = {r for request in requests for r in request["rotations"]}
    return {
        "rotations": sorted(rotations, key=lambda r: (abs(r), r)),
        "conjugation": any(request["conjugation"] for request in requests),
        "relinearization": any(request["relinearization"] for request in requests),
        "bootstrapping": sorted({slots for request in requests for slots in request["bootstrapping"]}),
    }


def own(file: str) -> bool:
    """Whether a file is the user's."""
    return not (file.startswith((_PACKAGE, *_LIBRARIES)) or file.startswith("<"))


def place(file: str, line: int) -> str:
    """A file and a line, from the current directory where the file is below it."""
    path = Path(file)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return f"{path}:{line}"


def caller() -> str:
    """The nearest line of the user's; of code that is no part of this package where there is none."""
    frame: FrameType | None = sys._getframe(1)
    outside = None
    while frame is not None:
        file = frame.f_code.co_filename
        if own(file):
            return place(file, frame.f_lineno)
        if outside is None and not file.startswith((_PACKAGE, "<frozen")):
            outside = place(file, frame.f_lineno)
        frame = frame.f_back
    return outside or "?"
