"""`plan`: the levels, scales, errors and keys of a program, without keys, data or computing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

from .._checks import refusal
from .._ringjet import Ciphertext, Parameters, Server, precision_text
from .._text import left, unit
from ._choice import recorded
from ._estimate import HERE, Estimate
from ._facts import Followed, Shape, ciphertexts, followed, held, replaced, shape
from ._inputs import Function, PerInput


@dataclass(frozen=True)
class Output(Shape):
    """A ciphertext that a program returned."""

    #: A bound on the error of every value. It fails with a probability of at most 2**-64. Infinite
    #: after bootstrapping.
    error_bound: float
    #: A ciphertext of the counting backend. It has a level, a scale, slots and an error, but no
    #: values.
    ciphertext: Ciphertext = field(repr=False, compare=False)

    @staticmethod
    def of(name: str, ct: Ciphertext) -> Output:
        """The `Output` of a result."""
        return Output(*shape(name, ct), ct.error_bound, ct)

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        name += left(unit(self.ciphertext.params), self.level)
        if self.ciphertext.params.t is not None:
            budget = f"noise budget {self.ciphertext.noise_budget:.0f} bits"
            return f"{name}{held(self)}{self.slots} slots, exact, {budget}"
        return (
            f"{name}scale 2^{self.scale:.2f}, {held(self)}{self.slots} slots, values up to {self.magnitude:.4g}, "
            f"{precision_text(self.precision_bits, self.magnitude)}"
        )


@dataclass(frozen=True, repr=False)
class Plan(Followed):
    """The result of `plan`."""

    outputs: tuple[Output, ...]
    #: The value that the function returned, with an `Output` in place of each ciphertext.
    result: Any
    #: Why these parameters were chosen, where `plan` was given none: each preset that was tried, and
    #: its time or what it lacks. Of `plan_matrices` likewise the layouts.
    choice: dict[str, str] | None = None
    #: The layout of each input of `plan_matrices`.
    layouts: dict[str, str] | None = None
    #: How many values each input holds; empty for `plan_matrices`.
    counts: tuple[int, ...] = ()
    #: The device of `estimate`.
    device: str | PathLike[str] | None = None
    #: Makes the estimate.
    _estimated: Callable[[], Estimate | None] = field(default=lambda: None, repr=False, compare=False)

    @functools.cached_property
    def estimate(self) -> Estimate | None:
        """The time and memory of the program on `device`; None without a device. For this machine, the first
        estimate measures it, for some seconds; the user's cache keeps the figures."""
        return self._estimated()

    @staticmethod
    def of(
        server: Server,
        result: Any,
        device: str | PathLike[str] | None,
        choice: dict[str, str] | None = None,
        counts: Sequence[int | None] = (),
    ) -> Plan:
        """The plan of what was recorded on a server. counts: of the inputs; None for a value in every slot."""
        outputs = [Output.of(name, ct) for name, ct in ciphertexts(result)]
        known = followed(server, outputs)
        slots = [step.slots for step in known["steps"] if step.operation == "input"]
        held = tuple(slots[i] if count is None else int(count) for i, count in enumerate(counts))
        replacements = replaced(result, Output.of)
        plan = Plan(**known, result=replacements, choice=choice, counts=held)
        return plan._on(device, server)

    def _on(self, device: str | PathLike[str] | None, server: Server) -> Plan:
        """The plan with an estimate for a device, of what the server has counted until now. Only this machine, which
        may have to be measured first, is asked when the estimate is read."""
        if device == HERE:
            counts = server._counts()
            return replace(self, device=device, _estimated=lambda: counts.estimate(HERE))
        estimate = None if device is None else server.estimate(device)
        return replace(self, device=device, _estimated=lambda: estimate)

    @property
    def levels(self) -> list[int]:
        """The levels left in the outputs, in order; with HEAAN the bits of their moduli."""
        return [output.level for output in self.outputs]

    @property
    def lowest(self) -> int | None:
        """The lowest level of any ciphertext in the program; with HEAAN the fewest bits of a
        modulus."""
        return min((step.level for step in self.steps), default=None)

    def planned(self, output: int | str | None = None) -> Ciphertext:
        """The planned ciphertext of an output. `output` is its number, its name, or its key in the
        returned dictionary; it may be left out if there is only one output.
        `Client.decrypt_for_sharing` compares a result with it."""
        named = {o.name: o for o in self.outputs}
        if output is None and len(self.outputs) == 1:
            return self.outputs[0].ciphertext
        if isinstance(output, str) and (found := named.get(output) or named.get(f"[{output!r}]")):
            return found.ciphertext
        if isinstance(output, int) and 0 <= output < len(self.outputs):
            return self.outputs[output].ciphertext
        names = ", ".join(f"{i} ({o.name})" if o.name else str(i) for i, o in enumerate(self.outputs))
        raise refusal("output", repr(output), f"one of the plan's outputs: {names or 'there are none'}")


def plan(
    function: Callable[..., Any],
    params: Parameters | str | None = None,
    *,
    slots: PerInput[int | None] = None,
    level: PerInput[int | None] = None,
    log_q: PerInput[int | None] = None,
    magnitudes: PerInput[float | tuple[float, float]] = 1.0,
    counts: PerInput[int | None] = None,
    complex: PerInput[bool] = False,
    public_key: PerInput[bool] = False,
    bootstrapping: bool = True,
    device: str | PathLike[str] | None = HERE,
) -> Plan:
    """Records `function` on ciphertexts of the counting backend. Returns the keys that it uses, its
    bootstraps, and the levels, scales and errors of its results. Nothing is computed.

    - function: `f(x, y)` or `f(server, x, y)`. Each parameter without a default gets a ciphertext.
    - params: parameters, or the name of a preset. By default the preset of CKKS in which the program
      takes the least time on the device, "cpu-ifma-2core" for this machine, so that all who plan the program
      choose the same; `Plan.choice` says why.
    - slots: numbers of slots of the inputs; by default all slots.
    - level: levels of the inputs (CKKS); by default those of fresh ciphertexts.
    - log_q: bits of the inputs' moduli (HEAAN); by default those of fresh ciphertexts.
    - magnitudes: bounds on the values of the inputs, as `Client.encrypt` states them: numbers, or
      intervals (low, high), as in `[(0.2, 5), 1]` for two inputs. If one parameter has no default,
      `(0.2, 5)` is its interval.
    - counts: how many values the inputs hold, which is what `Client.encrypt` is given; by default a
      value in every slot. Statistics are over so many values, and may take a level more where these
      are fewer than slots. So a plan for `Client.decrypt_for_sharing` must have the counts of the
      inputs.
    - complex: whether the inputs are complex.
    - public_key: whether the inputs are encrypted with the public key, by an `Encryptor`. The
      estimated precision of CKKS and HEAAN is then a little lower. Bounds, and what
      `Client.decrypt_for_sharing` takes from a plan, are the same for both kinds.
    - bootstrapping: False if the server will have no bootstrapping keys (CKKS).
    - device: a name of `devices()`, by default this machine, or the path of a profile, for `Plan.estimate`.

    slots, level, log_q, magnitudes, counts, complex and public_key are one value for all inputs, a
    sequence with one value per input, or a dictionary by the names of the parameters.
    """
    options: dict[str, Any] = {
        "slots": slots,
        "level": level,
        "log_q": log_q,
        "magnitudes": magnitudes,
        "counts": counts,
        "complex": complex,
        "public_key": public_key,
    }
    server, result, choice = recorded(function, params, bootstrapping, device, **options)
    inputs = Function(function).options(**options)
    return Plan.of(server, result, device, choice, [given["count"] for given in inputs])
