"""`plan` and `simulate` for programs whose inputs are encrypted matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ... import _arrays
from ..._checks import padding, refusal
from ..._text import duration
from ...errors import ArgumentError, RingjetError
from ...program import Plan, Simulation, plan, simulate
from ...program._estimate import HERE, REFERENCE
from ...program._inputs import Function, PerInput, each, fresh, given
from ._cells import power_of_two
from ._layout import Layout, Shape, expect_shape
from ._layouts import LAYOUTS, expect_few, expect_few_of, expect_layout
from ._matrix import EncryptedMatrix

if TYPE_CHECKING:
    from ..._ringjet import Parameters, Server

#: The most choices of layouts that are planned.
_MOST_CHOICES = 27


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
    device: str | PathLike[str] | None = HERE,
) -> Plan:
    """`plan` for a program of encrypted matrices, `f(a, b)` or `f(server, a, b)`.

    - shapes: the shapes of the inputs, in order.
    - slots: the number of slots of every ciphertext, as the client has it; by default all slots.
    - layout: "blocks", "rows", "columns", "stacked", "batch" or "batch_columns", as `encrypt_matrix` takes it. Or
      "auto": the program is planned with each of the first four, and the least time on the device counts.
      `Plan.choice` says what each takes, or why it does not work, and `Plan.layouts` has the layouts for
      `encrypt_matrix`.
    - The other arguments are those of `plan`, one for each matrix.

    In `Plan.result` a matrix is a list of its rows of ciphertexts, with an `Output` for each one.
    """
    program, params = Function(function), given(params, "plan_matrices(function, params, shapes)")
    kinds = {"level": level, "magnitudes": magnitudes, "complex": complex, "public_key": public_key}
    candidates = _candidates(program, params, shapes, slots, layout, kinds)
    return _cheapest(program, params, candidates, bootstrapping, device)[1]


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
    if isinstance(layout, str) and layout != "auto":
        for matrix in matrices:
            expect_few_of(matrix, params.slots if slots is None else slots, layout)
    arrays = [_arrays.given(m, params.t is not None, "matrix") for m in matrices]
    kinds = [a.dtype.kind == "c" for a in arrays]
    shapes = [a.shape for a in arrays]
    options = {"level": level, "magnitudes": magnitudes, "complex": kinds, "public_key": public_key}
    candidates = _candidates(program, params, shapes, slots, layout, options)
    inputs = candidates[0] if len(candidates) == 1 else _cheapest(program, params, candidates, bootstrapping, None)[0]
    result: Any = None

    def run(server: Any) -> Any:
        nonlocal result
        result = program.run(server, [x.made(server, array) for x, array in zip(inputs, arrays, strict=True)])
        return result

    found = simulate(run, params=params, bootstrapping=bootstrapping, modular=modular, noise=noise, seed=seed)
    return replace(found, values=_joined(result, found.values))


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
        magnitude, complex = self.layout.stated(self.option["magnitude"], self.option["complex"])
        option = self.option | {"magnitude": magnitude, "complex": complex, "slots": self.layout.slots}
        if matrix is not None:
            self.layout.expect_elements(matrix, self.option["magnitude"])
            values = self.layout.split(matrix, padding(self.option["magnitude"]))
            taken = self.layout.split(np.ones(matrix.shape, bool))
            blocks = [
                [{"values": x, "padding": (~elements).tolist()} for x, elements in zip(*rows, strict=True)]
                for rows in zip(values, taken, strict=True)
            ]

        def block(i: int, j: int) -> Any:
            name = f"{self.option['name']}[{i}][{j}]" if rows * columns > 1 else self.option["name"]
            return fresh(server, **option | {"name": name} | blocks[i][j])

        return EncryptedMatrix(
            [[block(i, j) for j in range(columns)] for i in range(rows)], self.shape, self.layout.name
        )


def _candidates(
    program: Function,
    params: Parameters,
    shapes: Sequence[Shape],
    slots: int | None,
    layout: PerInput[str],
    options: dict[str, Any],
) -> list[list[_Input]]:
    """The inputs of a program, for each choice of layouts. `options`: those of `Function.options`."""
    slots = params.slots if slots is None else slots
    if slots < 1 or slots != power_of_two(slots):
        raise refusal("slots", slots, "a power of two")
    found = program.options(len(shapes), **options)
    shapes = [expect_shape(shape) for shape in shapes]
    names = each("layout", layout, [option["name"] for option in found], "blocks")

    def inputs(choice: Sequence[str]) -> list[_Input]:
        layouts = [expect_few(expect_layout(name, slots, s), s) for name, s in zip(choice, shapes, strict=True)]
        for lies in layouts:
            lies.expect_params(params)
        return [_Input(*known) for known in zip(shapes, layouts, found, strict=True)]

    made, refused = [], None
    for choice in _choices(names):
        try:
            made.append(inputs(choice))
        except ArgumentError as error:
            refused = refused or error
    if refused is not None and not made:
        raise refused
    return made


def _choices(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The layouts that are tried, where "auto" is one of those that there are. If those would be too many,
    all that are "auto" get the same one."""
    tried = [name for name, kind in LAYOUTS.items() if not kind.complex_slots]
    if len(tried) ** names.count("auto") <= _MOST_CHOICES:
        return list(itertools.product(*[tried if name == "auto" else [name] for name in names]))
    return [tuple(known if name == "auto" else name for name in names) for known in tried]


