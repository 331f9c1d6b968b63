"""What parties agree on before they begin."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from .._checks import refusal
from .._ringjet import Parameters, PartySpec, preset
from ..program import Plan


class Spec:
    """What parties agree on. Each party makes it for itself, from the same arguments: everything
    that follows carries its digest.

    - params: the name of a preset, or parameters for the same number of parties, as
      `rj.preset(name, parties=3, threshold=2)` makes them.
    - names: a name for each party, in an order that all use. 2 to 64 parties are possible.
    - threshold: how many of them decrypt together, from 2 to all; by default all.
    - plans: what `rj.plan` returned for each computation whose result they decrypt or refresh. Its
      evaluation keys are made, and only ciphertexts with the shape and error of these plans are answered.
    - keys: more evaluation keys, with the arguments of `Client.evaluation_keys` as a dictionary.
    - answers: the maximum number of ciphertexts that each party answers, 1 to 2**18.
    - security: statistical security of the answers, 1 to 128 bits.

    Raises `ArgumentError` for parameters of another number of parties, and for names, thresholds and
    numbers out of range; `NoCollectiveBootstrapError` for plans that bootstrap.
    """

    def __init__(
        self,
        params: Parameters | str,
        names: Sequence[str],
        threshold: int | None = None,
        *,
        plans: Sequence[Plan] = (),
        keys: Mapping[str, Any] | None = None,
        answers: int = 1024,
        security: int = 40,
    ) -> None:
        for plan in plans:
            if not isinstance(plan, Plan):
                raise TypeError(f"plans: what ringjet.plan returned, not {type(plan).__name__}")
        names = list(names)
        wanted = _merged([plan.keys for plan in plans] + ([dict(keys)] if keys else []))
        digests = [_digest(plan) for plan in plans]
        parties = len(names) if threshold is None else threshold
        if isinstance(params, str):
            params = preset(params, parties=len(names), threshold=parties)
        self._spec = PartySpec(params, names, parties, digests, answers=answers, security=security, **wanted)

    @classmethod
    def _of(cls, spec: PartySpec) -> Spec:
        """The spec of a party that was loaded."""
        made = cls.__new__(cls)
        made._spec = spec
        return made

    @property
    def params(self) -> Parameters:
        """The parameters."""
        return self._spec.params

    @property
    def names(self) -> list[str]:
        """The names of the parties."""
        return self._spec.names

    @property
    def threshold(self) -> int:
        """How many parties decrypt together."""
        return self._spec.threshold

    @property
    def answers(self) -> int:
        """Most ciphertexts that are answered."""
        return self._spec.answers

    @property
    def security(self) -> int:
        """Statistical security of the answers in bits."""
        return self._spec.security

    @property
    def digest(self) -> str:
        """SHA-256 of what was agreed on, in hexadecimal: parties can compare it on the telephone."""
        return self._spec.digest

    def __repr__(self) -> str:
        return f"Spec({', '.join(self.names)}, any {self.threshold} decrypt, {self.params!r}, {self.digest[:16]}..)"


def _merged(requests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The keys of all requests: each for the highest level at which one of them uses it."""
    rotations: list[int] = sorted({int(r) for request in requests for r in request.get("rotations", [])})
    merged: dict[str, Any] = {"rotations": rotations}
    merged["conjugation"] = any(request.get("conjugation", False) for request in requests)
    merged["relinearization"] = any(request.get("relinearization", True) for request in requests)
    merged["bootstrapping"] = sorted({n for request in requests for n in request.get("bootstrapping", []) or []})
    levels: dict[str, int | None] = {}
    for request in requests:
        stated = {str(name): level for name, level in (request.get("levels") or {}).items()}
        used = [str(r) for r in request.get("rotations", [])]
        used += ["conjugation"] * bool(request.get("conjugation", False))
        used += ["relinearization"] * bool(request.get("relinearization", True))
        if unknown := set(stated) - set(used):
            raise refusal("levels", sorted(unknown), "the rotations, conjugation or relinearization of the same keys")
        for name in used:
            level, known = stated.get(name), levels.get(name, 0)
            levels[name] = None if level is None or known is None else max(level, known)
    numbered = {name: level for name, level in levels.items() if level is not None}
    merged["levels"] = {int(n) if n.lstrip("-").isdigit() else n: level for n, level in numbered.items()}
    return merged


def _digest(plan: Plan) -> bytes:
    """SHA-256 of what an answer to a result of the plan depends on: parameters, and of each output its
    place, shape and error. Two programs with the same digest need the same noise."""
    outputs = [
        [o.name, o.level, o.scale.hex() if isinstance(o.scale, float) else o.scale, o.slots, o.count]
        + [float(o.magnitude).hex(), float(o.error_bound).hex()]
        for o in plan.outputs
    ]
    text = json.dumps([plan.params.fingerprint, outputs], sort_keys=True)
    return hashlib.sha256(b"ringjet plan\0" + text.encode()).digest()
