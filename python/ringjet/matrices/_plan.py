"""`plan` and `simulate` for programs whose inputs are encrypted matrices."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._checks import padding, refusal
from .._clear import Clear
from .._dry_run import PerInput, Plan, Program, each, given, plan
from .._simulate import Simulation, simulate
from ._layout import Layout, expect_blocks, expect_few, expect_layout, expect_shape, power_of_two
from ._matrix import EncryptedMatrix

if TYPE_CHECKING:
    from .._ringjet import Parameters
    from .._tracker import Tracker

_Shape = tuple[int, ...]


def plan_matrices(
    function: Callable[..., Any],
    params: Parameters | str,
    shapes: Sequence[_Shape],
    *,
    slots: int | None = None,
    level: PerInput[int | None] = None,
    magnitudes: PerInput[float | tuple[float, float]] = 1.0,
    complex: PerInput[bool] = False,
    public_key: PerInput[bool] = False,
    bootstrapping: bool = True,
    device: str | PathLike[str] | None = None,
) -> Plan:
    """`plan` for a program of encrypted matrices, `f(a, b)` or `f(server, a, b)`.

    - shapes: the shapes of the inputs, in order.
    - slots: the number of slots of every ciphertext, as the client has it; by default all slots.
    - The other arguments are those of `plan`, one for each matrix.

    In `Plan.result` a matrix is a list of its rows of blocks, with an `Output` for each block.
    """
    program, params = Program(function), given(params, "plan_matrices(function, params, shapes)")
    inputs = _inputs(program, params, shapes, slots, level, magnitudes, complex, public_key)

    def run(server: Any) -> Any:
        matrices: list[Any] = [x.made(server._tracker) for x in inputs]
        return program.run(server._tracker, matrices)

    return plan(run, params, bootstrapping=bootstrapping, device=device)


def simulate_matrices(
    function: Callable[..., Any],
    *matrices: npt.ArrayLike,
    params: Parameters | str | None = None,
    slots: int | None = None,
    level: PerInput[int | None] = None,
    magnitudes: PerInput[float | tuple[float, float]] = 1.0,
    public_key: PerInput[bool] = False,
    bootstrapping: bool = True,
    modular: bool = False,
    noise: bool = False,
    seed: int | None = None,
) -> Simulation:
    """`simulate` for a program of encrypted matrices, as `plan_matrices` takes it.

    - matrices: the inputs in the clear, in order: matrices, or arrays of matrices.
    - The other arguments are those of `plan_matrices` and `simulate`.

    `Simulation.values` has an array in place of each matrix, and `Simulation.outputs` its blocks.
    """
    program, params = Program(function), given(params, "simulate_matrices(function, ..., params=...)")
    for matrix in matrices:
        expect_few(matrix, params.slots if slots is None else slots)
    arrays = [_arrays.given(m, params.t is not None, "matrix") for m in matrices]
    kinds = [a.dtype.kind == "c" for a in arrays]
    inputs = _inputs(program, params, [a.shape for a in arrays], slots, level, magnitudes, kinds, public_key)
    result: Any = None

    def run(server: Any) -> Any:
        nonlocal result
        made: list[Any] = [x.made(server._tracker, array) for x, array in zip(inputs, arrays, strict=True)]
        result = program.run(server._tracker, made)
        return result

    found = simulate(run, params=params, bootstrapping=bootstrapping, modular=modular, noise=noise, seed=seed)
    return dataclasses.replace(found, values=_joined(result, found.values))


@dataclass(frozen=True)
class _Input:
    """A matrix that a program gets."""

    name: str
    shape: _Shape
    layout: Layout
    #: What its ciphertexts have in common, as arguments of `Tracker.input`.
    kind: dict[str, Any]

    def made(self, tracker: Tracker, matrix: npt.NDArray[Any] | None = None) -> EncryptedMatrix:
        """The encrypted matrix, in a simulation with its elements."""
        rows, columns = self.layout.grid(*self.shape[-2:])
        values: Any = [[None] * columns] * rows if matrix is None else self._values(tracker, matrix)
        several = rows * columns > 1

        def block(i: int, j: int) -> Any:
            name = f"{self.name}[{i}][{j}]" if several else self.name
            return tracker.input(name, self.layout.slots, **self.kind, values=values[i][j])

        return EncryptedMatrix([[block(i, j) for j in range(columns)] for i in range(rows)], self.shape)

    def _values(self, tracker: Tracker, matrix: npt.NDArray[Any]) -> list[list[Clear]]:
        slots, t = self.layout.slots, tracker.server.params.t
        packed = [
            [Clear.packed(x, slots, 0, t) for x in row]
            for row in self.layout.split(matrix, padding(self.kind["magnitude"]))
        ]
        taken = self.layout.split(np.ones(matrix.shape, bool))
        return [
            [dataclasses.replace(x, padding=~elements) for x, elements in zip(*rows, strict=True)]
            for rows in zip(packed, taken, strict=True)
        ]


def _inputs(
    program: Program, params: Parameters, shapes: Sequence[_Shape], slots: int | None, *options: Any
) -> list[_Input]:
    """The inputs of a program. `options`: level, magnitudes, complex, public_key."""
    slots = params.slots if slots is None else slots
    if slots < 1 or slots != power_of_two(slots):
        raise refusal("slots", slots, "a power of two")
    names = program.inputs(len(shapes))
    words = [("level", None), ("magnitudes", 1.0), ("complex", False), ("public_key", False)]
    level, magnitudes, *kinds = options
    options = (level, program.magnitudes(magnitudes, len(names)), *kinds)
    known = [each(word, option, names, default) for (word, default), option in zip(words, options, strict=True)]
    found = []
    for name, shape, *kind in zip(names, map(expect_shape, shapes), *known, strict=True):
        arguments = dict(zip(("level", "magnitude", "complex", "public_key"), kind, strict=True))
        found.append(_Input(name, shape, expect_blocks(expect_layout(slots, shape), shape), arguments))
    return found


def _joined(result: Any, values: Any) -> Any:
    """The values of a program's result, with an array in place of each matrix."""
    if isinstance(result, EncryptedMatrix):
        return result._layout.joined(values, result.shape)
    if isinstance(result, dict):
        return {key: _joined(part, values[key]) for key, part in result.items()}
    if isinstance(result, (list, tuple)):
        return type(values)(map(_joined, result, values))
    return values
