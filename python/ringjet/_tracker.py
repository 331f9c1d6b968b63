"""Runs programs on ciphertexts of the counting backend and records every operation, for `plan`,
`simulate` and `estimate`.

The library's own evaluator makes the counting ciphertexts, so their levels, scales, errors and
bootstraps are real. A simulation carries values in the clear beside each ciphertext.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from . import _ringjet
from ._caller import caller
from ._clear import Clear, Range
from ._estimate import Estimate, Keys
from ._ringjet import Ciphertext, Parameters, Server
from ._tracked import Tracked
from .errors import (
    BootstrapMagnitudeError,
    LevelExhaustedError,
    ModulusExhaustedError,
    NoiseBudgetError,
    NoValuesError,
    OutsideIntervalError,
)

#: The largest absolute value that bootstrapping supports.
_BOOTSTRAPPED = 1.0

#: The errors that a simulation reports as warnings before it goes on.
_REFUSALS = (OverflowError, OutsideIntervalError, BootstrapMagnitudeError)

#: The errors after which a simulation goes on with fresh ciphertexts.
_EXHAUSTED = (LevelExhaustedError, ModulusExhaustedError, NoiseBudgetError)

#: The magnitude that a simulation states to go on after the library refused the true one.
_TINY = 2.0**-20


@dataclass(frozen=True)
class Bootstrap:
    """A bootstrap in a program."""

    #: File and line of the caller.
    where: str
    #: The operation that needed the bootstrap.
    operation: str
    #: The level of the bootstrapped operand; with HEAAN the bits of its modulus. Of several
    #: operands,
    #: the lowest comes first.
    level: int
    slots: int


@dataclass(frozen=True)
class Step:
    """An operation of a program, and the properties of its result."""

    #: File and line of the caller.
    where: str
    operation: str
    #: The level of the result; with HEAAN the bits of its modulus.
    level: int
    #: Binary logarithm of the scale.
    scale: float
    slots: int
    #: The bound on the absolute values, stated by the program or derived from stated bounds.
    magnitude: float
    precision_bits: float
    #: The number of bootstraps before the operation.
    bootstraps: int
    #: In a simulation: the ranges of the slots with given values (`given`) and of the padded slots
    #: (`padding`).
    given: Range | None = None
    padding: Range | None = None
    #: For a polynomial with an attribute `function`: the largest difference between polynomial and
    #: function at given values inside the polynomial's interval.
    error: float | None = None
    #: A lower bound on the noise budget of the result in bits, with BGV and BFV.
    noise_budget: float | None = None


@dataclass(frozen=True)
class Finding:
    """A warning of a simulation."""

    where: str
    operation: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {'' if self.operation == 'input' else self.operation + ': '}{self.text}"


class Tracker:
    """Records the operations of a program on a counting server, in order."""

    def __init__(self, server: Server, simulates: bool = False, modular: bool = False) -> None:
        self.server, self.simulates, self._modular = server, simulates, modular
        self.steps: list[Step] = []
        self.bootstraps: list[Bootstrap] = []
        self.operations: Counter[str] = Counter()
        self.warnings: list[Finding] = []
        self._keys: list[dict[str, Any]] = []
        #: The server's number of bootstraps before the current operation.
        self._seen = 0

    def input(
        self,
        name: str,
        slots: int | None = None,
        level: int | None = None,
        log_q: int | None = None,
        magnitude: float | tuple[float, float] = 1.0,
        complex: bool = False,
        public_key: bool = False,
        count: int | None = None,
        fill: complex | None = None,
        values: Clear | None = None,
    ) -> Tracked:
        """A fresh ciphertext of `count` values, by default one in every slot, which are stated to be
        at most `magnitude`, or within it. The other slots hold `fill`."""
        kind: dict[str, Any] = {"complex": complex, "public_key": public_key, "count": count, "fill": fill}
        ct = self.server.input(slots, level, log_q=log_q, magnitude=magnitude, **kind)
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
        """Records one operation. `native` computes on the operands' ciphertexts, `clear` on their
        values. `error` is the approximation error of a polynomial. `excused` suppresses a warning
        of values above the stated magnitude, since the cause was reported before."""

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
        """Records an operation with several results."""
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
        """Adds a warning at the caller's line."""
        self.warnings.append(Finding(caller(), operation, text))

    def keys(self) -> dict[str, Any]:
        """The keys that the program has used, as arguments of `Client.evaluation_keys`."""
        self._keys = [joined([*self._keys, used(self.server).request()])]
        return self._keys[0]

    def restart(self) -> None:
        """Resets the server's counts. The keys used so far are remembered."""
        self.keys()
        self.server.reset_counts()

    def afresh(self, ct: Ciphertext) -> Ciphertext:
        """A fresh ciphertext with the slots, count, bounds and error of another one."""
        # of the fill it matters only whether it is 0
        fill = 0 if ct._zero_padded else 1
        fresh = self.server.input(ct.slots, complex=not ct.is_real, count=ct.count, fill=fill)
        if ct.params.t is not None:
            return fresh
        fresh = fresh.with_range(*ct.range) if ct.is_real else fresh.with_magnitude(max(ct.magnitude, _TINY))
        return fresh.with_error(2.0 ** -min(ct.precision_bits, fresh.precision_bits))

    def goes_on(self, operation: str, error: Exception) -> None:
        """Warns that levels ran out, and how the simulation goes on."""
        self.warn(operation, f"{error}. The simulation goes on with the same values, encrypted afresh")

    def _run(
        self, operation: str, operands: Sequence[Tracked], native: Callable[..., Any], excused: bool
    ) -> tuple[Any, bool]:
        """Runs `native`. Returns its result, and whether the stated magnitudes had to be replaced
        to get it."""
        cts = {id(o): o._ct for o in operands}

        def run() -> Any:
            self._seen = self.server._bootstraps
            return native(*(cts[id(o)] for o in operands))

        try:
            return self._with_room(operation, operands, cts, run)
        except _REFUSALS as error:
            if not self.simulates:
                raise
            refused = error
        # no second warning of an interval that was left, or of values that are too large to
        # bootstrap
        said = excused and isinstance(refused, OutsideIntervalError)
        large = not all(operand._values().within(_BOOTSTRAPPED) for operand in operands)
        if not said and not (large and isinstance(refused, BootstrapMagnitudeError)):
            self.warn(operation, str(refused))
        # first state the true bound of the values; if it is refused too, state one that always
        # works
        given = dict(cts)
        for true in (True, False):
            cts.update({id(o): _restated(o, given[id(o)], refused, true) for o in operands})
            try:
                return self._with_room(operation, operands, cts, run)[0], True
            except _REFUSALS:
                continue
        raise refused

    def _with_room(
        self, operation: str, operands: Sequence[Tracked], cts: dict[int, Ciphertext], run: Callable[[], Any]
    ) -> tuple[Any, bool]:
        """Calls `run`. In a simulation whose operands `cts` have too few levels left, it is called
        again with fresh ones."""
        try:
            return run(), False
        except _EXHAUSTED as error:
            if not self.simulates:
                raise
            fresh = {id(o._ct): self.afresh(cts[id(o)]) for o in operands}
            cts.update({id(o): fresh[id(o._ct)] for o in operands})
            try:
                made = run()
            except _EXHAUSTED:
                raise error from None
            self.goes_on(operation, error)
            return made, False

    def _bootstrapped(self, where: str, operation: str, operands: Sequence[Tracked]) -> int:
        count = self.server._bootstraps - self._seen
        distinct = sorted({id(o._ct): o for o in operands}.values(), key=lambda o: o._ct._left)
        self.operations["bootstrap"] += count
        for i in range(count):
            operand = distinct[min(i, len(distinct) - 1)]
            self.bootstraps.append(Bootstrap(where, operation, operand._ct._left, operand.slots))
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
        made._where = where
        given = padding = None
        if values is not None:
            given, padding = values.range(~values.padding), values.range(values.padding)
            self._check(made, where, operation, operands, excused)
        if operation not in ("bootstrap", "input"):
            self.operations[operation] += 1
        budget = None if ct.params.t is None else ct.noise_budget
        own = (ct._left, ct.scale, ct.slots, ct.magnitude, ct.precision_bits)
        step = Step(where, operation, *own, bootstraps, given, padding, error, budget)
        self.steps.append(step)
        return made

    def _check(self, made: Tracked, where: str, operation: str, operands: Sequence[Tracked], excused: bool) -> None:
        """Warns at the first operation whose values exceed the modulus or the stated magnitude, drown
        in errors, or wrap around modulo t.
        Later operations on these values give no further warning."""
        values, ct = made._values(), made._ct
        if values.modulus is not None:
            made._wraps = values.wraps is not None or any(o._wraps for o in operands)
            if made._wraps and not self._modular and not any(o._wraps for o in operands):
                text = f"values up to {values.wraps:.4g} wrap around modulo t = {values.modulus}"
                self.warnings.append(Finding(where, operation, f"{text}: results are right modulo t only"))
            return
        made._drowned = ct._is_drowned or any(o._drowned for o in operands)
        if made._drowned and not any(o._drowned for o in operands):
            text = f"errors are estimated at {2.0**-ct.precision_bits:.3g}, and values are at most {ct.magnitude:.4g}"
            self.warnings.append(Finding(where, operation, f"{text}: by this estimate no digit is right"))
        made._exceeds = not values.within(ct.magnitude)
        beyond = values.outside(*ct.range)
        excused = excused or (operation not in ("magnitude", "range") and any(o._exceeds for o in operands))
        if made._exceeds and not excused:
            text = f"values up to {values.largest:.4g} exceed the stated magnitude {ct.magnitude:.4g}"
            self.warnings.append(Finding(where, operation, text))
        elif operation in ("range", "input") and np.any(beyond):
            low, high = ct.range
            text = f"values in {values.range(np.ones_like(beyond))} exceed the stated range [{low:g}, {high:g}]"
            self.warnings.append(Finding(where, operation, text))
        room = ct._room(values.values) if np.all(np.isfinite(values.values)) else -np.inf
        made._overflows = room <= 0 or any(o._overflows for o in operands)
        if made._overflows and not any(o._overflows for o in operands):
            of = f"level {ct._left}" if ct.params._unit == "level" else f"{ct._left} bits"
            text = f"values up to {values.largest:.4g} do not fit the modulus of {of}"
            missing = f": {-room:.1f} bits are missing" if np.isfinite(room) else ""
            self.warnings.append(Finding(where, operation, f"{text}{missing}; scale them down"))


