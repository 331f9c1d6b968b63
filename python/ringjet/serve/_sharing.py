"""Results of a service that their owner decrypts for others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import refusal
from .._ringjet import Client
from ..program import Output, Plan, Step
from ._service import flattened


def expect_plan(
    program: dict[str, Any], counts: Sequence[int | None], plan: Plan, bits: int | None, exact: bool
) -> None:
    """Refuses what could not be shared, before anything is computed. counts: of the values of inputs; None
    where the number is not known."""
    if not isinstance(plan, Plan):
        raise refusal("plan", type(plan).__name__, "what ringjet.plan returns of your copy of the program")
    expected, found = len(program["outputs"]), len(plan.outputs)
    if expected != found:
        raise refusal("plan", f"a plan of {found} results", f"{expected} results, as {program['name']} has")
    steps = [step for step in plan.steps if step.operation == "input"]
    inputs = program["inputs"]
    if len(steps) != len(inputs):
        raise refusal("plan", f"a plan of {len(steps)} inputs", f"{len(inputs)} inputs, as {program['name']} has")
    for given, step in zip(inputs, steps, strict=True):
        _expect_input(given, step, exact)
    for given, count, planned in zip(inputs, counts, plan.counts, strict=False):
        if count not in (None, planned):
            raise refusal(f"the plan's input {given['name']}", f"{planned} values", f"{count}, as in this call")
    if bits is None and not exact:
        raise refusal("bits", None, "the number of bits after the point that are published")


def _expect_input(given: dict[str, Any], step: Step, exact: bool) -> None:
    """Refuses a plan of another input than clients encrypt: errors could be larger than planned."""
    sizes, planned = (given["level"], given["slots"]), (step.level, step.slots)
    largest = 0.0 if exact else float(max(abs(end) for end in np.atleast_1d(given["magnitude"])))

    def text(level: int, slots: int, magnitude: float) -> str:
        values = "" if exact else f", values up to {magnitude:g}"
        return f"{given['unit']} {level}, {slots} slots{values}"

    if sizes != planned or largest > step.magnitude:
        found, expected = text(*planned, step.magnitude), text(*sizes, largest)
        raise refusal(f"the plan's input {given['name']}", found, f"{expected}, which is what clients encrypt")


def shared(
    client: Client, found: Sequence[bytes], plan: Plan, bits: int | None, complex: bool, options: dict[str, int]
) -> Any:
    """The results for others, in the structure of the plan: nothing of it comes from the service."""
    template, _ = flattened(plan.result, lambda x: isinstance(x, Output))

    def filled(part: Any) -> Any:
        if isinstance(part, int):
            share: Any = client.decrypt_for_sharing
            return share(found[part], bits, complex, plan=plan, output=part, **options)
        if isinstance(part, list):
            return [filled(inner) for inner in part]
        return {key: filled(inner) for key, inner in part.items()}

    return filled(template)