def _cheapest(
    program: Function,
    params: Parameters,
    candidates: Sequence[list[_Input]],
    bootstrapping: bool,
    device: str | PathLike[str] | None,
) -> tuple[list[_Input], Plan]:
    """The inputs of the candidates with which the program takes the least time on a device, by default the
    `REFERENCE`, and its plan. Candidates that are refused drop out."""
    measured = REFERENCE if device in (None, HERE) and len(candidates) > 1 else device
    best: tuple[float, list[_Input], Plan, Callable[..., Any]] | None = None
    reasons: dict[str, str] = {}
    refused: RingjetError | None = None
    for inputs in candidates:
        layouts = {x.option["name"]: x.layout.name for x in inputs}
        choice = ", ".join(f"{name} in {layout}" for name, layout in layouts.items())

        def run(server: Any, inputs: list[_Input] = inputs) -> Any:
            return program.run(server, [x.made(server) for x in inputs])

        try:
            made = replace(plan(run, params, bootstrapping=bootstrapping, device=measured), layouts=layouts)
        except RingjetError as error:
            reasons[choice], refused = str(error), refused or error
            continue
        if len(candidates) == 1:
            return inputs, made
        assert made.estimate is not None, "a plan for a device has an estimate"
        sent = sum(math.prod(x.layout.grid(x.shape)) for x in inputs)
        reasons[choice] = f"{duration(made.estimate.seconds)} on {measured}, {sent} ciphertext(s) as inputs"
        if best is None or made.estimate.seconds < best[0]:
            best = made.estimate.seconds, inputs, made, run
    if best is None:
        assert refused is not None, "there are candidates, and all are refused"
        raise refused
    _, inputs, made, run = best
    if measured != device:
        known = made.layouts
        made = replace(plan(run, params, bootstrapping=bootstrapping, device=device), layouts=known)
    return inputs, replace(made, choice=reasons)


def _joined(result: Any, values: Any) -> Any:
    """The values of a program's result, with an array in place of each matrix."""
    if isinstance(result, EncryptedMatrix):
        made = result._layout.joined(values, result.shape)
        # elements in complex slots are real up to the rounding of their transform
        is_real = result._layout.complex_slots and np.abs(made.imag).max() <= 1e-9 * np.abs(made).max()
        return made.real if is_real else made
    if isinstance(result, dict):
        return {key: _joined(part, values[key]) for key, part in result.items()}
    if isinstance(result, (list, tuple)):
        return type(values)(map(_joined, result, values))
    return values
