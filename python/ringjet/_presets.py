"""The table of presets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ._ringjet import Parameters, preset, preset_names
from ._text import aligned, size


@dataclass(frozen=True)
class Preset:
    """A named parameter set, with its security, depth, slots, precision and sizes."""

    name: str
    parameters: Parameters

    @property
    def security(self) -> int:
        """Bits of security by the 2024 guidelines: 128, 192 or 256. 0 for less than 128, and for
        sparse secrets, which the guidelines do not cover."""
        return self.parameters.security

    @property
    def depth(self) -> int:
        """The number of successive multiplications on a fresh ciphertext; of presets that bootstrap, between two
        bootstraps."""
        return self.parameters.depth

    @property
    def slots(self) -> int:
        """The number of values in a ciphertext."""
        return self.parameters.slots

    @property
    def precision(self) -> float:
        """Bits of precision of the product of two values up to 1."""
        return self.parameters.precision_bits

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of ciphertexts and keys in bytes."""
        return self.parameters.sizes


class PresetTable:
    """All presets. The table can be printed, iterated and indexed by name."""

    _header = ("name", "security", "margin", "depth", "slots", "precision")
    _sizes = {
        "ciphertext": "ciphertext",
        "fresh": "fresh_ciphertext",
        "key sent": "evaluation_key",
        "key in memory": "evaluation_key_in_memory",
    }

    def __init__(self) -> None:
        self._rows = {name: Preset(name, preset(name)) for name in preset_names()}

    def __iter__(self) -> Iterator[Preset]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str) -> Preset:
        # an unknown name raises the error of `preset`
        return self._rows.get(name) or Preset(name, preset(name))

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def _titles(self) -> tuple[str, ...]:
        return (*self._header, *self._sizes)

    def _cells(self) -> list[tuple[str, ...]]:
        def cells(p: Preset) -> tuple[str, ...]:
            sizes = p.sizes
            return (
                p.name,
                f"{p.security} bits" if p.security else "insecure",
                f"{p.parameters.security_margin:.0f} bits" if p.security else "",
                str(p.depth),
                str(p.slots),
                "exact" if np.isinf(p.precision) else f"{p.precision:.0f} bits",
                *(size(sizes[kind]) for kind in self._sizes.values()),
            )

        return [cells(p) for p in self]

    def __repr__(self) -> str:
        return aligned([self._titles(), *self._cells()], right=True)

    def _repr_html_(self) -> str:
        def row(tag: str, cells: tuple[str, ...]) -> str:
            return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row("td", cells) for cells in self._cells())
        return f"<table><thead>{row('th', self._titles())}</thead><tbody>{body}</tbody></table>"


def presets() -> PresetTable:
    """The parameter sets that come with ringjet, of all schemes: security, depth, slots, precision, sizes of keys and
    ciphertexts."""
    return PresetTable()
