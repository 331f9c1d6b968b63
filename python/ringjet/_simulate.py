"""`simulate`: a program on values in the clear, with the levels, errors and keys that ciphertexts would have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._clear import Clear, Vector
from ._dry_run import Followed, PerInput, Program, Shape, ciphertexts, each, followed, given, replaced, shape, shaped, summary
from ._ringjet import Parameters, Server
from ._tracked import Tracked
from ._tracker import Finding, Tracker


@dataclass(frozen=True)
class SimulatedOutput(Shape):
    """What would be decrypted, and what ciphertext it would come from."""

    #: One a slot; complex where there are imaginary parts.
    values: Vector = field(repr=False, compare=False)
    #: What `level` counts: "level", or with HEAAN "log_q".
    unit: str = field(default="level", repr=False)

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        return (
            f"{name}{self.unit} {self.level}, {self.slots} slots, values up to {np.max(np.abs(self.values)):.4g} "
            f"({self.magnitude:.4g} stated), about {max(self.precision_bits, 0):.1f} bits"
        )


@dataclass(frozen=True, repr=False)
class Simulation(Followed):
    """What `simulate` found. It is no plan: a simulation goes on where the library would refuse."""

    outputs: tuple[SimulatedOutput, ...]
    #: What the function returned, with an array in place of each ciphertext: one value a slot.
    values: Any
    #: What would go wrong, in order; as text, each begins with file and line.
    warnings: tuple[Finding, ...]

    def __repr__(self) -> str:
        return "\n".join([summary(self), f"{len(self.warnings)} warning(s)", *(f"  {warning}" for warning in self.warnings)])


def simulate(
    function: Callable[..., Any],
    *arrays: npt.ArrayLike,
    params: Parameters | str,
    slots: PerInput[int | None] = None,
    level: PerInput[int | None] = None,
    log_q: PerInput[int | None] = None,
    magnitudes: PerInput[float] = 1.0,
    fill: PerInput[complex] = 0.0,
    bootstrapping: bool = True,
    noise: bool = False,
    seed: int | None = None,
) -> Simulation:
    """Runs `function` on values in the clear, packed as `Client.encrypt` packs them, and follows each operation: its level,
    scale and estimated error are those of a ciphertext, and the range of its values is the true one. Warnings say where the
    library would refuse or the result would be wrong.

    function, params, slots, level, log_q, magnitudes, bootstrapping: as for `plan`. arrays: the values of the inputs, in
    order. fill: what the slots beyond an array get, for all inputs, one each, or by name. noise: adds random errors of the
    estimated size to the results, by `seed`. A polynomial with an attribute `function` is compared with that function: see
    `Step.error`.
    """
    params = given(params)
    tracker = Tracker(Server._model(params, bootstrapping), simulates=True)
    program = Program(function)
    names = program.inputs(len(arrays))
    shapes = shaped(names, slots, level, log_q, magnitudes)
    fills = each("fill", fill, names, 0.0)
    inputs = []
    for name, array, known, padding in zip(names, arrays, shapes, fills, strict=True):
        packed = Clear.packed(array, known[0] or params.slots, padding)
        inputs.append(tracker.input(name, *known, complex=packed.values.dtype.kind == "c", values=packed))
    result = program.run(tracker, inputs)
    rng = np.random.default_rng(seed) if noise else None
    outputs = [_output(name, ct, rng) for name, ct in ciphertexts(result)]
    following = iter(outputs)
    return Simulation(
        **followed(tracker, outputs),
        values=replaced(result, lambda name, ct: next(following).values),
        warnings=tuple(tracker.warnings),
    )


def _output(name: str, tracked: Tracked, rng: np.random.Generator | None) -> SimulatedOutput:
    ct, values = tracked._ct, tracked._values().values
    if values.dtype.kind == "c" and not np.any(values.imag):
        values = values.real
    if rng is not None:
        # the estimate is the standard deviation of a real part, and imaginary parts have the same
        size = 2.0**-ct.precision_bits
        values = values + size * rng.standard_normal(values.size)
        if values.dtype.kind == "c":
            values = values + 1j * size * rng.standard_normal(values.size)
    return SimulatedOutput(*shape(name, ct), values, ct.params._unit)