class TrackedServer:
    """Replaces a `Server` in `plan` and `simulate`. `isinstance(server, Server)` is true."""

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

    def pim_traffic(self) -> Any:
        """Raises `ArgumentError`: a program in the clear runs on no processors in memory."""
        return self._server.pim_traffic()

    def load(self, data: Any, *, max_bytes: int = 0) -> Any:
        """Returns a ciphertext of this run, which needs no loading."""
        if type(data) is Tracked:
            return data
        raise TypeError("plan and simulate make the inputs: load takes a ciphertext that they gave to the program")

    def input(
        self,
        slots: int | None = None,
        level: int | None = None,
        *,
        log_q: int | None = None,
        magnitude: float | tuple[float, float] | None = None,
        count: int | None = None,
        fill: Any = None,
        complex: bool = False,
        public_key: bool = False,
    ) -> Any:
        if self._tracker.simulates:
            error = NoValuesError("a simulation needs values: give the arrays of all inputs to simulate()")
            error.op, error.backend = "input", self.backend
            raise error
        stated = 1.0 if magnitude is None else magnitude
        return self._tracker.input("", slots, level, log_q, stated, complex, public_key, count, fill)

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


def size(values: Clear) -> float:
    """The largest absolute value, limited to a range of positive numbers that can be stated as a
    magnitude."""
    return float(np.clip(np.nan_to_num(values.largest, nan=np.inf), _TINY, 2.0**1000))


def _restated(operand: Tracked, ct: Ciphertext, refused: Exception, true: bool) -> Ciphertext:
    """The ciphertext `ct` of an operand with a new bound: the true bound of its values, or else one
    that the library always accepts."""
    values = operand._values()
    if isinstance(refused, OutsideIntervalError):
        middle = 0.5 * (refused.a + refused.b)
        real = values.values.real
        return ct.with_range(float(real.min()), float(real.max())) if true else ct.with_range(middle, middle)
    return ct.with_magnitude(size(values) if true else _TINY)


def used(server: Server) -> Keys:
    """The keys that the program on a counting server has used. They do not depend on the device."""
    return server.estimate(_ringjet.devices()[0]).keys


def joined(requests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One request for the keys of all `requests`."""
    rotations = {r for request in requests for r in request["rotations"]}
    return {
        "rotations": sorted(rotations, key=lambda r: (abs(r), r)),
        "conjugation": any(request["conjugation"] for request in requests),
        "relinearization": any(request["relinearization"] for request in requests),
        "bootstrapping": sorted({slots for request in requests for slots in request["bootstrapping"]}),
    }
