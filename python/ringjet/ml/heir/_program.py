"""`from_heir`: a program that HEIR compiled, as a program of ringjet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._checks import ends, refusal
from ..._ringjet import Ciphertext, Parameters
from ...errors import MalformedError
from ...program import Program, Simulation, compile
from ..models._choice import number
from ..models._interface import numbers
from ._encrypted import Ranges
from ._machine import Machine
from ._packing import Packing, count, read, tensor_of, vectors
from ._text import Function, Module, malformed, parsed, unsupported
from ._values import Array, shape


@dataclass(frozen=True)
class HeirProgram:
    """A program that HEIR compiled. `program` is the server's part: it takes and returns the ciphertexts that
    `packing`, the client's part, encrypts and decrypts."""

    program: Program
    packing: Packing
    _entry: _Entry

    @property
    def params(self) -> Parameters:
        """The parameters."""
        return self.program.params

    @property
    def slots(self) -> int:
        """The number of slots of the ciphertexts."""
        return self.packing.slots

    @property
    def keys(self) -> dict[str, Any]:
        """The keys that the program uses, for `client.evaluation_keys(**keys)`."""
        return self.program.keys

    def clear(self, *inputs: npt.ArrayLike) -> Any:
        """What HEIR's operations give in the clear, in numpy, for one value of each input."""
        found = self._entry.run([list(group[:, None]) for group in self.packing.packed(inputs)], Ranges())
        return self.packing.unpack(*(vector[0] if vector.ndim == 2 else vector for vector in found))

    def simulate(self, *inputs: npt.ArrayLike, seed: int | None = None) -> tuple[Any, Simulation]:
        """The results with random errors of the estimated size, and the simulation that gave them, with its warnings."""
        found = self.program.simulate(*self.packing.pack(*inputs), noise=True, seed=seed)
        return self.packing.unpack(*(output.slot_values.real for output in found.outputs)), found


def from_heir(
    path: str | PathLike[str],
    weights: Sequence[npt.ArrayLike] = (),
    *,
    calibration: Sequence[npt.ArrayLike] | npt.ArrayLike | None = None,
    magnitude: float | tuple[float, float] = 1.0,
    margin: float = 2.0,
    params: Parameters | str | None = None,
) -> HeirProgram:
    """Reads the MLIR of a program for CKKS that `heir-opt` of HEIR 2026.11.1 wrote, with `--mlir-to-ckks` or
    `--torch-linalg-to-ckks`, and records it as a program of ringjet.

    - weights: the arguments of the function that are not encrypted, in its order.
    - calibration: samples of the encrypted argument, one in each row; with several encrypted arguments a list with
      such an array for each. The bounds of factors of products are taken from them: `margin` times what they are for the
      samples. Without it bounds are those of the worst inputs, which take more precision, and may be refused.
    - magnitude: a bound on the elements of inputs, or an interval (low, high).
    - margin: how much wider than for the samples ranges are taken to be.
    - params: parameters, or the name of a preset; by default the fastest preset.

    HEIR's parameters, scales, rescalings and bootstraps are not used: ringjet chooses its own."""
    margin = number("margin", margin, 1, np.inf)
    try:
        module = parsed(Path(path).read_text())
    except UnicodeDecodeError as error:
        raise MalformedError(f"{path}: no MLIR text: {error}") from None
    entry = _Entry.of(module, weights)
    both = (-magnitude, magnitude) if isinstance(magnitude, (int, float)) else magnitude
    low, high = ends(both, "magnitude")
    if not low < high:
        raise refusal("magnitude", magnitude, "a positive number, or (low, high)")
    packing = read(entry.machine, entry.encryptions, entry.decryptions, (low, high))
    ranges = Ranges()
    if calibration is not None:
        entry.run(_samples(packing, calibration), ranges)

    def function(*inputs: Ciphertext) -> list[Ciphertext]:
        left = iter(inputs)
        groups = [[next(left) for _ in range(places.ciphertexts)] for places in packing.inputs]
        return entry.encrypted(groups, Ranges(ranges.measured, margin))

    ciphertexts = sum(places.ciphertexts for places in packing.inputs)
    program = compile(function, params, slots=packing.slots, magnitudes=[(low, high)] * ciphertexts)
    return HeirProgram(program, packing, entry)


