"""`simulate`: runs a program on values in the clear, with the levels, errors and keys of
ciphertexts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._ringjet import Ciphertext, Parameters, Server, precision_text
from .._text import left, unit
from ._facts import Finding, Followed, Shape, ciphertexts, followed, held, replaced, shape, summary
from ._inputs import Function, PerInput, fresh, given

Vector = npt.NDArray[Any]

#: A result with fewer correct bits gets a warning.
_FEW_BITS = 8


@dataclass(frozen=True)
class SimulatedOutput(Shape):
    """The values of a result, and the shape of the ciphertext that would hold them."""

    #: The values that the result holds, as many as its `count`; complex if there are imaginary
    #: parts.
    values: Vector = field(repr=False, compare=False)
    #: The values of all slots.
    slot_values: Vector = field(repr=False, compare=False)
    #: The unit of `level`: "level", or "log_q" with HEAAN; empty with BFV, which has no levels.
    unit: str = field(default="level", repr=False)

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        largest = np.max(np.abs(1.0 * self.values))
        return (
            f"{name}{left(self.unit, self.level)}{held(self)}{self.slots} slots, values up to {largest:.4g} "
            f"({self.magnitude:.4g} stated), {precision_text(self.precision_bits, self.magnitude)}"
        )


@dataclass(frozen=True, repr=False)
class Simulation(Followed):
    """The result of `simulate`. It is not a plan: a simulation goes on after an error of the
    library."""

    outputs: tuple[SimulatedOutput, ...]
    #: The value that the function returned, with an array of the values that `Client.decrypt` would
    #: return in place of each ciphertext.
    values: Any
    #: The problems, in order. The text of each one begins with a file and a line.
    warnings: tuple[Finding, ...]

    @staticmethod
    def of(server: Server, result: Any, noise: bool, seed: int | None) -> Simulation:
        """The simulation of what was recorded on a server. noise, seed: as for `simulate`."""
        found = ciphertexts(result)
        late = [warning for name, ct in found for warning in _few_bits(name, ct)]
        rng = np.random.default_rng(seed) if noise else None
        outputs = [_output(name, ct, rng) for name, ct in found]
        following = iter(outputs)
        return Simulation(
            **followed(server, outputs),
            values=replaced(result, lambda name, ct: next(following).values),
            warnings=(*(Finding(*warning) for warning in server._findings()), *late),
        )

    def __repr__(self) -> str:
        warnings = [f"{len(self.warnings)} warning(s)", *(f"  {warning}" for warning in self.warnings)]
        return "\n".join([summary(self), *warnings])


def simulate(
    function: Callable[..., Any],
    *arrays: npt.ArrayLike,
    params: Parameters | str | None = None,
    slots: PerInput[int | None] = None,
    level: PerInput[int | None] = None,
    log_q: PerInput[int | None] = None,
    magnitudes: PerInput[float | tuple[float, float]] = 1.0,
    fill: PerInput[complex | None] = None,
    public_key: PerInput[bool] = False,
    bootstrapping: bool = True,
    modular: bool = False,
    noise: bool = False,
    seed: int | None = None,
) -> Simulation:
    """Runs `function` on values in the clear, packed as `Client.encrypt` packs them. Each operation
    gets the level, scale and estimated error of a ciphertext, and the true range of its values.
    Warnings say where the library would refuse an operation or a result would be wrong: values that
    leave an interval, a modulus or their stated bounds, drown in errors, wrap around modulo t, or are
    closer than the gap of a comparison, and results with few correct bits.

    - function, params, slots, level, log_q, magnitudes, public_key, bootstrapping: as for `plan`.
    - arrays: the values of the inputs, in order. Each input holds as many values as its array has.
    - fill: the value of the slots after the end of an array, by default as for `Client.encrypt`: one
      value for all inputs, a sequence, or a dictionary by the names of the inputs.
    - modular: whether values of BGV and BFV are meant to wrap around modulo t; then there is no warning
      of it.
    - noise: whether random errors of the estimated size are added to the results.
    - seed: the seed of these errors.

    Where levels, bits of the modulus or the noise budget run out, a warning says so, and the
    simulation goes on with fresh ciphertexts of the same values: levels, bootstraps and keys from
    there on are not those of a run. An operation that takes more than a fresh ciphertext has raises
    its error, as do all other errors.

    A polynomial with an attribute `function` is compared with that function; see `Step.error`.
    """
    server = Server._recording(given(params, "simulate(function, ..., params=...)"), bootstrapping, True, modular)
    known = Function(function)
    options = known.options(
        len(arrays), slots=slots, level=level, log_q=log_q, magnitudes=magnitudes, fill=fill, public_key=public_key
    )
    inputs = [with_values(server, array, option) for option, array in zip(options, arrays, strict=True)]
    return Simulation.of(server, known.run(server, inputs), noise, seed)


def with_values(server: Server, array: npt.ArrayLike, option: dict[str, Any]) -> Ciphertext:
    """An input of a simulation. `option`: one of `Function.options`."""
    values = _arrays.given(array, server.params.t is not None)
    return fresh(server, **option | {"values": values, "complex": values.dtype.kind == "c"})


def approximation_error(p: Any, seen: tuple[Vector, Sequence[bool], bool]) -> float | None:
    """The largest difference between a polynomial and its attribute `function` at given values inside of
    its interval. None without such values, and where `p` names no function."""
    function = getattr(p, "function", None)
    values, inside = seen[0], ~np.asarray(seen[1])
    if hasattr(p, "domain") and not isinstance(p, np.polynomial.Polynomial):
        low, high = float(p.domain[0]), float(p.domain[1])
        inside &= (values.real >= low - 1e-9 * (high - low)) & (values.real <= high + 1e-9 * (high - low))
    if not callable(function) or not np.any(inside):
        return None
    return float(np.max(np.abs(p(values[inside]) - function(values[inside]))))


def _few_bits(name: str, ct: Ciphertext) -> list[Finding]:
    """A warning of a result that has few correct bits, compared with 1 or with the largest of its given
    values, if it is larger, or with a stated bound below 1."""
    values, padding, is_drowned = ct._simulated()
    chosen = values[~np.asarray(padding)]
    if ct.params.t is not None or is_drowned or not chosen.size:
        return []
    largest = max(float(np.max(np.abs(chosen))), min(ct.magnitude, 1.0))
    bits = ct.precision_bits + np.log2(largest) if 0 < largest < np.inf else _FEW_BITS
    if bits >= _FEW_BITS:
        return []
    found = f"about {bits:.1f} bits are right" if bits > 0 else "no bit is right"
    text = f"of values up to {largest:.4g} {found}: their errors are estimated at {2.0**-ct.precision_bits:.3g}"
    return [Finding(ct._place() or "?", f"result {name}".rstrip(), text)]


def _output(name: str, ct: Ciphertext, rng: np.random.Generator | None) -> SimulatedOutput:
    values = ct._simulated()[0]
    if values.dtype.kind == "c" and not np.any(values.imag):
        values = values.real
    if rng is not None and ct.params.t is None:
        # the estimate is the standard deviation of the real part; the imaginary part has the same
        # one
        size = 2.0**-ct.precision_bits
        values = values + size * rng.standard_normal(values.size)
        if values.dtype.kind == "c":
            values = values + 1j * size * rng.standard_normal(values.size)
    return SimulatedOutput(*shape(name, ct), values[: ct.count], values, unit(ct.params))
