"""Chooses parameters for a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._ringjet import Parameters, Server, devices, preset, preset_names
from .._text import duration
from ..errors import RingjetError
from ._facts import ciphertexts
from ._inputs import given

#: Results with fewer bits of precision do not count as results.
_FEW_BITS = 8


def chosen(
    params: Parameters | str | None, bootstrapping: bool, record: Callable[[Server], Any]
) -> tuple[Server, Any, dict[str, str] | None]:
    """The recording server, what `record` returned, and the reasons for the choice where `params` is
    None: then the preset is chosen in which the program takes the least time."""
    if params is not None:
        server = Server._recording(given(params), bootstrapping, False, False)
        return server, record(server), None
    best: tuple[float, Server, Any] | None = None
    reasons: dict[str, str] = {}
    refused: RingjetError | None = None
    for name in preset_names():
        known = preset(name)
        if known.scheme != "ckks" or not known.security:
            continue
        server = Server._recording(known, bootstrapping, False, False)
        try:
            result = record(server)
        except RingjetError as error:
            reasons[name], refused = str(error), error
            continue
        bits = min((ct.precision_bits for _, ct in ciphertexts(result)), default=_FEW_BITS)
        if bits < _FEW_BITS:
            reasons[name] = f"{bits:.1f} bits of precision are left"
            continue
        seconds = server.estimate(devices()[0]).seconds
        reasons[name] = f"{duration(seconds)} on {devices()[0]}"
        if best is None or seconds < best[0]:
            best = seconds, server, result
    if best is None:
        assert refused is not None, "a preset that records and is too imprecise has a deeper one"
        raise refused
    return best[1], best[2], reasons
