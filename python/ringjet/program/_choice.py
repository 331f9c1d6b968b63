"""Chooses parameters for a program."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from .._checks import refusal
from .._ringjet import Parameters, Server, preset, preset_names
from .._scheme import is_ckks
from .._text import duration
from ..errors import NoSineError, RingjetError
from ._estimate import HERE, REFERENCE
from ._facts import ciphertexts
from ._inputs import Function, given

#: Results with fewer bits of precision do not count as results.
_FEW_BITS = 8


def recorded(
    function: Callable[..., Any],
    params: Parameters | str | None,
    bootstrapping: bool,
    device: str | PathLike[str] | None = HERE,
    **options: Any,
) -> tuple[Server, Any, dict[str, str] | None]:
    """The server that recorded `function`, and what the function returned. options: those of
    `Function.options`. Without params the preset of CKKS is chosen in which the program takes the least
    time on the device, `REFERENCE` for this machine; the last value is then the reason for or
    against each preset."""
    known = Function(function)
    inputs = known.options(**options)
    if params is not None:
        server = Server._recording(given(params), bootstrapping, False, False)
        return server, known.record(server, inputs), None
    device = REFERENCE if device in (None, HERE) else device
    best: tuple[float, Server, Any] | None = None
    reasons: dict[str, str] = {}
    refused: RingjetError | None = None
    # parameters with sines are for programs that have some, which all others refuse
    needs_sine = False
    for name in sorted(preset_names(), key=lambda name: preset(name).has_sine):
        if not is_ckks(preset(name)) or not preset(name).security:
            continue
        if preset(name).has_sine and not needs_sine:
            continue
        server = Server._recording(name, bootstrapping, False, False)
        try:
            result = known.record(server, inputs)
        except RingjetError as error:
            reasons[name], refused = str(error), error
            needs_sine = needs_sine or isinstance(error, NoSineError)
            continue
        bits = min((ct.precision_bits for _, ct in ciphertexts(result)), default=_FEW_BITS)
        if bits < _FEW_BITS:
            reasons[name] = f"{bits:.1f} bits of precision are left, fewer than {_FEW_BITS}"
            continue
        seconds = server.estimate(device).seconds
        reasons[name] = f"{duration(seconds)} on {device}"
        if best is None or seconds < best[0]:
            best = seconds, server, result
    if best is not None:
        return best[1], best[2], reasons
    if refused is None:
        raise refusal("params", None, f"parameters that leave at least {_FEW_BITS} bits of precision: {reasons}")
    raise refused
