"""`plan` and `simulate` for programs whose inputs are encrypted matrices."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ... import _arrays
from ..._checks import padding, refusal
from ...program import Plan, Simulation, plan, simulate
from ...program._inputs import Function, PerInput, each, fresh, given
from ._cells import power_of_two
from ._layout import Layout, Shape, expect_shape
from ._layouts import expect_few, expect_few_of, expect_layout
from ._matrix import EncryptedMatrix

if TYPE_CHECKING:
    from ..._ringjet import Parameters, Server


def plan_matrices(
    function: Callable[..., Any],
    params: Parameters | str,
    shapes: Sequence[Shape],
    *,
    slots: int | None = None,
    layout: PerInput[str] = "blocks",
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
    - layout: "blocks", "rows" or "columns", as `encrypt_matrix` takes it.
    - The other arguments are those of `plan`, one for each matrix.

    In `Plan.result` a matrix is a list of its rows of ciphertexts, with an `Output` for each one.
    """
    program, params = Function(function), given(params, "plan_matrices(function, params, shapes)")
    inputs = _inputs(
        program,
        params,
        shapes,
        slots,
        layout,
        level=level,
        magnitudes=magnitudes,
        complex=complex,
        public_key=public_key,
    )

    def run(server: Any) -> Any:
        return program.run(server, [x.made(server) for x in inputs])

    return plan(run, params, bootstrapping=bootstrapping, device=device)


def simulate_matrices(
    function: Callable[..., Any],
    *matrices: npt.ArrayLike,
    params: Parameters | str | None = None,
    slots: int | None = None,
    layout: PerInput[str] = "blocks",
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

    `Simulation.values` has an array in place of each matrix, and `Simulation.outputs` its ciphertexts.
    """
    program, params = Function(function), given(params, "simulate_matrices(function, ..., params=...)")
    for matrix in matrices:
        expect_few_of(matrix, params.slots if slots is None else slots)
    arrays = [_arrays.given(m, params.t is not None, "matrix") for m in matrices]
    kinds = [a.dtype.kind == "c" for a in arrays]
    shapes = [a.shape for a in arrays]
    inputs = _inputs(
        program, params, shapes, slots, layout, level=level, magnitudes=magnitudes, complex=kinds, public_key=public_key
    )
    result: Any = None

    def run(server: Any) -> Any:
        nonlocal result
        result = program.run(server, [x.made(server, array) for x, array in zip(inputs, arrays, strict=True)])
        return result

    found = simulate(run, params=params, bootstrapping=bootstrapping, modular=modular, noise=noise, seed=seed)
    return dataclasses.replace(found, values=_joined(result, found.values))


@dataclass(frozen=True)
class _Input:
    """A matrix that a program gets."""

    shape: Shape
    layout: Layout
    #: What its ciphertexts have in common, as one of `Function.options`.
    option: dict[str, Any]

    def made(self, server: Server, matrix: npt.NDArray[Any] | None = None) -> EncryptedMatrix:
        """The encrypted matrix, in a simulation with its elements."""
        rows, columns = self.layout.grid(self.shape)
        blocks: list[list[dict[str, Any]]] = [[{}] * columns] * rows
        if matrix is not None:
            values = self.layout.split(matrix, padding(self.option["magnitude"]))
            taken = self.layout.split(np.ones(matrix.shape, bool))
            blocks = [
                [{"values": x, "padding": (~elements).tolist()} for x, elements in zip(*rows, strict=True)]
                for rows in zip(values, taken, strict=True)
            ]

        def block(i: int, j: int) -> Any:
            name = f"{self.option['name']}[{i}][{j}]" if rows * columns > 1 else self.option["name"]
            return fresh(server, **self.option | {"name": name, "slots": self.layout.slots} | blocks[i][j])

        return EncryptedMatrix(
            [[block(i, j) for j in range(columns)] for i in range(rows)], self.shape, self.layout.name
        )


def _inputs(
    program: Function,
    params: Parameters,
    shapes: Sequence[Shape],
    slots: int | None,
    layout: PerInput[str],
    **options: Any,
) -> list[_Input]:
    """The inputs of a program. `options`: those of `Function.options`."""
    slots = params.slots if slots is None else slots
    if slots < 1 or slots != power_of_two(slots):
        raise refusal("slots", slots, "a power of two")
    found = program.options(len(shapes), **options)
    shapes = [expect_shape(shape) for shape in shapes]
    names = each("layout", layout, [option["name"] for option in found], "blocks")
    layouts = [expect_few(expect_layout(name, slots, shape), shape) for name, shape in zip(names, shapes, strict=True)]
    return [_Input(*known) for known in zip(shapes, layouts, found, strict=True)]


def _joined(result: Any, values: Any) -> Any:
    """The values of a program's result, with an array in place of each matrix."""
    if isinstance(result, EncryptedMatrix):
        return result._layout.joined(values, result.shape)
    if isinstance(result, dict):
        return {key: _joined(part, values[key]) for key, part in result.items()}
    if isinstance(result, (list, tuple)):
        return type(values)(map(_joined, result, values))
    return values
