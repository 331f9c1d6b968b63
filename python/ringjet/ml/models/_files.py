"""The files of a compiled model: JSON and arrays."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from ..._ringjet import Parameters
from ...errors import MalformedError, RingjetError
from ._circuits import restored
from ._interface import Circuit, Interface, fingerprint
from ._layers import Array, Head
from ._packing import Packing, Slots
from ._packing import restored as restored_packing

_FORMAT = "ringjet model 3"

#: What a client's file says of each score.
_SCORES = ("shift", "unit", "low", "high")

T = TypeVar("T")


def store(folder: str | PathLike[str], interface: Interface, circuit: Circuit) -> None:
    """Writes the files of a model."""
    path = Path(folder)
    computed, arrays = circuit.stored()
    client = json.dumps(described(interface), indent=1)
    path.mkdir(parents=True, exist_ok=True)
    np.savez(path / "weights.npz", **cast(dict[str, Any], {name: _short(array) for name, array in arrays.items()}))
    (path / "client.json").write_text(client)
    (path / "model.json").write_text(json.dumps({"format": _FORMAT, **computed}, indent=1))


def named(interface: Interface, circuit: Circuit) -> Interface:
    """The interface with its fingerprint, which depends on all else that it has and on the circuit."""
    found = described(interface)
    del found["fingerprint"]
    return replace(interface, fingerprint=fingerprint(found, circuit))


def read_client(path: str | PathLike[str], allow_insecure: bool = False) -> Interface:
    """Reads a client's file. allow_insecure: accept parameters below their stated security."""
    return _checked(Path(path), lambda found: interface_of(found, allow_insecure))


def read_server(folder: str | PathLike[str], allow_insecure: bool = False) -> tuple[Interface, Circuit]:
    """Reads the files of a model."""
    path = Path(folder)
    interface = read_client(path / "client.json", allow_insecure)

    def circuit(found: dict[str, Any]) -> Circuit:
        with np.load(path / "weights.npz", allow_pickle=False) as arrays:
            return restored(found, {name: _long(arrays[name]) for name in arrays})

    made = _checked(path / "model.json", circuit)
    if named(interface, made).fingerprint != interface.fingerprint:
        raise MalformedError(f"{path}: client.json is not that of model.json and weights.npz")
    return interface, made


def _short(array: Array) -> Array:
    """Numbers that are exact in single precision, in single precision."""
    return array.astype(np.float32) if array.dtype == float and np.all(array == array.astype(np.float32)) else array


def _long(array: Array) -> Array:
    return array.astype(float) if array.dtype == np.float32 else array


def _checked(path: Path, read: Callable[[dict[str, Any]], T]) -> T:
    """What `read` makes of the values of a file. Refuses files of another format, and damaged ones."""
    try:
        found = json.loads(path.read_text())
        if not isinstance(found, dict) or found.get("format") != _FORMAT:
            raise MalformedError(f"{path}: its format is not {_FORMAT!r}")
        return read(found)
    except RingjetError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        EOFError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
        zipfile.BadZipFile,
    ) as error:
        raise MalformedError(f"{path}: damaged: {type(error).__name__}: {error}") from None


def described(interface: Interface) -> dict[str, Any]:
    """All of a client's file."""
    head, arrays = interface.head, {"classes": interface.head.classes, "labels": interface.head.labels}
    listed = {name: None if array is None else array.tolist() for name, array in arrays.items()}
    return {
        "format": _FORMAT,
        "fingerprint": interface.fingerprint,
        "params": json.loads(interface.params.to_json()),
        "head": {"kind": head.kind, "neighbours": head.neighbours, "tie": head.tie, **listed},
        "shape": list(interface.shape),
        "features": interface.names,
        "packing": {
            **interface.packing.stored(),
            "layout": _layout(interface.packing, interface.params, len(interface.low)),
        },
        "scores": {name: getattr(interface, name).tolist() for name in _SCORES},
        "has_activations": interface.has_activations,
        "keys": interface.keys,
    }


def interface_of(found: dict[str, Any], allow_insecure: bool = False) -> Interface:
    """Reads what `described` gave."""
    params = Parameters.from_json(json.dumps(found["params"]), allow_insecure=allow_insecure)
    shift, unit, low, high = scores = [np.array(found["scores"][name], float) for name in _SCORES]
    head, packing = _head(found["head"]), restored_packing(found["packing"])
    shape = tuple(int(n) for n in found["shape"])
    if not shape or min(shape) < 1 or math.prod(shape) != packing.features:
        raise ValueError(f"samples of shape {shape}, and {packing.features} features")
    if isinstance(packing, Slots) and packing.slots * packing.together > params.slots:
        raise ValueError(f"{packing.together} samples of {packing.slots} slots in {params.slots}")
    if shift.ndim != 1 or any(array.shape != shift.shape for array in scores) or not np.all(unit > 0):
        raise ValueError("ranges of scores that contradict each other")
    if found["packing"]["layout"] != _layout(packing, params, len(low)):
        raise ValueError("a layout of samples that contradicts how they are packed")
    if head.scores() not in (None, len(low)):
        raise ValueError(f"{len(low)} scores, and {head.scores()} by the classes")
    return Interface(
        params=params,
        head=head,
        packing=packing,
        shape=shape,
        names=_names(found["features"], packing.features),
        shift=shift,
        unit=unit,
        low=low,
        high=high,
        has_activations=bool(found["has_activations"]),
        keys=_keys(found["keys"]),
        fingerprint=str(found["fingerprint"]),
    )


def _layout(packing: Packing, params: Parameters, scores: int) -> dict[str, Any]:
    return packing.layout(params.slots, scores).stored()


def _names(found: Any, count: int) -> list[str] | None:
    if found is not None and not (isinstance(found, list) and list(map(type, found)) == [str] * count):
        raise ValueError("names of features that are no list of words")
    return found


def _keys(found: Any) -> dict[str, Any]:
    """What `Client.evaluation_keys` takes. Refuses anything else."""
    flags = ("conjugation", "relinearization")
    lists = ("bootstrapping", "rotations")
    levels = dict(found["levels"])
    whole = [k for name in lists for k in found[name]] + list(levels.values())
    fits = set(found) == {*flags, *lists, "levels"} and all(type(found[name]) is bool for name in flags)
    if not fits or any(type(k) is not int for k in whole):
        raise ValueError("keys that no client makes")
    return dict(found)


def _head(found: dict[str, Any]) -> Head:
    classes, labels = (None if found[name] is None else np.array(found[name]) for name in ("classes", "labels"))
    kind, neighbours = found["kind"], int(found["neighbours"])
    if kind not in ("value", "sign", "argmax", "pairs", "nearest"):
        raise ValueError(f"scores of the kind {kind!r}")
    if (kind in ("sign", "argmax", "pairs") and classes is None) or (kind == "nearest") == (labels is None):
        raise ValueError(f"classes or labels that {kind} does not have")
    if kind == "sign" and classes is not None and classes.shape != (2,):
        raise ValueError("one score for other than two classes")
    tie = float(found["tie"])
    if not math.isfinite(tie) or (tie < 0 and kind != "sign"):
        raise ValueError(f"scores of the kind {kind!r} that are equal within {tie}")
    return Head(kind, classes, labels, neighbours, tie)
