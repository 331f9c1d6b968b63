"""`simulate`: runs a program on values in the clear, with the levels, errors and keys of
ciphertexts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._checks import padding
from ._clear import Clear, Vector
from ._dry_run import (
    Followed,
    PerInput,
    Program,
    Shape,
    ciphertexts,
    each,
    followed,
    given,
    held,
    replaced,
    shape,
    shaped,
    summary,
)
from ._ringjet import Parameters, Server, precision_text
from ._text import left, unit
from ._tracked import Tracked
from ._tracker import Finding, Tracker

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
        return (
            f"{name}{left(self.unit, self.level)}{held(self)}{self.slots} slots, values up to {np.max(np.abs(1.0 * self.values)):.4g} "
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

    def __repr__(self) -> str:
        return "\n".join(
            [summary(self), f"{len(self.warnings)} warning(s)", *(f"  {warning}" for warning in self.warnings)]
        )


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
    params = given(params, "simulate(function, ..., params=...)")
    tracker = Tracker(Server._model(params, bootstrapping), simulates=True, modular=modular)
    program = Program(function)
    names = program.inputs(len(arrays))
    shapes = shaped(names, slots, level, log_q, program.magnitudes(magnitudes, len(names)))
    fills, public = each("fill", fill, names, None), each("public_key", public_key, names, False)
    inputs = []
    for name, array, known, own_fill, is_public in zip(names, arrays, shapes, fills, public, strict=True):
        filler = padding(known[3]) if own_fill is None else own_fill
        packed = Clear.packed(array, known[0] or params.slots, filler, params.t)
        kind: dict[str, Any] = {"complex": packed.values.dtype.kind == "c", "public_key": is_public}
        kind |= {"count": int((~packed.padding).sum()), "fill": filler}
        inputs.append(tracker.input(name, *known, **kind, values=packed))
    result = program.run(tracker, inputs)
    for name, ct in ciphertexts(result):
        _expect_bits(tracker, name, ct)
    rng = np.random.default_rng(seed) if noise else None
    outputs = [_output(name, ct, rng) for name, ct in ciphertexts(result)]
    following = iter(outputs)
    return Simulation(
        **followed(tracker, outputs),
        values=replaced(result, lambda name, ct: next(following).values),
        warnings=tuple(tracker.warnings),
    )


def _expect_bits(tracker: Tracker, name: str, tracked: Tracked) -> None:
    """Warns of a result that has few correct bits, compared with 1 or with the largest of its given
    values, if it is larger, or with a stated bound below 1."""
    ct, clear = tracked._ct, tracked._values()
    given = clear.values[~clear.padding]
    if ct.params.t is not None or tracked._drowned or not given.size:
        return
    largest = max(float(np.max(np.abs(given))), min(ct.magnitude, 1.0))
    if not 0 < largest < np.inf:
        return
    bits = ct.precision_bits + np.log2(largest)
    if bits < _FEW_BITS:
        found = f"about {bits:.1f} bits are right" if bits > 0 else "no bit is right"
        text = f"of values up to {largest:.4g} {found}: their errors are estimated at {2.0**-ct.precision_bits:.3g}"
        tracker.warnings.append(Finding(tracked._where, f"result {name}".rstrip(), text))


def _output(name: str, tracked: Tracked, rng: np.random.Generator | None) -> SimulatedOutput:
    ct, values = tracked._ct, tracked._values().decrypted
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