@dataclass(frozen=True)
class _Entry:
    """The function that a server runs, its weights, and the functions for clients."""

    machine: Machine
    function: Function
    weights: tuple[Any, ...]
    encryptions: list[Function]
    decryptions: list[Function]

    @staticmethod
    def of(module: Module, weights: Sequence[npt.ArrayLike]) -> _Entry:
        """Finds the functions, and checks the weights."""
        entries = [f for f in module.functions.values() if "entry" in f.roles]
        if len(entries) != 1:
            raise malformed(1, f'{len(entries)} functions with the role "entry" in heir.interface')
        function = entries[0]
        encrypted = [i for i, (_, type_, _) in enumerate(function.arguments) if _is_ciphertext(module, type_)]
        inputs = [i for i in encrypted if not _is_zero(function, i)]
        encryptions = [_client(module, function, "client.encrypt", i) for i in inputs]
        decryptions = [_client(module, function, "client.decrypt", i) for i in range(len(function.results))]
        plain = [type_ for i, (_, type_, _) in enumerate(function.arguments) if i not in encrypted]
        machine = Machine(module, _slots(module))
        return _Entry(machine, function, _weights(plain, weights), encryptions, decryptions)

    def run(self, inputs: Sequence[Sequence[Any]], ranges: Ranges) -> list[Any]:
        """The encrypted vectors of the results. inputs: those of each encrypted argument."""
        groups, weights, arguments = iter(inputs), iter(self.weights), []
        for i, (_, type_, _) in enumerate(self.function.arguments):
            if not _is_ciphertext(self.machine.module, type_):
                arguments.append(next(weights))
            elif _is_zero(self.function, i):
                arguments.append(tensor_of(type_, [np.zeros(self.machine.slots)] * count(type_)))
            else:
                arguments.append(tensor_of(type_, next(groups)))
        self.machine.ranges = ranges
        made = self.machine.call(self.function, arguments)
        return [vector for value in made for vector in vectors(value)]

    def encrypted(self, inputs: Sequence[Sequence[Ciphertext]], ranges: Ranges) -> list[Ciphertext]:
        """`run` on ciphertexts. Refuses results that need none."""
        found = self.run(inputs, ranges)
        if any(isinstance(vector, np.ndarray) for vector in found):
            raise unsupported(self.function.line, f"@{self.function.name}", "results that depend on encrypted inputs")
        return found


def _is_ciphertext(module: Module, type_: str) -> bool:
    known = shape(type_)
    return module.resolved(type_ if known is None else known[1]).startswith("!lwe.lwe_ciphertext")


def _is_zero(function: Function, i: int) -> bool:
    """Whether an argument is an encryption of zeros, which HEIR asks a client for. ringjet needs none."""
    return "client.enc_zero_arg" in function.arguments[i][2]


def _client(module: Module, entry: Function, role: str, index: int) -> Function:
    for function in module.functions.values():
        found = re.match(r"-?\d+", function.interface.get("index", "?"))
        if role in function.roles and found is not None and int(found[0]) == index:
            return function
    raise malformed(entry.line, f"no function with the role {role!r} and the index {index}")


def _slots(module: Module) -> int:
    found = module.attributes.get("scheme.requested_slot_count", "").split(" : ")[0]
    if "scheme.ckks" not in module.attributes or not found.isdigit():
        raise malformed(1, "a module without scheme.ckks and scheme.requested_slot_count")
    slots = int(found)
    if slots < 2 or slots & (slots - 1):
        raise unsupported(1, f"{slots} slots", "a power of two, by min-slot-count of the pipeline")
    return slots


def _weights(types: Sequence[str], weights: Sequence[npt.ArrayLike]) -> tuple[Any, ...]:
    shapes = [found[0] if (found := shape(type_)) else () for type_ in types]
    if len(weights) != len(types):
        raise refusal("weights", f"{len(weights)} arrays", f"{len(types)} of the shapes {shapes}")
    made = []
    for i, (dimensions, values) in enumerate(zip(shapes, weights, strict=True)):
        array = numbers(f"weights[{i}]", values)
        if array.shape != dimensions:
            raise refusal(f"weights[{i}]", f"an array of shape {array.shape}", f"the shape {dimensions}")
        made.append(array[()])
    return tuple(made)


def _samples(packing: Packing, calibration: Any) -> list[list[Array]]:
    """For each input the slots of its ciphertexts: arrays with a row for each sample."""
    groups = list(calibration) if len(packing.inputs) > 1 else [calibration]
    if len(groups) != len(packing.inputs):
        raise refusal("calibration", f"{len(groups)} arrays", f"one for each of {len(packing.inputs)} inputs")
    arrays = [numbers("calibration", group) for group in groups]
    if len({len(array) if array.ndim else 0 for array in arrays}) != 1 or not arrays[0].size:
        raise refusal(
            "calibration", [array.shape for array in arrays], "samples, one in each row, as many of each input"
        )
    packed = [packing.packed([array[i] for array in arrays]) for i in range(len(arrays[0]))]
    return [list(np.stack([sample[k] for sample in packed], axis=1)) for k in range(len(packing.inputs))]
