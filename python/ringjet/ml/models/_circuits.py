"""The circuits of models, by their names in files."""

from __future__ import annotations

from typing import Any

from ._columns import ColumnsCircuit
from ._interface import Circuit
from ._layers import Array, Head
from ._network import restored as restored_network
from ._slots import SlotsCircuit
from ._tree_circuit import TreeCircuit
from ._tree_circuit import restored as restored_trees


def restored(found: dict[str, Any], arrays: dict[str, Array]) -> Circuit:
    """Reads what `Circuit.stored` gave."""
    if found["circuit"] == TreeCircuit.kind:
        return restored_trees(found, arrays)
    network = restored_network(found, arrays, Head("value"))
    if found["circuit"] == SlotsCircuit.kind:
        return SlotsCircuit.restored(found, network)
    if found["circuit"] != ColumnsCircuit.kind:
        raise ValueError(f"a circuit {found['circuit']!r}")
    return ColumnsCircuit(network)
